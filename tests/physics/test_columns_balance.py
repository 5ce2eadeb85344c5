"""What the columns of a run say of every world: Newton and Euler for each body, contacts among what acts, and power.

Motion is that of points of the bodies as `sim.reactions()` has it at the same state; forces are the columns alone,
moments are taken about the world's origin. (`test_reactions.py` has the motion from a recursion of its own.)
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.physics.tree.cable_tables import cable_pulls
from tests.helpers.newton_euler import joint_wrenches, required_wrenches
from tests.helpers.repository import ROOT

ROUND_OFF = 1e-10
"""Of the greatest wrench: thousands of operations, in another order than in the program."""
TOUCHING = 1e-9
"""With contacts, whose forces are means over a step that is solved to round-off of its impulses, and divided by its
length."""
WORLDS = sorted(path.stem for path in Path(ROOT, "worlds").glob("*.sdf") if "1024" not in path.stem)
STEPS = 25
COMPONENTS = ("force_x", "force_y", "force_z", "moment_x", "moment_y", "moment_z")
TOUCHING_WORLDS = ("geneva", "gripper")
"""Worlds whose bodies touch: a pin that goes into the slot of a wheel, a box on the ground."""


def run_of(sim: simulator.Simulation, *, driven: bool) -> simulator.Run:
    """Some steps, driven by an effort on the first axis; the pin of the Geneva drive is led into its slot."""
    name = sim.mechanism.axes[sim.mechanism.independent_axes()[0]].name
    drive, steps = simulator.effort(0.3), STEPS
    if name == "geneva::crank_joint":
        sim.set({name: 2.55})
        drive, steps = simulator.velocity(3.0), 4 * STEPS
    return sim.run(steps * sim.dt, drives={name: drive} if driven else {}, reactions=True)


def contact_wrenches(sim: simulator.Simulation, run: simulator.Run) -> np.ndarray:
    """From the columns of contacts, moment about the world's origin and force on every body, shape (n_bodies, 6)."""
    bodies = {body.name: i for i, body in enumerate(sim.mechanism.bodies)}
    poses = sim._core.kinematics.body_matrices(sim.moment.state)
    result = np.zeros((len(bodies), 6))
    for first, second in {tuple(n.split("/")[2:4]) for n in run.channels if n.startswith("reaction/contact/")}:
        wrench = np.array([run[f"reaction/contact/{first}/{second}/{part}"][-1] for part in COMPONENTS])
        moment = wrench[3:] + np.cross(poses[bodies[second], :3, 3], wrench[:3])
        result[bodies[second]] += (*moment, *wrench[:3])
        result[bodies[first]] -= (*moment, *wrench[:3])
    return result


def cable_wrenches(sim: simulator.Simulation, run: simulator.Run) -> np.ndarray:
    """From the columns of cables, along the spans where they lie, moment about the world's origin and force on every
    body, shape (n_bodies, 6)."""
    cables = sim.mechanism.loads.cables
    poses = sim._core.kinematics.body_matrices(sim.moment.state)
    length = np.array([run[f"cable/{cable.name}/length"][-1] for cable in cables])
    tension = np.array([run[f"cable/{cable.name}/tension"][-1] for cable in cables])
    result = np.zeros((len(poses), 6))
    for body, place, force in cable_pulls(cables, poses, length, np.stack((tension, tension), axis=-1)):
        result[body] += (*np.cross(place, force), *force)
    return result


