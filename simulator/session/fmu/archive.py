"""An FMU: a zip archive with a description, the binary of all FMUs, and a mechanism as its resource."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.diagnostics import counted
from simulator.engine.flattened import flatten
from simulator.errors import MissingLibraryError, UsageError
from simulator.mechanism.varied import split_name
from simulator.native.digest import digest
from simulator.native.ready import fmus
from simulator.records import dataclass
from simulator.session.commands.factory import make_engine
from simulator.session.fmu.description import Description, description_of
from simulator.session.fmu.numbers import numbers_of
from simulator.session.fmu.resource import resource_of
from simulator.session.fmu.variables import INPUT, OUTPUT, PARAMETER, Inputs, constant, distinct, outputs_of
from simulator.session.look.page import program_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.kinematics.state import JointState
    from simulator.session.fmu.variables import Variable
    from simulator.session.open.opening import Opened
    from simulator.session.text.settings import SessionSettings

SUFFIX = ".fmu"
VERSIONS = (2, 3)
DEFAULT = 2
"""The version of FMI that most importers read: releases of OpenModelica up to 2026 do not read 3."""
STOP = 10.0
"""Seconds that a description suggests to simulate."""
SPARE = 16
"""By how much rows and contacts have more room than at the start where bodies touch, for an FMU cannot get more: a
Geneva drive at its first blow takes five times as much."""
FOLDERS = {
    "linux-x86_64": ("linux64", "x86_64-linux", ".so"),
    "windows-x86_64": ("win64", "x86_64-windows", ".dll"),
    "linux-aarch64": ("aarch64-linux", "aarch64-linux", ".so"),
    "macos-arm64": ("darwin64", "aarch64-darwin", ".dylib"),
}
"""Folders of binaries in FMI 2 and 3, and how their names end. FMI 2 names none for Linux on ARM."""


@dataclass(frozen=True)
class Fmu:
    """`data`, the archive, for a version of FMI; its `variables`; names of drives that `became_inputs` although they
    change over time, and of parameters that are `left_out`."""

    data: bytes
    fmi: int
    variables: tuple[Variable, ...]
    became_inputs: tuple[str, ...]
    left_out: tuple[str, ...]

    @property
    def summary(self) -> str:
        """What it has, in a line, and the kinds of numbers that importers cannot change."""
        free = {_kind(one.description) for one in self.variables if one.causality == PARAMETER}
        fixed = sorted({*map(_kind, self.left_out)} - free)
        counts = [
            counted(sum(one.causality == causality for one in self.variables), causality)
            for causality in (INPUT, OUTPUT, PARAMETER)
        ]
        others = f"; {counted(len(self.left_out), 'number')} fixed: {', '.join(fixed)}" if fixed else ""
        return f"FMI {self.fmi}.0, {', '.join(counts)}{others}"


def fmu_of(
    opened: Opened,
    settings: SessionSettings,
    *,
    start: JointState | None = None,
    fmi: int = DEFAULT,
    parameters: Iterable[str] | None = None,
) -> Fmu:
    """The FMU of a document with the drives of `settings` at its start, or at another one. `parameters`: names of
    numbers that importers may change, by default all that can be.

    Raises UsageError for what has no compiled steps and for another version, MissingLibraryError where there is no
    binary, and the errors of `make_engine`.
    """
    if fmi not in VERSIONS:
        raise UsageError(f"FMI {fmi} is not written: versions are 2 and 3")
    became = tuple(name for name, drive in settings.drives if drive.profile != constant(drive).profile)
    engine = make_engine(
        opened, replace(settings, drives=tuple((name, constant(drive)) for name, drive in settings.drives)), start=start
    )
    try:
        bounded = engine.core.bounded
        flat = flatten(engine, spare=SPARE if bounded is not None and bounded.can_touch else 1)
        inputs = Inputs(engine, flat)
        numbers = numbers_of(engine, opened.world, flat, parameters)
        variables = distinct((*outputs_of(engine), *inputs.variables, *numbers.variables))
        targets = (*inputs.targets, *numbers.targets)
        token = digest(flat.image.data, repr((variables, targets)).encode()).hex()[:32]
        resource = resource_of(engine, flat, variables, targets, token)
        about = Description(_identifier(opened), opened.world.name, token, program_name(), engine.dt, STOP)
        data = _zipped(about, description_of(about, variables, fmi), resource, fmi)
        return Fmu(data, fmi, variables, became, numbers.left_out)
    finally:
        engine.close()


def _kind(parameter: str) -> str:
    return split_name(parameter)[1].partition(".")[0] or "named length"


def _identifier(opened: Opened) -> str:
    """A name of C, from that of the file."""
    return re.sub(r"\W|^(?=\d)", "_", Path(opened.path).name.partition(".")[0] or opened.world.name, flags=re.ASCII)


def _zipped(about: Description, description: bytes, resource: bytes, fmi: int) -> bytes:
    """The same bytes for the same mechanism."""
    binaries = fmus()
    if not binaries:
        raise MissingLibraryError(
            "FMUs need compiled kernels, which this installation has none of: pip install 'simulator[compile]' ziglang"
        )
    contents = {"modelDescription.xml": description, "resources/mechanism.bin": resource}
    for target, binary in binaries.items():
        *folders, suffix = FOLDERS[target]
        contents[f"binaries/{folders[fmi - 2]}/{about.identifier}{suffix}"] = binary
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return file.getvalue()
