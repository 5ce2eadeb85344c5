"""Matrices and efforts of the façade against closed forms, differences of poses, and each other."""

from __future__ import annotations

import math

import numpy as np
import pytest

import simulator
from simulator.errors import UnknownNameError, UsageError
from tests.helpers.documents import joint, link, model, world
from tests.helpers.linkage_forms import FOUR_BAR_START, four_bar

G = 9.8
"""SDFormat's default gravity [m/s²]."""
M1, M2, L1, R1, R2, I1, I2 = 2.0, 1.5, 0.8, 0.3, 0.5, 1.0, 1.0
"""A double pendulum about y: masses [kg], length of the first bar, distances of both centres [m], inertias about them
[kg m²]."""


def _bar(name: str, mass: float, centre: float, pose: str = "") -> str:
    inertia = "<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia>"
    placed = f"<pose>{pose}</pose>" if pose else ""
    return (
        f'<link name="{name}">{placed}<inertial><pose>0 0 {-centre} 0 0 0</pose>'
        f"<mass>{mass}</mass>{inertia}</inertial></link>"
    )


def pendulum(more: str = "") -> simulator.Simulation:
    """Hangs at zero; angles about y, the second relative to the first."""
    hinges = [
        joint("shoulder", "revolute", more, parent="world", child="upper", axis="0 1 0"),
        joint("elbow", "revolute", parent="upper", child="lower", axis="0 1 0"),
    ]
    return simulator.load(world(model("p", _bar("upper", M1, R1), _bar("lower", M2, R2, f"0 0 {-L1} 0 0 0"), *hinges)))


def pendulum_mass(elbow: float) -> np.ndarray:
    """Spong, Robot Modeling and Control, section 6.4: the planar elbow manipulator."""
    c = math.cos(elbow)
    m22 = M2 * R2**2 + I2
    m12 = m22 + M2 * L1 * R2 * c
    m11 = M1 * R1**2 + I1 + M2 * (L1**2 + R2**2 + 2.0 * L1 * R2 * c) + I2
    return np.array([[m11, m12], [m12, m22]])


def pendulum_bias(q: tuple[float, float], v: tuple[float, float]) -> np.ndarray:
    """Coriolis and gravity terms of the same, angles from hanging."""
    h = M2 * L1 * R2 * math.sin(q[1])
    g2 = M2 * G * R2 * math.sin(q[0] + q[1])
    g1 = (M1 * R1 + M2 * L1) * G * math.sin(q[0]) + g2
    return np.array([-h * (2.0 * v[0] * v[1] + v[1] ** 2) + g1, h * v[0] ** 2 + g2])


@pytest.mark.parametrize("q", [(0.0, 0.0), (0.4, -1.1), (2.5, 1.9)])
def test_a_pendulums_mass_matrix(q: tuple[float, float]) -> None:
    sim = pendulum()
    sim.set(shoulder=q[0], elbow=q[1])
    mass = sim.mass_matrix()
    assert mass.rows == mass.columns == ("p::shoulder", "p::elbow")
    np.testing.assert_allclose(mass, pendulum_mass(q[1]), rtol=1e-12)
    assert mass["shoulder", "elbow"] == pytest.approx(pendulum_mass(q[1])[0, 1])


@pytest.mark.parametrize(("q", "v"), [((0.0, 0.0), (0.0, 0.0)), ((0.4, -1.1), (1.5, -2.0)), ((2.5, 1.9), (-1.0, 3.0))])
def test_a_pendulums_efforts_and_accelerations(q: tuple[float, float], v: tuple[float, float]) -> None:
    sim = pendulum()
    sim.set(shoulder=q[0], elbow=q[1], velocity={"shoulder": v[0], "elbow": v[1]})
    wanted = np.array([0.7, -1.3])
    efforts = sim.inverse_dynamics({"shoulder": wanted[0], "elbow": wanted[1]})
    np.testing.assert_allclose(efforts, pendulum_mass(q[1]) @ wanted + pendulum_bias(q, v), rtol=1e-11, atol=1e-11)
    free = sim.forward_dynamics({"elbow": 2.0})
    expected = np.linalg.solve(pendulum_mass(q[1]), np.array([0.0, 2.0]) - pendulum_bias(q, v))
    np.testing.assert_allclose(free, expected, rtol=1e-11, atol=1e-11)


