"""Documents of cables: numbers, faults, writing, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

import simulator
from simulator.errors import AssemblyError, EngineLimitError
from simulator.session.batch.conversion import convert_document, convert_to_urdf
from tests.helpers.cables import UP, G, atwood, cable, joint, link, point, pulley, world
from tests.helpers.command import called

Write = Callable[..., Path]


def test_reactions_of_a_run_know_what_a_cable_pulls():
    """A pulley on a bracket of its own carries twice the tension."""
    over = point("a") + pulley("bracket", "0 0 0", 0.1) + point("b")
    bodies = link("a", "-0.1 0 -1", 2.0) + link("b", "0.1 0 -1", 2.0) + link("bracket", "0 0 0", 1.0)
    joints = joint("ja", "a", UP) + joint("jb", "b", UP)
    held = joint("hold", "bracket", "0 1 0", kind="revolute")
    document = world(bodies + joints + held + cable(2.0 + 0.1 * math.pi, over))
    run = simulator.load(document).run(0.01, reactions=True)
    assert run["reaction/m::hold/force_z"][-1] == pytest.approx(2.0 * 2.0 * G + G, rel=1e-9)


def test_numbers_of_a_cable_are_varied_as_in_the_document():
    sim = simulator.load(atwood(more='friction="0.1"'))
    other = sim.varied({"m::rope.part2.friction": 0.2, "m::rope.length": 2.5}).run(0.4)
    assert other["ja/position"] == pytest.approx(
        simulator.load(atwood(2.5, more='friction="0.2"')).run(0.4)["ja/position"]
    )
    with pytest.raises(simulator.UsageError, match="gives the cable 'm::rope' no stiffness"):
        sim.varied({"m::rope.stiffness": 3.0})


@pytest.mark.parametrize("suffix", [".sdf", ".urdf"])
def test_a_cable_is_written_as_it_was_read(write_document: Write, tmp_path: Path, suffix: str) -> None:
    path = write_document(atwood(numbers='restitution="0.2"', more='friction="0.1" turns="1"').replace("9.81", "9.8"))
    expected = None
    target = tmp_path / f"written{suffix}"
    document = path.read_text().replace(f'length="{2.0 + 0.1 * math.pi!r}"', f'length="{2.0 + 0.3 * math.pi!r}"')
    path.write_text(document)
    expected = simulator.load(path).run(0.2)
    convert = convert_document if suffix == ".sdf" else convert_to_urdf
    target.write_text(convert(path, tmp_path).text, encoding="utf-8")
    again = simulator.load(target).run(0.2)
    assert again["ja/position"] == pytest.approx(expected["ja/position"], rel=1e-12)


def test_an_end_on_a_link_that_a_fixed_joint_merges_in_a_urdf_stays_there(write_document: Write) -> None:
    """A stay at 45 degrees holds the end of an arm of 2 m g with m g sqrt(2)."""
    inertial = '<inertial><origin xyz="0.5 0 0"/><mass value="2"/>' + (
        '<inertia ixx="0.01" iyy="0.05" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial>'
    )
    text = (
        '<robot name="r" xmlns:simulator="urn:simulator"><link name="world"/><link name="eye"/>'
        f'<link name="arm">{inertial}</link><joint name="q" type="continuous"><parent link="world"/><child link="arm"/>'
        '<axis xyz="0 1 0"/></joint><joint name="f" type="fixed"><parent link="arm"/><child link="eye"/>'
        '<origin xyz="1 0 0" rpy="0.3 0 0"/></joint><simulator:cable name="stay" length="1.4142135624">'
        '<simulator:point link="world" at="0 0 1"/><simulator:point link="eye"/></simulator:cable></robot>'
    )
    run = simulator.load(write_document(text, "stay.urdf")).run(0.1)
    assert run["cable/r::stay/tension"][-1] == pytest.approx(9.8 * math.sqrt(2.0), rel=1e-8)


def test_a_cable_through_eyes_becomes_a_tendon_and_back(write_document: Write, tmp_path: Path) -> None:
    eyes = point("a") + point("world", "-0.1 0 0") + point("world", "0.1 0 0") + point("b")
    path = write_document(
        atwood()
        .replace(pulley("world", "0 0 0", 0.1), eyes[len(point("a")) : -len(point("b"))])
        .replace(f'length="{2.0 + 0.1 * math.pi!r}"', 'length="2.2"')
    )
    target = tmp_path / "written.xml"
    assert called("convert", str(path), "-o", str(target)).returncode == 0
    one, other = (simulator.load(file).run(0.2)["ja/position"][-1] for file in (path, target))
    assert other == pytest.approx(one, rel=1e-9)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('length="2.3141592653589793"', "", "it has no attribute 'length'"),
        ('length="2.3141592653589793"', 'length="-1"', "length must be 0 or more, not -1"),
        ('length="2.3141592653589793"', 'length="2.2"', "is 2.2 m long, and its way 2.31415927"),
        ('length="2.3141592653589793"', 'length="3" damping="2"', "damping belongs to a cable with a stiffness"),
        ('radius="0.1"', "", "it has no attribute 'radius'"),
        ('radius="0.1"', 'radius="0"', "radius must be above 0"),
        ('radius="0.1"', 'radius="2"', "goes round a pulley from a point inside of that"),
        ('wrap="counterclockwise"', 'wrap="left"', "wrap is 'clockwise' or 'counterclockwise'.*not 'left'"),
        ('axis="0 1 0"', 'axis="0 0 0"', "axis has no direction"),
        ('axis="0 1 0"', 'axis="0 1"', "axis='0 1' has 2 of the 3 numbers"),
        ('axis="0 1 0"', 'axis="0 1 0" turns="1.5"', "turns is a whole number, not 1.5"),
        ('<simulator:point link="b" at="0 0 0"/>', "", "begins and ends with a point"),
        ('link="b" at', 'link="c" at', "the link 'c' of <simulator:cable> does not exist"),
        ('link="b" at', "at", "has no attribute 'link'"),
        ('radius="0.1"', 'radius="wide"', r"radius: 'wide' is not a finite number \(line 1\)"),
        ('length="2.3141592653589793"', 'length="3" stiffness="9" restitution="0.5"', "restitution belongs to a rigid"),
        (
            '<simulator:point link="b"',
            '<simulator:branch divisor="0"/><simulator:point link="b"',
            "divisor must be above",
        ),
    ],
)
def test_a_fault_of_a_cable_is_named_with_its_line(before: str, after: str, message: str) -> None:
    with pytest.raises(simulator.DocumentError, match=message):
        simulator.load(atwood().replace(before, after))


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (pulley("world", "0 0 0", 0.1), "where the part before it is .*: a cable that goes round again has turns"),
        (pulley("world", "0.05 0 0", 0.1, wrap="clockwise"), "goes round a pulley from a point inside of that"),
        (f"{point('b')}</simulator:cable><simulator:cable name='rope' length='9'>{point('a')}", "'rope' already"),
    ],
)
def test_a_cable_that_cannot_lie_so_is_named(second: str, message: str) -> None:
    """Twice where one pulley is; crosswise between two that overlap; under the name of another."""
    first = pulley("world", "0 0 0", 0.1)
    with pytest.raises(simulator.DocumentError, match=message):
        simulator.load(atwood(9.0).replace(first, first + second))


def test_what_a_cable_rubs_on_is_on_one_link():
    over = point("a") + pulley("world", "0 0 0", 0.1, 'friction="0.1"') + pulley("b", "0 0 0", 0.1, 'friction="0.1"')
    bodies = link("a", "-0.1 0 -1", 2.0) + link("b", "0.1 0 -1", 3.0)
    document = world(bodies + joint("ja", "a", UP) + joint("jb", "b", UP) + cable(9.0, over + point("world")))
    with pytest.raises(simulator.DocumentError, match="a cable rubs on what is fixed to one link"):
        simulator.load(document)


def test_what_needs_a_tension_without_time_is_refused_by_name():
    sim = simulator.load(atwood())
    for ask in (sim.equilibria, sim.linearise, sim.gradients, lambda: sim.reactions(efforts={})):
        with pytest.raises(simulator.UsageError, match="the tension of the cable 'm::rope'"):
            ask()
    with pytest.raises(EngineLimitError, match="strategy gear has no cables"):
        simulator.load(atwood(), solver="gear").run(0.01)


def test_a_state_that_a_cable_is_too_short_for_is_refused():
    with pytest.raises(AssemblyError, match=r"the cable 'm::rope' is 2\.31415927 m long, and its way 2\.81415927"):
        simulator.load(atwood()).set(ja=-0.5)


def test_a_drum_that_is_set_a_whole_turn_further_needs_its_rope():
    """The way there counts, on which a rope winds up; a slack one has room."""
    r = 0.1
    bodies = link("drum", mass=1.0, moment=0.05) + link("load", f"{r} 0 -1", 2.0)
    wound = point("drum", f"{-r} 0 0") + pulley("drum", "0 0 0", r, 'turns="3"') + point("load")
    joints = joint("d", "drum", "0 1 0", kind="revolute") + joint("z", "load", UP)
    sim = simulator.load(world(bodies + joints + cable(1.3 + 7.0 * math.pi * r, wound)))
    with pytest.raises(AssemblyError, match=r"the cable 'm::rope' is 3\.49911486 m long, and its way 3\.82743339"):
        sim.set(d=-2.0 * math.pi)
    sim.set(d=-2.0)
    assert sim.sample["cable/m::rope/length"] == pytest.approx(1.2 + 7.0 * math.pi * r, rel=1e-12)
