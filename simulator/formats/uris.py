"""URIs in documents: what they name, and which of them are not even looked up."""

from __future__ import annotations

import re
from urllib.parse import unquote

from simulator.records import dataclass

PACKAGES = ("model", "package")
"""Schemes whose first part names a folder that is searched for."""
OTHER_NAMES = {"modelica": "package"}
"""Schemes by another name: `modelica://Package/path` (Modelica 3.6, 13.2.3)."""
LONGEST = 4096
"""Characters of a path, as in Linux."""
_FIND = re.compile(
    r"(?:file:(?://)?|package://|model://)?\$\(find(?:-pkg-share)?\s+([^\s()/]+)\s*\)[/]*(.*)", re.DOTALL
)
_DRIVE = re.compile(r"/?[A-Za-z]:(?=/)")


@dataclass(frozen=True)
class Uri:
    """`scheme` is lower-case and "" where there is none; `path` is decoded. `repairs` says what was repaired to read
    it."""

    scheme: str
    path: str
    repairs: tuple[str, ...] = ()

    @property
    def package(self) -> str:
        """The folder that a `model://` or `package://` URI names; "" for others."""
        return self.path.strip("/").partition("/")[0] if self.scheme in PACKAGES else ""

    @property
    def inside(self) -> str:
        """The path within the package; "" for other URIs and for the package itself."""
        return self.path.strip("/").partition("/")[2] if self.scheme in PACKAGES else ""

    @property
    def is_remote(self) -> bool:
        """Whether it names something that is not on this machine (or of a kind that is not known)."""
        return self.scheme not in ("", "file", *PACKAGES)

    @property
    def is_absolute(self) -> bool:
        """Whether the path begins at the root of a file system, that of Windows included."""
        return self.path.startswith("/") or _DRIVE.match(self.path) is not None


def parse_uri(text: str) -> Uri:
    """A URI by the rules: `scheme://path`, or a plain path."""
    scheme, separator, rest = text.strip().partition("://")
    scheme = scheme.lower()
    return Uri(OTHER_NAMES.get(scheme, scheme), unquote(rest)) if separator else Uri("", text.strip())


def repaired_uri(text: str) -> Uri:
    """As `parse_uri`, for what exporters and careless hands leave behind: backslashes, `$(find package)`, `file:`
    without slashes."""
    repairs = []
    plain = text.strip()
    if "\\" in plain:
        plain = plain.replace("\\", "/")
        repairs.append("backslashes are read as slashes")
    find = _FIND.fullmatch(plain)
    if find is not None:
        plain = f"package://{find.group(1)}/{find.group(2)}"
        repairs.append(f"$(find {find.group(1)}) is read as package://{find.group(1)}")
    elif plain.startswith("file:") and not plain.startswith("file://"):
        plain = f"file://{plain[len('file:') :]}"
    uri = parse_uri(plain)
    return Uri(uri.scheme, uri.path, tuple(repairs))


def components(path: str) -> list[str]:
    """The names of a path; a drive letter, `.` and leading `..` are dropped."""
    names = [name for name in _DRIVE.sub("", path).split("/") if name not in ("", ".")]
    while names and names[0] == "..":
        del names[0]
    return names


def refusal(text: str) -> str:
    """Why a URI is not even looked up; "" where it is.

    A document may name files beside it with `..`, as many do; a package or a model has no business outside of its
    folder.
    """
    uri = parse_uri(text)
    if uri.is_remote:
        return "files of the network are not loaded; download it and name the file"
    if uri.scheme in PACKAGES and climbs(uri.path, package=True):
        return f"'..' leads out of the {uri.scheme}'s folder, which is refused; name the file itself"
    return "" if is_path(uri.path) else "that is not a name of a file"


def is_path(path: str) -> bool:
    """Whether the operating system accepts such a path."""
    return bool(path) and "\0" not in path and len(path) <= LONGEST


def climbs(name: str, *, package: bool = False) -> bool:
    """Whether `..` leads out of the folder in which a relative path starts; with `package`, out of the one that it
    names first."""
    depth, least = 0, 0
    for part in name.split("/"):
        if part in ("", "."):
            continue
        depth += -1 if part == ".." else 1
        if depth < least:
            return True
        least = 1 if package else 0
    return False
