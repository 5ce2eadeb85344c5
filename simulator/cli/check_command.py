"""`simulator check`: findings only."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from simulator.cli.output import DOCUMENT_ERRORS, OK, print_diagnostics, say
from simulator.diagnostics import Severity
from simulator.formats.report import describe_diagnostic
from simulator.session.examples import find_file
from simulator.session.opening import open_document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.formats.options import ReadingOptions
    from simulator.session.opening import Opened


def check_documents(files: Sequence[str], options: ReadingOptions, *, as_json: bool) -> int:
    """Print every finding, one line a document and a summary; with `as_json` one object a document. Exit code 1 where one has errors."""
    broken = doubtful = 0
    for path in [find_file(file) for file in files]:
        opened = open_document(path, options)
        errors, warnings = _counts(opened)
        if as_json:
            print(json.dumps(_checked(opened)), flush=True)
        else:
            print_diagnostics(opened.diagnostics)
            say(f"{opened.path}: {_number(errors, 'error')}, {_number(warnings, 'warning')}")
        broken, doubtful = broken + (errors > 0), doubtful + (errors == 0 < warnings)
    if len(files) > 1 and not as_json:
        clean = len(files) - broken - doubtful
        print(
            f"{len(files)} documents: {broken} with errors, {doubtful} with warnings only, {clean} clean",
            file=sys.stderr,
        )
    return DOCUMENT_ERRORS if broken else OK


def _counts(opened: Opened) -> tuple[int, int]:
    """Errors and warnings."""
    severities = [item.severity for item in opened.diagnostics]
    return severities.count(Severity.ERROR), severities.count(Severity.WARNING)


def _checked(opened: Opened) -> dict[str, Any]:
    errors, warnings = _counts(opened)
    findings = [describe_diagnostic(item) for item in opened.diagnostics]
    return {"file": str(opened.path), "errors": errors, "warnings": warnings, "diagnostics": findings}


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
