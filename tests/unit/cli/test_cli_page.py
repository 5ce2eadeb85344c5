"""Tables on pages of any width: nothing is lost, nothing runs over the edge, and with room enough they look as rich's
do."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable

from simulator.cli.page import Table

HEADINGS = ("joint", "law of its position", "steps/s")
ROWS = (
    ("arm::elbow", "elbow = −2·shoulder + 0.5", "1 200"),
    ("関節", "/a/very/long/path/without/any/space/in/it.sdf:12", ""),
    ("", "two lines", "7"),
)


def printed(table: Table | RichTable, width: int) -> list[str]:
    file = io.StringIO()
    Console(file=file, width=width, highlight=False, emoji=False, markup=False).print(table)
    return file.getvalue().splitlines()


@pytest.fixture
def table() -> Table:
    made = Table(*HEADINGS, numbers={"steps/s"})
    for row in ROWS:
        made.add_row(*row)
    return made


def test_with_room_enough_it_is_what_rich_draws(table: Table) -> None:
    drawn = RichTable(box=None, pad_edge=False)
    for heading in HEADINGS:
        drawn.add_column(heading, overflow="fold", justify="right" if heading == "steps/s" else "left")
    for row in ROWS:
        drawn.add_row(*row)
    assert printed(table, 1000) == printed(drawn, 1000)


@pytest.mark.parametrize("width", [69, 60, 40, 24, 12])
def test_a_narrow_page_folds_and_loses_nothing(table: Table, width: int) -> None:
    lines = printed(table, width)
    assert max(map(cell_len, lines)) == width
    kept = sorted("".join("".join(lines).split()))
    assert kept == sorted(letter for row in (HEADINGS, *ROWS) for cell in row for letter in "".join(cell.split()))


def test_numbers_stay_whole_and_headings_fold_between_words() -> None:
    table = Table("strategy", "rad from rows", "remark", numbers={"rad from rows"})
    table.add_row("reduced", "1.1e-16", "it went on to the end")
    assert printed(table, 27) == [
        "              rad          ",
        "             from          ",
        "strategy     rows  remark  ",
        "reduced   1.1e-16  it went ",
        "                   on to   ",
        "                   the end ",
    ]
    assert printed(table, 24)[2] == "gy         rows  remark "
    assert any("1.1e-16" in line for line in printed(table, 24))
    assert not any("1.1e-16" in line for line in printed(table, 20))


def test_the_widest_columns_give_way_and_headings_stand_at_the_foot() -> None:
    table = Table("a b", "c")
    table.add_row("x" * 20, "1234")
    assert printed(table, 10) == ["a b   c   ", "xxxx  1234", *["xxxx      "] * 4]
    table = Table("one two", "c")
    table.add_row("x", "1234")
    assert printed(table, 9) == ["one      ", "two  c   ", "x    1234"]
