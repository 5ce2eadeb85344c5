"""Findings about the user's document: what is wrong, where, and what to do about it."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import field, replace
from enum import Enum
from typing import TYPE_CHECKING

from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


def printable(text: str) -> str:
    """Foreign text as it may be shown: what a terminal or a window would obey is written as an escape, `\\n`, `\\x1b`,
    `\\u202e`.

    That is control characters, ends of lines and changes of direction. All that leaves for a person goes through here;
    JSON has its own.
    """
    if text.isprintable():
        return text
    return "".join(letter if _is_harmless(letter) else letter.encode("unicode_escape").decode() for letter in text)


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 loop`, `2 loops`; `plural` where that is not the noun with an s."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def some_of(names: Sequence[str], most: int) -> str:
    """`a, b and 3 more`: the first `most` names, and how many follow."""
    more = len(names) - most
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:most])} and {more} more"


def _is_harmless(letter: str) -> bool:
    """Also blanks of all widths."""
    return letter.isprintable() or unicodedata.category(letter) == "Zs"


class Severity(str, Enum):
    """How bad a finding is. An error means that the document cannot be simulated as it is."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True)
class Source:
    """The place in a document that an element came from. `line` counts from 1; 0 means unknown.

    `included_from` is the place of the `<include>` that brought the file in, if one did. `element`: what is there,
    where it is another program's way of saying a loop (`loop_joint`, `robot.yaml`, …); "" for elements of the format.
    """

    file: str
    line: int
    included_from: Source | None = field(default=None, compare=False, repr=False)
    element: str = field(default="", compare=False, repr=False)

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

    `included_from` are the places ("file:line") of the includes that led to the file, the nearest first. `count`
    findings of this kind were met, of which this is the first; `others` are names of what further ones are about.
    """

    severity: Severity
    code: str
    file: str
    line: int
    message: str
    hint: str = ""
    included_from: tuple[str, ...] = ()
    count: int = 1
    others: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"{self.file}:{self.line}: {self.severity.value}[{self.code}]: {self.folded_message}"
        if self.included_from:
            text = f"{text} (included from {', from '.join(self.included_from)})"
        return f"{text} (hint: {self.hint})" if self.hint else text

    @property
    def folded_message(self) -> str:
        """The message, with the number of further findings like it, and the names of the first of them."""
        if self.count == 1:
            return self.message
        more = ", …" if len(self.others) > NAMED else ""
        names = f": {', '.join(self.others[:NAMED])}{more}" if self.others else ""
        return f"{self.message} (and {self.count - 1} more like it{names})"

    @property
    def is_error(self) -> bool:
        """Whether the document cannot be simulated because of this."""
        return self.severity is Severity.ERROR


NAMED = 6
"""Names of what further findings are about that a message lists."""
MOST_OF_A_CODE = 100
"""Findings with the same severity and code that are listed singly; all beyond are reported as one."""
HINTED = 200
"""Findings after which names are not looked up for hints any more: each costs a search through all names."""
LONGEST_MESSAGE, LONGEST_HINT, LONGEST_NAME = 1000, 4000, 60
"""Most characters of each; a document may hold values of millions."""


class DiagnosticLog:
    """Collects findings while a document is read; reading continues after each.

    Findings of one kind are folded: the first one stays and counts the others. Of one kind are those with the same
    severity, code and `fold`, which is the message where nothing else is said; and all beyond the first
    `MOST_OF_A_CODE` kinds of a code. `about` names what a finding is about, so that those that are folded are named.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic] = (), *, consequences: bool = True) -> None:
        self.consequences = consequences
        """Whether to include errors that follow from other errors."""
        self._items: list[Diagnostic] = []
        self._counts: list[int] = []
        self._about: list[dict[str, None]] = []
        self._kinds: dict[tuple[Severity, str, str | None], int] = {}
        self._met = 0
        self._kept: Counter[tuple[Severity, str]] = Counter()
        self.extend(diagnostics)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.as_tuple())

    def __len__(self) -> int:
        return len(self._items)

    @property
    def may_hint(self) -> bool:
        """Whether names are still looked up for hints."""
        return self._met < HINTED

    @property
    def has_errors(self) -> bool:
        """Whether at least one finding is an error."""
        return any(item.is_error for item in self._items)

    def add(self, diagnostic: Diagnostic) -> None:
        """Append one finding as it is, if it is not one of too many."""
        if self._kept[diagnostic.severity, diagnostic.code] < MOST_OF_A_CODE:
            self._append(diagnostic)
            return
        kind = diagnostic.severity, diagnostic.code, None
        if kind in self._kinds:
            self._counts[self._kinds[kind]] += diagnostic.count
            self._met += diagnostic.count
        else:
            self._kinds[kind] = len(self._items)
            self._append(diagnostic)

    def _append(self, diagnostic: Diagnostic) -> None:
        self._kept[diagnostic.severity, diagnostic.code] += 1
        self._items.append(diagnostic)
        self._counts.append(diagnostic.count)
        self._about.append(dict.fromkeys(diagnostic.others))
        self._met += diagnostic.count

    def error(
        self, code: str, where: Source | None, message: str, hint: str = "", *, fold: str = "", about: str = ""
    ) -> None:
        """Report something that makes the document unusable."""
        self._report(Severity.ERROR, code, where, message, hint, fold, about)

    def consequence(self, code: str, where: Source | None, message: str, hint: str = "") -> None:
        """Report an error that is there because of another one, which has been or will be reported too."""
        if self.consequences:
            self._report(Severity.ERROR, code, where, message, hint, "")

    def warning(
        self, code: str, where: Source | None, message: str, hint: str = "", *, fold: str = "", about: str = ""
    ) -> None:
        """Report something that changes what is simulated, or probably is not meant."""
        self._report(Severity.WARNING, code, where, message, hint, fold, about)

    def info(
        self, code: str, where: Source | None, message: str, hint: str = "", *, fold: str = "", about: str = ""
    ) -> None:
        """Report something worth knowing."""
        self._report(Severity.INFO, code, where, message, hint, fold, about)

    def _report(
        self, severity: Severity, code: str, where: Source | None, message: str, hint: str, fold: str, about: str = ""
    ) -> None:
        kind: tuple[Severity, str, str | None] = severity, code, fold or _cut(message, LONGEST_MESSAGE)
        if kind not in self._kinds and self._kept[severity, code] >= MOST_OF_A_CODE:
            kind = severity, code, None
        if kind in self._kinds:
            self._counts[self._kinds[kind]] += 1
            self._met += 1
            name = about if about.startswith("<") else f"'{_cut(about, LONGEST_NAME)}'"
            if about and len(self._about[self._kinds[kind]]) <= NAMED and name not in self._shown(kind):
                self._about[self._kinds[kind]][name] = None
        else:
            self._kinds[kind] = len(self._items)
            self._append(_diagnostic(severity, code, where, message, hint))

    def _shown(self, kind: tuple[Severity, str, str | None]) -> str:
        return self._items[self._kinds[kind]].message

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Append findings of another reader."""
        for diagnostic in diagnostics:
            self.add(diagnostic)

    def as_tuple(self) -> tuple[Diagnostic, ...]:
        """All findings in the order in which they were met."""
        return tuple(
            item if item.count == count else replace(item, count=count, others=tuple(about))
            for item, count, about in zip(self._items, self._counts, self._about, strict=True)
        )


def _diagnostic(severity: Severity, code: str, where: Source | None, message: str, hint: str) -> Diagnostic:
    file, line = (where.file, where.line) if where is not None else ("", 0)
    chain = tuple(str(place) for place in where.includes()) if where is not None else ()
    return Diagnostic(severity, code, file, line, _cut(message, LONGEST_MESSAGE), _cut(hint, LONGEST_HINT), chain)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
