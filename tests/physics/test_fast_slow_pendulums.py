"""The test that gz-physics runs on its own mimic constraint (joint_mimic_features.cc, FastSlow), on our own world."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.physics.worlds import example, running

pytestmark = pytest.mark.usefixtures("strategies_with_contacts")

NAMES = ("pendulums_free", "pendulums_fast_follows_slow", "pendulums_slow_follows_fast")


def test_coupled_pairs_swing_between_the_free_ones() -> None:
    """After 2 steps, for 300 steps: all angles within a quarter turn and growing; free fast > coupled > free slow in
    angle and speed; the speeds of the coupled joints agree within 5e-3 rad/s (gz-physics' figure; here they agree to
    round-off)."""
    with running(example("fast_slow_pendulums")) as engine:
        index = {axis.name: i for i, axis in enumerate(engine.mechanism.axes)}
        slow = [index[f"{name}::slow_joint"] for name in NAMES]
        fast = [index[f"{name}::fast_joint"] for name in NAMES]
        coupled = slow[1:] + fast[1:]
        engine.step()
        engine.step()
        for _ in range(300):
            engine.step()
            snapshot = engine.snapshot()
            q, qd = snapshot.position, snapshot.velocity
            assert (q >= 0).all()
            assert (q <= math.pi / 2).all()
            assert (qd > 0).all()
            for values in (q, qd):
                assert values[fast[0]] > values[slow[0]]
                assert (values[fast[0]] > values[coupled]).all()
                assert (values[slow[0]] < values[coupled]).all()
            assert np.ptp(qd[coupled]) <= 5e-3
            assert snapshot.worst_coupling_residual() <= 1e-9


def test_accelerations_at_the_start() -> None:
    """Horizontal start, qdd = m g c / I about the pivot: slow 14.540059, fast 28.323699, tied (sum of both) 17.355372
    rad/s^2."""
    with running(example("fast_slow_pendulums")) as engine:
        engine.step()
        acceleration = engine.snapshot().velocity / engine.dt
        expected = np.array([14.540059, 28.323699, 17.355372, 17.355372, 17.355372, 17.355372])
        np.testing.assert_allclose(acceleration, expected, rtol=1e-6)
