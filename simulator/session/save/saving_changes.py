"""Writes all changes made while a document ran into the document or into a copy of it."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from simulator.errors import SimulatorError, UsageError
from simulator.formats.files import read_regular
from simulator.mechanism.coupling_law import law_of, with_coupling_law
from simulator.session.open.opening import open_document
from simulator.session.save.document_edit import LARGEST, DocumentEdit
from simulator.session.save.saving import save_laws
from simulator.session.save.saving_numbers import save_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from simulator.mechanism.types import Mechanism
    from simulator.session.open.opening import Opened

_VALUES = re.compile(r">([^<>]+)<|\"([^\"<>]*)\"|'([^'<>]*)'")
"""Texts of elements and values of attributes."""


def save_changes(opened: Opened, laws: Mechanism, numbers: Mapping[str, float]) -> DocumentEdit:
    """Write laws that differ from those of `opened` and parameters (`mechanism.varied`) into its files. Returns
    the change.

    Raises UsageError if one of them has no place in the document, or the files cannot be changed; they are then as
    they were.
    """
    first = save_laws(opened, laws) if laws.couplings != opened.mechanism.couplings else DocumentEdit({}, {})
    if not numbers:
        return first
    try:
        second = save_numbers(open_document(opened.path, opened.options) if first.after else opened, numbers)
    except SimulatorError:
        first.take_back()
        raise
    return DocumentEdit({**second.before, **first.before}, {**first.after, **second.after})


def save_copy(opened: Opened, path: Path, laws: Mechanism, numbers: Mapping[str, float]) -> None:
    """Write a copy of the document with these changes: its text, with comments and layout; paths relative to its
    folder, of meshes for example, become absolute.

    Raises the errors of `save_changes`, and UsageError if the copy cannot be written; there is no copy then.
    """
    if path.suffix.lower() != opened.path.suffix.lower():
        raise UsageError(f"a copy of '{opened.path.name}' must be a file NAME{opened.path.suffix}, not '{path.name}'")
    if path.exists() and path.samefile(opened.path):
        raise UsageError("that is the document itself; save into it, or choose another name")
    try:
        text = read_regular(opened.path, LARGEST).decode("utf-8")
        path.write_text(with_whole_paths(text, opened.path.parent.resolve()), encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the copy cannot be written: {error}") from error
    try:
        copy = open_document(path, opened.options)
        if copy.has_errors:
            raise UsageError(f"the copy cannot be read as the document: {next(iter(copy.diagnostics)).message}")
        edit = save_changes(copy, _with_laws(copy.mechanism, laws), numbers)
        other = next((file for file in edit.files if not file.samefile(path)), None)
        if other is not None:
            edit.take_back()
            raise UsageError(f"the change is in '{other.name}', which the document includes: copy that file, too")
    except SimulatorError:
        path.unlink(missing_ok=True)
        raise


def _with_laws(mechanism: Mechanism, laws: Mechanism) -> Mechanism:
    """The mechanism of a copy with the laws of the original; laws in its files stay."""
    couplings = [
        with_coupling_law(own, law_of(law), mechanism.axes)
        for own, law in zip(mechanism.couplings, laws.couplings, strict=True)
    ]
    return replace(mechanism, couplings=tuple(couplings))


def with_whole_paths(text: str, folder: Path) -> str:
    """A document whose paths, relative to `folder`, are made absolute."""
    return with_paths(text, folder, str)


def with_paths(text: str, folder: Path, named: Callable[[Path], str]) -> str:
    """A document in which files and folders that it names relative to `folder` have other names; "" leaves one as it
    is."""

    def renamed(match: re.Match[str]) -> str:
        value = next(group for group in match.groups() if group is not None)
        name = html.unescape(value.strip())
        if not name or "://" in name or Path(name).is_absolute() or not ("/" in name or "." in name):
            return match[0]
        try:
            place = (folder / name).resolve()
            if not place.exists():
                return match[0]
        except (OSError, ValueError):  # not a name that a file can have
            return match[0]
        other = named(place)
        return match[0].replace(value.strip(), escape(other, {'"': "&quot;", "'": "&apos;"})) if other else match[0]

    return _VALUES.sub(renamed, text)