def test_springs_and_dampers_are_part_of_both() -> None:
    passive = (
        "<dynamics><damping>0.3</damping><spring_reference>0.2</spring_reference>"
        "<spring_stiffness>5</spring_stiffness></dynamics>"
    )
    sim, q, v = pendulum(passive), (0.4, -1.1), (1.5, -2.0)
    sim.set(shoulder=q[0], elbow=q[1], velocity={"shoulder": v[0], "elbow": v[1]})
    bias = pendulum_bias(q, v) + np.array([0.3 * v[0] + 5.0 * (q[0] - 0.2), 0.0])
    np.testing.assert_allclose(sim.inverse_dynamics(), bias, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(sim.forward_dynamics(), np.linalg.solve(pendulum_mass(q[1]), -bias), rtol=1e-11)


def test_a_rack_weighs_on_its_pinion() -> None:
    """J + m r² with the numbers in the head of worlds/rack_and_pinion.sdf: 1e-4 kg m², 1 kg, 20 mm."""
    sim = simulator.load("rack_and_pinion")
    assert sim.mass_matrix()["pinion_joint", "pinion_joint"] == pytest.approx(1e-4 + 0.02**2, rel=1e-12)
    assert sim.forward_dynamics({"pinion_joint": 0.01})["pinion_joint"] == pytest.approx(20.0, rel=1e-10)
    assert sim.inverse_dynamics({"pinion_joint": 20.0})["pinion_joint"] == pytest.approx(0.01, rel=1e-10)
    assert sim.reduction()["rack_joint", "pinion_joint"] == pytest.approx(0.02, rel=1e-12)


def test_a_four_bar_starts_with_the_acceleration_that_its_document_tells() -> None:
    assert simulator.load("four_bar").forward_dynamics()["crank_joint"] == pytest.approx(-34.3059, abs=5e-5)


@pytest.mark.parametrize("crank", [-0.7, 0.5, 1.5])
def test_accelerations_of_a_loop_follow_from_its_equations(crank: float) -> None:
    """Second differences of the loop equations' solution: θ̈ = θ″ ω² + θ′ α."""
    sim, step, speed = simulator.load("four_bar"), 1e-4, 3.0
    sim.set(crank_joint=crank, velocity={"crank_joint": speed})
    found = sim.forward_dynamics()
    low, here, high = (four_bar(FOUR_BAR_START[0] + crank + shift)[1] for shift in (-step, 0.0, step))
    slope, bend = (high - low) / (2.0 * step), (high - 2.0 * here + low) / step**2
    assert found["rocker_joint"] == pytest.approx(bend * speed**2 + slope * found["crank_joint"], rel=1e-5)


def test_a_four_bars_reduced_inertia() -> None:
    """M = Σ (m |c′|² + J θ′²) over crank, coupler and rocker, c′ and θ′ per unit of crank angle by differences of the
    loop equations."""
    sim, crank, step = simulator.load("four_bar"), 0.5, 1e-6
    sim.set(crank_joint=crank)

    def bodies(angle: float) -> np.ndarray:
        coupler, rocker = four_bar(angle)
        pin = 0.1 * np.array([math.cos(angle), math.sin(angle)])
        centres = [0.5 * pin, pin + 0.175 * np.array([math.cos(coupler), math.sin(coupler)])]
        centres.append(np.array([0.4, 0.0]) + 0.15 * np.array([math.cos(rocker), math.sin(rocker)]))
        return np.array([(*centre, turn) for centre, turn in zip(centres, (angle, coupler, rocker), strict=True)])

    at = FOUR_BAR_START[0] + crank
    slopes = (bodies(at + step) - bodies(at - step)) / (2.0 * step)
    masses, lengths = np.array([0.1, 0.35, 0.3]), np.array([0.1, 0.35, 0.3])
    inertia = masses @ (slopes[:, :2] ** 2).sum(axis=1) + (masses * lengths**2 / 12.0) @ slopes[:, 2] ** 2
    assert sim.mass_matrix()[0, 0] == pytest.approx(inertia, rel=1e-7)


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "planetary", "wrist", "stewart", "bennett", "gripper"])
def test_forward_dynamics_undo_inverse_dynamics(name: str) -> None:
    """For every example with its own kind of constraint; what is asked of the independent coordinates is what they
    do."""
    sim = simulator.load(name)
    sim.step(30)
    names, generator = sim.independent.names, np.random.default_rng(1)
    scalar = [one for one in names if one in sim.positions.names]
    wanted = dict(zip(names, generator.uniform(-1.0, 1.0, len(names)), strict=True))
    efforts = sim.inverse_dynamics(wanted)
    if len(scalar) == len(names):
        found = sim.forward_dynamics(dict(efforts.items()))
        np.testing.assert_allclose([found[one] for one in names], list(wanted.values()), rtol=1e-8, atol=1e-10)
    free = sim.forward_dynamics()
    np.testing.assert_allclose(
        sim.inverse_dynamics({one: free[one] for one in names}), 0.0, atol=1e-8 * (1.0 + np.abs(efforts).max())
    )


