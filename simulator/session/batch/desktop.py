"""Desktop integration: an entry in the menu, an icon, and types for the documents that the program opens.

Everything is below the user's data folder (XDG Base Directory Specification): an entry of the Desktop Entry
Specification, types of the Shared MIME-info Specification, an icon of the theme `hicolor`, from which all others
inherit.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from xml.sax.saxutils import quoteattr

from simulator.records import dataclass
from simulator.session.open.examples import shared_folder

NAME = "simulator"
"""Name of the entry and the icon; the window announces the same name, so that the desktop matches them."""
SDFORMAT, URDF = "application/x-sdformat+xml", "application/x-urdf+xml"
ENTRY, TYPES = f"applications/{NAME}.desktop", f"mime/packages/{NAME}.xml"
ICON = f"icons/hicolor/scalable/apps/{NAME}.svg"
PLACES = {ENTRY: "applications", TYPES: "mime", ICON: "icons/hicolor"}
"""Files that are written, and the folders whose index lists them."""
INDEXES = {
    "applications": ("mimeinfo.cache",),
    "mime": (
        *("XMLnamespaces", "aliases", "generic-icons", "globs", "globs2", "icons", "magic", "mime.cache", "subclasses"),
        *("treemagic", "types", "version"),
    ),
    "icons/hicolor": ("icon-theme.cache", ".xdg-icon-resource-dummy"),
}
"""Indexes that tools make in these folders; a folder with nothing else in it counts as empty."""
PATIENCE = 60.0
"""Seconds after which a tool is abandoned."""


@dataclass(frozen=True)
class Changed:
    """Files that were written or removed, missing tools, and failures."""

    files: tuple[Path, ...]
    absent: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


def data_folder() -> Path:
    """XDG_DATA_HOME; its default if it is not set or, against the specification, relative."""
    named = os.environ.get("XDG_DATA_HOME", "")
    return Path(named) if os.path.isabs(named) else Path.home() / ".local" / "share"


def install_desktop(command: Path) -> Changed:
    """Write entry, types and icon, and notify the desktop; repeating it changes nothing. `command`: what the entry
    starts.

    Raises OSError if the user's data folder cannot be written, FileNotFoundError if the program's icon is
    missing.
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
    """Remove entry, types and icon, and folders and indexes that become empty. Raises OSError if
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
    """The types of documents: by the ends of their names, and by their first element if another program uses the same
    end (chemistry has .sdf)."""
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
    """A text in the form of `Exec`: in double quotes, and escaped once more as all strings of the file; `%` begins a
    field code."""
    inside = "".join(f"\\{letter}" if letter in '"`$\\' else letter for letter in argument).replace("%", "%%")
    return f'"{inside}"'.replace("\\", "\\\\")


def _reported(home: Path, files: tuple[Path, ...]) -> Changed:
    """Let the installed tools of the desktop read the folders again."""
    tools = (
        ("update-desktop-database", str(home / "applications")),
        ("update-mime-database", str(home / "mime")),
        ("xdg-icon-resource", "forceupdate", "--mode", "user"),
    )
    absent = []
    failed = []
    for command in tools:
        if shutil.which(command[0]) is None:
            absent.append(command[0])
        elif not Path(command[1]).is_absolute() or Path(command[1]).is_dir():
            reason = _call(command)
            if reason:
                failed.append(f"{command[0]}: {reason}")
    return Changed(files, tuple(absent), tuple(failed))


def _call(command: tuple[str, ...]) -> str:
    """Run a tool; returns why it failed, or an empty text."""
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
    """Remove the empty folders around a file that was removed; indexes that tools made in `place` do not
    count."""
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
