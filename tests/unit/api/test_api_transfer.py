"""Positions of a simulation with other numbers, by the compiled way and by assembly from the parts."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import simulator
from simulator.api.moment import moment_carried
from simulator.api.variant_runs import variant_runs
from simulator.kinematics.kinematics import Kinematics
from simulator.physics.layout import buffers as at
from simulator.physics.layout.sweep_layout import Sweep
from simulator.physics.queries import transfer
from simulator.physics.queries.transfer import Transfer
from tests.helpers.real_couplings import wheels

WORLDS = {
    "four_bar": {"rocker.length": 0.352, "coupler.length": 0.349},
    "slider_crank": {"crank.length": 0.0503, "rod.length": 0.151},
    "hoeken": {"crank.length": 0.101},
    "scissor_lift": {"nut_joint.multiplier": 6.4e-4, "cross_2_joint.damping": 0.1},
    "gripper": {"right_finger_joint.multiplier": 1.01},
    "stewart": {"leg_1_base.child_pose.x": 0.001, "leg_3_slide.child_pose.z": 0.002},
}
"""Numbers that differ little from those of the documents."""


@pytest.mark.parametrize(("name", "numbers"), WORLDS.items())
def test_both_ways_end_at_the_same_positions(name: str, numbers: dict[str, float]) -> None:
    """Newton's method ends within round-off of positions on either way: 1e-9 is what assembly asks of itself."""
    sim = simulator.load(name)
    sim.run(0.05)
    other = sim.varied(numbers)
    slow = moment_carried(
        Kinematics(other.mechanism).as_meant, sim.moment, sim._core.independent_axes(), sim._core.rotors
    )
    np.testing.assert_allclose(other.moment.state.position, slow.state.position, atol=1e-9)
    np.testing.assert_allclose(other.moment.state.velocity, slow.state.velocity, atol=1e-8)


def test_the_compiled_way_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("positions were assembled from the parts")

    monkeypatch.setattr("simulator.api.core.moment_carried", fail)
    sim = simulator.load("four_bar")
    sim.set(crank_joint=0.4, velocity={"crank_joint": 2.0})
    other = sim.varied({"rocker.length": 0.352})
    assert other.positions["crank_joint"] == sim.positions["crank_joint"]
    assert other.velocities["crank_joint"] == 2.0


def test_what_differs_much_takes_more_care(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    kept = Transfer.of
    monkeypatch.setattr(Transfer, "of", lambda *given: found.append(kept(*given)) or found[-1])
    sim = simulator.load("four_bar")
    other = sim.varied({"rocker.length": 0.2, "coupler.length": 0.25})
    assert other.positions["crank_joint"] == sim.positions["crank_joint"]
    assert found == [None]


def test_digits_depend_on_no_other_variant() -> None:
    """Each variant by itself, and after others of the same simulation."""
    lengths = np.linspace(0.34, 0.36, 7)
    sim = simulator.load("four_bar")
    after = [sim.varied({"rocker.length": length}).run(0.02).array for length in (*lengths, *lengths[::-1])]
    for length, first, last in zip(lengths, after, after[::-1], strict=False):
        alone = simulator.load("four_bar").varied({"rocker.length": length}).run(0.02).array
        np.testing.assert_array_equal(alone, first)
        np.testing.assert_array_equal(alone, last)


LOSSES = (
    '<simulator:efficiency forward="0.9" backward="0.8"/><simulator:bearing_friction forward="0.1" backward="0.1"/>'
)


def test_lossy_couplings_are_assembled_the_long_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model that moves has a row and a coordinate for each lossy coupling, the plan of the short way none: its
    kernel would write beyond the plan's arrays."""
    asked = []

    def kernel(F: object, N: NDArray[np.int64], sweep: Sweep, *_: object) -> bool:
        asked.append((int(N[at.INDEPENDENT]), sweep.J.shape[1]))
        return False

    monkeypatch.setattr(transfer, "transfer", kernel)
    for losses in ("", LOSSES):
        sim = simulator.load(wheels((0.5, 2.0, 1.0), -2.0, losses))
        sim.set(j0=0.3, velocity={"j0": 1.5})
        for multiplier in np.linspace(-2.1, -1.9, 20):
            other = sim.varied({"m::j1.multiplier": multiplier})
            assert other.positions["j1"] == pytest.approx(0.3 * multiplier, rel=1e-12)
            assert other.velocities["j2"] == pytest.approx(1.5 * multiplier * -2.0, rel=1e-12)
    # Without losses the short way is tried, for arrays that fit.
    assert len(asked) == 20
    assert all(coordinates == columns for coordinates, columns in asked)


@pytest.mark.parametrize(("losses", "is_possible"), [("", True), (LOSSES, False)])
def test_variants_with_lossy_couplings_need_engines_of_their_own(losses: str, is_possible: bool) -> None:
    """Runs in place would assemble each variant by the short way."""
    sim = simulator.load(wheels((0.5, 2.0, 1.0), -2.0, losses))
    sim.set(j0=0.3)
    first = sim.varied({"m::j1.multiplier": -1.9})
    runs = variant_runs(sim, first, ["m::j1.multiplier"], 0.01, every=None, channels=["joint/m::j1/position"])
    assert (runs is not None) == is_possible
