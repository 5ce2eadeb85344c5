"""What is written as URDF moves as what it was made from, whichever program shall understand its loops."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.errors import UsageError
from simulator.formats.document import read_document
from simulator.formats.urdf_writing.loops import SAID, Dialect
from simulator.session.batch.conversion import convert_to_urdf, write_conversion
from simulator.session.open.examples import examples
from tests.helpers.documents import link, model, world
from tests.helpers.repository import ROOT

APART = {"crane", "gripper"}
"""Worlds of several bodies that hang on nothing: a URDF is one robot."""
LOSES = {"differential", "mecanum", "planetary", "power_split"}
"""Gearboxes whose carrier is not between the shafts, and rollers that are ellipsoids: a URDF has no place for them."""
LONGER = "gear_train_1024"
"""Says nothing that gear_train does not say, and costs a hundred times as much."""
NAMES = sorted(example.name for example in examples() if example.name != LONGER)


def converted(source: Path, folder: Path, dialect: Dialect = Dialect.LOOP) -> tuple[Path, list[str]]:
    """The URDF, and the codes of what was left out with a warning."""
    path = folder / "robot.urdf"
    conversion = convert_to_urdf(source, folder, dialect=dialect)
    write_conversion(path, conversion)
    lost = [
        item.message for item in conversion.diagnostics if item.code == "CONVERT_DROPPED" and item.severity != "info"
    ]
    return path, lost


def test_a_stretched_bar_is_said_to_be_lost(tmp_path: Path) -> None:
    text = (ROOT / "worlds" / "four_bar.sdf").read_text()
    place = '<link name="rocker">'
    source = tmp_path / "four_bar.sdf"
    source.write_text(text.replace(place, f"{place}<simulator:bar>0 0 0 0.25 0 0</simulator:bar>"))
    _, lost = converted(source, tmp_path)
    assert any("shapes of four_bar::rocker are written as they are" in message for message in lost)


def after(path: Path, seconds: float) -> dict[str, float]:
    """Positions of the axes after falling by themselves from where the joints are zero."""
    sim = simulator.load(path).varied({"world.gravity.z": -9.8})
    sim.run(seconds)
    axes = {axis.name for axis in sim.mechanism.axes}
    tails = Counter(name.rpartition("::")[2] for name in axes)
    unique = {name: tail for name in axes for tail in (name.rpartition("::")[2],) if tails[tail] == 1}
    return {
        unique.get(axis.name, axis.name.replace("::", "_")): float(sim.q[number])
        for number, axis in enumerate(sim.mechanism.axes)
    }


@pytest.mark.parametrize("name", NAMES)
def test_an_example_moves_as_before(name: str, tmp_path: Path) -> None:
    """Frames of links are elsewhere, so rounding differs: motions agree to what that grows to in 50 ms."""
    source = next(example.path for example in examples() if example.name == name)
    if name in APART:
        with pytest.raises(UsageError, match="do not hang on"):
            converted(source, tmp_path)
        return
    path, lost = converted(source, tmp_path)
    assert bool(lost) == (name in LOSES), lost
    if lost:
        return
    before, now = simulator.load(source), simulator.load(path)
    assert now.mechanism.mobility.count == before.mechanism.mobility.count
    assert sum(b.mass for b in now.mechanism.bodies) == pytest.approx(sum(b.mass for b in before.mechanism.bodies))
    here, there = after(source, 0.05), after(path, 0.05)
    shared = here.keys() & there.keys()
    assert len(shared) >= min(len(here), 1)
    np.testing.assert_allclose([there[n] for n in sorted(shared)], [here[n] for n in sorted(shared)], atol=1e-9)


@pytest.mark.parametrize("dialect", list(Dialect))
@pytest.mark.parametrize("name", ["four_bar", "stewart", "slider_crank", "sarrus"])
def test_loops_are_the_same_in_every_dialect_that_has_them(name: str, dialect: Dialect, tmp_path: Path) -> None:
    source = next(example.path for example in examples() if example.name == name)
    before = simulator.load(source)
    cut = {loop.name for loop in before.mechanism.loop_joints}
    joints = [found for part in read_document(source).world().models for found in part.joints if found.name in cut]
    path, lost = converted(source, tmp_path, dialect)
    assert bool(lost) == any(found.type not in SAID[dialect] for found in joints)
    if lost:
        assert all("open" in text for text in lost)
        return
    now = simulator.load(path)
    assert (path.with_name("robot.yaml").exists()) == (dialect is Dialect.YAML)
    assert now.mechanism.mobility.count == before.mechanism.mobility.count
    here, there = after(source, 0.05), after(path, 0.05)
    for axis in here.keys() & there.keys():
        assert there[axis] == pytest.approx(here[axis], abs=1e-9), axis


def test_two_bodies_that_do_not_hang_together_are_named(tmp_path: Path) -> None:
    source = tmp_path / "two.sdf"
    source.write_text(world(model("m", link("a"), link("b", pose="1 0 0 0 0 0"))), encoding="utf-8")
    with pytest.raises(UsageError, match="one root; these links do not hang on 'm::a': m::b"):
        converted(source, tmp_path)


def test_what_it_says_is_plain_urdf(tmp_path: Path) -> None:
    """A tree of links and joints as urdfdom reads it: each link but the root has one parent, limits are complete."""
    source = next(example.path for example in examples() if example.name == "stewart")
    path, _ = converted(source, tmp_path, Dialect.ISAAC)
    robot = ET.parse(path).getroot()
    links = [node.attrib["name"] for node in robot.findall("link")]
    children = [node.find("child").attrib["link"] for node in robot.findall("joint")]  # type: ignore[union-attr]
    assert len(set(links)) == len(links)
    assert sorted(children) == sorted(set(links) - {"world"})
    for node in robot.findall("joint"):
        limit = node.find("limit")
        if node.attrib["type"] in ("revolute", "prismatic"):
            assert limit is not None
            assert {"lower", "upper", "effort", "velocity"} <= limit.attrib.keys()


@pytest.mark.parametrize("name", ["rack_and_pinion", "stewart", "scissor_lift", "screw_press", "gear_train"])
def test_pinocchio_reads_the_same_masses_in_the_same_places(name: str, tmp_path: Path) -> None:
    """By urdfdom, which RViz and Gazebo use."""
    pinocchio = pytest.importorskip("pinocchio", reason="comes with the extra bench")
    source = next(example.path for example in examples() if example.name == name)
    path, _ = converted(source, tmp_path, Dialect.ISAAC)
    found = pinocchio.buildModelFromUrdf(str(path))
    bodies = simulator.load(path).mechanism.bodies[1:]
    assert pinocchio.computeTotalMass(found) == pytest.approx(sum(body.mass for body in bodies), rel=1e-12)
    data = found.createData()
    pinocchio.framesForwardKinematics(found, data, pinocchio.neutral(found))
    links = [link for part in read_document(source).world().models if not part.static for link in part.links]
    named = {link.name.rpartition("::")[2]: link for link in links}
    ours = {link.name.rpartition("::")[2]: link for part in read_document(path).root_models for link in part.links}
    for name_of, body in ours.items():
        where = data.oMf[found.getFrameId(name_of, pinocchio.FrameType.BODY)]
        np.testing.assert_allclose(where.translation, body.X_WL.position, atol=1e-12)
        if name_of in named:  # the centre of mass is where the document has it, whatever the link's frame
            before = named[name_of].X_WL @ named[name_of].inertial.X_LI
            now = body.X_WL @ body.inertial.X_LI
            np.testing.assert_allclose(now.position, before.position, atol=1e-12)
