"""`simulator check`: findings only."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from simulator.cli.output import DOCUMENT_ERRORS, OK, print_diagnostics, say
from simulator.diagnostics import Severity, counted
from simulator.formats.lesson import is_lesson, read_lesson
from simulator.formats.report import describe_diagnostic
from simulator.session.examples import find_file
from simulator.session.lessons import check_lesson
from simulator.session.opening import open_document

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from simulator.diagnostics import Diagnostic
    from simulator.formats.options import ReadingOptions


def check_documents(files: Sequence[str], options: ReadingOptions, *, as_json: bool) -> int:
    """Print every finding, one line a document and a summary; with `as_json` one object a document. Exit code 1 where
    one has errors."""
    broken = doubtful = 0
    for path in [find_file(file) for file in files]:
        found = _findings(path, options)
        errors, warnings = _counts(found)
        if as_json:
            print(json.dumps(_checked(path, found)), flush=True)
        else:
            print_diagnostics(found)
            say(f"{path}: {counted(errors, 'error')}, {counted(warnings, 'warning')}")
        broken, doubtful = broken + (errors > 0), doubtful + (errors == 0 < warnings)
    if len(files) > 1 and not as_json:
        clean = len(files) - broken - doubtful
        print(
            f"{len(files)} documents: {broken} with errors, {doubtful} with warnings only, {clean} clean",
            file=sys.stderr,
        )
    return DOCUMENT_ERRORS if broken else OK


def _findings(path: Path, options: ReadingOptions) -> tuple[Diagnostic, ...]:
    """About a document, or about a lesson and its worlds."""
    if not is_lesson(path):
        return open_document(path, options).diagnostics
    lesson, found = read_lesson(path)
    return found if lesson is None else (*found, *check_lesson(lesson, lambda world: open_document(world, options)))


def _counts(found: Sequence[Diagnostic]) -> tuple[int, int]:
    """Errors and warnings."""
    severities = [item.severity for item in found]
    return severities.count(Severity.ERROR), severities.count(Severity.WARNING)


def _checked(path: Path, found: Sequence[Diagnostic]) -> dict[str, object]:
    errors, warnings = _counts(found)
    findings = [describe_diagnostic(item) for item in found]
    return {"file": str(path), "errors": errors, "warnings": warnings, "diagnostics": findings}
