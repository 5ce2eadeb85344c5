"""Universal joints that close loops with axes that are not perpendicular: what acts on one of their angles does no work
on the other.

Compared with the motion of one body in its two angles, and with the same chain cut at its ball, whose axes are all
coordinates of the tree then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import simulator
from simulator.engine.drives import Drive
from tests.helpers.skew_universal import Angles, body, chain

Array = NDArray[np.float64]
Write = Callable[..., Path]

TIME = 0.3
EXACT = 1e-8
"""Of angles [rad] and rates [rad/s] after TIME: steps of 1 ms of order four lose (w dt)^4 in a radian, with w up to 10
rad/s, and the stiffest of the springs and dampers here has 0.1 s."""
AXES = ("u", "u:axis2")
JOINTS = ("j1", "j2", "j3", "j4")
CHAIN = ("j2", "j2:axis2", "j3", "j3:axis2", "j4")

STIFFNESS, REFERENCE, DAMPING, EFFORT = 3.0, 0.4, 0.1, 0.7
SPRING = (
    f"<dynamics><spring_stiffness>{STIFFNESS}</spring_stiffness>"
    f"<spring_reference>{REFERENCE}</spring_reference></dynamics>"
)
DAMPER = f"<dynamics><damping>{DAMPING}</damping></dynamics>"


def on(place: int, effort: Callable[[float, float], float]) -> Callable[[Array, Array], Array]:
    """Efforts on both angles of a law for one."""

    def efforts(q: Array, v: Array) -> Array:
        found = np.zeros(2)
        found[place] = effort(float(q[place]), float(v[place]))
        return found

    return efforts


PASSIVE = {
    "nothing": ("", lambda _q, _v: 0.0),
    "spring": (SPRING, lambda q, _v: -STIFFNESS * (q - REFERENCE)),
    "damper": (DAMPER, lambda _q, v: -DAMPING * v),
}


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("name", PASSIVE)
def test_springs_and_dampers_act_on_their_own_angle(name: str, place: int, write_document: Write) -> None:
    inside, law = PASSIVE[name]
    sim = simulator.load(write_document(body({place: inside})))
    assert [loop.name for loop in sim.mechanism.loop_joints] == ["m::u"]
    _compare(sim, Angles(on(place, law)))


@pytest.mark.parametrize("place", [0, 1])
def test_an_effort_acts_on_its_own_angle(place: int, write_document: Write) -> None:
    sim = simulator.load(write_document(body({})))
    _compare(sim, Angles(on(place, lambda _q, _v: EFFORT)), {AXES[place]: simulator.effort(EFFORT)})


@pytest.mark.parametrize("place", [0, 1])
def test_an_angle_follows_the_other(place: int, write_document: Write) -> None:
    leader = "" if place else ' axis="axis2"'
    inside = f'<mimic joint="u"{leader}><multiplier>-0.6</multiplier></mimic>'
    follows = (1.0,), (-0.6,)
    sim = simulator.load(write_document(body({place: inside})))
    _compare(sim, Angles(free=follows if place else follows[::-1]))


@pytest.mark.parametrize("place", [0, 1])
def test_a_drive_moves_its_own_angle(place: int, write_document: Write) -> None:
    """A drive holds its velocity from step to step, which is of second order in the angle: the same joint in a tree is
    2.2e-5 rad off, and 8.8e-5 rad in steps of 2 ms."""
    free = ((0.0,), (1.0,)), ((1.0,), (0.0,))
    moved = (3.0, 0.0), (0.0, 3.0)
    sim = simulator.load(write_document(body({})))
    _compare(sim, Angles(free=free[place], moved=moved[place]), {AXES[place]: simulator.velocity(3.0)}, exact=1e-4)


def _compare(
    sim: simulator.Simulation, angles: Angles, drives: Mapping[str, Drive] | None = None, exact: float = EXACT
) -> None:
    run = sim.run(TIME, drives=drives)
    q, v = angles.at(TIME)
    np.testing.assert_allclose([run[f"{axis}/position"][-1] for axis in AXES], q, rtol=0, atol=exact)
    np.testing.assert_allclose([run[f"{axis}/velocity"][-1] for axis in AXES], v, rtol=0, atol=10 * exact)
    # Positions, differenced by the fourth-order rule, have the rates of the channels: dt⁴/30 of the fifth derivative.
    for axis in AXES:
        q, dt = run[f"{axis}/position"], run.time[1]
        differenced = (q[:-4] - 8.0 * q[1:-3] + 8.0 * q[3:-1] - q[4:]) / (12.0 * dt)
        # Drives act from the first step on, which is short of their velocity at its start.
        np.testing.assert_allclose(differenced[2:], run[f"{axis}/velocity"][4:-2], rtol=0, atol=1e-5 + 10 * exact)
    # Energies of some joules are as exact as rates of some rad/s.
    assert np.abs(run["energy/error"]).max() < 10 * exact


def mimic(joint: str, multiplier: float, axis: str = "axis") -> str:
    return f'<mimic joint="{joint}" axis="{axis}"><multiplier>{multiplier}</multiplier></mimic>'


CHAINS: dict[str, dict[str, dict[int, str]]] = {
    "nothing": {},
    "springs": {"j2": {0: SPRING, 1: SPRING}, "j3": {0: SPRING, 1: SPRING}},
    "dampers": {"j2": {0: DAMPER, 1: DAMPER}, "j3": {0: DAMPER, 1: DAMPER}},
    "mimic across": {"j3": {0: mimic("j2", 0.7, "axis2"), 1: SPRING}},
    "mimic within": {"j3": {1: mimic("j3", -0.7)}, "j2": {1: DAMPER}},
    "mimic of the hinge": {"j4": {0: mimic("j2", 0.7, "axis2")}, "j2": {0: SPRING}},
}


CUTS = pytest.mark.parametrize("cut", ["j2", "j3"])


@CUTS
@pytest.mark.parametrize("name", CHAINS)
def test_a_chain_moves_the_same_wherever_it_is_cut(name: str, cut: str, write_document: Write) -> None:
    """Both runs are of order four, EXACT from each other at most; reactions change with the motion that leads to them,
    by some 10 N in 0.1 rad or rad/s."""
    (q, joints), (expected, wrenches) = (
        _run(chain(place, CHAINS[name]), place, write_document) for place in (cut, "j1")
    )
    np.testing.assert_allclose(q, expected, rtol=0, atol=EXACT)
    np.testing.assert_allclose(joints, wrenches, rtol=0, atol=100 * EXACT)


def _run(text: str, cut: str, write_document: Write, drives: Mapping[str, Drive] | None = None) -> tuple[Array, Array]:
    """Positions and velocities of all axes after TIME, and the wrenches of all joints."""
    sim = simulator.load(write_document(text, f"{cut}.sdf"))
    assert [loop.name for loop in sim.mechanism.loop_joints] == [f"m::{cut}"]
    run = sim.run(TIME, drives=drives)
    channels = [run[f"{axis}/{kind}"][-1] for axis in CHAIN for kind in ("position", "velocity")]
    reactions = sim.reactions()
    assert reactions.determined.all()
    return np.array(channels), np.array([reactions[joint].array for joint in JOINTS])


STOP = "<limit><lower>-0.3</lower><upper>0.15</upper></limit>"
FRICTION = "<dynamics><friction>0.2</friction></dynamics>"
SWITCHED: dict[str, tuple[Mapping[int, str], Drive | None]] = {
    "stop": ({0: STOP, 1: STOP}, None),
    "friction": ({0: FRICTION, 1: FRICTION}, None),
    "controller": ({}, simulator.position(0.3, simulator.pid(5.0, 2.0, 0.5))),
    "motor with a limit": ({1: "<limit><effort>0.5</effort></limit>"}, simulator.velocity(1.0)),
    "motor": ({}, simulator.velocity(1.0)),
}


@CUTS
@pytest.mark.parametrize("name", SWITCHED)
def test_drives_friction_and_stops_act_on_their_own_angle(name: str, cut: str, write_document: Write) -> None:
    """Their efforts are chosen once a step, along the axis as it is at its start, which is of first order: at up to 5
    rad/s, a motor on a cut axis is 4.7e-3 rad/s from one in the tree in steps of 1 ms, and 9.5e-3 in steps of 2 ms."""
    inside, drive = SWITCHED[name]
    drives = {} if drive is None else {f"{cut}:axis2": drive}
    q, expected = (_run(chain(place, {cut: inside}), place, write_document, drives)[0] for place in (cut, "j1"))
    np.testing.assert_allclose(q, expected, rtol=0, atol=1e-2)


@CUTS
def test_a_chain_is_analysed_the_same_wherever_it_is_cut(cut: str, write_document: Write) -> None:
    """Positions by Newton's method, and what follows from them by linear equations: round-off."""
    found = []
    for place in (cut, "j1"):
        sim = simulator.load(write_document(chain(place, CHAINS["springs"]), f"{place}.sdf"))
        moves = {"j3": (0.0, 0.3), "j3:axis2": (0.0, -0.2)}
        analysis = sim.analyse(moves, points=4, velocity=2.0, acceleration=5.0)
        axes = [f"{axis}/{kind}" for axis in CHAIN for kind in ("position", "velocity", "acceleration", "effort")]
        found.append(([analysis[axis] for axis in axes], [analysis.reaction(joint) for joint in JOINTS]))
    for mine, expected in zip(*found, strict=True):
        np.testing.assert_allclose(mine, expected, rtol=0, atol=1e-9)
