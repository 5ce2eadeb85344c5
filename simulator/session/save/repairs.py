"""Misspelt names that can be corrected in one place of the document: the "did you mean" of a finding."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.formats.editing.names import renamed
from simulator.records import dataclass
from simulator.session.open.opening import open_document
from simulator.session.save.document_edit import DocumentEdit, read_files

if TYPE_CHECKING:
    from simulator.diagnostics import Diagnostic
    from simulator.formats.options import ReadingOptions

_GUESS = re.compile(r"did you mean '([^']+)'\?")
_NAMED = re.compile(r"'([^']+)'|<([\w:.-]+)>|\[([^\[\]]+)\]")


@dataclass(frozen=True)
class Repair:
    """`right` instead of a similar name in one place of `file`, as the `finding` suggests: it holds `before`, and is to
    hold `after`."""

    finding: Diagnostic
    file: Path
    right: str
    before: bytes
    after: bytes


def repair_of(finding: Diagnostic) -> Repair | None:
    """The certain correction of a finding: its hint guesses a name, and the most similar name in its message
    occurs once in its element. None if that is not so, or if the file cannot be read."""
    guess = _GUESS.search(finding.hint)
    file = Path(finding.file)
    if guess is None or not finding.file or finding.count != 1:
        return None
    right = guess[1]
    names = ["".join(found) for found in _NAMED.findall(finding.message)]
    wrong = max(names, key=lambda name: SequenceMatcher(None, name, right).ratio(), default=right)
    try:
        content = read_files((file,))[file]
        mended = renamed(content, finding.line, wrong, right) if wrong != right else []
    except UsageError:
        return None
    return Repair(finding, file, right, content, mended[0]) if len(mended) == 1 else None


def mend(repair: Repair, document: Path, options: ReadingOptions) -> DocumentEdit:
    """Write the right name into the file. Returns the change.

    Raises UsageError if the file has been changed since, cannot be written, or the `document`, read again with
    `options`, still has this fault or more errors than before; the file is then as it was.
    """
    errors = _errors(document, options)
    edit = DocumentEdit({repair.file: repair.before}, {repair.file: repair.after})
    edit.make_again()
    again = open_document(document, options)
    still = any(
        (item.code, item.file, item.line) == (repair.finding.code, repair.finding.file, repair.finding.line)
        and item.message == repair.finding.message
        for item in again.diagnostics
    )
    if still or sum(item.is_error for item in again.diagnostics) > errors:
        edit.take_back()
        raise UsageError(f"'{repair.right}' does not correct it; the document was left as it was")
    return edit


def _errors(document: Path, options: ReadingOptions) -> int:
    return sum(item.is_error for item in open_document(document, options).diagnostics)
