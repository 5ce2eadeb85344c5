"""`simulator synthesise`: linkages from positions, points, pairs of angles, or a dwell."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.building.synthesis.dwell import dwell
from simulator.building.synthesis.function import function
from simulator.building.synthesis.line import straight_line
from simulator.building.synthesis.motion import motion
from simulator.building.synthesis.path import path
from simulator.building.synthesis.series import six_bar_function
from simulator.building.synthesis.translation import translation
from simulator.cli.new_command import number_of
from simulator.cli.output import OK
from simulator.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simulator.building.synthesis.design import FourBarDesign
    from simulator.building.synthesis.dwell import DwellDesign
    from simulator.building.synthesis.series import SeriesDesign
    from simulator.building.synthesis.translation import WattDesign

    Design = FourBarDesign | DwellDesign | SeriesDesign | WattDesign

TASKS = {"motion": 3, "path": 2, "translation": 2, "line": 2, "function": 2, "six_bar_function": 2, "dwell": 2}
"""What can be asked for, and how many numbers each thing has that is given."""
GIVEN = {
    "motion": "x,z,angle",
    "path": "x,z",
    "translation": "x,z",
    "line": "x,z",
    "function": "crank,rocker",
    "six_bar_function": "crank,output",
    "dwell": "turn,swing",
}
OF_PAIRS: dict[str, Callable[..., Sequence[Design]]] = {
    "path": path,
    "translation": translation,
    "function": function,
    "six_bar_function": six_bar_function,
}


def synthesise_linkage(task: str, given: Sequence[str], output: Path | None, *, count: int, force: bool) -> int:
    """Print the designs, the best first, and write them to OUT.sdf, OUT_2.sdf, …; returns the exit code.

    `given`: texts such as `0.1,0.05,20deg`. Raises UsageError for what cannot be read or found, and for files that
    exist already.
    """
    task = task.replace("-", "_")
    if task not in TASKS:
        raise UnknownNameError("task of a synthesis", task, TASKS)
    values = [_numbers(text, TASKS[task], task) for text in given]
    designs = _found(task, values, count)
    files = [] if output is None else _files(output, len(designs), force=force)
    for number, design in enumerate(designs, start=1):
        print(_line(number, design))
    for file, design in zip(files, designs, strict=False):
        print(design.draft().save(file))
    return OK


def _found(task: str, values: Sequence[Sequence[float]], count: int) -> Sequence[Design]:
    """The designs of a task. Raises UsageError."""
    if task == "motion":
        return motion([(x, z, angle) for x, z, angle in values], count=count)
    pairs = [(first, second) for first, second in values]
    if task in OF_PAIRS:
        return OF_PAIRS[task](pairs, count=count)
    if task == "dwell":
        if len(pairs) != 1:
            raise UsageError(f"a dwell has one pair turn,swing, not {len(pairs)}")
        return dwell(*pairs[0], count=count)
    if len(pairs) != 2:
        raise UsageError(f"a line has two ends, x,z each, not {len(pairs)}")
    return straight_line(*pairs)[:count]


def _numbers(text: str, count: int, task: str) -> list[float]:
    parts = text.replace(",", " ").split()
    if len(parts) != count:
        raise UsageError(f"'{text}' is not {GIVEN[task]}: it has {len(parts)} numbers")
    return [float(number_of(part, 0.0, task)) for part in parts]


def _files(output: Path, count: int, *, force: bool) -> list[Path]:
    if output.suffix.lower() != ".sdf":
        raise UsageError(f"synthesise writes SDFormat: name a file NAME.sdf, not '{output}'")
    files = [output, *(output.with_name(f"{output.stem}_{number}.sdf") for number in range(2, count + 1))]
    there = next((file for file in files if file.exists()), None)
    if there is not None and not force:
        raise UsageError(f"'{there}' exists already; --force writes over it")
    return files


def _line(number: int, design: Design) -> str:
    lengths = " ".join(f"{length:.6g}" for length in design.lengths)
    parts = " ".join(name.replace(" ", "_") for name in design.parts)
    defects = f"; {'; '.join(design.defects)}" if design.defects else ""
    return (
        f"{number}: {design.kind}, {parts} {lengths}, error {design.error:.3g}, least transmission "
        f"angle {math.degrees(design.least_transmission_angle):.3g} degrees{defects}"
    )
