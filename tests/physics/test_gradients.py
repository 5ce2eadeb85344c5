"""Derivatives by parameters against those of textbook formulations, by the complex step, and against differences.

Tolerances: the complex step has no error of its own, and loops are closed to 1e-12 or better, of which velocities and
accelerations see a hundredfold at most: 1e-9 of the largest entry. Central differences of order four by steps of 1e-5
have errors of round-off, of what loops are closed to over the step: 1e-6.
"""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from simulator import Simulation, UsageError
from simulator.mechanism.varied_slopes import smooth_parameters
from tests.helpers.documents import joint, link, mimic, model, world
from tests.helpers.planar_forms import Form, derivative, four_bar, slider_crank
from tests.helpers.repository import files_below

EXACT = 1e-9
CLOSE = 1e-6
SPEED, ACCELERATION, EFFORT = 5.0, 11.0, 0.2
START = 1.0471975511965976
"""Angle of the cranks at position 0 [rad]."""
OF_BODY = ("mass", "com.x", "com.z", "inertia.iyy")
FORMS = {
    "four_bar": (
        four_bar,
        ("crank", "coupler", "rocker"),
        ("crank_joint", "coupler_joint", "rocker_joint", "closing_joint"),
        ("crank.length", "coupler.length", "rocker.length", "rocker_joint.parent_pose.x"),
    ),
    "slider_crank": (
        slider_crank,
        ("crank", "rod", "piston"),
        ("crank_joint", "rod_joint", "piston_joint", "wrist_joint"),
        ("crank.length", "rod.length"),
    ),
}


def close(found: object, wanted: object) -> bool:
    """Whether arrays differ by EXACT of the largest entry at most."""
    there, expected = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
    return bool(np.abs(there - expected).max() <= EXACT * np.abs(expected).max() + 1e-14)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("turn", [-0.4, 0.9, 2.3])
def test_one_freedom_against_eksergian(name: str, turn: float) -> None:
    form, bodies, joints, lengths = FORMS[name]
    dampings = tuple(f"{joint_name}.damping" for joint_name in joints)
    sim = simulator.load(name).varied({damping: 0.01 * (k + 1) for k, damping in enumerate(dampings)})
    sim.set(crank_joint=turn, velocity={"crank_joint": SPEED})
    names = [f"{body}.{part}" for body in bodies for part in OF_BODY]
    names += [*lengths, *dampings, "world.gravity.x", "world.gravity.z"]
    numbers = {parameter: sim.parameters()[parameter].value for parameter in names}
    found = sim.gradients(names, efforts={"crank_joint": EFFORT}, accelerations={"crank_joint": ACCELERATION})
    rows = [f"{name}::{joint_name}" for joint_name in joints]
    place = START + turn

    def accelerations(here: Form, p: object) -> object:
        crank = here.acceleration(p, dampings, SPEED, EFFORT)  # type: ignore[arg-type]
        return here.first * crank + here.second * SPEED**2

    for k, parameter in enumerate(names):
        wanted = derivative(lambda p: form(p, place).angles, numbers, parameter)
        assert close([found.positions[row, parameter] for row in rows], wanted), parameter
        wanted = derivative(lambda p: form(p, place).first * SPEED, numbers, parameter)
        assert close([found.velocities[row, parameter] for row in rows], wanted), parameter
        wanted = derivative(lambda p: accelerations(form(p, place), p), numbers, parameter)  # type: ignore[arg-type, return-value]
        assert close([found.accelerations[row, parameter] for row in rows], wanted), parameter
        wanted = derivative(lambda p: form(p, place).effort(p, dampings, SPEED, ACCELERATION), numbers, parameter)
        assert close(found.efforts.array[0, k], wanted), parameter


PENDULUM = world(
    "<gravity>0 0 -9.81</gravity>",
    model(
        "m",
        link("upper", "<pose>0 0 0 0 0 0</pose>"),
        link("lower", pose="0.7 0 0 0 0 0"),
        joint("shoulder", "revolute", parent="world", child="upper", axis="0 -1 0"),
        joint("elbow", "revolute", parent="upper", child="lower", axis="0 -1 0"),
    ),
)


