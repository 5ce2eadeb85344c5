"""Standard output as people read it: tables without lines, as wide as the terminal, or unfolded without
a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from simulator.diagnostics import printable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from rich.console import ConsoleOptions, RenderResult

UNFOLDED = 1_000_000
"""Columns where standard output is not a terminal: a pipe or file gets each row on one line, however long the paths in
it are, so that `grep` finds a law by what it says."""
GAP = 2
"""Columns between the columns of a table."""
READABLE = 8
"""A text is folded to fewer columns only where numbers are folded too."""


def page() -> Console:
    """Standard output; only a terminal folds what is too wide for it, and names are printed as they are, brackets and
    all."""
    room = None if sys.stdout.isatty() else UNFOLDED  # with a width only, TERM=dumb would mean 80 columns all the same
    return Console(highlight=False, emoji=False, markup=False, width=room, height=room)


class Table:
    """Rows of text under headings, the columns of `numbers` to the right. Where the page is too narrow, headings of
    numbers fold between words, then the widest texts fold anywhere; a number stays whole as long as there is another
    way.

    It looks like rich's Table without a box and is laid out at once: a thousand gears are a thousand rows.
    """

    def __init__(self, *headings: str, numbers: Collection[str] = ()) -> None:
        self._rows = [headings]
        self._right = [heading in numbers for heading in headings]

    def add_row(self, *cells: str) -> None:
        """One cell a heading; what is foreign in it is escaped."""
        self._rows.append(tuple(map(printable, cells)))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The headings dim, at the foot of their row; every other row from its top."""
        widths = self._widths(options.max_width)
        for index, row in enumerate(self._rows):
            folded = [_folded(*cell, console) for cell in zip(row, widths, self._right, strict=True)]
            style = Style(dim=True) if index == 0 else None
            for line in _lines(folded, widths, sunk=index == 0):
                yield Segment(line, style)
                yield Segment.line()

    def _widths(self, room: int) -> list[int]:
        columns = list(zip(*self._rows, strict=True))
        widths = [max(_width(cell.splitlines()) for cell in column) for column in columns]
        excess = sum(widths) + GAP * (len(widths) - 1) - room
        if excess <= 0:
            return widths
        words = [max(_width(cell.split()) for cell in column) for column in columns]
        for text in (max(widths), READABLE, 1):
            number = words if text > 1 else [1] * len(words)
            least = [a if right else text for a, right in zip(number, self._right, strict=True)]
            excess = _narrow(widths, least, excess)
        return widths


def _width(parts: Iterable[str]) -> int:
    return max(map(cell_len, parts), default=0)


def _folded(cell: str, width: int, right: bool, console: Console) -> list[str]:
    """The cell in lines of this width."""
    if cell.isprintable() and (length := cell_len(cell)) <= width:
        space = " " * (width - length)
        return [space + cell if right else cell + space]
    lines = Text(cell).wrap(console, width, justify="right" if right else "left", overflow="fold")
    return [line.plain for line in lines]


def _lines(folded: Sequence[list[str]], widths: Sequence[int], *, sunk: bool) -> Iterator[str]:
    """The lines of a row; cells with fewer than the highest are filled up below, or above where they are `sunk`."""
    height = max(map(len, folded))
    columns = []
    for lines, width in zip(folded, widths, strict=True):
        filling = [" " * width] * (height - len(lines))
        columns.append(filling + lines if sunk else lines + filling)
    return map((" " * GAP).join, zip(*columns, strict=True))


def _narrow(widths: list[int], least: Sequence[int], excess: int) -> int:
    """Take from the widest columns, none below its `least`, until nothing is in excess; returns what still is."""
    while excess > 0:
        above = [index for index, width in enumerate(widths) if width > least[index]]
        if not above:
            break
        widths[max(above, key=widths.__getitem__)] -= 1
        excess -= 1
    return excess
