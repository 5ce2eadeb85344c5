"""Functions of arrays of states of what floats and of what turns on balls: against Newton's and Euler's equations of
single bodies, and against the same asked one state at a time.

Tolerances: both sides are sums of some dozen products of numbers of order 1 to 10, so that 1e-12 of the largest is a
thousand times round-off.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import simulator
from simulator.errors import UnknownNameError, UsageError
from simulator.kinematics.state import multi_dof_joints
from simulator.mechanism.types import JointKind
from tests.helpers.documents import joint, link, model, world
from tests.helpers.newton_euler import body_accelerations, required_wrenches

Array = NDArray[np.float64]

G = 9.8
"""Of documents that name none [m/s²]."""
INERTIA, MASS, CENTRE = (0.3, 0.5, 0.7), 2.0, np.array([0.1, -0.2, 0.3])
COUNT, SHOULDER = 20, 1
"""States; which of the robot's joints the shoulder is."""


def body() -> simulator.Simulation:
    """One body that floats, its centre of mass beside the origin of its link."""
    ixx, iyy, izz = INERTIA
    mass = f"<pose>{' '.join(map(str, CENTRE))} 0 0 0</pose><mass>{MASS}</mass>"
    inertia = f"<inertia><ixx>{ixx}</ixx><iyy>{iyy}</iyy><izz>{izz}</izz></inertia>"
    return simulator.load(world(model("m", f'<link name="body"><inertial>{mass}{inertia}</inertial></link>')))


def robot() -> simulator.Simulation:
    """A base that floats, with an arm of two hinges and a slider behind them."""
    return simulator.load(
        world(
            model(
                "robot",
                link("base", mass=3.0, pose="0.3 0.1 1 0.2 0.3 0.4"),
                link("upper", mass=1.5, pose="0.5 0.1 1 0 0 0.5"),
                link("lower", mass=0.8, pose="0.9 0.2 1.1 0.1 0 0"),
                link("tool", mass=0.4, pose="1 0.3 1.2 0 0.3 0"),
                joint("shoulder", "revolute", parent="base", child="upper", axis="0 1 0"),
                joint("elbow", "revolute", parent="upper", child="lower", axis="1 0 1"),
                joint("slide", "prismatic", parent="lower", child="tool", axis="0 0 1"),
            )
        )
    )


def spherical() -> simulator.Simulation:
    """A bob on a ball joint and a hinge behind it."""
    return simulator.load(
        world(
            model(
                "m",
                link("bob", mass=2.0, pose="0 0 -0.5 0 0 0"),
                link("flap", mass=0.5, pose="0.2 0 -0.8 0 0 0"),
                '<joint name="ball" type="ball"><parent>world</parent><child>bob</child>'
                "<pose>0 0 0.5 0 0 0</pose></joint>",
                joint("hinge", "revolute", parent="bob", child="flap", axis="0 1 0"),
            )
        )
    )


def random_poses(generator: np.random.Generator) -> Array:
    X = np.tile(np.eye(4), (COUNT, 1, 1))
    X[:, :3, :3] = Rotation.random(COUNT, random_state=7).as_matrix()
    X[:, :3, 3] = generator.normal(size=(COUNT, 3))
    return X


def near(found: object, wanted: object) -> None:
    """To 1e-12 of the largest number, or of 1."""
    numbers = np.asarray(wanted, dtype=float)
    size = max(1.0, float(np.abs(numbers).max(initial=0.0)))
    np.testing.assert_allclose(found, numbers, rtol=0.0, atol=1e-12 * size)


