"""`simulator convert`: documents of any kind as current SDFormat."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.cli.output import DOCUMENT_ERRORS, OK, print_diagnostics
from simulator.session.conversion import convert_document, write_conversion
from simulator.session.examples import find_file

if TYPE_CHECKING:
    from simulator.formats.options import ReadingOptions


def convert_file(file: str, options: ReadingOptions, *, output: Path | None, keep_gearbox: bool) -> int:
    """Write the document as SDFormat 1.12; returns the exit code. A document with errors is not written.

    `output` None or "-" means standard output.
    """
    if output == Path("-"):
        output = None
    folder = Path.cwd() if output is None else output.resolve().parent
    conversion = convert_document(find_file(file), folder, options, keep_gearbox=keep_gearbox)
    print_diagnostics(conversion.diagnostics)
    if not conversion.text:
        return DOCUMENT_ERRORS
    if output is None:
        sys.stdout.write(conversion.text)
    else:
        write_conversion(output, conversion)
    return OK
