"""`scripts/foreign FOLDER…`: recognise checkouts, run what they have results for, print the table."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.report import write_between_markers
from tests.foreign import chrono, exudyn, mimics, modelica, mujoco_reactions, reactions
from tests.foreign.rows import Row, summary, table
from tests.helpers.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

PAGE = ROOT / "docs" / "explanation" / "verification.md"
MARKERS = "<!-- scripts/foreign --page writes from here -->", "<!-- suites of others end here -->"
SUITES: tuple[tuple[Callable[[Path], bool], Callable[[Path], Iterator[Row]]], ...] = (
    (chrono.is_here, chrono.rows),
    (modelica.is_here, modelica.rows),
    (exudyn.is_here, exudyn.rows),
    (reactions.is_gazebo, reactions.gazebo_rows),
    (mimics.is_here, mimics.rows),
    (reactions.is_simbody, reactions.simbody_rows),
    (mujoco_reactions.is_here, mujoco_reactions.rows),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 2 for a folder that is no checkout of a suite, 1 where a difference is beyond what its suite allows."""
    parser = argparse.ArgumentParser(prog="scripts/foreign", description="Test suites of other projects, run here.")
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="a checkout of Chrono, …")
    parser.add_argument("--page", action="store_true", help=f"write the table into {PAGE.relative_to(ROOT)}")
    given = parser.parse_args(arguments)
    found: list[Row] = []
    for folder in given.folders:
        suites = [rows for is_here, rows in SUITES if is_here(folder)]
        if not suites:
            print(f"scripts/foreign: {folder} has none of the results that are read", file=sys.stderr)
            return 2
        for rows in suites:
            for row in rows(folder):
                print(f"{row.suite}: {row.case}: {row.quantity}", file=sys.stderr, flush=True)
                found.append(row)
    text = f"{summary(found)}\n\n{table(found)}"
    print(text)
    if given.page:
        write_between_markers(PAGE, text, MARKERS)
    return 0 if all(row.is_within for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
