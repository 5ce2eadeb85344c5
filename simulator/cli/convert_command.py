"""`simulator convert`: documents of any kind as current SDFormat."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.cli.output import DOCUMENT_ERRORS, OK, print_diagnostics
from simulator.errors import UsageError
from simulator.session.conversion import convert_document, write_conversion
from simulator.session.examples import find_file

if TYPE_CHECKING:
    from simulator.formats.options import ReadingOptions


WRITTEN = {".sdf", ".world", ".xml", ""}
"""Suffixes of files in SDFormat."""


def convert_file(file: str, options: ReadingOptions, *, output: Path | None, keep_gearbox: bool) -> int:
    """Write the document as SDFormat 1.12; returns the exit code. A document with errors is not written.

    `output` None or "-" means standard output. Raises UsageError for a file of another format.
    """
    if output == Path("-"):
        output = None
    if output is not None and output.suffix.lower() not in WRITTEN:
        raise UsageError(
            f"convert writes SDFormat, not what '{output.name}' would be: give a name that ends in .sdf or .world"
        )
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
