"""Findings about the user's document: what is wrong, where, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Severity(str, Enum):
    """How bad a finding is. An error means that the document cannot be simulated as it stands."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True)
class Source:
    """The place in a document that an element came from. `line` counts from 1; 0 means unknown.

    `included_from` is the place of the `<include>` that brought the file in, if one did.
    """

    file: str
    line: int
    included_from: Source | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    def includes(self) -> Iterator[Source]:
        """The includes that led here, the nearest first."""
        place = self.included_from
        while place is not None:
            yield place
            place = place.included_from


@dataclass(frozen=True)
class Diagnostic:
    """One finding. `code` is libsdformat's name where it has one (`JOINT_AXIS_MIMIC_INVALID`).

    `included_from` are the places ("file:line") of the includes that led to the file, the nearest first. `count` findings of this
    kind were met, of which this is the first.
    """

    severity: Severity
    code: str
    file: str
    line: int
    message: str
    hint: str = ""
    included_from: tuple[str, ...] = ()
    count: int = 1

    def __str__(self) -> str:
        text = f"{self.file}:{self.line}: {self.severity.value}[{self.code}]: {self.folded_message}"
        if self.included_from:
            text = f"{text} (included from {', from '.join(self.included_from)})"
        return f"{text} (hint: {self.hint})" if self.hint else text

    @property
    def folded_message(self) -> str:
        """The message, with the number of further findings like it."""
        return self.message if self.count == 1 else f"{self.message} (and {self.count - 1} more like it)"

    @property
    def is_error(self) -> bool:
        """Whether the document cannot be simulated because of this."""
        return self.severity is Severity.ERROR


class DiagnosticLog:
    """Collects findings while a document is read; reading goes on after each.

    Findings of one kind are folded: the first is kept, and counts the others. Of one kind are those with the same severity, code
    and `fold`, which is the message where nothing else is said.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic] = (), *, consequences: bool = True) -> None:
        self.consequences = consequences
        """Whether errors that follow from other errors are kept."""
        self._items: list[Diagnostic] = list(diagnostics)
        self._counts: list[int] = [item.count for item in self._items]
        self._kinds: dict[tuple[Severity, str, str], int] = {}

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.as_tuple())

    def __len__(self) -> int:
        return len(self._items)

    @property
    def has_errors(self) -> bool:
        """Whether at least one finding is an error."""
        return any(item.is_error for item in self._items)

    def add(self, diagnostic: Diagnostic) -> None:
        """Append one finding as it is."""
        self._items.append(diagnostic)
        self._counts.append(diagnostic.count)

    def error(self, code: str, where: Source | None, message: str, hint: str = "", *, fold: str = "") -> None:
        """Report something that makes the document unusable."""
        self._report(Severity.ERROR, code, where, message, hint, fold)

    def consequence(self, code: str, where: Source | None, message: str, hint: str = "") -> None:
        """Report an error that is there because of another one, which has been or will be reported too."""
        if self.consequences:
            self._report(Severity.ERROR, code, where, message, hint, "")

    def warning(self, code: str, where: Source | None, message: str, hint: str = "", *, fold: str = "") -> None:
        """Report something that changes what is simulated, or probably is not meant."""
        self._report(Severity.WARNING, code, where, message, hint, fold)

    def info(self, code: str, where: Source | None, message: str, hint: str = "", *, fold: str = "") -> None:
        """Report something worth knowing."""
        self._report(Severity.INFO, code, where, message, hint, fold)

    def _report(self, severity: Severity, code: str, where: Source | None, message: str, hint: str, fold: str) -> None:
        kind = severity, code, fold or message
        index = self._kinds.setdefault(kind, len(self._items))
        if index < len(self._items):
            self._counts[index] += 1
        else:
            self.add(_diagnostic(severity, code, where, message, hint))

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Append findings of another reader."""
        for diagnostic in diagnostics:
            self.add(diagnostic)

    def as_tuple(self) -> tuple[Diagnostic, ...]:
        """All findings in the order in which they were met."""
        return tuple(
            item if item.count == count else replace(item, count=count)
            for item, count in zip(self._items, self._counts, strict=True)
        )


def _diagnostic(severity: Severity, code: str, where: Source | None, message: str, hint: str) -> Diagnostic:
    file, line = (where.file, where.line) if where is not None else ("", 0)
    chain = tuple(str(place) for place in where.includes()) if where is not None else ()
    return Diagnostic(severity, code, file, line, message, hint, chain)
