"""What gz-physics' `joint_mimic_features.cc` demands of mimics: the law within a tolerance, after some steps, for
several multipliers, offsets and references. Its own worlds are opened, each with the mimics that the test adds."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from lxml import etree

import simulator
from tests.foreign.rows import Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TEST = Path("test/common_test/joint_mimic_features.cc")
WORLDS = Path("test/common_test/worlds")
CHAIN = {
    "prismatic_joint_2": "prismatic_joint_1",
    "revolute_joint_1": "prismatic_joint_1",
    "revolute_joint_2": "revolute_joint_1",
    "prismatic_joint_3": "revolute_joint_1",
}
CASES: tuple[tuple[str, str, Mapping[str, str], str, int], ...] = (
    ("PrismaticRevoluteMimicTest", "mimic_prismatic_world.sdf", CHAIN, "axis", 210),
    ("PendulumMimicTest", "mimic_pendulum_world.sdf", {"upper_joint_2": "upper_joint_1"}, "axis", 85),
    ("UniversalJointMimicTest", "mimic_universal_world.sdf", {"universal_joint_2": "universal_joint_1"}, "axis2", 100),
)
"""Test, world, leaders by followers, the axes that follow, and steps of the test."""


def is_here(folder: Path) -> bool:
    """Whether a folder is a checkout of gz-physics that tests mimics."""
    return (folder / TEST).is_file()


def rows(folder: Path) -> Iterator[Row]:
    """For each law the largest residual over the steps of the test, after the first."""
    source = (folder / TEST).read_text(encoding="utf-8")
    for test, world, leaders, axis, steps in CASES:
        laws, allowed = laws_of(source, test)
        for law in laws:
            error = residual((folder / WORLDS / world).read_bytes(), leaders, axis, law, steps)
            multiplier, offset, reference = law
            case = f"{test}: {multiplier:g}·(q − {reference:g}) + {offset:g}"
            yield Row("gz-physics (law)", case, "residual of the mimics", "", error, allowed)


def laws_of(source: str, test: str) -> tuple[list[tuple[float, float, float]], str]:
    """Multiplier, offset and reference of each law of a test, and its tolerance."""
    text = re.split(r"\nTEST_F\(", source.partition(f", {test})")[2])[0]
    (allowed,) = re.findall(r"const double \w*olerance = ([\d.e-]+);", text)
    calls = re.findall(r"testMimicFcn\(([-\d.]+), ([-\d.]+), ([-\d.]+)\);", text)
    if not calls:
        names = ("multiplier", "offset", "reference")
        calls = [tuple(re.findall(rf"double {name} = ([-\d.]+);", text)[0] for name in names)]
    return [(float(a), float(b), float(c)) for a, b, c in calls], allowed


def residual(
    document: bytes, leaders: Mapping[str, str], axis: str, law: tuple[float, float, float], steps: int
) -> float:
    """The largest of the mimics that are added to a world, over so many steps."""
    root = etree.fromstring(document)
    joints = {joint.get("name"): joint for joint in root.iter("joint")}
    for follower, leader in leaders.items():
        place = joints[follower].find(axis)
        assert place is not None
        mimic = etree.SubElement(place, "mimic", joint=leader, axis=axis)
        for tag, value in zip(("multiplier", "offset", "reference"), law, strict=True):
            etree.SubElement(mimic, tag).text = repr(value)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "world.sdf")
        path.write_bytes(etree.tostring(root))
        sim = simulator.load(path)
    run = sim.run(steps * sim.dt)
    multiplier, offset, reference = law
    ending = ":axis2" if axis == "axis2" else ""
    position = {name: run[f"{name}{ending}/position"][1:] for name in {*leaders, *leaders.values()}}
    lacks = [
        position[follower] - multiplier * (position[leader] - reference) - offset
        for follower, leader in leaders.items()
    ]
    return float(np.abs(lacks).max())