def test_one_body_by_newton_and_euler() -> None:
    """Force m (a_c + g) with a_c = a + α × c + ω × (ω × c), moment about the link's origin I α + ω × I ω + c × force;
    all along the axes of the world."""
    sim, generator = body(), np.random.default_rng(0)
    X, (V, A) = random_poses(generator), generator.normal(size=(2, COUNT, 6))
    R, w, alpha = X[:, :3, :3], V[:, :3], A[:, :3]
    c = R @ CENTRE
    inertia = R @ np.diag(INERTIA) @ np.swapaxes(R, 1, 2)
    force = MASS * (A[:, 3:] + np.cross(alpha, c) + np.cross(w, np.cross(w, c)) + [0.0, 0.0, G])
    spin = (inertia @ w[..., None])[..., 0]
    moment = (inertia @ alpha[..., None])[..., 0] + np.cross(w, spin) + np.cross(c, force)
    q = np.zeros((COUNT, 0))
    efforts = sim.inverse_dynamics(q, V, A, pose={"body": X})
    near(efforts, np.concatenate((moment, force), axis=1))
    near(sim.forward_dynamics(q, V, efforts, pose={"body": X}), A)


def test_a_body_that_falls() -> None:
    """Without efforts it falls, at any pose; held where it is, it weighs m g."""
    sim = body()
    X = random_poses(np.random.default_rng(1))
    fall = sim.forward_dynamics(np.zeros((COUNT, 0)), pose={"body": X})
    near(fall, np.tile([0.0, 0.0, 0.0, 0.0, 0.0, -G], (COUNT, 1)))
    near(sim.inverse_dynamics(np.zeros((COUNT, 0)))[:, 3:], np.tile([0.0, 0.0, MASS * G], (COUNT, 1)))


def test_a_robot_that_floats_by_newton_and_euler_of_every_body() -> None:
    """What the base needs is what all bodies need together, about the origin of its joint; a hinge or slider carries
    the part of what is behind it along its own axis."""
    sim, generator = robot(), np.random.default_rng(2)
    X, Q = random_poses(generator), generator.uniform(-1.0, 1.0, (COUNT, 3))
    V, A = generator.normal(size=(2, COUNT, 9))
    T, W = sim.inverse_dynamics(Q, V, A, pose={"base": X}), sim.wrenches(Q, V, A, pose={"base": X})
    shoulder = sim.reactions().wrenches.rows.index("robot::shoulder")
    near(sim.forward_dynamics(Q, V, T, pose={"base": X}), A)
    for i in range(COUNT):
        put(sim, Q[i], V[i], X[i])
        kinematics, state = sim._core.kinematics, sim.moment.state
        rates, bends = in_freedoms(sim, V[i]), in_freedoms(sim, A[i])
        poses = kinematics.body_matrices(state)
        twists, accelerations = body_accelerations(sim, rates, bends)
        needed = required_wrenches(sim.mechanism, poses, twists, accelerations)
        wanted = np.zeros(len(rates))
        for index in range(len(sim.mechanism.joints)):
            for column, screw in kinematics.joint_jacobian(index, state, poses):
                carried = [b for b in range(1, len(poses)) if hangs_on(sim, b, index)]
                wanted[column] = screw @ needed[carried].sum(axis=0)
        near(in_freedoms(sim, T[i]), wanted)
        behind = [b for b in range(1, len(poses)) if hangs_on(sim, b, SHOULDER)]
        near(W[i, shoulder, :3], needed[behind, 3:].sum(axis=0))


