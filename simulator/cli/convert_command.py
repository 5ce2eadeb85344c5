"""`simulator convert`: documents of any kind as current SDFormat, as URDF, MJCF, USD, or glTF."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.cli.output import DOCUMENT_ERRORS, OK, print_diagnostics
from simulator.errors import UsageError
from simulator.formats.urdf_writing.loops import Dialect
from simulator.session.batch.conversion import (
    STAGES,
    convert_document,
    convert_to_glb,
    convert_to_urdf,
    convert_to_usd,
    write_conversion,
)
from simulator.session.batch.mjcf_conversion import convert_to_mjcf
from simulator.session.look.glb import SUFFIX as GLB
from simulator.session.open.examples import find_file

if TYPE_CHECKING:
    from simulator.formats.options import ReadingOptions


SDFORMAT = {".sdf", ".world", ""}
URDF = {".urdf"}
MJCF = {".xml", ".mjcf"}
USD = {*STAGES}
"""Suffixes of files by what is written into them."""


def convert_file(
    file: str, options: ReadingOptions, *, output: Path | None, keep_gearbox: bool, loops: str = "loop"
) -> int:
    """Write the document as SDFormat 1.12, as URDF with its loops in a dialect, as MJCF, USD or glTF, by how `output`
    ends, and return the exit code. A document with errors is not written.

    `output` None or "-" means standard output. Raises UsageError for a file of another format.
    """
    if output == Path("-"):
        output = None
    suffix = "" if output is None else output.suffix.lower()
    folder = Path.cwd() if output is None else output.resolve().parent
    path = find_file(file)
    if suffix in SDFORMAT:
        conversion = convert_document(path, folder, options, keep_gearbox=keep_gearbox)
    elif suffix in URDF:
        conversion = convert_to_urdf(path, folder, options, dialect=_dialect(loops))
    elif suffix in MJCF:
        conversion = convert_to_mjcf(path, folder, options)
    elif suffix in USD:
        conversion = convert_to_usd(path, options)
    elif suffix == GLB:
        conversion = convert_to_glb(path, options)
    else:
        raise UsageError(
            f"convert writes SDFormat, URDF, MJCF, USD and glTF, which '{output}' is not: give a name that ends in "
            ".sdf, .world, .urdf, .xml, .usda or .glb"
        )
    print_diagnostics(conversion.diagnostics)
    if not conversion.text and not conversion.data:
        return DOCUMENT_ERRORS
    if output is None:
        sys.stdout.write(conversion.text)
    else:
        write_conversion(output, conversion)
    return OK


def _dialect(name: str) -> Dialect:
    try:
        return Dialect(name)
    except ValueError as error:
        known = ", ".join(dialect.value for dialect in Dialect)
        raise UsageError(f"--loops: unknown dialect '{name}'; dialects are: {known}") from error
