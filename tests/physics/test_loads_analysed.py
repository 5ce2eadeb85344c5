"""Loads in reactions, in positions without time and in small motion: Newton and Euler, virtual work, closed forms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import simulator
from simulator.api.simulation import Simulation
from simulator.kinematics.loads import load_wrenches
from simulator.model.loads import PointSpring
from simulator.session.open.opening import open_document
from simulator.session.text.force_text import parse_force, with_loads
from tests.helpers.documents import joint, model, world
from tests.helpers.loads import with_every_kind_of_load
from tests.helpers.newton_euler import body_accelerations, joint_wrenches, required_wrenches
from tests.helpers.repository import ROOT

ROUND_OFF = 1e-10
"""Of the greatest wrench: bodies are summed in another order and about another point than in the program, thousands of
operations each."""
TIME = 0.35


def _loaded(name: str) -> Simulation:
    """An example with forces of several profiles and with springs between its links, at `TIME` and moving."""
    opened = open_document(ROOT / "worlds" / f"{name}.sdf")
    sim = Simulation(replace(opened, mechanism=with_every_kind_of_load(opened.mechanism)), solver="reduced")
    sim.run(TIME)
    return sim


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "stewart", "wrist", "planetary", "belt_arm"])
def test_every_body_is_in_balance_under_loads(name: str) -> None:
    """Joints and loads together give every body m a and d(I w)/dt; loads by `kinematics.loads`, which is written apart
    from the kernels."""
    sim = _loaded(name)
    generator = np.random.default_rng(15)
    efforts = {info.name: float(generator.normal()) for info in sim.mechanism.axes if info.in_tree}
    found = sim.reactions(efforts)
    mechanism, state = sim.mechanism, sim.moment.state
    poses = sim._core.kinematics.body_matrices(state)
    twists, bends = body_accelerations(sim, sim._core.equations.rates(state), sim.forward_dynamics(efforts).array)
    velocities = twists.copy()
    velocities[:, 3:] += np.cross(twists[:, :3], poses[:, :3, 3])
    acting = load_wrenches(mechanism.loads, poses, velocities, sim.time).wrenches
    acting[:, :3] += np.cross(poses[:, :3, 3], acting[:, 3:])
    needed = required_wrenches(mechanism, poses, twists, bends) - acting
    carried = joint_wrenches(mechanism, found.wrenches.rows, found.wrenches.array, found.points)
    scale = max(float(np.abs(found.wrenches.array).max()), 1.0)
    assert np.abs(acting[1:]).max() > 1e-3 * scale, "the loads are to count"
    np.testing.assert_allclose(carried[1:], needed[1:], rtol=0.0, atol=ROUND_OFF * scale)
    assert np.abs(found.efforts.array).max() < ROUND_OFF * scale


def test_the_driver_bears_loads_by_virtual_work() -> None:
    """Of the four-bar at rest at 25 positions: dtau = -F . dp/ds - M . w/s, the power of a force on the coupler per
    velocity of the crank, and k (l - l0) dl/ds of a spring to the rocker; `dp/ds` comes from the sweep without them."""
    moves, trace = {"crank_joint": (0.0, 6.0)}, [("coupler", (0.1, 0.0, 0.02)), ("rocker", (0.2, 0.0, 0.0))]
    free = simulator.load("four_bar")
    bare = free.analyse(moves, points=25, velocity=1.0, trace=trace)
    force, moment, hook = np.array([3.0, 0.5, -2.0]), np.array([0.1, 0.4, -0.2]), np.array([0.5, 0.1, 0.3])
    loads = [
        parse_force("coupler@0.1,0,0.02=3,0.5,-2,0.1,0.4,-0.2"),
        PointSpring("world", "rocker", tuple(hook), (0.2, 0.0, 0.0), 60.0, 0.0, 0.15),
    ]
    opened = replace(free._core.opened, mechanism=with_loads(free.mechanism, loads))
    found = Simulation(opened).analyse(moves, points=25, velocity=1.0)
    _, velocity, _ = bare.point("coupler", (0.1, 0.0, 0.02))
    body = next(i for i, item in enumerate(free.mechanism.bodies) if item.name == "four_bar::coupler")
    turning = bare.swept.body_motion(body)[0][:, :3]
    place, moving, _ = bare.point("rocker", (0.2, 0.0, 0.0))
    length = np.linalg.norm(place - hook, axis=1)
    rate = np.sum((place - hook) * moving, axis=1) / length
    wanted = -velocity @ force - turning @ moment + 60.0 * (length - 0.15) * rate
    column = "joint/four_bar::crank_joint/effort"
    np.testing.assert_allclose(found[column] - bare[column], wanted, atol=1e-10 * np.abs(wanted).max())


def test_the_damper_of_a_spring_counts_with_the_speed_of_the_sweep() -> None:
    """c (dl/ds)^2 s' at a speed s' of 3 rad/s."""
    moves, hook = {"crank_joint": (0.0, 6.0)}, np.array([0.5, 0.0, 0.3])
    free = simulator.load("four_bar")
    damper = PointSpring("world", "rocker", tuple(hook), (0.2, 0.0, 0.0), damping=7.0)
    damped = Simulation(replace(free._core.opened, mechanism=with_loads(free.mechanism, [damper])))
    bare, found = (sim.analyse(moves, points=25, velocity=3.0) for sim in (free, damped))
    place, moving, _ = bare.point("rocker", (0.2, 0.0, 0.0))
    rate = np.sum((place - hook) * moving, axis=1) / np.linalg.norm(place - hook, axis=1)
    column = "joint/four_bar::crank_joint/effort"
    wanted = 7.0 * rate * rate / 3.0
    np.testing.assert_allclose(found[column] - bare[column], wanted, atol=1e-10 * np.abs(wanted).max())


BEAD = world(
    model(
        "m",
        '<link name="bead"><inertial><mass>2</mass></inertial></link>',
        joint("rail", "prismatic", parent="world", child="bead", axis="1 0 0"),
        '<simulator:spring xmlns:simulator="urn:simulator" link="bead" other="world" other_at="0 0.3 0" '
        'stiffness="50" damping="0.4" '
        'free_length="0.2"/>',
    )
)


def test_a_bead_on_a_rail_swings_across_its_spring() -> None:
    """A spring that stands across the rail, stretched from 0.2 to h = 0.3 m, holds by its tension: w^2 = k (1 - l0 / h)
    / m, undamped; at x = 0.4 it also stretches: k (1 - l0 / l) + k l0 x^2 / l^3 and c x^2 / l^2."""
    sim = simulator.load(BEAD)
    (mode,) = sim.linearise().modes
    assert mode.eigenvalue == pytest.approx(1j * np.sqrt(50.0 * (1.0 - 0.2 / 0.3) / 2.0), rel=1e-8)
    sim.set(rail=0.4)
    found, x, length = sim.linearise(), 0.4, 0.5
    slope = 50.0 * (1.0 - 0.2 / length) + 50.0 * 0.2 * x * x / length**3
    assert found.A.array[1, 0] == pytest.approx(-slope / 2.0, rel=1e-8)
    assert found.A.array[1, 1] == pytest.approx(-0.4 * x * x / length**2 / 2.0, rel=1e-8)
    assert found.drift[0] == pytest.approx(-50.0 * (length - 0.2) * x / length / 2.0, rel=1e-12)


def test_profiles_are_those_of_the_simulated_time() -> None:
    """A rail bears ramp(0, 8, 2) across it at the time of the simulation, and so does a run's column at every row."""
    load = '<simulator:load xmlns:simulator="urn:simulator" link="bead" force="0 ramp(0,8,2) 0"/>'
    sim = simulator.load(BEAD.replace("</model>", f"{load}</model>"))
    bare = simulator.load(BEAD)
    assert sim.reactions()["rail"]["force_y"] == pytest.approx(bare.reactions()["rail"]["force_y"], abs=1e-12)
    run = sim.run(0.5, every=0.1, reactions=True)
    plain = bare.run(0.5, every=0.1, reactions=True)
    difference = run["reaction/m::rail/force_y"] - plain["reaction/m::rail/force_y"]
    np.testing.assert_allclose(difference, -4.0 * run.time, atol=1e-9)
    assert sim.reactions({})["rail"]["force_y"] - bare.reactions({})["rail"]["force_y"] == pytest.approx(-2.0, abs=1e-9)


def test_gravity_of_a_model_weighs_in_its_reactions() -> None:
    """Its own gravity instead of the world's: m g on the rail."""
    own = BEAD.replace(
        "</model>", '<simulator:gravity xmlns:simulator="urn:simulator">0 0 -3</simulator:gravity></model>'
    )
    sim = simulator.load(own)
    assert sim.reactions()["rail"]["force_z"] == pytest.approx(2.0 * 3.0, rel=1e-12)