@pytest.mark.parametrize("make", [robot, spherical, lambda: simulator.load("gripper")])
def test_as_one_state_after_the_other(make: Callable[[], simulator.Simulation]) -> None:
    """Efforts, accelerations, Jacobians and poses."""
    sim, generator = make(), np.random.default_rng(3)
    independent, axes = sim.independent.names, sim.positions.names
    every = (*axes, *(name for name in sim.forward_dynamics().names if name not in axes))
    columns = [every.index(name) for name in independent]
    X = random_poses(generator)
    placed = dict.fromkeys(floating(sim), X)
    Q = sim.assemble({name: generator.uniform(0.0, 0.01, COUNT) for name in independent if name in axes})
    V, A = np.full((2, COUNT, len(every)), np.nan)
    V[:, columns], A[:, columns] = generator.uniform(-0.05, 0.05, (2, COUNT, len(columns)))
    T = sim.inverse_dynamics(Q, V, A, pose=placed)
    back = sim.forward_dynamics(Q, V, T, pose=placed)
    free = sim.forward_dynamics(Q, V, T[:, : len(axes)], pose=placed)
    J, P = sim.jacobians(sim.links[-1], Q, (0.1, 0.2, 0.3), pose=placed), sim.poses(Q, pose=placed)
    near(back[:, columns], A[:, columns])
    for i in range(COUNT):
        moving = V[i].copy()
        for coupling in sim.mechanism.couplings:
            moving[coupling.follower] = coupling.multiplier * moving[coupling.leader]
        put(sim, Q[i], moving, X[i])
        near(T[i, columns], sim.inverse_dynamics(dict(zip(independent, A[i, columns], strict=True))).array)
        one = sim.forward_dynamics(dict(zip(axes, T[i], strict=False)))
        near(free[i], [one[name] for name in every])
        near(J[i], sim.jacobian(sim.links[-1], (0.1, 0.2, 0.3)).array)
        near(P[i], [sim.pose(name) for name in sim.links])


def ball(name: str, parent: str, child: str, pose: str) -> str:
    return (
        f'<joint name="{name}" type="ball"><parent>{parent}</parent><child>{child}</child><pose>{pose}</pose></joint>'
    )


def spatial_four_bar() -> simulator.Simulation:
    """Two hinges and two balls: the coupler is free to turn about the line between its balls only."""
    return simulator.load(
        world(
            model(
                "m",
                link("crank", mass=1.0, pose="0 0 0 0 0 0.4"),
                link("coupler", mass=2.0, pose="0.3 0.1 0.2 0.2 0.3 0.4"),
                link("rocker", mass=1.5, pose="1 0.3 0.1 0.1 0 0"),
                joint("a", "revolute", parent="world", child="crank", axis="0 0 1"),
                joint("b", "revolute", parent="world", child="rocker", axis="0 1 0"),
                ball("near", "crank", "coupler", "-0.1 -0.05 0.02 0 0 0"),
                ball("far", "coupler", "rocker", "0.05 0.1 0.4 0 0 0"),
            )
        )
    )


def guided() -> simulator.Simulation:
    """A plate on a ball, whose arm carries a slider by another ball."""
    return simulator.load(
        world(
            model(
                "m",
                link("plate", mass=2.0, pose="0.3 0.1 1 0.2 0.3 0.4"),
                link("arm", mass=0.7, pose="0.6 0.1 1 0 0.3 0"),
                link("slide", mass=0.5, pose="0.6 0.5 1 0 0.3 0"),
                joint("hinge", "revolute", parent="plate", child="arm", axis="0 1 1"),
                ball("hold", "world", "plate", "0.1 0.05 0.02 0 0 0"),
                ball("hang", "arm", "slide", "0.1 0.05 0.3 0 0 0"),
                joint("slot", "prismatic", parent="world", child="slide", axis="1 0.2 0"),
            )
        )
    )


