"""The worlds with laws that are not straight lines, against closed forms and the real joint."""

from __future__ import annotations

import math

import numpy as np
import pytest

import simulator
from tests.physics.test_laws import OWN, G, Write, law, pendulums, positions
from tests.physics.worlds import advance, example, running


@OWN
def test_hookes_joint_is_its_law(solver: str) -> None:
    """tan β = tan α / cos δ: the dial follows by the formula, the output shaft by a universal joint in a loop."""
    with running(example("hooke_shaft"), solver=solver, drives=("input_joint=velocity:3",)) as engine:
        for _ in range(30):
            advance(engine, 0.1)
            alpha, dial, output = positions(engine, "input_joint", "dial_joint", "output_joint")
            beta = math.atan2(math.sin(alpha), math.cos(math.radians(30)) * math.cos(alpha))
            assert math.remainder(dial - beta, 2 * math.pi) == pytest.approx(0.0, abs=1e-12)
            assert math.remainder(dial - output, 2 * math.pi) == pytest.approx(0.0, abs=1e-12)
            assert abs(dial - alpha) < 0.2  # it has turned as often


def test_hookes_joint_as_a_table(write_document: Write) -> None:
    """A spline of 60 rows, within its error: |y - s| ≤ 5/384 h⁴ max|y⁗| (Hall and Meyer, 1976)."""
    delta, count = math.radians(30), 60

    def beta(alpha: np.ndarray) -> np.ndarray:
        c = math.cos(delta)
        return alpha + np.arctan2(np.sin(alpha) * np.cos(alpha) * (1 - c), c * np.cos(alpha) ** 2 + np.sin(alpha) ** 2)

    rows = np.linspace(0, 2 * math.pi, count + 1)
    text = "; ".join(f"{x!r} {y!r}" for x, y in zip(rows.tolist(), beta(rows).tolist(), strict=True))
    sim = simulator.load(
        write_document(pendulums("", law(text, kind="table", options='interpolation="cubic" periodic="true"')))
    )
    h = 1e-2
    dense = np.arange(0, 7, h)
    fourth = np.abs(np.diff(beta(dense), 4)).max() / h**4
    bound = 5 / 384 * (2 * math.pi / count) ** 4 * fourth
    worst = 0.0
    for alpha in np.linspace(-9, 9, 101).tolist():
        sim.set({"ja": alpha})
        worst = max(worst, abs(sim.positions["m::jb"] - float(beta(np.array(alpha)))))
    assert 0.0 < worst < bound < 1e-5


def test_the_cam_feels_its_spring_on_the_way_only() -> None:
    """Torque of the cam at rest: the spring's force times the slope of the lift, none while the valve rests; and
    gravity of the valve likewise."""
    sim = simulator.load(example("cam_valve"))
    for angle, moves in ((0.7, False), (2.2, True), (4.0, False), (5.6, True)):
        sim.set({"cam_joint": angle}, velocity={"cam_joint": 1.0})
        lift, slope = sim.positions["cam_valve::valve_joint"], sim.velocities["cam_valve::valve_joint"]
        assert (slope != 0.0) == moves
        sim.set({"cam_joint": angle})
        torque = sim.inverse_dynamics({"cam_joint": 0.0})["cam_valve::cam_joint"]
        assert torque == pytest.approx((1500 * (lift + 0.02) + 0.12 * G) * slope, rel=1e-9, abs=1e-12)


def test_elliptic_gears_keep_energy_from_turn_to_turn() -> None:
    with running(example("elliptic_gears"), initial=("driver_joint=0.1",), velocity=("driver_joint=6",)) as engine:
        before = engine.snapshot().energy
        advance(engine, 10.0)
        after = engine.snapshot().energy
        driver, driven = positions(engine, "driver_joint", "driven_joint")
    change = after.kinetic + after.potential - before.kinetic - before.potential
    assert abs(change) < 1e-8 * before.kinetic
    assert abs(driver - driven) < 1.0