@pytest.mark.parametrize(
    ("name", "chosen"),
    [("four_bar", "coupler"), ("slider_crank", "rod"), ("planetary", "planet_2"), ("stewart", "platform")],
)
def test_jacobians_are_differences_of_poses(name: str, chosen: str) -> None:
    """Central differences of the pose of a point while one independent axis moves and the rest is assembled around it.

    Loops are closed to 1e-12, which a step of 1e-5 turns into 1e-7; the differences themselves are exact to the square
    of the step."""
    sim, step, point = simulator.load(name), 1e-5, np.array([0.1, -0.02, 0.05, 1.0])
    J, start, middle = sim.jacobian(chosen, point[:3].tolist()), dict(sim.independent.items()), sim.pose(chosen)
    assert J.rows == ("wx", "wy", "wz", "vx", "vy", "vz")
    for one in J.columns:
        sim.set({**start, one: start[one] + step})
        after = sim.pose(chosen)
        sim.set({**start, one: start[one] - step})
        rate = (after - sim.pose(chosen)) / (2.0 * step)
        spin = rate[:3, :3] @ middle[:3, :3].T
        expected = [spin[2, 1], spin[0, 2], spin[1, 0], *(rate @ point)[:3]]
        np.testing.assert_allclose(J[:, one], expected, atol=1e-6)


def test_a_link_that_is_welded_to_another() -> None:
    """ω × r with ω = y and r = (0.2, 0, -1): (-1, 0, -0.2)."""
    weld = "<joint name='weld' type='fixed'><parent>arm</parent><child>tip</child></joint>"
    hinge = joint("hinge", "revolute", parent="world", child="arm", axis="0 1 0")
    sim = simulator.load(world(model("m", link("arm"), link("tip", pose="0.2 0 -1 0.5 0 0"), hinge, weld)))
    np.testing.assert_allclose(sim.jacobian("tip")[:, "hinge"], [0, 1, 0, -1, 0, -0.2], atol=1e-15)
    np.testing.assert_allclose(sim.pose("tip")[:3, 3], [0.2, 0.0, -1.0], atol=1e-15)


def test_a_spring_and_a_damper_in_the_joint_that_closes_a_loop() -> None:
    """Forward dynamics has them in its kernels, inverse dynamics as efforts on the axis of the loop joint: both
    agree."""
    passive = {"damping": 0.05, "spring_stiffness": 2.0, "spring_reference": 0.3}
    sim = simulator.load("four_bar").varied({f"closing_joint.{field}": value for field, value in passive.items()})
    plain = simulator.load("four_bar")
    for one in (sim, plain):
        one.set(crank_joint=0.5, velocity={"crank_joint": 3.0})
    found = sim.forward_dynamics()["crank_joint"]
    assert sim.inverse_dynamics({"crank_joint": found})["crank_joint"] == pytest.approx(0.0, abs=1e-12)
    assert abs(found - plain.forward_dynamics()["crank_joint"]) > 1.0