@pytest.mark.parametrize(("make", "axis"), [(spatial_four_bar, "a"), (guided, "hinge")])
def test_balls_of_which_loops_take_some_freedoms(make: Callable[[], simulator.Simulation], axis: str) -> None:
    """At each position, states of several velocities as one after the other: efforts, accelerations, poses and
    Jacobians."""
    sim, generator = make(), np.random.default_rng(5)
    independent, axes = sim.independent.names, sim.positions.names
    turning = [name for name in independent if name not in axes]
    assert len(turning) == 1  # of three
    every = (*axes, *turning)
    columns = [every.index(name) for name in independent]
    for position in (None, 0.1, 0.25):
        if position is not None:
            sim.set({axis: position})
        Q = np.tile(sim.q, (COUNT, 1))
        V, A = np.full((2, COUNT, len(every)), np.nan)
        V[:, columns], A[:, columns] = generator.normal(size=(2, COUNT, len(columns)))
        T = sim.inverse_dynamics(Q, V, A)
        near(sim.forward_dynamics(Q, V, T)[:, columns], A[:, columns])
        pushed = T.copy()
        pushed[:, len(axes) :] = 0.0
        free = sim.forward_dynamics(Q, V, pushed)
        J, P = sim.jacobians(sim.links[-1], Q, (0.1, 0.2, 0.3)), sim.poses(Q)
        for i in range(COUNT):
            one = moving(sim, V[i, columns])
            near(T[i, columns], one.inverse_dynamics(dict(zip(independent, A[i, columns], strict=True))).array)
            found = one.forward_dynamics(dict(zip(axes, T[i], strict=False)))
            in_tree = [column for column, name in enumerate(every) if name in found.names]
            near(free[i, in_tree], [found[every[column]] for column in in_tree])
            near(J[i], one.jacobian(sim.links[-1], (0.1, 0.2, 0.3)).array)
            near(P[i], [one.pose(name) for name in sim.links])


def test_a_base_that_floats_above_such_balls() -> None:
    """Wherever `pose` puts it: places of all links, efforts at rest and accelerations, as one state after the other."""
    legs = (link("base", mass=3.0, pose="0 0 1 0 0 0"), link("left", pose="-0.5 0 0.5 0 0 0"))
    more = (link("right", pose="0.5 0 0.5 0 0 0"), link("bar", pose="0 0 0 0 0 0"))
    balls = [("left_hip", "base", "left", 0.3), ("right_hip", "base", "right", 0.3), ("foot", "left", "bar", -0.3)]
    hung = [ball(name, parent, child, f"0 0 {z} 0 0 0") for name, parent, child, z in balls]
    hinge = joint("knee", "revolute", parent="right", child="bar", axis="0 1 0")
    sim = simulator.load(world(model("m", *legs, *more, *hung, hinge)))
    independent, axes = sim.independent.names, sim.positions.names
    assert len([name for name in independent if "hip" in name or "foot" in name]) == 3  # of nine
    X, Q = random_poses(np.random.default_rng(6))[:5], np.tile(sim.q, (5, 1))
    P, T, A = (ask(Q, pose={"base": X}) for ask in (sim.poses, sim.inverse_dynamics, sim.forward_dynamics))
    every = [*axes, *(name for name in independent if name not in axes)]
    for i in range(5):
        sim.set(pose={"base": X[i]})
        near(P[i], [sim.pose(name) for name in sim.links])
        near(T[i], [sim.inverse_dynamics()[name] for name in every])
        near(A[i], [sim.forward_dynamics()[name] for name in every])


def test_velocities_of_a_spatial_four_bar() -> None:
    """Those of `assemble` are those of `set`, and its coupler has no pose of its own."""
    sim = spatial_four_bar()
    angles, rates = np.linspace(0.0, 0.5, 6), np.linspace(-1.0, 2.0, 6)
    Q, V = sim.assemble({"a": angles}, velocity={"a": rates})
    for q, v, angle, rate in zip(Q, V, angles, rates, strict=True):
        sim.set(a=angle, velocity={"a": rate})
        near(q, sim.q)
        near(v, sim.v)
    with pytest.raises(UsageError, match="'m::coupler' does not float"):
        sim.poses(Q, pose={"coupler": np.eye(4)})


