"""Gears that drive each other by their teeth: convex hulls that roll and slide on each other, with nothing between the
hinges but contacts."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.engine.engine import Engine
from simulator.engine.snapshot import Extremes
from simulator.physics.contacts.separation import CONTACT_SHARE, CONTACT_SLOP
from tests.benchmarks.machines import BACKLASH, LOAD, MODULE, PRESSURE_ANGLE, SPEED, TEETH, gear_pair, tooth_outline
from tests.physics.worlds import running

Array = NDArray[np.float64]
Write = Callable[[str], Path]
RATIO = TEETH[0] / TEETH[1]
DRIVES = (f"g0::hinge=velocity:{SPEED}",)


def run(engine: Engine, steps: int) -> None:
    left, worst = steps, Extremes()
    while left:
        left -= engine.advance(left, worst)[0]


def sagitta(teeth: int) -> float:
    """How far the straight pieces of a flank are inside of the involute, at most [m]: of a piece between two rolls of
    the base circle, whose radius of curvature is the length that is unrolled, s² / 8 r where that is least curved."""
    outline = tooth_outline(teeth)
    flank = outline[: len(outline) // 2]
    base = 0.5 * MODULE * teeth * math.cos(PRESSURE_ANGLE)
    pieces = np.linalg.norm(np.diff(flank, axis=0), axis=1)
    unrolled = np.sqrt(np.maximum(np.sum(flank * flank, axis=1) - base * base, 0.0))
    middle = 0.5 * (unrolled[1:] + unrolled[:-1])
    return float((pieces**2 / (8.0 * middle)).max())


def test_the_mean_ratio_is_that_of_the_teeth(tmp_path: Path, write_document: Write) -> None:
    """Whatever the teeth do between their flanks, neither goes through the other: the driven gear is never further from
    16/24 of the way than half of the backlash, and what straight pieces of flanks are inside of involutes. No tooth is
    skipped over seven pitches, so the mean ratio is exact."""
    with running(write_document(gear_pair(tmp_path)), drives=DRIVES, dt=1e-3) as engine:
        base = 0.5 * MODULE * TEETH[1] * math.cos(PRESSURE_ANGLE)
        play = (0.5 * BACKLASH * MODULE * math.cos(PRESSURE_ANGLE) + sum(map(sagitta, TEETH))) / base
        errors = []
        for _ in range(900):
            run(engine, 1)
            driving, driven = engine.snapshot().position[:2].tolist()
            errors.append(driven + RATIO * driving)
        assert driving >= 1.79, "seven pitches are 1.83 rad, and the motor is held up where teeth meet"
        assert max(map(abs, errors)) <= play
        pressed = errors[200:]
        assert max(pressed) - min(pressed) <= play


def placed(gear: int, turn: float) -> list[Array]:
    """Outlines of the teeth of a gear, turned by `turn` [rad], that are near the pitch point; (n, 2) each [m]."""
    distance, teeth, found = 0.5 * MODULE * sum(TEETH), TEETH[gear], []
    first = turn + (0.0 if gear == 0 else math.pi + math.pi / teeth)
    for n in range(teeth):
        angle = first + 2.0 * math.pi * n / teeth
        c, s = math.cos(angle), math.sin(angle)
        outline = tooth_outline(teeth) @ np.array([[c, s], [-s, c]]) + [gear * distance, 0.0]
        if np.linalg.norm(outline.mean(axis=0) - [0.5 * MODULE * TEETH[0], 0.0]) < 5.0 * MODULE:
            found.append(outline)
    return found


def separation(a: Array, b: Array) -> float:
    """The largest distance between two convex outlines along a normal of an edge: positive where they are apart."""
    best = -math.inf
    for one, other in ((a, b), (b, a)):
        edges = np.roll(one, -1, axis=0) - one
        normals = np.column_stack((edges[:, 1], -edges[:, 0])) / np.linalg.norm(edges, axis=1)[:, None]
        turned = math.copysign(1.0, float(np.sum(one[:, 0] * edges[:, 1] - one[:, 1] * edges[:, 0])))
        gaps = turned * ((other @ normals.T) - np.sum(one * normals, axis=1))
        best = max(best, float(gaps.min(axis=0).max()))
    return best


def transmission_error(driving: float) -> float:
    """How far the driven gear is from 16/24 of the way [rad] where it just touches what drives it, by bisection."""
    teeth, low, high = placed(0, driving), 0.0, 0.01

    def are_apart(error: float) -> bool:
        return min(separation(a, b) for a in teeth for b in placed(1, error - RATIO * driving)) > 0.0

    assert are_apart(low)
    assert not are_apart(high)
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if are_apart(middle) else (low, middle)
    return low


def test_the_transmission_error_is_that_of_the_outlines(tmp_path: Path, write_document: Write) -> None:
    """Driven slowly against a strong brake, so that flanks stay on each other: at every place the driven gear is where
    the outlines of the teeth just touch, which is looked for in the plane, without forces or steps. From peak to peak
    over a pitch that is 0.33 mrad, for flanks are straight pieces. A contact counts as touching within `CONTACT_SLOP`
    of either sign, and steps leave what is of the order of r (w dt)^2 in a gap, here 4e-9 m. Of what overlaps by more
    than the slop a step removes `CONTACT_SHARE`, so that it gathers to 1 / CONTACT_SHARE of what a step leaves. All is
    divided by the shortest lever of a normal, which is turned from the line of action by less than 2 degrees."""
    base = 0.5 * MODULE * TEETH[1] * math.cos(PRESSURE_ANGLE + math.radians(2.0))
    speed, dt = 0.5, 2.5e-4
    turned = sum(MODULE * n * (w * dt) ** 2 for n, w in zip(TEETH, (speed, RATIO * speed), strict=True))
    ahead, behind = (CONTACT_SLOP + turned) / base, (CONTACT_SLOP + turned / CONTACT_SHARE) / base
    document = gear_pair(tmp_path).replace(f"<damping>{LOAD}</damping>", "<damping>1</damping>")
    found, wanted = [], []
    with running(write_document(document), drives=(f"g0::hinge=velocity:{speed}",), dt=dt) as engine:
        run(engine, 800)
        for _ in range(30):
            run(engine, 84)
            driving, driven = engine.snapshot().position[:2].tolist()
            found.append(driven + RATIO * driving)
            wanted.append(transmission_error(driving))
    errors = np.subtract(found, wanted)
    assert -ahead <= errors.min()
    assert errors.max() <= behind, "the driven gear lags by what overlaps"
    assert np.ptp(found) == pytest.approx(np.ptp(wanted), abs=ahead + behind)


@pytest.mark.parametrize("many", [2, 60])
def test_steps_in_a_block_are_the_steps_one_by_one(tmp_path: Path, write_document: Write, many: int) -> None:
    """Bit for bit, also where nothing but contacts needs to know where the gears are."""
    path = write_document(gear_pair(tmp_path))
    with running(path, drives=DRIVES, dt=1e-3) as one, running(path, drives=DRIVES, dt=1e-3) as block:
        for _ in range(120):
            run(one, 1)
            one.snapshot()
        for _ in range(120 // many):
            run(block, many)
        assert one.snapshot().position.tolist() == block.snapshot().position.tolist()
        assert one.snapshot().velocity.tolist() == block.snapshot().velocity.tolist()
