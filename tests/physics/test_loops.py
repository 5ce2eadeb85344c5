"""Closed loops held by Bullet's point constraints: as good as its first-order step allows, and better with a smaller
one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.physics.worlds import advance, example, running

pytestmark = pytest.mark.usefixtures("gear_only")

CRANK_START = math.radians(60.0)


def _crank_rocker(dt: float, duration: float) -> tuple[float, float, float]:
    """(crank angle, worst closure [m], energy error relative to the largest kinetic energy) of the drop test."""
    with running(example("four_bar"), dt=dt) as engine:
        worst, error, kinetic = 0.0, 0.0, 0.0
        for _ in range(round(duration / dt)):
            engine.step()
            snapshot = engine.snapshot()
            worst = max(worst, snapshot.worst_loop_residual()[0])
            error = max(error, abs(snapshot.energy.error))
            kinetic = max(kinetic, snapshot.energy.kinetic)
        index = engine.mechanism.axis_index("crank_joint")
        assert index is not None
        return CRANK_START + float(snapshot.position[index]), worst, error / kinetic


def test_crank_rocker_drop() -> None:
    """theta(0.25 s) = -0.6544566601 (DOP853 at rtol 1e-13, thin rods of 1 kg/m, see the world's comment).

    Raw Bullet was measured at 1.6e-4 m of closure and about 1 % of energy a second at 1 ms; a tenth of the step must
    bring the angle error down about tenfold (first order).
    """
    coarse, closure, energy = _crank_rocker(1e-3, 0.25)
    fine, fine_closure, _ = _crank_rocker(1e-4, 0.25)
    exact = -0.6544566601
    assert abs(coarse - exact) < 2e-2
    assert abs(fine - exact) < abs(coarse - exact) / 5
    assert closure < 3e-4
    assert fine_closure < closure / 20
    assert energy < 2e-2


def test_start_is_closed_and_accelerates_as_the_exact_mechanism() -> None:
    """thetadd(0) = -34.3058989 rad/s^2; one small step of 1e-5 s sees it to first order."""
    with running(example("four_bar"), dt=1e-5) as engine:
        assert engine.snapshot().worst_loop_residual()[0] < 1e-12
        engine.step()
        index = engine.mechanism.axis_index("crank_joint")
        assert engine.snapshot().velocity[index] / engine.dt == pytest.approx(-34.3058989, rel=1e-3)


@pytest.mark.parametrize("angle", [-1.0, 0.4, 2.0])
def test_open_initial_pose_is_assembled(angle: float) -> None:
    """An asked crank angle moves the rest of the loop onto it before time begins: closed to round-off."""
    with running(example("four_bar"), initial=(f"crank_joint={angle}",)) as engine:
        snapshot = engine.snapshot()
        assert snapshot.position[engine.mechanism.axis_index("crank_joint")] == pytest.approx(angle, abs=1e-12)
        assert snapshot.worst_loop_residual()[0] < 1e-9


def test_slider_crank_follows_its_closed_form() -> None:
    """s = 0.05 cos t + sqrt(0.16^2 - 0.05^2 sin^2 t), t = 60 deg + crank; the loop's gap of some 1e-5 m is the error of
    the piston."""
    start = 0.17902921800749366
    with running(example("slider_crank"), drives=("crank_joint=velocity:10",)) as engine:
        crank, piston = engine.mechanism.axis_index("crank_joint"), engine.mechanism.axis_index("piston_joint")
        for _ in range(1000):
            engine.step()
            q = engine.snapshot().position
            t = CRANK_START + q[crank]
            exact = 0.05 * math.cos(t) + math.sqrt(0.16**2 - (0.05 * math.sin(t)) ** 2) - start
            assert q[piston] == pytest.approx(exact, abs=2e-4)
        assert q[crank] == pytest.approx(10.0, abs=0.1)


def test_position_of_the_cut_joint_is_read_off_the_poses() -> None:
    """Angles around the quadrilateral add up: coupler relative to crank, plus cut joint, equals rocker minus crank. The
    gap bounds it."""
    with running(example("four_bar")) as engine:
        advance(engine, 0.3)
        snapshot = engine.snapshot()
        at = {axis.joint.split("::")[1]: snapshot.position[i] for i, axis in enumerate(engine.mechanism.axes)}
        total = at["crank_joint"] + at["coupler_joint"] + at["closing_joint"] - at["rocker_joint"]
        assert abs(math.remainder(total, 2 * math.pi)) < 1e-9
        assert np.isfinite(snapshot.velocity).all()
