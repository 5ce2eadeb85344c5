"""Every number that is listed is what the document says, can be varied, and is then that number."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import simulator
from simulator import Parameters, Simulation
from simulator.errors import UnknownNameError, UsageError
from simulator.mechanism.parameters import Numbered
from simulator.mechanism.varied import KINDS, find_parameter, parameters_of
from simulator.session.open.opening import open_document
from tests.helpers.command import WORLDS
from tests.helpers.documents import joint, link, model, world

LOADED = world(
    "<gravity>0 0 -9.81</gravity>",
    model(
        "arm",
        link("upper", '<collision name="box"><geometry><box><size>0.1 0.2 0.3</size></box></geometry></collision>'),
        link(
            "lower",
            '<collision name="ball"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>',
            pose="1 0 0 0.1 0 0",
        ),
        joint("shoulder", "revolute", parent="world", child="upper", axis="0 1 0", pose="0 0 0 0.2 -0.3 0.4"),
        joint("elbow", "revolute", parent="upper", child="lower", axis="0 1 0"),
        '<simulator:load link="lower" at="0.1 0 0" force="0 0 sine(2, 1.5)" moment="0 0.01 0" frame="link"/>',
        '<simulator:spring link="lower" at="0.1 0 0.02" other="world" stiffness="30" damping="0.5" free_length="0.2"/>',
        '<simulator:spring link="lower" at="0.2 0 0" other="world" table="0.1 -1 0.3 2 0.9 4"/>',
    ),
).replace("<sdf ", '<sdf xmlns:simulator="urn:simulator" ', 1)


def read(sim: Simulation, name: str) -> float:
    return sim.parameters()[name].value


@pytest.mark.parametrize(
    ("name", "value", "unit"),
    [
        ("upper.mass", 1.0, "kg"),
        ("upper.inertia.iyy", 1.0, "kg·m²"),
        ("shoulder.damping", 0.0, "N·m·s/rad"),
        ("shoulder.direction.y", 1.0, "1"),
        ("shoulder.pose.yaw", 0.4, "rad"),
        ("shoulder.child_pose.pitch", -0.3, "rad"),
        ("shoulder.parent_pose.roll", 0.2, "rad"),
        ("elbow.parent_pose.x", 1.0, "m"),
        ("elbow.parent_pose.roll", 0.1, "rad"),
        ("upper.length", 1.0, "m"),
        ("world.gravity.z", -9.81, "m/s²"),
        ("load1.moment.y", 0.01, "N·m"),
        ("load1.at.x", 0.1, "m"),
        ("spring1.stiffness", 30.0, "N/m"),
        ("spring1.damping", 0.5, "N·s/m"),
        ("spring1.free_length", 0.2, "m"),
        ("spring1.at.z", 0.02, "m"),
        ("upper::box.size.y", 0.2, "m"),
        ("upper::box.mu", 1.0, "1"),
        ("upper::box.restitution", 0.0, "1"),
        ("lower::ball.radius", 0.1, "m"),
    ],
)
def test_values_and_units(name: str, value: float, unit: str) -> None:
    found = simulator.load(LOADED).parameters()[name]
    assert found.value == pytest.approx(value, abs=1e-15)
    assert found.unit == unit


@pytest.mark.parametrize("name", [LOADED, "four_bar", "rack_and_pinion", "gripper", "stewart", "screw_press"])
def test_every_number_of_a_list_can_be_varied_and_read_back(name: str) -> None:
    """By 0.001 of its unit, or into its bounds; the direction of an axis is scaled to length 1."""
    sim = simulator.load(name)
    for parameter in sim.parameters().values():
        if parameter.name.endswith(("lower", "upper")) or "inertia" in parameter.name or "direction" in parameter.name:
            continue  # only together with others
        if math.isinf(parameter.value):
            continue
        value = min(parameter.value + 0.001, parameter.upper)
        if parameter.name.rpartition(".")[2] in ("multiplier", "reference", "offset") and name == "screw_press":
            continue  # of a law that others must agree with
        varied = sim.varied({parameter.name: value})
        missed = read(varied, parameter.name) - value
        turns = 2.0 * math.pi * round(missed / (2.0 * math.pi)) if parameter.unit == "rad" else 0.0
        assert missed == pytest.approx(turns, abs=1e-12), parameter.name


@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.stem)
def test_every_name_of_a_list_is_found(path: Path) -> None:
    """Also where the end of a name is a name of another kind: part1.at.x of a cable, at.x of a spring."""
    opened = open_document(path)
    of = Numbered(opened.mechanism, opened.world)
    for parameter in parameters_of(opened.mechanism, opened.world)[:400]:
        kind, index, field = find_parameter(of, parameter.name)
        assert KINDS[kind].read(of, index, field) == parameter.value, parameter.name


def test_the_list_is_a_mapping_with_a_table() -> None:
    sim = simulator.load("four_bar")
    found = sim.parameters()
    assert isinstance(found, Parameters)
    assert "rocker.length" in found
    assert "coupler_joint.length" not in found
    assert found["rocker.length"] == found["four_bar::rocker.length"]
    assert dict(found)["four_bar::rocker.length"].value == pytest.approx(0.3, abs=1e-15)
    assert len(list(found)) == len(found) > 100
    table = repr(sim.parameters("rocker")).splitlines()
    assert table[0].split() == ["parameter", "value", "unit", "bounds"]
    assert table[1].split() == ["four_bar::rocker.mass", "0.3", "kg", "0", "…", "inf"]
    assert table[2].split() == ["four_bar::rocker.com.x", "0.15", "m"]
    assert all("rocker." in line for line in table[1:])
    with pytest.raises(UnknownNameError, match=r"did you mean 'four_bar::rocker\.length'"):
        found["rocker.lenght"]
    with pytest.raises(UnknownNameError, match="did you mean 'four_bar::rocker'"):
        sim.parameters("roker")


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        ("lower.length", 1.0, r"on 'arm::lower' are 1 \(arm::elbow\); vary parent_pose or child_pose of a joint"),
        ("upper.length", 0.0, "must be 1e-09 m or more, not 0 m"),
        ("shoulder.pose.pitch", 2.0, "must be -1.5708 to 1.5708 rad, not 2 rad"),
        ("load1.force.z", 2.0, "force.z of load1 is a profile over time"),
        ("spring2.stiffness", 2.0, "a table takes the place of stiffness and free_length in spring2"),
        ("spring1.stiffness", -2.0, "must be 0 N/m or more"),
        ("upper::box.radius", 0.1, "it is a box and has no radius"),
        ("upper::box.mu2", 0.1, "its friction is the same in every direction"),
        ("upper::box.restitution", 1.5, "must be 0 to 1, not 1.5"),
        ("shoulder.direction.y", 0.0, r"an axis along \(0, 0, 0\) has no direction"),
        ("spring3.damping", 0.0, "no axis is named 'spring3'"),
        ("gravity.z", 0.0, "is not a parameter"),
    ],
)
def test_what_cannot_be_varied(parameter: str, value: float, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        simulator.load(LOADED).varied({parameter: value})


def test_a_link_that_slides_has_no_length() -> None:
    sim = simulator.load("slider_crank")
    with pytest.raises(UsageError, match="between two joints that turn, and 'slider_crank::piston_joint' slides"):
        sim.varied({"piston.length": 0.1})


def test_a_length_does_not_count_along_parallel_axes() -> None:
    """Pins of one plane linkage are often drawn in several layers: 0.4 m apart and 0.3 m deeper, the length is 0.4 m,
    and remains in its layers."""
    text = world(
        model(
            "arm",
            link("upper"),
            link("lower", pose="0.4 0.3 0 0 0 0"),
            joint("shoulder", "revolute", parent="world", child="upper", axis="0 1 0"),
            joint("elbow", "revolute", parent="upper", child="lower", axis="0 -1 0"),
        )
    )
    sim = simulator.load(text)
    assert read(sim, "upper.length") == pytest.approx(0.4, abs=1e-15)
    assert sim.varied({"upper.length": 0.6}).pose("lower")[:3, 3] == pytest.approx([0.6, 0.3, 0.0], abs=1e-12)


def test_limits_and_poses_change_together() -> None:
    """Beyond the old limits, and with two angles of which either alone is another pose."""
    sim = simulator.load(LOADED).varied({"elbow.lower": -1.0, "elbow.upper": 1.0})
    far = sim.varied({"elbow.lower": 2.0, "elbow.upper": 3.0})
    assert (read(far, "elbow.lower"), read(far, "elbow.upper")) == (2.0, 3.0)
    turned = sim.varied({"shoulder.pose.pitch": math.pi / 2, "shoulder.pose.yaw": 0.0, "shoulder.pose.roll": 0.7})
    assert read(turned, "shoulder.pose.pitch") == pytest.approx(math.pi / 2, abs=1e-7)
    assert read(turned, "shoulder.pose.roll") == pytest.approx(0.7, abs=1e-12)


def test_moments_change_together() -> None:
    """Either alone would be more than the sum of the two others."""
    sim = simulator.load("four_bar")
    with pytest.raises(UsageError, match="vary several of its moments in one call"):
        sim.varied({"rocker.inertia.iyy": 0.003})
    assert read(sim.varied({"rocker.inertia.iyy": 0.003, "rocker.inertia.izz": 0.003}), "rocker.inertia.iyy") == 0.003
