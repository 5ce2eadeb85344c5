"""The native libraries: one for each part of the program that uses kernels.

A library is in the package, where a wheel brought it, or in the user's cache folder, where `native.build` put it. It
holds the stamp of the sources that it was made from, and is used only if that is the stamp of these.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import os
import platform
import sys
from functools import cache
from pathlib import Path
from typing import Any

from simulator.native.calls import Call
from simulator.native.sources import PACKAGE, stamp
from simulator.native.whole import read_whole
from simulator.records import dataclass

PARTS = ("motion", "contacts", "sweeps")
"""Mechanisms that move; what touches; motions that are prescribed and analysed, and many variants of a mechanism."""
PAGE, FMU = "page", "fmu"
"""Parts for other hosts of an image (`engine.flattened`): WebAssembly for browsers, and the binary of FMUs."""
HOSTED = {
    PAGE: ("advance_block", "advance_touching", "refresh", "read_bodies", "watch"),
    FMU: ("advance_block", "advance_touching", "watch"),
}
"""The entries of other parts that they have."""
KERNELS, FOLDER = "SIMULATOR_KERNELS", "SIMULATOR_KERNELS_FOLDER"
"""Environment variables: `python` runs kernels as Python, `bounds` uses a library that checks indices; and the folder
of libraries that were built here."""
INSTALLED = PACKAGE / "_native"
SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


@dataclass(frozen=True)
class Library:
    """A library that is loaded, and the instructions of the processor that it uses, `level`."""

    path: Path
    level: str
    entries: dict[str, Any]
    code: ctypes.CDLL
    brief: ctypes.PyDLL

    def call(self, name: str, *, long: bool = True) -> Call:
        """A table of arguments for one of its entries. A `long` one lets other threads of Python run meanwhile."""
        code = self.code if long else self.brief
        function = getattr(code, f"{name}_{self.level}")
        described = self.entries[name]
        function.argtypes = (ctypes.c_void_p,)
        function.restype = ctypes.c_int32
        return Call(name, function, described["arguments"], described["returns"])


def mode() -> str:
    """What kernels run as: see `KERNELS`."""
    return os.environ.get(KERNELS, "")


def read(part: str) -> Library | None:
    """The library of a part, if it is there and was made from these sources."""
    name = file_name(part)
    return _read(INSTALLED / name) or (_read(home() / name) if read_whole(home() / name) is not None else None)


def read_wasm() -> bytes | None:
    """The WebAssembly of part `PAGE`, if it is there and was made from these sources."""
    name = file_name(PAGE, ".wasm")
    if (INSTALLED / name).is_file():
        return (INSTALLED / name).read_bytes()
    return read_whole(home() / name)


def read_fmus() -> dict[str, bytes]:
    """The binaries of FMUs that are there and were made from these sources, by their targets."""
    pattern = file_name(f"{FMU}-*", ".*")
    made = {path: read_whole(path) for path in home().glob(pattern)} if home() != INSTALLED else {}
    made |= {path: path.read_bytes() for path in INSTALLED.glob(pattern)}
    return {path.name.split("-", 1)[1].rsplit("-", 1)[0]: code for path, code in sorted(made.items()) if code}


def host() -> str:
    """The target of this machine, see `native.build.link`."""
    system = {"darwin": "macos", "win32": "windows"}.get(sys.platform, sys.platform)
    machine = {"AMD64": "x86_64"}.get(platform.machine(), platform.machine())
    return f"{system}-{machine}"


def file_name(part: str, suffix: str = SUFFIX) -> str:
    """What the library of a part is called."""
    return f"{part}{'-bounds' if mode() == 'bounds' else ''}-{stamp()}{suffix}"


@cache
def home() -> Path:
    """The folder of libraries that were made here."""
    import platformdirs

    named = os.environ.get(FOLDER)
    if named:
        return Path(named)
    path = platformdirs.user_cache_path("simulator") / "kernels"
    try:
        path.mkdir(parents=True, exist_ok=True)
        usable = os.access(path, os.W_OK)
    except OSError:
        usable = False
    return path if usable else _for_this_process()


def _for_this_process() -> Path:
    """A temporary folder, where nothing can be written below home. It ends with the process; child processes find it by
    the environment variable."""
    import tempfile

    folder = tempfile.TemporaryDirectory(prefix="simulator-kernels-")
    atexit.register(folder.cleanup)
    os.environ[FOLDER] = folder.name
    return Path(folder.name)


def _read(path: Path) -> Library | None:
    if not path.is_file():
        return None
    try:
        code = ctypes.CDLL(str(path))
        about = json.loads(ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(code, "about"))))
    except (OSError, ValueError):  # damaged, or of another system
        return None
    best = code.level()
    levels = [level["name"] for level in about["levels"] if level["number"] <= best]
    if about["stamp"] != stamp() or not levels:
        return None
    return Library(path, levels[-1], about["entries"], code, ctypes.PyDLL(str(path)))