def test_parts_of_a_jacobian_and_the_velocity_that_it_gives() -> None:
    sim = simulator.load("four_bar")
    sim.set(crank_joint=0.5, velocity={"crank_joint": 3.0})
    whole = sim.jacobian("rocker", (0.3, 0.0, 0.0))
    np.testing.assert_array_equal(sim.jacobian("rocker", (0.3, 0, 0), part="linear"), whole.array[3:])
    np.testing.assert_array_equal(sim.jacobian("rocker", (0.3, 0, 0), part="angular"), whole.array[:3])
    tree = sim.jacobian("rocker", (0.3, 0.0, 0.0), over="axes")
    assert set(tree.columns) == {f"four_bar::{name}_joint" for name in ("crank", "coupler", "rocker")}
    np.testing.assert_allclose(tree.array @ sim.reduction().array, whole, atol=1e-15)
    twist = whole @ sim.independent_velocities.array
    speed = sim.velocities["rocker_joint"]
    np.testing.assert_allclose(twist[:3], [0.0, -speed, 0.0], atol=1e-12)
    assert np.linalg.norm(twist[3:]) == pytest.approx(0.3 * abs(speed), rel=1e-12)


def test_constraints_do_not_move() -> None:
    """K G = 0, and along the motion the rows are differences of what they hold: the gap of the loop."""
    sim = simulator.load("four_bar")
    sim.set(crank_joint=0.8)
    K, G = sim.constraint_jacobian(), sim.reduction()
    assert K.columns == G.rows
    assert np.abs(K @ G.array).max() <= 1e-12
    assert np.linalg.matrix_rank(K.array) == len(K.columns) - len(G.columns) == 2


def test_over_all_axes_nothing_is_coupled() -> None:
    """The rack alone: 1 kg, and the pinion alone: 1e-4 kg m²."""
    mass = simulator.load("rack_and_pinion").mass_matrix(over="axes")
    assert mass["rack_joint", "rack_joint"] == pytest.approx(1.0)
    assert mass["pinion_joint", "pinion_joint"] == pytest.approx(1e-4)
    assert mass["pinion_joint", "rack_joint"] == 0.0


def test_a_free_body_obeys_eulers_equations() -> None:
    """J ω̇ = −ω × J ω in the body, and g in the world; the velocity is seen in the frame that the body had at the
    document's start."""
    inertia = "<inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia>"
    body = f'<link name="top"><pose>0.3 0.2 1 0.4 -0.3 0.7</pose><inertial><mass>3</mass>{inertia}</inertial></link>'
    pair = [_bar("a", 1.0, 0.0), joint("turn", "revolute", parent="world", child="a")]
    sim = simulator.load(world(model("m", body, *pair)))
    sim.set(twist={"top": (0.5, -1.0, 2.0, 0.3, 0.1, -0.4)})
    sim.step(200)
    R = sim.moment.state.loose_pose[0, :3, :3]
    spin = R.T @ sim.moment.state.loose_twist[0, :3]
    J = np.diag([1.0, 2.0, 2.5])
    expected = R @ np.linalg.solve(J, -np.cross(spin, J @ spin))
    start = sim.pose("top")[:3, :3] @ R.T
    found = sim.forward_dynamics()
    np.testing.assert_allclose([found[f"m::top:free:r{letter}"] for letter in "xyz"], expected, atol=1e-11)
    np.testing.assert_allclose(
        start @ [found[f"m::top:free:t{letter}"] for letter in "xyz"], [0.0, 0.0, -G], atol=1e-11
    )
    assert sim.mass_matrix().shape == (7, 7)
    np.testing.assert_allclose(sim.inverse_dynamics(dict(found.items())), 0.0, atol=1e-11)


def test_actuators_push_through_their_transmission() -> None:
    """The wrist's differential, τ_joint = Aᵀ τ_actuator: the same efforts on the axes give the same accelerations."""
    sim = simulator.load("wrist")
    actuators = sim._core.opened.actuators
    pushed = sim.forward_dynamics({f"actuator/{actuators.names[0]}": 0.02})
    effort = actuators.axis_effort(np.array([0.02, 0.0]))
    by_hand = sim.forward_dynamics(
        {name: value for name, value in zip(sim.positions.names, effort, strict=True) if value}
    )
    np.testing.assert_allclose(pushed, by_hand, rtol=1e-12)


