"""Standard output as people read it: tables without lines, as wide as the terminal, or as wide as they are where nobody folds them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection

UNFOLDED = 1_000_000
"""Columns where standard output is no terminal: a pipe or file gets each row on one line, however long the paths in it are, so that
`grep` finds a law by what it says."""


def page() -> Console:
    """Standard output; only a terminal folds what is too wide for it, and names are printed as they are, brackets and all."""
    return Console(highlight=False, emoji=False, markup=False, width=None if sys.stdout.isatty() else UNFOLDED)


def headed(*headings: str, numbers: Collection[str] = ()) -> Table:
    """An empty table with these columns; those of `numbers` stand to the right."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in headings:
        table.add_column(heading, overflow="fold", justify="right" if heading in numbers else "left")
    return table
