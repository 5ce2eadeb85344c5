"""A document on its way to a simulation: found, read, its findings printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.cli.output import print_diagnostics
from simulator.session.examples import find_file
from simulator.session.opening import open_document

if TYPE_CHECKING:
    from simulator.formats.options import ReadingOptions
    from simulator.session.opening import Opened


def opened_or_reported(file: str, options: ReadingOptions) -> Opened | None:
    """The document, None where its errors forbid to simulate it; all findings are on standard error."""
    opened = open_document(find_file(file), options)
    print_diagnostics(opened.diagnostics)
    return None if opened.has_errors else opened
