"""A survey as one self-contained page, and as sheets of pictures."""

from __future__ import annotations

import base64
import os
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING
from urllib.parse import quote

from simulator.rendering.sheet import PER_SHEET, Cell, thumbnail, write_sheet
from simulator.session.survey.record import OUTCOMES, Record
from simulator.session.survey.statistics import reasons_of
from simulator.session.survey.survey import PICTURES
from simulator.session.survey.tables import folder_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from simulator.session.survey.statistics import Statistics

PAGE = Path(__file__).with_name("page.html")
SMALL = 240, 180
COLOURS = {
    "clean": (35, 116, 74),
    "warned": (138, 97, 0),
    "picture failed": (108, 79, 163),
    "part": (75, 100, 114),
    "slow": (75, 100, 114),
    "memory": (75, 100, 114),
}
BAD = 179, 53, 44
"""Colour of all other outcomes; the colours are those of the page in the light theme."""


def write_page(path: Path, records: Sequence[Record], statistics: Sequence[Statistics], remarks: Sequence[str]) -> None:
    """Every document as a card with its picture, its outcome and the reason, with filters; thumbnails are embedded."""
    filters = (_filter(outcome, count) for outcome, count in statistics[0].outcomes.items() if count)
    filled = Template(PAGE.read_text(encoding="utf-8")).substitute(
        count=len(records),
        remarks="\n".join(f"<p>{escape(remark)}</p>" for remark in remarks),
        folders=_table(*folder_table(statistics)),
        meanings=_table(("outcome", "meaning"), OUTCOMES.items()),
        reasons=_table(("first error", "documents"), ((c, str(n)) for c, n in reasons_of(records, "refused"))),
        choices="".join(map(_choice, statistics[1:])),
        filters="\n".join(filters),
        cards="\n".join(_card(record, path.parent) for record in records),
    )
    path.write_text(filled, encoding="utf-8")


def write_sheets(out: Path, records: Sequence[Record], title: str) -> int:
    """`sheet-01.png` and so on; returns their number; sheets of an earlier survey are removed."""
    for old in out.glob("sheet-*.png"):
        old.unlink()
    count = -(-len(records) // PER_SHEET)
    digits = max(len(str(count)), 2)
    for number in range(1, count + 1):
        shown = records[(number - 1) * PER_SHEET : number * PER_SHEET]
        cells = [Cell(_picture(item, out), _name(item), item.outcome, _colour(item.outcome)) for item in shown]
        write_sheet(out / f"sheet-{number:0{digits}}.png", cells, f"{title}, sheet {number} of {count}")
    return count


def _card(record: Record, out: Path) -> str:
    picture = _picture(record, out)
    small = b"" if picture is None else thumbnail(picture, SMALL, quality=60)
    image = "<span>no picture</span>"
    if small:
        image = f'<img loading="lazy" alt="" src="data:image/jpeg;base64,{base64.b64encode(small).decode()}">'
    target = f"{PICTURES}/{quote(record.picture)}" if small else _link(record.file, out)
    counted = (
        (record.errors, "errors"),
        (record.warnings, "warnings"),
        (record.bodies, "bodies"),
        (record.axes, "axes"),
    )
    numbers = ", ".join(f"{count} {what if count != 1 else _one(what)}" for count, what in counted if count)
    return (
        f'<article class="card {_class(record.outcome)}" data-folder="{escape(record.folder)}" '
        f'data-outcome="{escape(record.outcome)}" '
        f'title="{escape(record.file)}">'
        f'<a class="picture" href="{target}">{image}</a><div class="text">'
        f'<a class="name" href="{_link(record.file, out)}">{escape(_name(record)).replace("/", "/<wbr>")}</a>'
        f'<div class="where">{escape(Path(record.folder).name)}</div>'
        f'<span class="badge">{escape(record.outcome)}</span>'
        f'<div class="why">{escape(record.reason)}</div><div class="numbers">{numbers}</div></div></article>'
    )


def _filter(outcome: str, count: int) -> str:
    return (
        f'<label class="{_class(outcome)}"><input type="checkbox" value="{escape(outcome)}" checked>'
        f"<b>{escape(outcome)}</b> {count}</label>"
    )


def _choice(item: Statistics) -> str:
    return f'<option value="{escape(item.folder)}">{escape(item.name)}</option>'


def _table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in headings)
    body = "\n".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>\n{body}</table>"


def _cell(text: str) -> str:
    return f'<td class="nought">{text}</td>' if text == "0" else f"<td>{escape(text)}</td>"


def _name(record: Record) -> str:
    """The path from its folder; for a file that was given itself, its name."""
    inside = os.path.relpath(record.file, record.folder)
    return Path(record.file).name if inside == os.curdir else inside


def _picture(record: Record, out: Path) -> Path | None:
    return out / PICTURES / record.picture if record.picture else None


def _link(file: str, out: Path) -> str:
    return quote(os.path.relpath(file, out))


def _class(outcome: str) -> str:
    return outcome.replace(" ", "-")


def _colour(outcome: str) -> tuple[int, int, int]:
    return COLOURS.get(outcome, BAD)


def _one(plural: str) -> str:
    return {"bodies": "body", "axes": "axis"}.get(plural, plural.removesuffix("s"))