@pytest.mark.parametrize("driven", [False, True], ids=["free", "driven"])
@pytest.mark.parametrize("name", WORLDS)
def test_columns_of_a_run_keep_every_body_in_balance(name: str, driven: bool) -> None:
    """m a = Σ F and d(I ω)/dt = Σ M from the last row alone, and Σ (F v + M ω) over joints, contacts and bodies is the
    rate of kinetic and potential energy, which is what drives, springs, dampers, friction and couplings do along the
    axes."""
    sim = simulator.load(name)
    run = run_of(sim, driven=driven)
    found, mechanism, state = sim.reactions(), sim.mechanism, sim.moment.state
    columns = np.array([[run[f"reaction/{row}/{part}"][-1] for part in COMPONENTS] for row in found.wrenches.rows])
    scale = max(float(np.abs(columns).max(initial=0.0)), 1.0)
    poses = sim._core.kinematics.body_matrices(state)
    twists, bends = np.zeros((len(mechanism.bodies), 6)), np.zeros((len(mechanism.bodies), 6))
    for i, body in enumerate(mechanism.bodies):  # from points of the bodies, as of the motion that the columns are of
        if i:
            place, velocity, acceleration = (v[0] for v in found.motion.point(i, body.com))
            twist, bend = (v[0] for v in found.motion.spatial(i))
            twists[i] = (*twist[:3], *(velocity - np.cross(twist[:3], place)))
            spun = np.cross(twist[:3], velocity)
            bends[i] = (*bend[:3], *(acceleration - np.cross(bend[:3], place) - spun))
    needed = required_wrenches(mechanism, poses, twists, bends)
    touched = contact_wrenches(sim, run) + cable_wrenches(sim, run)
    carried = joint_wrenches(mechanism, found.wrenches.rows, columns, found.points) + touched
    allowed = (TOUCHING if name in (*TOUCHING_WORLDS, "crane") else ROUND_OFF) * scale
    np.testing.assert_allclose(carried[1:], needed[1:], rtol=0.0, atol=allowed)
    power = float(np.sum(needed[1:] * twists[1:])) - float(np.sum(touched * twists))
    along = 0.0
    for j, info in enumerate(mechanism.axes):
        rotor = float(sim._core.rotors[j] @ found.accelerations.array) if sim._core.rotors is not None else 0.0
        spring = info.axis.spring_stiffness * (state.position[j] - info.axis.spring_reference)
        effort = run[f"joint/{info.name}/effort"][-1] - info.axis.damping * state.velocity[j] - spring - rotor
        along += effort * state.velocity[j]
    along += float(_held(sim) @ state.velocity) + _through_couplings(sim, run)
    assert along == pytest.approx(power, abs=allowed * max(1.0, float(np.abs(twists).max())))


def _held(sim: simulator.Simulation) -> np.ndarray:
    """Efforts of joint friction, of stops and of lossy meshes in the last step."""
    bounded = sim._core.engine.dynamics.bounded
    return bounded.friction_efforts() + bounded.stop_efforts() + bounded.loss_efforts()


def _through_couplings(sim: simulator.Simulation, run: simulator.Run) -> float:
    """Power of couplings: none where positions obey them, for the rates of such a coupling add up to zero."""
    power = 0.0
    for coupling in sim.mechanism.couplings:
        effort = run[f"coupling/{sim.mechanism.axes[coupling.follower].name}/effort"][-1]
        terms = coupling.terms if coupling.curve is None else ()
        power += effort * sum(factor * sim.moment.state.velocity[axis] for axis, factor in terms)
    return power


@pytest.mark.parametrize("name", WORLDS)
def test_reactions_are_the_columns_of_the_last_row(name: str) -> None:
    """To the last bit: one computation for both."""
    sim = simulator.load(name)
    run = run_of(sim, driven=True)
    found = sim.reactions()
    columns = [[run[f"reaction/{row}/{part}"][-1] for part in COMPONENTS] for row in found.wrenches.rows]
    np.testing.assert_array_equal(found.wrenches.array, np.reshape(columns, (-1, 6)))
    carried = [run[f"coupling/{follower}/effort"][-1] for follower in found.couplings.names]
    np.testing.assert_array_equal(found.couplings.array, carried)
    assert len(carried) == len(sim.mechanism.couplings)


@pytest.mark.parametrize("name", TOUCHING_WORLDS)
def test_bodies_touch_in_the_worlds_that_are_said_to(name: str) -> None:
    """Otherwise the test above would say nothing about contacts."""
    sim = simulator.load(name)
    run_of(sim, driven=True)
    assert len(sim.contacts) > 0
