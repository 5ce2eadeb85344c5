"""A document on its way to a simulation: found, read, its findings printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.cli.output import print_diagnostics
from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
from simulator.session.text.variants import with_numbers

if TYPE_CHECKING:
    from simulator.formats.options import ReadingOptions
    from simulator.session.open.opening import Opened
    from simulator.session.text.variants import Numbers


def opened_or_reported(file: str, options: ReadingOptions, numbers: Numbers = ()) -> Opened | None:
    """The document with other `numbers` in it, None where its errors forbid to simulate it; all findings are on
    standard error. Raises UsageError for numbers that it cannot have."""
    opened = open_document(find_file(file), options)
    print_diagnostics(opened.diagnostics)
    return None if opened.has_errors else with_numbers(opened, numbers)
