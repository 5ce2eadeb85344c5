"""One comparison, and the table of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


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
        try:
            return self.error <= float(self.published)
        except ValueError:
            return True


def table(rows: Iterable[Row]) -> str:
    """Markdown."""
    lines = ["| suite | case | quantity | our difference | allowed there | |", "|---|---|---|---|---|---|"]
    for row in rows:
        error = f"{row.error:.1e} {row.unit}".rstrip()
        lines.append(f"| {row.suite} | {row.case} | {row.quantity} | {error} | {row.published} | {row.note} |")
    return "\n".join(lines)
