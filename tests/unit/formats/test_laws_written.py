"""Laws and constraints survive every way of writing a document."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import simulator
from simulator.session.batch.conversion import convert_document, convert_to_urdf
from tests.physics.test_laws import document, law, pendulums
from tests.physics.worlds import joint, link, model

Write = Callable[..., Path]
LAWS = {
    "polynomial": law("0.1 0.5 0.3 -0.1", kind="polynomial"),
    "expression": law("q + 0.2*sin(q) if q &lt; 3 else 2*q - 3 + 0.2*sin(3)"),
    "hermite": law("0 0 1; 1 1 1; 2 3 0.5", kind="table"),
    "cubic": law("0 0; 1 1; 2 3; 3 4", kind="table", options='interpolation="cubic" periodic="true"'),
}


def write(path: Path, target: Path) -> None:
    """Convert a document."""
    if target.suffix == ".sdf":
        converted = convert_document(path, target.parent)
    else:
        converted = convert_to_urdf(path, target.parent)
    target.write_text(converted.text, encoding="utf-8")


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("suffix", [".sdf", ".urdf"])
def test_a_law_is_read_as_it_was_written(write_document: Write, tmp_path: Path, name: str, suffix: str) -> None:
    path = write_document(pendulums("", LAWS[name]))
    target = tmp_path / f"written{suffix}"
    write(path, target)
    before, after = simulator.load(path), simulator.load(target)
    for q in (-0.7, 0.2, 1.4):
        for sim in (before, after):
            sim.set({"ja": q}, velocity={"ja": 1.0})
        names = [next(key for key in sim.positions.names if key.endswith("jb")) for sim in (before, after)]
        assert after.positions[names[1]] == pytest.approx(before.positions[names[0]], abs=1e-14)
        assert after.velocities[names[1]] == pytest.approx(before.velocities[names[0]], abs=1e-14)


def constrained() -> str:
    """Three wheels of which the last follows from the others, by a joint whose name is no identifier. Joints have the
    names of links, so that they are renamed when they are read."""
    wheels = [
        link(name, pose=f"0 {i} 0 0 0 0") + joint(name, "continuous", name, axis="0 1 0")
        for i, name in enumerate(("one", "two-b", "three"))
    ]
    tie = '<simulator:constraint name="tie" follower="three">three - one*\'two-b\' - sin(one)</simulator:constraint>'
    return document(model(*wheels, tie))


@pytest.mark.parametrize("suffix", [".sdf", ".urdf"])
def test_a_constraint_is_read_as_it_was_written(write_document: Write, tmp_path: Path, suffix: str) -> None:
    path = write_document(constrained())
    target = tmp_path / f"written{suffix}"
    write(path, target)
    for file in (path, target):
        sim = simulator.load(file)
        sim.set({"one_joint": 0.5, "two-b_joint": 0.4})
        (name,) = [key for key in sim.positions.names if key.endswith("three_joint")]
        assert sim.positions[name] == pytest.approx(0.5 * 0.4 + 0.479425538604203, abs=1e-12)