def test_energies_of_a_pendulum() -> None:
    """½ vᵀ M v, and the heights of both centres."""
    sim, q, v = pendulum(), (0.4, -1.1), np.array([1.5, -2.0])
    sim.set(shoulder=q[0], elbow=q[1], velocity={"shoulder": v[0], "elbow": v[1]})
    height = -M1 * R1 * math.cos(q[0]) - M2 * (L1 * math.cos(q[0]) + R2 * math.cos(q[0] + q[1]))
    assert sim.energies["kinetic"] == pytest.approx(0.5 * v @ pendulum_mass(q[1]) @ v, rel=1e-12)
    assert sim.energies["potential"] == pytest.approx(G * height, rel=1e-12)


def test_condition_and_mobility_are_those_of_the_state() -> None:
    """A crank-rocker has no dead point of its crank; its rocker has one where crank and coupler are in line."""
    sim = simulator.load("four_bar")
    assert sim.mobility == 1
    assert sim.condition().loops[0].four_bar.grashof == "crank-rocker"  # type: ignore[union-attr]
    far = sim.condition().distance_of("four_bar::rocker_joint")
    stretched = math.acos((0.4**2 + 0.45**2 - 0.3**2) / (2.0 * 0.4 * 0.45))
    sim.set(crank_joint=stretched - FOUR_BAR_START[0] + 0.01)
    assert sim.condition().distance_of("four_bar::rocker_joint") < 0.1 * far


def test_names_and_words_that_do_not_exist() -> None:
    sim = simulator.load("four_bar")
    with pytest.raises(UnknownNameError, match="no link is named 'copler'"):
        sim.jacobian("copler")
    with pytest.raises(UsageError, match="takes a point"):
        sim.jacobian("coupler", (0.0, 1.0))
    with pytest.raises(UsageError, match="over 'independent' or 'axes'"):
        sim.mass_matrix(over="all")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="no independent coordinate is named 'rocker_joint'"):
        sim.inverse_dynamics({"rocker_joint": 1.0})
    with pytest.raises(UnknownNameError, match="no axis is named 'elbow'"):
        sim.forward_dynamics({"elbow": 1.0})


def test_a_link_that_a_fixed_joint_merges_has_a_pose_and_a_jacobian() -> None:
    """`tool0` of an arm of two links in a plane, with no mass and a fixed joint: forward kinematics by hand."""
    mass = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    hinges = (("shoulder", "base", "upper", 0.0), ("elbow", "upper", "fore", 0.4))
    sim = simulator.load(
        f'<robot name="arm"><link name="base"/><link name="upper">{mass}</link><link name="fore">{mass}</link>'
        '<link name="tool0"/>'
        + "".join(
            f'<joint name="{name}" type="continuous"><origin xyz="{x} 0 0"/><parent link="{parent}"/>'
            f'<child link="{child}"/><axis xyz="0 0 1"/></joint>'
            for name, parent, child, x in hinges
        )
        + '<joint name="flange" type="fixed"><origin xyz="0.3 0.1 0" rpy="0 0 0.5"/><parent link="fore"/>'
        '<child link="tool0"/></joint></robot>'
    )
    sim.set({"shoulder": 0.3, "elbow": 0.7})
    tip = 0.4 * np.exp(0.3j) + (0.3 + 0.1j) * np.exp(1.0j)
    X = sim.pose("tool0")
    assert (X[0, 3], X[1, 3]) == pytest.approx((tip.real, tip.imag), abs=1e-14)
    assert math.atan2(X[1, 0], X[0, 0]) == pytest.approx(1.5, abs=1e-14)
    rates = (1j * tip, 1j * (0.3 + 0.1j) * np.exp(1.0j))
    J = sim.jacobian("tool0", part="linear")
    np.testing.assert_allclose(J[:2], [[one.real for one in rates], [one.imag for one in rates]], atol=1e-14)
    np.testing.assert_allclose(sim.run(0.002).poses("arm::tool0")[0], X, atol=1e-14)
    with pytest.raises(UnknownNameError, match="no link is named 'tool1'"):
        sim.pose("tool1")
