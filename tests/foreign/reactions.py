"""Reactions that other projects' tests expect by closed forms: gz-physics' pendulum with a sensor in its joint
(`test/common_test/joint_transmitted_wrench_features.cc`), and Simbody's stack of three cubes on hinges
(`Simbody/tests/GazeboReactionForceWithAppliedForceRigid.cpp`)."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import simulator
from tests.foreign.documents import document, joint, link
from tests.foreign.rows import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from simulator import Simulation

    Array = NDArray[np.float64]

WRENCHES = Path("test/common_test/joint_transmitted_wrench_features.cc")
CUBES = Path("Simbody/tests/GazeboReactionForceWithAppliedForceRigid.cpp")
ARM, SENSOR, LENGTH, PULL = 6.0, 0.4, 1.0, 9.8
"""Masses [kg], length of the arm [m] and gravity [m/s²] of gz-physics' pendulum."""


def is_gazebo(folder: Path) -> bool:
    """Whether a folder is a checkout of gz-physics."""
    return (folder / WRENCHES).is_file()


def is_simbody(folder: Path) -> bool:
    """Whether a folder is a checkout of Simbody."""
    return (folder / CUBES).is_file()


def loaded(text: str) -> Simulation:
    """A simulation of a document."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "mechanism.sdf")
        path.write_text(text, encoding="utf-8")
        return simulator.load(path, solver="reduced")


def of_parts(vector: object, kind: str) -> Array:
    """Three components of a reaction by name."""
    return np.array([float(vector[f"{kind}_{axis}"]) for axis in "xyz"])  # type: ignore[index]


def gazebo_rows(folder: Path) -> Iterator[Row]:
    """The pendulum hanging, and on its way: the sensor turns in the joint, the arm's centre is half its length out."""
    said = re.findall(r"expectedWrench\w+,\s*wrench\w+, ([\d.e+-]+)\)", (folder / WRENCHES).read_text(encoding="utf-8"))
    sim = loaded(
        document(
            link("sensor", (0, 0, 2.0), (0.02, 0.01333, 0.01333), SENSOR),
            link("arm", (0, 0, 2.0 - LENGTH / 2.0), (0.5, 0.5, 0.01), ARM),
            joint("motor", "revolute", "world", "sensor", (0, 0, 2.0), (1, 0, 0)),
            joint("weld", "fixed", "sensor", "arm", (0, 0, 2.0)),
            gravity=(0, 0, -PULL),
        )
    )
    for case, angle, speed in (("hanging", 0.0, 0.0), ("in motion", 0.7, 2.5)):
        sim.set(motor=angle, velocity={"motor": speed})
        change = float(sim.forward_dynamics()["m::motor"])
        tangent = ARM * (change * LENGTH / 2.0 + PULL * np.sin(angle)) + SENSOR * PULL * np.sin(angle)
        normal = ARM * (speed**2 * LENGTH / 2.0 + PULL * np.cos(angle)) + SENSOR * PULL * np.cos(angle)
        out = np.array([0.0, np.sin(angle), -np.cos(angle)])
        across = np.array([0.0, np.cos(angle), np.sin(angle)])
        found = sim.reactions()["m::motor"]
        force = of_parts(found, "force") - (tangent * across - normal * out)
        moment = of_parts(found, "moment")
        for quantity, unit, error in (("force in the joint", "N", force), ("moment in the joint", "N·m", moment)):
            yield Row(
                "gz-physics (closed form)", f"pendulum, {case}", quantity, unit, float(np.abs(error).max()), said[0]
            )


def simbody_rows(folder: Path) -> Iterator[Row]:
    """Cubes of 1 m on each other's edges, the lower hinge at 0, the upper at −45°, held still under 50 m/s²."""
    angle = -np.pi / 4.0
    middle = np.array([0.5, 0.0, 0.5])
    upper = np.array([1.0, 0.0, 1.0])
    sim = loaded(
        document(
            link("two", upper + middle, (0.05, 0.05, 0.05), 5.0),
            link("three", 2.0 * upper + middle + (0, 0.5, 0), (0.001, 0.001, 0.001), 1.0),
            joint("pin1", "revolute", "world", "two", upper, (0, 1, 0)),
            joint("pin2", "revolute", "two", "three", 2.0 * upper, (0, 1, 0)),
            gravity=(0, 0, -50.0),
        )
    )
    sim.set(pin2=angle)
    found = sim.reactions(accelerations={"pin1": 0.0, "pin2": 0.0})
    expected = {"pin1": ((0.0, 0.0, -300.0), (-25.0, 175.0, 0.0)), "pin2": ((0.0, 0.0, -50.0), (-25.0, 0.0, 0.0))}
    stated = (folder / CUBES).read_text(encoding="utf-8")
    for name, both in expected.items():
        if re.search(rf"{name} on inboard: .*{both[1][0]:g}", stated) is None:
            continue
        for kind, unit, values in zip(("force", "moment"), ("N", "N·m"), both, strict=True):
            error = -of_parts(found[f"m::{name}"], kind) - np.array(values)
            yield Row(
                "Simbody (closed form)",
                f"three cubes, {name} on the inboard body",
                kind,
                unit,
                float(np.abs(error).max()),
                "",
            )
