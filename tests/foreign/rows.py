"""One comparison, and the table of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True)
class Row:
    """`error`: the largest root mean square of the components' differences, or what `measure` says; `published`: the
    tolerance or accuracy that the suite itself states, "" where it states none."""

    suite: str
    case: str
    quantity: str
    unit: str
    error: float
    published: str
    note: str = ""

    @property
    def is_within(self) -> bool:
        """Whether the error is within what the suite allows itself; true where it states nothing."""
        limit = _number(self.published)
        return limit is None or self.error <= limit


def table(rows: Iterable[Row]) -> str:
    """Markdown."""
    lines = ["| suite | case | quantity | our difference | allowed there | |", "|---|---|---|---|---|---|"]
    for row in rows:
        error = f"{row.error:.1e} {row.unit}".rstrip()
        lines.append(f"| {row.suite} | {row.case} | {row.quantity} | {error} | {row.published} | {row.note} |")
    return "\n".join(lines)


def summary(rows: Sequence[Row]) -> str:
    """How many comparisons there are, and how many are beyond what their suite allows itself."""
    limited = [row for row in rows if _number(row.published) is not None]
    beyond = [row for row in limited if not row.is_within]
    names = "".join(f" {row.case}, {row.quantity}." for row in beyond)
    return f"{len(rows)} comparisons; of the {len(limited)} with a limit {len(beyond)} are beyond it.{names}"


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
