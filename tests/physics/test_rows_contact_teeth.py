"""Gears that drive each other by their teeth: convex hulls that roll and slide on each other, with nothing between the
hinges but contacts."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulator.engine.engine import Engine
from simulator.engine.snapshot import Extremes
from tests.benchmarks.machines import BACKLASH, MODULE, PRESSURE_ANGLE, SPEED, TEETH, gear_pair, tooth_outline
from tests.physics.worlds import running

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
