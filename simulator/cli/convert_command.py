"""`simulator convert`: documents of any kind as current SDFormat, as URDF, MJCF, USD, glTF, or an FMU."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.cli.opened import opened_or_reported
from simulator.cli.output import DOCUMENT_ERRORS, OK, note, print_diagnostics
from simulator.errors import UsageError
from simulator.formats.urdf_writing.loops import Dialect
from simulator.session.batch.conversion import (
    STAGES,
    convert_document,
    convert_to_glb,
    convert_to_urdf,
    convert_to_usd,
    write_conversion,
    write_whole,
)
from simulator.session.batch.mjcf_conversion import convert_to_mjcf
from simulator.session.look.glb import SUFFIX as GLB
from simulator.session.open.examples import find_file
from simulator.session.text.inputs import refuse_input
from simulator.session.text.settings import SessionSettings, demonstration_drives

if TYPE_CHECKING:
    from simulator.formats.options import ReadingOptions


SDFORMAT = {".sdf", ".world", ""}
URDF = {".urdf"}
MJCF = {".xml", ".mjcf"}
USD = {*STAGES}
FMU = {".fmu"}
"""Suffixes of files by what is written into them."""


def convert_file(
    file: str,
    options: ReadingOptions,
    settings: SessionSettings,
    *,
    output: Path | None,
    keep_gearbox: bool,
    loops: str = "loop",
    fmi: int | None = None,
) -> int:
    """Write the document as SDFormat 1.12, as URDF with its loops in a dialect, as MJCF, USD or glTF, or with these
    settings as an FMU, by how `output` ends, and return the exit code. A document with errors is not written.

    `output` None or "-" means standard output. Raises UsageError for a file of another format, and for settings of an
    FMU where none is written.
    """
    if output == Path("-"):
        output = None
    suffix = "" if output is None else output.suffix.lower()
    if output is not None and suffix in FMU:
        return write_fmu(file, settings, options, output=output, fmi=fmi)
    if fmi is not None or settings != SessionSettings():
        raise UsageError("--fmi, --dt, --set, --drive, --initial and --initial-velocity are for FMUs: -o OUT.fmu")
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
            f"convert writes SDFormat, URDF, MJCF, USD, glTF and FMUs, which '{output}' is not: give a name that ends "
            "in .sdf, .world, .urdf, .xml, .usda, .glb or .fmu"
        )
    print_diagnostics(conversion.diagnostics)
    if not conversion.text and not conversion.data:
        return DOCUMENT_ERRORS
    if output is None:
        sys.stdout.write(conversion.text)
    else:
        write_conversion(output, conversion)
    return OK


def write_fmu(file: str, settings: SessionSettings, options: ReadingOptions, *, output: Path, fmi: int | None) -> int:
    """Write the document as an FMU and return the exit code. Where no drive is given, it has those of the document.

    Raises the errors of `fmu_of`, and UsageError for a file that cannot be written.
    """
    from simulator.session.fmu.archive import DEFAULT, fmu_of  # what only FMUs need takes 15 ms to import

    opened = opened_or_reported(file, options, settings.numbers)
    if opened is None:
        return DOCUMENT_ERRORS
    refuse_input(output, opened, settings)
    drives = settings.drives or demonstration_drives(opened.world, opened.mechanism)
    made = fmu_of(opened, replace(settings, numbers=(), drives=drives), fmi=DEFAULT if fmi is None else fmi)
    write_whole(output, made.data)
    for name in made.became_inputs:
        note(f"the drive of '{name}' changes over time: it is an input of the FMU, which the importer has to change")
    note(f"wrote {output} ({len(made.data) / 1e6:.2f} MB): {made.summary}")
    return OK


def _dialect(name: str) -> Dialect:
    try:
        return Dialect(name)
    except ValueError as error:
        known = ", ".join(dialect.value for dialect in Dialect)
        raise UsageError(f"--loops: unknown dialect '{name}'; dialects are: {known}") from error
