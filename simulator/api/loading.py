"""Loads a document as a simulation, or raises an exception with all its errors."""

from __future__ import annotations

import os
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.api.arguments import as_number
from simulator.api.simulation import Simulation
from simulator.diagnostics import Severity, counted
from simulator.errors import DocumentError, DocumentWarning, UsageError
from simulator.formats.options import ReadingOptions
from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
from simulator.session.text.settings import DEFAULT_SOLVER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from simulator.diagnostics import Diagnostic
    from simulator.session.open.opening import Opened
    from simulator.transmissions.base import Transmission

TEXT = "<text>"
"""Name of a document that was given as text, in findings."""


def load(
    source: str | os.PathLike[str],
    *,
    resource_paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    hold_base: bool = False,
    strict: bool = False,
    solver: str = DEFAULT_SOLVER,
    dt: float | None = None,
    transmissions: Mapping[str, type[Transmission]] | None = None,
) -> Simulation:
    """The simulation of a document, at its assembled start: `sim = simulator.load("four_bar")`.

    `source`: a path, the name of an example world, or the document itself, a string that begins with `<`.
    `resource_paths`: folders for `model://`, `package://` and relative URIs. `hold_base`: a robot's base that would
    fall is fixed to the world. `strict`: refuse what libsdformat refuses. `solver`: rows, reduced (no contacts) or
    gear. `dt` [s]: the step, None for the document's. `transmissions`: user-defined kinds, by their names in documents.

    Warns with `DocumentWarning`, in one line, of findings that `simulator check` calls warnings. Raises DocumentError
    for a document that cannot be simulated, with every finding in its text and in `diagnostics`; UsageError for a name
    that is neither a file nor an example, and for a solver or a step that does not exist.
    """
    if not isinstance(source, str | os.PathLike) or not os.fspath(source).strip():
        raise UsageError(f"load takes a path, the name of an example world or the text of a document, not {source!r}")
    dt = None if dt is None else as_number(dt, "a step [s]")
    folders = (resource_paths,) if isinstance(resource_paths, str | os.PathLike) else resource_paths
    options = ReadingOptions(resource_paths=tuple(map(Path, folders)), hold_base=hold_base, strict=strict)
    text = source if isinstance(source, str) and source.lstrip().startswith("<") else None
    if text is None:
        opened = open_document(find_file(os.fspath(source)), options, transmissions=transmissions)
    else:
        opened = _open_text(text, options, transmissions)
    errors = [item for item in opened.diagnostics if item.is_error]
    if errors:
        raise DocumentError(_text(opened), opened.diagnostics)
    if found := [item for item in opened.diagnostics if item.severity is Severity.WARNING]:
        more = f" (and {counted(len(found) - 1, 'more warning')}: see `diagnostics`)" if len(found) > 1 else ""
        warnings.warn(f"{replace(found[0], hint='')}{more}", DocumentWarning, stacklevel=2)
    return Simulation(opened, solver=solver, dt=dt, text=text)


def _open_text(text: str, options: ReadingOptions, transmissions: Mapping[str, type[Transmission]] | None) -> Opened:
    """Read a document from its text; findings name it `TEXT`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "document.sdf")
        path.write_text(text, encoding="utf-8")
        opened = open_document(path, options, transmissions=transmissions)

    def named(found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
        file = str(path)
        return tuple(
            replace(
                item,
                file=item.file.replace(file, TEXT),
                message=item.message.replace(file, TEXT),
                hint=item.hint.replace(folder, TEXT),
            )
            for item in found
        )

    mechanism = opened.mechanism
    if mechanism.diagnostics:
        mechanism = replace(mechanism, diagnostics=named(mechanism.diagnostics))
    return replace(
        opened,
        path=Path(TEXT),
        document=replace(opened.document, file=TEXT, diagnostics=named(opened.document.diagnostics), files=()),
        mechanism=mechanism,
        actuator_diagnostics=named(opened.actuator_diagnostics),
        start_diagnostics=named(opened.start_diagnostics),
    )


def _text(opened: Opened) -> str:
    """The number of errors, and all findings, one for each line, as `simulator check` prints them."""
    head = f"{opened.path} has {counted(sum(item.is_error for item in opened.diagnostics), 'error')}"
    return "\n".join((head, *map(str, opened.diagnostics)))
