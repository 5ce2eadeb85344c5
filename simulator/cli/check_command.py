"""`simulator check`: findings only."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from simulator.cli.output import DOCUMENT_ERRORS, OK, print_diagnostics, say
from simulator.diagnostics import Severity, counted
from simulator.formats.lesson import is_lesson, read_lesson
from simulator.formats.report import describe_diagnostic
from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
from simulator.session.other_programs.findings import check_programs, findings_for
from simulator.session.run.lessons import check_lesson

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from simulator.diagnostics import Diagnostic
    from simulator.formats.options import ReadingOptions
    from simulator.session.other_programs.findings import ProgramFinding


def check_documents(
    files: Sequence[str], options: ReadingOptions, *, as_json: bool, programs: Sequence[str] = ()
) -> int:
    """Print every finding, one line for each document, and a summary; with `as_json` one object for each document. The
    exit code is 1 if a document has errors. `programs`: other programs whose reading is printed too."""
    check_programs(programs)
    broken = doubtful = 0
    for path in [find_file(file) for file in files]:
        found, elsewhere = _findings(path, options, programs)
        errors, warnings = _counts((*found, *(item.diagnostic for item in elsewhere)))
        if as_json:
            print(json.dumps(_checked(path, found, elsewhere if programs else None)), flush=True)
        else:
            print_diagnostics((*found, *(item.diagnostic for item in elsewhere)))
            say(f"{path}: {counted(errors, 'error')}, {counted(warnings, 'warning')}")
        broken = broken + (errors > 0)
        doubtful = doubtful + (errors == 0 < warnings)
    if len(files) > 1 and not as_json:
        clean = len(files) - broken - doubtful
        print(
            f"{len(files)} documents: {broken} with errors, {doubtful} with warnings only, {clean} clean",
            file=sys.stderr,
        )
    return DOCUMENT_ERRORS if broken else OK


def _findings(
    path: Path, options: ReadingOptions, programs: Sequence[str]
) -> tuple[tuple[Diagnostic, ...], tuple[ProgramFinding, ...]]:
    """About a document, here and in other programs, or about a lesson and its worlds."""
    if not is_lesson(path):
        opened = open_document(path, options)
        return opened.diagnostics, findings_for(opened, programs, strict=options.strict)
    lesson, found = read_lesson(path)
    if lesson is not None:
        found = (*found, *check_lesson(lesson, lambda world: open_document(world, options)))
    return found, ()


def _counts(found: Sequence[Diagnostic]) -> tuple[int, int]:
    """Errors and warnings."""
    severities = [item.severity for item in found]
    return severities.count(Severity.ERROR), severities.count(Severity.WARNING)


def _checked(path: Path, found: Sequence[Diagnostic], elsewhere: Sequence[ProgramFinding] | None) -> dict[str, object]:
    told = () if elsewhere is None else tuple(item.diagnostic for item in elsewhere)
    errors, warnings = _counts((*found, *told))
    findings = [describe_diagnostic(item) for item in found]
    checked: dict[str, object] = {"file": str(path), "errors": errors, "warnings": warnings, "diagnostics": findings}
    if elsewhere is not None:
        checked["programs"] = [_elsewhere(item) for item in elsewhere]
    return checked


def _elsewhere(item: ProgramFinding) -> dict[str, object]:
    statement = item.statement
    return {
        "program": item.program.key,
        "version": item.program.version,
        "feature": statement.feature,
        "verdict": statement.verdict.value,
        "says": statement.says,
        "remedy": statement.remedy,
        "checked": statement.checked,
        "source": statement.source,
        **describe_diagnostic(item.diagnostic),
    }