def test_double_pendulum_against_lagrange() -> None:
    """M (a'', b'') + h = pull in the absolute angles a and b (Goldstein, Classical Mechanics)."""
    sim = simulator.load(PENDULUM).varied({"upper.com.x": 0.3, "lower.com.x": 0.4, "upper.mass": 1.3})
    sim = sim.varied({"elbow.damping": 0.2})
    sim.set(shoulder=0.4, elbow=0.9, velocity={"shoulder": 2.0, "elbow": -3.5})
    names = ["upper.mass", "lower.mass", "upper.com.x", "lower.com.x", "upper.inertia.iyy", "lower.inertia.iyy"]
    names += ["upper.length" if "m::upper.length" in sim.parameters() else "elbow.parent_pose.x"]
    names += ["elbow.damping", "world.gravity.z"]
    numbers = {name: sim.parameters()[name].value for name in names}

    def accelerations(p: object) -> object:
        m1, m2, c1, c2, i1, i2, length, damping, g = (p[name] for name in names)  # type: ignore[index]
        a, b, da, db = 0.4, 1.3, 2.0, -1.5
        M = np.array(
            [
                [i1 + m1 * c1**2 + m2 * length**2, m2 * length * c2 * np.cos(a - b)],
                [m2 * length * c2 * np.cos(a - b), i2 + m2 * c2**2],
            ]
        )
        h = np.array([m2 * length * c2 * np.sin(a - b) * db**2, -m2 * length * c2 * np.sin(a - b) * da**2])
        pull = np.array([(m1 * c1 + m2 * length) * g * np.cos(a), m2 * c2 * g * np.cos(b)])
        # The damper's torque is on b, and back on a.
        lost = damping * (db - da) * np.array([1.0, -1.0])
        absolute = np.linalg.solve(M, pull - h + lost)
        return np.array([absolute[0], absolute[1] - absolute[0]])

    assert close(sim.forward_dynamics().array, accelerations(numbers))
    found = sim.gradients(names)
    for name in names:
        assert close(found.accelerations[:, name].array, derivative(accelerations, numbers, name)), name  # type: ignore[arg-type]


def test_coupling_against_its_closed_form() -> None:
    """A slide follows a wheel by x = k (q - r) + o: τ = (J + m k²) q'' - m g k, and x'' = k q''."""
    text = world(
        "<gravity>0 0 -9.81</gravity>",
        model(
            "m",
            link("wheel"),
            link("weight", mass=2.0),
            joint("turn", "revolute", parent="world", child="wheel", axis="0 1 0"),
            joint(
                "lift",
                "prismatic",
                mimic("turn", multiplier=0.3, offset=0.1, reference=0.2),
                parent="world",
                child="weight",
            ),
        ),
    )
    sim = simulator.load(text)
    sim.set(turn=0.7, velocity={"turn": 1.5})
    names = ["lift.multiplier", "lift.offset", "lift.reference", "weight.mass", "wheel.inertia.iyy"]
    found = sim.gradients(names, efforts={"turn": 1.0}, accelerations={"turn": 4.0})
    J, m, k, g = 1.0, 2.0, 0.3, 9.81
    assert close(found.positions["m::lift"].array, [0.7 - 0.2, 1.0, -k, 0.0, 0.0])
    assert close(found.velocities["m::lift"].array, [1.5, 0.0, 0.0, 0.0, 0.0])
    assert close(found.efforts["m::turn"].array, [2 * m * k * 4.0 + m * g, 0.0, 0.0, k * k * 4.0 + g * k, 4.0])
    both = J + m * k * k
    a = (1.0 - m * g * k) / both
    by_k = -m * g / both - a * 2 * m * k / both
    assert close(found.accelerations["m::turn"].array, [by_k, 0.0, 0.0, (-g * k - a * k * k) / both, -a / both])
    assert found.accelerations["m::lift", "lift.multiplier"] == pytest.approx(a + k * by_k, rel=EXACT)


NOT_IDEAL = ("backlash_arm", "belt_drive", "clutch_drive", "crane", "power_split", "worm_hoist")
WORLDS = [
    path.stem
    for path in files_below("worlds")
    if path.suffix == ".sdf" and path.stem not in ("gear_train_1024", *NOT_IDEAL)
]
SAMPLES = 6
"""Parameters of each world that are compared here; all of them, in turn, when they were written."""


def moved(name: str) -> Simulation:
    """A world at a regular pose beside its start, moving where nothing floats."""
    sim = simulator.load(name)
    axes = [axis for axis in sim.independent.names if axis in sim.positions.names]
    floats = len(axes) < len(sim.independent.names)
    speeds = {} if floats else {axis: 0.1 - 0.02 * k for k, axis in enumerate(axes)}
    sim.set({axis: float(sim.positions[axis]) + 0.02 for axis in axes}, velocity=speeds)
    return sim


