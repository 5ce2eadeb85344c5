"""Slips in names that can be mended in one place of the document: what a finding means by its "did you mean"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.formats.name_edit import places_of, with_name
from simulator.session.open.opening import open_document
from simulator.session.save.document_edit import DocumentEdit, read_files

if TYPE_CHECKING:
    from simulator.diagnostics import Diagnostic
    from simulator.formats.name_edit import Spans
    from simulator.formats.options import ReadingOptions

_GUESS = re.compile(r"did you mean '([^']+)'\?")
_NAMED = re.compile(r"'([^']+)'|<([\w:.-]+)>|\[([^\[\]]+)\]")


@dataclass(frozen=True)
class Repair:
    """`right` instead of `wrong` in one place of `file`, as the `finding` suggests."""

    finding: Diagnostic
    file: Path
    wrong: str
    right: str
    place: Spans
    content: bytes


def repair_of(finding: Diagnostic) -> Repair | None:
    """What mends the fault of a finding for certain: its hint guesses a name, and the name in its message that is most
    like it is in one place of the element that it is about. None where that is not so, or the file cannot be read."""
    guess = _GUESS.search(finding.hint)
    file = Path(finding.file)
    if guess is None or not finding.file or finding.count != 1:
        return None
    right = guess[1]
    names = ["".join(found) for found in _NAMED.findall(finding.message)]
    wrong = max(names, key=lambda name: SequenceMatcher(None, name, right).ratio(), default=right)
    try:
        content = read_files((file,))[file]
        places = places_of(content, finding.line, wrong) if wrong != right else []
    except UsageError:
        return None
    return Repair(finding, file, wrong, right, places[0], content) if len(places) == 1 else None


def mend(repair: Repair, document: Path, options: ReadingOptions) -> DocumentEdit:
    """Write the right name into the file. Returns what was changed.

    Raises UsageError where the file has been changed since, cannot be written, or the `document`, read again with
    `options`, has this fault still or more errors than before; the file is then as it was.
    """
    errors = _errors(document, options)
    edit = DocumentEdit(
        {repair.file: repair.content}, {repair.file: with_name(repair.content, repair.place, repair.right)}
    )
    edit.make_again()
    again = open_document(document, options)
    still = any(
        (item.code, item.file, item.line) == (repair.finding.code, repair.finding.file, repair.finding.line)
        and item.message == repair.finding.message
        for item in again.diagnostics
    )
    if still or sum(item.is_error for item in again.diagnostics) > errors:
        edit.take_back()
        raise UsageError(f"'{repair.right}' does not mend it; the document was left as it was")
    return edit


def _errors(document: Path, options: ReadingOptions) -> int:
    return sum(item.is_error for item in open_document(document, options).diagnostics)
