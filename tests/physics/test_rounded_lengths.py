"""Loops whose lengths miss agreeing by a rounding: they move as they were meant; where lengths differ by more they are
rigid, and reported so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.errors import DocumentWarning
from simulator.formats.document import read_document
from simulator.kinematics.rounded_lengths import ROUNDED, fitted
from simulator.mechanism.build import build_mechanism
from simulator.session.open.opening import open_document
from tests.foreign.documents import document, joint, link

Z = (0.0, 0.0, 1.0)
PIVOTS = (0.0, 0.2, 0.5)


def cranks(longer: float) -> str:
    """Three parallel cranks of 0.1 m on one rod, the last of which is longer [m]."""
    parts, joints = [link("rod", (0.1, 0.25, 0.0), (0.1, 0.1, 0.1))], []
    for place, y in enumerate(PIVOTS):
        parts.append(link(f"crank{place}", (0.0, y, 0.0), (0.1, 0.1, 0.1)))
        base = (-longer * (place == 2), y, 0.0)
        joints.append(joint(f"base{place}", "revolute", "world", f"crank{place}", base, Z))
        joints.append(joint(f"pin{place}", "revolute", f"crank{place}", "rod", (0.1, y, 0.0), Z))
    return document(*parts, *joints, gravity=(0.0, 0.0, 0.0))


def schmidt(wide: float) -> str:
    """A Schmidt coupling in lengths of CAD, millimetres that are taken as metres: three discs on parallel shafts, and
    three links between each two; one hole of each disc is `wide` further out than its partner, in parts. The links end
    in a slide on a carrier that weighs next to nothing, as cylindrical joints of an assembly do."""
    offsets = np.array([[30.0, 26.5, 30.0], [35.0, -20.0, 30.0]])
    moments = (1.0, 1.0, 1.0)
    places = np.array([[0.0, 0.0, 0.0], offsets[0], offsets.sum(axis=0)])
    parts = [link(name, place, moments) for name, place in zip("abc", places, strict=True)]
    joints = [joint("in", "revolute", "world", "a", places[0], Z), joint("out", "revolute", "world", "c", places[2], Z)]
    for number, angle in enumerate(0.3 + 2.0 * np.pi / 3.0 * np.arange(3)):
        hole = 45.0 * np.array([np.cos(angle), np.sin(angle), 0.0])
        for one, (disc, other) in enumerate(("ab", "bc")):
            name, near = f"{disc}{number}", places[one] + hole
            far = places[one + 1] + hole * (1.0 + wide * (number == 2))
            parts.append(link(name, (near + far) / 2.0, moments))
            joints.append(joint(f"{name}_near", "revolute", disc, name, near, Z))
            if number:
                parts.append(link(f"{name}_carrier", far, (1e-6, 1e-6, 1e-6), 1e-6))
                joints.append(joint(f"{name}_slide", "prismatic", name, f"{name}_carrier", far, Z))
                name = f"{name}_carrier"
            joints.append(joint(f"{disc}{number}_far", "revolute", name, other, far, Z))
    return document(*parts, *joints, gravity=(0.0, 0.0, 0.0))


def written(folder: Path, text: str) -> Path:
    path = folder / "mechanism.sdf"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(("longer", "duration"), [(1e-8, 0.5), (1e-6, 2.0), (2e-5, 2.0)])
def test_parallel_cranks_turn_alike(tmp_path: Path, longer: float, duration: float) -> None:
    """The parallelogram q2 = q1, for 4 rad through 90 degrees, where two of the cranks alone would be at a change
    point. Errors of a double root are squares: lengths may still differ by 1e-8 m, which are 1e-7 rad of a crank; the
    drive turns with 2 rad/s."""
    path = written(tmp_path, cranks(longer))
    opened = open_document(path)
    assert [item.code for item in opened.diagnostics] == ["LENGTHS_ROUNDED"]
    with pytest.warns(DocumentWarning, match="LENGTHS_ROUNDED"):
        sim = simulator.load(path)
    sim.drive("m::base0", simulator.velocity(2.0))
    run = sim.run(duration, every=0.01)
    first, *others = (run[f"joint/m::base{place}/position"] for place in range(3))
    assert first[-1] - first[0] == pytest.approx(2.0 * duration, abs=1e-5)
    for other in others:
        assert np.abs(other - other[0] - first + first[0]).max() < 2e-7


def test_the_least_change_makes_lengths_agree(tmp_path: Path) -> None:
    """Crank 3 is 1e-5 m longer: shared among the six ends of the cranks, each moves by less; what agrees stays."""
    exact, rounded = (
        build_mechanism(read_document(written(tmp_path, cranks(longer))).world()) for longer in (0.0, 1e-5)
    )
    assert fitted(exact) is None
    fit = fitted(rounded)
    assert fit is not None
    ((loops, most, _, longest),) = fit.moved
    assert len(loops) == 2
    assert 1e-5 / 6.0 < most < 1e-5
    assert longest == pytest.approx(0.5, rel=1e-3)


@pytest.mark.parametrize("longer", [3.0 * ROUNDED * PIVOTS[2], 1e-2])
def test_lengths_that_differ_by_more_lock_the_loop(tmp_path: Path, longer: float) -> None:
    opened = open_document(written(tmp_path, cranks(longer)))
    assert [item.code for item in opened.diagnostics] == ["LOOP_RIGID"]


def test_a_schmidt_coupling_of_rounded_parts_turns_one_to_one(tmp_path: Path) -> None:
    """Three turns with a hole that is 45 um of 45 m out of place, which as many rows of the loops as count at the start
    cannot hold: they become dependent where the links pass each other. The round-off of 1e-16 of 117 m, over a singular
    value of 1e-3 where rows are exchanged, is 1e-11 rad."""
    with pytest.warns(DocumentWarning, match="LENGTHS_ROUNDED"):
        sim = simulator.load(written(tmp_path, schmidt(1e-6)))
    sim.drive("m::in", simulator.velocity(3.0))
    run = sim.run(6.5, every=0.01)
    way = [np.unwrap(run[f"joint/m::{name}/position"]) for name in ("in", "out")]
    turned = [values - values[0] for values in way]
    assert turned[0][-1] == pytest.approx(19.5, abs=1e-4)
    assert np.abs(turned[0] - turned[1]).max() < 5e-11