def differences(sim: Simulation, name: str, efforts: dict[str, float]) -> list[np.ndarray] | None:
    """Positions, velocities of axes and accelerations by central differences of order four; None where `varied` refuses
    the values beside the present one."""
    value = sim.parameters()[name].value
    step = 1e-5 * max(abs(value), 0.1)
    parts = []
    for k in (1, -1, 2, -2):
        try:
            beside = sim.varied({name: value + k * step})
        except UsageError:
            return None
        accelerations = beside.forward_dynamics(efforts).array
        parts.append((beside.positions.array, beside.velocities.array, accelerations))
    return [(8.0 * (a - b) - (c - d)) / (12.0 * step) for a, b, c, d in zip(*parts, strict=True)]


@pytest.mark.parametrize("name", WORLDS)
def test_differences_of_every_world(name: str) -> None:
    sim = moved(name)
    efforts = dict.fromkeys([axis for axis in sim.independent.names if axis in sim.positions.names], 0.1)
    found, size = sim.gradients(efforts=efforts), float(np.abs(sim.forward_dynamics(efforts).array).max())
    assert {*found.positions.columns, *found.without} == {*smooth_parameters(sim.mechanism, sim._core.opened.world)}
    every = np.array(found.positions.columns)
    compared = 0
    for parameter in np.random.default_rng(0).permutation(every)[:SAMPLES].tolist():
        beside = differences(sim, parameter, efforts)
        if beside is None:
            continue
        compared += 1
        rows = [row for row in found.positions.rows if row in sim.positions.names]
        places = [sim.positions.names.index(row) for row in rows]
        for matrix, wanted in zip((found.positions, found.velocities), beside, strict=False):
            there = np.array([matrix[row, parameter] for row in rows])
            assert np.abs(there - wanted[places]).max() <= CLOSE * max(np.abs(wanted).max(), 1e-2), parameter
        there = found.accelerations[:, parameter].array[: len(beside[2])]
        assert np.abs(there - beside[2]).max() <= CLOSE * max(np.abs(beside[2]).max(), size), parameter
    assert compared >= SAMPLES // 2


def test_what_has_no_gradient_is_refused() -> None:
    sim = simulator.load("four_bar")
    with pytest.raises(UsageError, match="no smooth equation"):
        sim.gradients(["crank_joint.friction"])
    with pytest.raises(UsageError, match="no smooth equation"):
        sim.gradients(["crank_joint.upper"])
    with pytest.raises(UsageError, match="open or jam"):
        sim.gradients(["closing_joint.child_pose.y"])
    with pytest.raises(UsageError, match="open or jam"):
        sim.gradients(["closing_joint.child_pose.roll"])
    with pytest.raises(UsageError, match="is not a parameter"):
        sim.gradients(["crank.colour"])
    assert "four_bar::closing_joint.child_pose.y" in sim.gradients().without
    contacts = simulator.load("gripper")
    collision = next(name for name in contacts.parameters() if name.endswith(".mu"))
    with pytest.raises(UsageError, match="bodies touch"):
        contacts.gradients([collision])


def test_a_singular_state_is_refused() -> None:
    """A parallelogram with all bars in line: two motions meet there."""
    sim = simulator.load("four_bar").varied({"coupler.length": 0.4, "rocker.length": 0.1})
    sim.set(crank_joint=-START + 0.3)
    assert sim.gradients(["rocker.mass"]).positions.shape == (4, 1)
    sim.set(crank_joint=-START)
    with pytest.raises(UsageError, match="not singular"):
        sim.gradients(["rocker.mass"])


def test_points_of_links_move_with_their_lengths() -> None:
    """The far end of the coupler goes along the coupler by what the coupler is longer, and on with the rocker."""
    sim = simulator.load("four_bar")
    found = sim.gradients(["coupler.length", "crank.length"])
    step = 1e-5
    for name in found.positions.columns:
        value = sim.parameters()[name].value
        near, far = (sim.varied({name: value + sign * step}).pose("rocker") @ [0.2, 0.0, 0.1, 1.0] for sign in (1, -1))
        assert found.point("rocker", (0.2, 0.0, 0.1))[:, name].array == pytest.approx(
            (near - far)[:3] / (2.0 * step), abs=1e-8
        )
