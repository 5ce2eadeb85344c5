"""Removes from a virtual environment what packages bring and the simulator never reads: half a gigabyte.

    .venv/bin/python scripts/lib/trim.py            removes it and says what it was
    .venv/bin/python scripts/lib/trim.py --list     names the files and leaves them

Only files that pip has installed are touched, and pip's own records stay as they are: `pip uninstall` passes over files
that are gone, and an upgrade brings a package whole again. A library that something which stays is linked to stays,
too.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from importlib.metadata import Distribution, distributions
from pathlib import Path

from elf import is_elf, loaded_part, needed

QT_MODULES = (
    "Bluetooth", "Designer", "Help", "Labs", "Multimedia", "Nfc", "Pdf", "Positioning", "PrintSupport", "Qml",
    "Quick", "RemoteObjects", "Sensors", "SerialPort", "SpatialAudio", "Sql", "StateMachine", "TextToSpeech",
    "WebChannel", "WebEngine", "WebSockets", "WebView", "Scxml", "Charts", "DataVisualization", "Graphs", "3D",
    "VirtualKeyboard", "HttpServer", "ShaderTools",
)  # fmt: skip
QT_PLUGINS = (
    "assetimporters", "geometryloaders", "help", "multimedia", "position", "printsupport", "qmllint", "qmlls",
    "qmltooling", "renderers", "renderplugins", "sceneparsers", "scxmldatamodel", "sensors", "sqldrivers",
    "texttospeech", "webview", "virtualkeyboard", "canbus",
)  # fmt: skip


@dataclass(frozen=True)
class Unread:
    """What of a distribution is never read, as patterns of pip's paths, and why; `debug`: whose debug information
    is."""

    name: str
    reason: str
    patterns: tuple[str, ...]
    debug: tuple[str, ...] = ()


UNREAD = (
    Unread(
        "pybullet",
        "its example robots, environments and their data; what debuggers read",
        (
            "pybullet_data/*",
            "pybullet_envs/*",
            "pybullet_examples/*",
            "pybullet_robots/*",
            "pybullet_utils/*",
            "eglRenderer.*",
        ),
        ("pybullet.*.so",),
    ),
    Unread(
        "pyqt6-qt6",
        "QML, multimedia, PDF, databases and translations of Qt",
        (
            "PyQt6/Qt6/qml/*",
            "PyQt6/Qt6/qsci/*",
            "PyQt6/Qt6/translations/*",
            "PyQt6/Qt6/lib/libQt6FFmpegStub*",
            *(f"PyQt6/Qt6/lib/lib{name}.so*" for name in ("avcodec", "avformat", "avutil", "swresample", "swscale")),
            *(f"PyQt6/Qt6/lib/libQt6{module}*" for module in QT_MODULES),
            *(f"PyQt6/Qt6/plugins/{folder}/*" for folder in QT_PLUGINS),
            "PyQt6/Qt6/plugins/*/*virtualkeyboard*",
            "PyQt6/Qt6/plugins/*/*pdf*",
        ),
    ),
    Unread(
        "pyqt6",
        "Python's side of the same",
        ("PyQt6/bindings/*", "PyQt6/lupdate/*", *(f"PyQt6/Qt{module}*" for module in QT_MODULES)),
    ),
    Unread("numba", "its tests", ("numba/tests/*", "numba/cuda/tests/*")),
    # Not all of their folders: numpy.testing of NumPy 2.2, the last for Python 3.10, imports numpy._core.tests._natype.
    Unread("numpy", "its tests", tuple(f"numpy/*tests/{what}" for what in ("test_*", "data/*", "src/*", "examples/*"))),
    Unread("scipy", "its tests", ("scipy/*/tests/*",)),
    *(
        Unread(
            name,
            "headers and second copies of libraries",
            (
                "cmeel.prefix/include/*",
                "cmeel.prefix/bin/*",
                "cmeel.prefix/lib/*.a",
                "cmeel.prefix/lib/libassimp.so",
                "cmeel.prefix/lib/libassimp.so.?.*",
            ),
            ("lib*.so", "*_pywrap*.so"),
        )
        for name in ("cmeel-assimp", "cmeel-boost", "coal", "libcoal", "eigenpy", "libpinocchio", "pin")
    ),
    Unread("mujoco-studio", "its window", ("mujoco/studio/*",)),
    Unread("pyopengl", "OpenGL, which only MuJoCo's own pictures need", ("OpenGL/*",)),
    Unread("babel", "languages other than English", ("babel/locale-data/[!er]*",)),
    Unread(
        "mkdocs-material",
        "icons of brands",
        ("material/templates/.icons/simple/*", "material/templates/.icons/octicons/*"),
    ),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Trim the environment of the interpreter that runs this."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="name the files and leave them")
    parser.add_argument("--path", help="a folder of packages instead of this interpreter's", default=None)
    options = parser.parse_args(arguments)
    for distribution in distributions(path=[options.path]) if options.path else distributions():
        for unread in UNREAD:
            if unread.name == distribution.metadata["Name"].lower().replace("_", "-"):
                freed = trim(distribution, unread, touch=not options.list)
                if freed >= 1e6:
                    print(f"removed: {freed / 1e6:.0f} MB of {unread.name} ({unread.reason})", flush=True)
    return 0


def trim(distribution: Distribution, unread: Unread, *, touch: bool = True) -> int:
    """Remove what is never read of one distribution, or name it where nothing is to be touched; returns the number of
    bytes."""
    files = {str(file): Path(str(file.locate())) for file in distribution.files or ()}
    there = {name: path for name, path in files.items() if path.is_file() and not path.is_symlink()}
    removed = unread_of(there, unread.patterns)
    freed = sum(path.stat().st_size for path in removed)
    for path in removed:
        if touch:
            path.unlink()
        else:
            print(path)
    if touch:
        _remove_empty(sorted({parent for path in removed for parent in _parents(path)}, reverse=True))
    for name, path in there.items():
        if any(fnmatch(name, pattern) for pattern in unread.debug):
            freed += _remove_debug_information(path, touch=touch)
    return freed


def unread_of(files: dict[str, Path], patterns: Sequence[str]) -> list[Path]:
    """The files whose names match, but for libraries that one which stays is linked to."""
    leaving = {name for name in files if any(fnmatch(name, pattern) for pattern in patterns)}
    asked = [path for name, path in files.items() if name not in leaving and ".so" in path.name]
    libraries = {files[name].name: name for name in leaving if ".so" in name}
    while asked:
        for library in needed(asked.pop()):
            name = libraries.pop(library, None)
            if name is not None:
                leaving.discard(name)
                asked.append(files[name])
    return [files[name] for name in sorted(leaving)]


def _remove_debug_information(path: Path, *, touch: bool) -> int:
    """Put a shorter file in the place of a library; a program that has it loaded keeps the old one."""
    content = path.read_bytes()
    if not is_elf(content):
        return 0
    short = loaded_part(content)
    if touch and len(short) < len(content):
        beside = path.with_name(f".{path.name}.part")
        beside.write_bytes(short)
        beside.chmod(path.stat().st_mode)
        os.replace(beside, path)
    return len(content) - len(short)


def _parents(path: Path) -> list[Path]:
    """The folders around a file, up to that of the packages."""
    found = []
    for parent in path.parents:
        if parent.name == "site-packages":
            return found
        found.append(parent)
    return []


def _remove_empty(folders: Sequence[Path]) -> None:
    """The innermost first; those that hold something else stay."""
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


if __name__ == "__main__":
    sys.exit(main())
