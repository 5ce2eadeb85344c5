"""A survey as tables: CSV for programs, Markdown for people."""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING

from simulator.diagnostics import counted
from simulator.session.survey.record import COLUMNS, OUTCOMES, Record
from simulator.session.survey.statistics import ALL, reasons_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from simulator.session.survey.statistics import Statistics

FOLDER_COLUMNS = (
    "folder",
    "documents",
    *OUTCOMES,
    "pass %",
    "run %",
    "findings",
    "p90",
    "p99",
    "max",
)
"""Columns of the table of folders: how many `pass` check, how many of these `run` to the end with finite values;
`findings` of a document are the median, then the 90th and the 99th percentile and the most."""
QUANTILES = (0.5, 0.9, 0.99, 1.0)


def write_csv(path: Path, records: Iterable[Record]) -> None:
    """One row for each document, numbers with all their digits."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for record in records:
            writer.writerow([_plain(getattr(record, name)) for name in COLUMNS])


def write_markdown(
    path: Path, records: Sequence[Record], statistics: Sequence[Statistics], remarks: Sequence[str]
) -> None:
    """The totals, refused documents with reasons, and one row for each document."""
    parts = ["# Survey", "", *(f"{remark}  " for remark in remarks), ""]
    parts += _table(*folder_table(statistics))
    parts += ["", "An outcome is the worst that applies to a document:", ""]
    parts += [f"* **{outcome}**: {meaning}" for outcome, meaning in OUTCOMES.items()]
    parts += ["", "## Why documents are refused", ""]
    parts += _table(("first error", "documents"), ((code, str(n)) for code, n in reasons_of(records, "refused")))
    parts += ["", "## Documents", ""]
    parts += _table(DOCUMENT_COLUMNS, map(_document_row, records))
    path.write_text("\n".join(parts) + "\n", encoding="utf-8")


DOCUMENT_COLUMNS = (
    *("file", "outcome", "errors", "warnings", "infos", "bodies", "joints", "dof", "couplings", "loops"),
    *("check s", "run s", "steps/s", "coupling residual", "loop residual m", "energy error", "MB", "why"),
)


def _document_row(record: Record) -> Sequence[str]:
    return (
        record.file,
        record.outcome,
        *(str(n) for n in (record.errors, record.warnings, record.infos, record.bodies, record.joints)),
        "" if record.dof is None else str(record.dof),
        str(record.couplings),
        str(record.loops),
        f"{record.check_s:.2f}",
        f"{record.run_s:.2f}",
        f"{record.steps_per_s:.0f}",
        f"{record.max_coupling_residual:.1e}",
        f"{record.max_loop_residual_m:.1e}",
        f"{record.energy_error_of_given:.1e}",
        f"{record.peak_memory_mb:.0f}",
        record.reason,
    )


def folder_table(statistics: Sequence[Statistics]) -> tuple[list[str], list[list[str]]]:
    """The headings and rows of the table of folders, without empty outcomes."""
    shown = [index for index, name in enumerate(FOLDER_COLUMNS) if statistics[0].outcomes.get(name) != 0]
    rows = [_folder_row(item) for item in statistics]
    return [FOLDER_COLUMNS[index] for index in shown], [[row[index] for index in shown] for row in rows]


def _folder_row(item: Statistics) -> list[str]:
    outcomes = [str(count) for count in item.outcomes.values()]
    quantiles = [str(item.findings_at(share)) for share in QUANTILES]
    shares = ["" if math.isnan(share) else f"{share:.1f}" for share in (item.pass_percent, item.run_percent)]
    return [item.name, str(item.documents), *outcomes, *shares, *quantiles]


def summary_lines(total: Statistics) -> list[str]:
    """The totals of all documents in words."""
    assert total.name == ALL
    median, nine, almost_all, most = (total.findings_at(share) for share in QUANTILES)
    return [
        f"{counted(total.documents, 'document')}: "
        + ", ".join(f"{n} {outcome}" for outcome, n in total.outcomes.items() if n),
        f"{total.passed} pass check ({percent_text(total.pass_percent)}); {total.ran} of these run to the end with "
        f"finite values ({percent_text(total.run_percent)}), {total.runaway} of them with speeds or energy that run "
        "away",
        *(
            [
                f"{counted(total.exercised, 'axis', 'axes')} exercised, {total.stuck} of them stuck, "
                f"{total.stuck_at_limit} of these at the effort limit of the document"
            ]
            if total.exercised
            else []
        ),
        *(
            [f"{counted(total.unread_loops, 'loop')} that documents hint at in ways that are not read"]
            if total.unread_loops
            else []
        ),
        f"findings of a document: median {median}, 90th percentile {nine}, 99th {almost_all}, most {most}",
    ]


def percent_text(value: float) -> str:
    """`97.3 %`, or nothing of nothing."""
    return "" if math.isnan(value) else f"{value:.1f} %"


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [_row(headings), _row(["---"] * len(headings))]
    return lines + [_row(row) for row in rows]


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _plain(value: object) -> str:
    return "" if value is None else str(value)
