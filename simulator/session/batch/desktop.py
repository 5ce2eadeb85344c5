"""The program among a desktop's own: an entry in its menu, an icon, and types for the documents that it opens.

Everything is below the user's data folder (XDG Base Directory Specification): an entry of the Desktop Entry
Specification, types of the Shared MIME-info Specification, an icon of the theme `hicolor`, from which all others
inherit.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import quoteattr

from simulator.session.open.examples import shared_folder

NAME = "simulator"
"""Of the entry and the icon; the window gives the same to the desktop, so that both are taken for one."""
SDFORMAT, URDF = "application/x-sdformat+xml", "application/x-urdf+xml"
ENTRY, TYPES = f"applications/{NAME}.desktop", f"mime/packages/{NAME}.xml"
ICON = f"icons/hicolor/scalable/apps/{NAME}.svg"
PLACES = {ENTRY: "applications", TYPES: "mime", ICON: "icons/hicolor"}
"""What is written, and the folder whose index lists it."""
INDEXES = {
    "applications": ("mimeinfo.cache",),
    "mime": (
        *("XMLnamespaces", "aliases", "generic-icons", "globs", "globs2", "icons", "magic", "mime.cache", "subclasses"),
        *("treemagic", "types", "version"),
    ),
    "icons/hicolor": ("icon-theme.cache", ".xdg-icon-resource-dummy"),
}
"""What tools make in these folders from what is there: without anything there it is nothing, too."""
PATIENCE = 60.0
"""Seconds after which a tool is given up."""


@dataclass(frozen=True)
class Changed:
    """Files that were written or removed, tools that were called, those that are not there, and what went wrong with
    some."""

    files: tuple[Path, ...]
    called: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


def data_folder() -> Path:
    """XDG_DATA_HOME; its default where it is not set or, against the specification, relative."""
    named = os.environ.get("XDG_DATA_HOME", "")
    return Path(named) if os.path.isabs(named) else Path.home() / ".local" / "share"


def install_desktop(command: Path) -> Changed:
    """Write entry, types and icon, and let the desktop know; doing it again changes nothing. `command`: what the entry
    starts.

    Raises OSError if the user's data folder cannot be written, FileNotFoundError if the program's own icon is not
    there.
    """
    home = data_folder()
    content = {ENTRY: entry(command), TYPES: types(), ICON: _icon().read_text(encoding="utf-8")}
    written = []
    for name, text in content.items():
        path = home / name
        if not (path.is_file() and path.read_bytes() == text.encode()):
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
            unfinished.write_text(text, encoding="utf-8")
            unfinished.replace(path)
            written.append(path)
    return _reported(home, tuple(written)) if written else Changed(())


def remove_desktop() -> Changed:
    """Take entry, types and icon away, and folders and indexes that are left with nothing in them. Raises OSError if
    that is refused."""
    home = data_folder()
    removed = []
    for name in PLACES:
        with suppress(FileNotFoundError):
            (home / name).unlink()
            removed.append(home / name)
    if not removed:
        return Changed(())
    changed = _reported(home, tuple(removed))
    for name, place in PLACES.items():
        _sweep(home / name, home / place, INDEXES[place], home)
    return changed


def entry(command: Path) -> str:
    """The desktop entry."""
    return f"""[Desktop Entry]
Type=Application
Version=1.0
Name=Simulator
GenericName=Mechanism Simulator
Comment=Simulate coupled and closed-loop mechanisms
Keywords=SDFormat;URDF;robot;mechanism;linkage;gear;
Exec={_quoted(str(command))} view %f
TryExec={str(command).replace(chr(92), chr(92) * 2)}
Icon={NAME}
Terminal=false
StartupNotify=true
StartupWMClass={NAME}
Categories=Science;Physics;
MimeType={SDFORMAT};{URDF};
"""


def types() -> str:
    """The types of documents: by the ends of their names, and where another program has the same end (chemistry has
    .sdf), by their first element."""
    formats = (
        (SDFORMAT, "SDFormat world or model", ("sdf", "world"), ("<sdf", "<gazebo")),
        (URDF, "URDF robot", ("urdf",), ("<robot",)),
    )
    parts = []
    for name, comment, endings, elements in formats:
        globs = "".join(f'    <glob pattern="*.{ending}"/>\n' for ending in endings)
        matches = "".join(
            f'      <match type="string" offset="0:1024" value={quoteattr(text)}/>\n' for text in elements
        )
        parts.append(
            f'  <mime-type type="{name}">\n    <comment>{comment}</comment>\n    <sub-class-of '
            'type="application/xml"/>\n'
            f'    <icon name="{NAME}"/>\n    <magic priority="60">\n{matches}    </magic>\n{globs}  </mime-type>\n'
        )
    namespace = "http://www.freedesktop.org/standards/shared-mime-info"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<mime-info xmlns="{namespace}">\n{"".join(parts)}</mime-info>\n'


def _icon() -> Path:
    folder = shared_folder("assets/icons")
    if folder is None:
        raise FileNotFoundError(2, "the program was installed without its icons", "assets/icons")
    return folder / f"{NAME}.svg"


def _quoted(argument: str) -> str:
    """As `Exec` wants it: in double quotes, and escaped once more as all strings of the file are; `%` begins a field
    code."""
    inside = "".join(f"\\{letter}" if letter in '"`$\\' else letter for letter in argument).replace("%", "%%")
    return f'"{inside}"'.replace("\\", "\\\\")


def _reported(home: Path, files: tuple[Path, ...]) -> Changed:
    """Let the desktop's tools read the folders again, those that are there."""
    tools = (
        ("update-desktop-database", str(home / "applications")),
        ("update-mime-database", str(home / "mime")),
        ("xdg-icon-resource", "forceupdate", "--mode", "user"),
    )
    called = []
    absent = []
    failed = []
    for command in tools:
        if shutil.which(command[0]) is None:
            absent.append(command[0])
        elif not Path(command[1]).is_absolute() or Path(command[1]).is_dir():
            called.append(command[0])
            reason = _call(command)
            if reason:
                failed.append(f"{command[0]}: {reason}")
    return Changed(files, tuple(called), tuple(absent), tuple(failed))


def _call(command: tuple[str, ...]) -> str:
    """Run a tool; returns why it failed, or nothing."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=PATIENCE,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return " ".join((done.stderr.strip() or f"exit code {done.returncode}").split()) if done.returncode else ""


def _sweep(file: Path, place: Path, indexes: tuple[str, ...], home: Path) -> None:
    """Remove the folders around a file that has gone while they are empty, but for what tools have made from nothing in
    `place`."""
    _remove_empty(file.parent, place)
    for path in place.glob("*/"):
        _remove_empty(path, place)
    left = list(place.iterdir()) if place.is_dir() else []
    if left and all(path.name in indexes for path in left):
        for path in left:
            path.unlink()
    _remove_empty(place, home)


def _remove_empty(folder: Path, above: Path) -> None:
    """A folder and those around it, up to but without `above`."""
    while folder != above:
        with suppress(OSError):
            folder.rmdir()
        folder = folder.parent
