"""What couplings pass on, by Newton on single wheels: I α = effort - damping ω - stiffness φ + Σ a μ over the couplings
that a wheel takes part in. Nothing of the mechanism that the wheels hang on is in that equation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import simulator
from tests.helpers.documents import mimic
from tests.physics.axes import dynamics
from tests.physics.worlds import joint, link, model, world

Write = Callable[..., Path]
INERTIA = 0.05
ROUND_OFF = 1e-10
"""Of efforts about 1 N m: a solution of some ten equations."""


def five_bars(laws: dict[str, str], wheels: dict[str, str]) -> str:
    """A chain of four bars, closed by the hinge `jc` on the ground, and wheels beside it; `laws` and `wheels`: what is
    inside the axes of `jc` and of the wheels."""
    cut = "<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics>"
    return world(
        model(
            *(
                link(f"l{i}", pose=f"{x} 0 {z} 0 0 0", inertia="0.001 0.004 0.004")
                for i, (x, z) in enumerate([(0, 0.15), (0.125, 0.4), (0.4, 0.4), (0.525, 0.15)])
            ),
            *(link(name, pose="0 0.1 0 0 0 0", inertia=f"1 {INERTIA} 1") for name in wheels),
            joint("j1", "revolute", "l0", axis="0 -1 0", pose="0 0 -0.15 0 0 0"),
            joint("j2", "revolute", "l1", parent="l0", axis="0 -1 0", pose="-0.125 0 -0.1 0 0 0"),
            joint("j3", "revolute", "l2", parent="l1", axis="0 -1 0", pose="-0.15 0 0.1 0 0 0"),
            joint("j4", "revolute", "l3", parent="l2", axis="0 -1 0", pose="0.025 0 0.15 0 0 0"),
            joint(
                "jc", "revolute", "l3", axis="0 -1 0", pose="-0.025 0 -0.15 0 0 0", extra=cut, inside_axis=laws["jc"]
            ),
            *(joint(f"j_{name}", "revolute", name, axis="0 -1 0", inside_axis=law) for name, law in wheels.items()),
        )
    )


def random_chain(seed: int) -> str:
    """A wheel that follows the crank, the closing hinge that follows that wheel or leads others, and wheels that follow
    any of them."""
    random = np.random.default_rng(seed)

    def law(leader: str) -> str:
        return mimic(leader, float(random.choice([-2.0, -0.7, 0.5, 1.5])))

    def passive() -> str:
        return dynamics(damping=float(random.uniform(0, 0.2)), spring_stiffness=float(random.uniform(0, 2.0)))

    wheels = {"w0": law("j1")}
    for i in range(1, 5):
        leader = str(random.choice(["jc", "j2", *(f"j_{name}" for name in wheels)]))
        wheels[f"w{i}"] = law(leader)
    # Every second chain goes through the closing hinge; in the others the hinge only leads.
    closing = law("j_w0") if seed % 2 else ""
    return five_bars({"jc": closing}, {name: inside + passive() for name, inside in wheels.items()})


@pytest.mark.parametrize("seed", range(8))
def test_wheels_of_chains_that_reach_a_closing_joint_are_in_balance(write_document: Write, seed: int) -> None:
    sim = simulator.load(write_document(random_chain(seed)))
    sim.run(0.05)
    random = np.random.default_rng(seed + 100)
    efforts = {f"m::j_w{i}": float(random.normal()) for i in range(5)}
    found = sim.reactions(efforts)
    given = np.array([efforts.get(info.name, 0.0) for info in sim.mechanism.axes])
    assert np.abs(unbalanced(sim, given, found.accelerations.array, found.couplings.array)).max() < ROUND_OFF


def test_efforts_of_an_analysis_leave_wheels_in_balance(write_document: Write) -> None:
    """The crank is moved at 2 rad/s; what the wheels' inertia needs comes through the couplings alone."""
    sim = simulator.load(write_document(random_chain(1)))
    swept = sim.analyse({"j1": (0.0, 0.2)}, points=5, velocity=2.0).swept
    none = np.zeros(len(sim.mechanism.axes))
    for p in range(5):
        at = swept.position[p], swept.velocity[p]
        assert np.abs(unbalanced(sim, none, swept.acceleration[p], swept.coupling_efforts[p], *at)).max() < ROUND_OFF


def unbalanced(
    sim: simulator.Simulation,
    given: np.ndarray,
    accelerations: np.ndarray,
    couplings: np.ndarray,
    position: np.ndarray | None = None,
    velocity: np.ndarray | None = None,
) -> np.ndarray:
    """What is left of Newton's law of every wheel [N m]."""
    state = sim.moment.state
    position = state.position if position is None else position
    velocity = state.velocity if velocity is None else velocity
    acting = np.array(given)
    for coupling, effort in zip(sim.mechanism.couplings, couplings, strict=True):
        for axis, factor in coupling.terms:
            acting[axis] += factor * effort
    wheels = [i for i, info in enumerate(sim.mechanism.axes) if "::j_w" in info.name]
    left = [
        acting[i]
        - sim.mechanism.axes[i].axis.damping * velocity[i]
        - sim.mechanism.axes[i].axis.spring_stiffness * position[i]
        - INERTIA * accelerations[i]
        for i in wheels
    ]
    return np.array(left)
