"""An FMU: a zip archive with a description, the binary of all FMUs, and a mechanism as its resource."""

from __future__ import annotations

import io
import platform
import re
import sys
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.engine.flattened import flatten
from simulator.errors import MissingLibraryError, UsageError
from simulator.native.digest import digest
from simulator.native.library import FMU, SUFFIX
from simulator.native.ready import hosted
from simulator.session.commands.factory import make_engine
from simulator.session.fmu.description import Description, description_of
from simulator.session.fmu.numbers import numbers_of
from simulator.session.fmu.resource import resource_of
from simulator.session.fmu.variables import Inputs, constant, distinct, outputs_of
from simulator.session.look.page import program_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.engine.engine import Engine
    from simulator.kinematics.state import JointState
    from simulator.session.open.opening import Opened
    from simulator.session.text.settings import SessionSettings

VERSIONS = (2, 3)
DEFAULT = 2
"""The version of FMI that all importers read: OpenModelica, and Simulink before R2023b, do not read 3."""
STOP = 10.0
"""Seconds that a description suggests to simulate."""
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
SYSTEMS = {"win32": "windows"}
OF_2 = {"x86_64-linux": "linux64", "x86_64-windows": "win64", "x86_64-darwin": "darwin64"}
"""Folders of binaries in FMI 2; others are those of FMI 3."""


@dataclass(frozen=True)
class Fmu:
    """`data`, the archive; names of drives that `became_inputs` although they change over time, and of parameters that
    are `left_out`."""

    data: bytes
    became_inputs: tuple[str, ...]
    left_out: tuple[str, ...]


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
        flat = flatten(engine)
        inputs = Inputs(engine, flat)
        numbers = numbers_of(engine, opened.world, flat, parameters)
        variables = distinct((*outputs_of(engine), *inputs.variables, *numbers.variables))
        targets = (*inputs.targets, *numbers.targets)
        token = digest(flat.image.data, repr((variables, targets)).encode()).hex()[:32]
        resource = resource_of(engine, flat, variables, targets, token)
        about = Description(_identifier(opened), opened.world.name, token, program_name(), engine.dt, STOP)
        return Fmu(_zipped(about, description_of(about, variables, fmi), resource, fmi), became, numbers.left_out)
    finally:
        engine.close()


def _identifier(opened: Opened) -> str:
    """A name of C, from that of the file."""
    return re.sub(r"\W|^(?=\d)", "_", Path(opened.path).name.partition(".")[0] or opened.world.name, flags=re.ASCII)


def _zipped(about: Description, description: bytes, resource: bytes, fmi: int) -> bytes:
    """The same bytes for the same mechanism."""
    binary = hosted(FMU)
    if binary is None:
        raise MissingLibraryError(
            "FMUs need compiled kernels, which this installation has none of: pip install 'simulator[compile]' ziglang"
        )
    machine = platform.machine().lower()
    folder = f"{MACHINES.get(machine, machine)}-{SYSTEMS.get(sys.platform, sys.platform)}"
    folder = OF_2.get(folder, folder) if fmi == 2 else folder
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in (
            ("modelDescription.xml", description),
            (f"binaries/{folder}/{about.identifier}{SUFFIX}", binary),
            ("resources/mechanism.bin", resource),
        ):
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return file.getvalue()
