"""`simulator convert`: documents of any kind as current SDFormat."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from simulator.cli.output import DOCUMENT_ERRORS, OK, print_diagnostics
from simulator.session.conversion import convert_document, write_conversion
from simulator.session.examples import find_file


@dataclass(frozen=True)
class ConvertRequest:
    """What was asked for on the command line; `output` None or "-" means standard output."""

    file: str
    output: Path | None
    keep_gearbox: bool
    resource_paths: tuple[Path, ...]


def convert_file(request: ConvertRequest) -> int:
    """Write the document as SDFormat 1.12; returns the exit code. A document with errors is not written."""
    path = find_file(request.file)
    output = None if request.output == Path("-") else request.output
    folder = Path.cwd() if output is None else output.resolve().parent
    conversion = convert_document(path, folder, request.resource_paths, keep_gearbox=request.keep_gearbox)
    print_diagnostics(conversion.diagnostics)
    if not conversion.text:
        return DOCUMENT_ERRORS
    if output is None:
        sys.stdout.write(conversion.text)
    else:
        write_conversion(output, conversion)
    return OK
