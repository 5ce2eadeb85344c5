"""The rack and pinion of the mimic proposal, with inertia: pinion I = 1e-4 kg m^2, rack M = 1 kg, m = 0.02 m/rad.

A coupling carries force: under a torque tau the pinion's acceleration is tau / (I + M m^2) = 0.01 / 5e-4 = 20 rad/s^2
(100 would mean that the rack's mass is ignored).
"""

from __future__ import annotations

import pytest

from tests.physics.worlds import advance, example, running

pytestmark = pytest.mark.usefixtures("strategies_with_contacts")

DRIVE = "pinion_joint=effort:0.01"


def test_acceleration_under_constant_torque() -> None:
    """Constant acceleration is exact for any first-order step, so what is left is round-off: 1e-9 relative is asked
    for."""
    with running(example("rack_and_pinion"), drives=(DRIVE,)) as engine:
        for _ in range(1000):
            engine.step()
            snapshot = engine.snapshot()
            assert snapshot.velocity[0] == pytest.approx(20.0 * engine.time, rel=1e-9)
            assert snapshot.worst_coupling_residual() <= 1e-9


def test_no_speed_clip() -> None:
    """Bullet clips joint speeds at 100 rad/s unless told otherwise: 12 s at 20 rad/s^2 end at 240 rad/s."""
    with running(example("rack_and_pinion"), drives=(DRIVE,)) as engine:
        advance(engine, 12.0)
        snapshot = engine.snapshot()
        assert snapshot.velocity[0] == pytest.approx(240.0, rel=1e-9)
        assert snapshot.velocity[1] == pytest.approx(4.8, rel=1e-9)
        assert snapshot.worst_coupling_residual() <= 1e-9


def test_work_becomes_kinetic_energy() -> None:
    """The ledger books effort times mean velocity, which is exact for constant acceleration: only round-off is left."""
    with running(example("rack_and_pinion"), drives=(DRIVE,)) as engine:
        advance(engine, 1.0)
        energy = engine.snapshot().energy
        assert energy.kinetic == pytest.approx(0.5 * 5e-4 * 20.0**2, rel=1e-9)
        assert energy.work == pytest.approx(energy.kinetic, rel=1e-9)
        assert abs(energy.error) <= 1e-9 * energy.kinetic