def test_by_names_and_without_columns_for_what_floats() -> None:
    sim = robot()
    Q = np.zeros((3, 3))
    base = next(name for name in sim.independent.names if name.endswith(":tz"))
    named = sim.inverse_dynamics(Q, None, {base: [0.0, 1.0, 2.0], "elbow": 0.5})
    A = np.zeros((3, 9))
    A[:, 8], A[:, 1] = [0.0, 1.0, 2.0], 0.5
    near(named, sim.inverse_dynamics(Q, None, A))
    near(named[1:, 8] - named[:-1, 8], np.full(2, 3.0 + 1.5 + 0.8 + 0.4))  # all of the mass, once more
    near(sim.inverse_dynamics(Q, np.zeros((3, 3)), np.zeros(3)), sim.inverse_dynamics(Q))


def test_arguments_that_do_not_fit() -> None:
    sim = robot()
    Q = np.zeros((3, 3))
    with pytest.raises(UsageError, match=r"not \(3, 5\), or with 9 columns for floating bodies"):
        sim.inverse_dynamics(Q, np.zeros((3, 5)))
    with pytest.raises(UsageError, match=r"poses of 'base' must be of shape \(4, 4\) or \(3, 4, 4\)"):
        sim.poses(Q, pose={"base": np.zeros((2, 4, 4))})
    with pytest.raises(UsageError, match="'robot::tool' does not float"):
        sim.poses(Q, pose={"tool": np.eye(4)})
    with pytest.raises(UsageError, match="must have a rotation in it"):
        sim.poses(Q, pose={"base": np.ones((4, 4))})
    with pytest.raises(UnknownNameError):
        sim.poses(Q, pose={"nothing": np.eye(4)})


def in_freedoms(sim: simulator.Simulation, row: Array) -> Array:
    """A row over axes and loose freedoms in the order of `Kinematics`."""
    names = (*sim.positions.names, *(n for n in sim.forward_dynamics().names if n not in sim.positions.names))
    return np.array([row[names.index(name)] for name in sim.forward_dynamics().names])


def put(sim: simulator.Simulation, q: Array, v: Array, X: Array) -> None:
    """Go to one state: axes at `q`, the floating body at `X`, velocities of axes and loose freedoms `v`. The frame of
    a floating body's joint is that of its link here, and it moves along the axes of its first pose."""
    axes = sim.positions.names
    state = sim.moment.state
    twist = np.zeros_like(state.loose_twist)
    twist[0, : len(v) - len(axes)] = v[len(axes) :]
    pose = dict.fromkeys(floating(sim), X)
    sim.set(dict(zip(axes, q, strict=True)), pose=pose)
    state = replace(sim.moment.state, velocity=v[: len(axes)].copy(), loose_twist=twist)
    sim.restore(replace(sim.moment, state=state))


def moving(sim: simulator.Simulation, rates: Array) -> simulator.Simulation:
    """A copy at the same positions, whose independent coordinates have these rates."""
    core, state = sim._core, sim.moment.state
    layout = core.kinematics.layout
    every = core.reduction.G.array @ rates
    twist = np.zeros_like(state.loose_twist)
    for slot, index in enumerate(multi_dof_joints(sim.mechanism)):
        first, dof = layout.first[index], sim.mechanism.joints[index].dof
        twist[slot, :dof] = every[first : first + dof]
    velocity = np.array([every[place] if place >= 0 else 0.0 for place in layout.of_axis])
    other = sim.copy()
    other.restore(replace(sim.moment, state=replace(state, velocity=velocity, loose_twist=twist)))
    return other


def floating(sim: simulator.Simulation) -> list[str]:
    """Links of bodies that float."""
    return [name for name, (body, _) in sim.mechanism.placed_links().items() if carrier(sim, body) is JointKind.FREE]


def carrier(sim: simulator.Simulation, body_index: int) -> JointKind | None:
    return None if body_index == 0 else sim.mechanism.joints[body_index - 1].kind


def hangs_on(sim: simulator.Simulation, body_index: int, joint_index: int) -> bool:
    """Whether a body moves with a joint of the tree."""
    while body_index > 0:
        if body_index - 1 == joint_index:
            return True
        body_index = sim.mechanism.joints[body_index - 1].parent
    return False
