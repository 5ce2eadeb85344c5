"""Where files named by URIs are looked up."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ENVIRONMENT = ("SDF_PATH", "GZ_SIM_RESOURCE_PATH", "ROS_PACKAGE_PATH")
"""Environment variables that hold folders, separated as in PATH."""
PACKAGES = ("model", "package")
"""Schemes whose first part names a folder that is searched for."""
OUTER = 3
"""Folders around that of the document in which a package is looked for."""
LONGEST = 4096
"""Characters of a path, as in Linux."""


@dataclass(frozen=True)
class Resources:
    """Folders for `model://`, `package://` and relative URIs, searched in order after the document's own folder."""

    folders: tuple[Path, ...] = ()

    @staticmethod
    def of(folders: Sequence[Path] = ()) -> Resources:
        """The given folders, then those of the environment."""
        found = [Path(folder) for folder in folders]
        for variable in ENVIRONMENT:
            found += [Path(part) for part in os.environ.get(variable, "").split(os.pathsep) if part]
        return Resources(tuple(found))

    def find(self, uri: str, beside: str | Path) -> Path | None:
        """The file or folder that `uri` names; `beside` is the folder of the document that names it. None: not found."""
        if refusal(uri):
            return None
        scheme, name = _parts(uri)
        found = next((item for item in self._candidates(name, scheme, beside) if os.path.exists(item)), None)
        return None if found is None else Path(found)

    def searched(self, beside: str) -> str:
        """The folders, for a message."""
        return ", ".join(str(folder) for folder in (beside or ".", *self.folders))

    def _candidates(self, name: str, scheme: str, beside: str | Path) -> Iterator[str]:
        if name.startswith("/"):
            yield name
            return
        root = str(beside)
        yield os.path.join(root, name)
        for _ in range(OUTER if scheme in PACKAGES else 0):
            root = os.path.dirname(root)
            yield os.path.join(root, name)
        if not climbs(name):
            yield from (os.path.join(folder, name) for folder in self.folders)


def refusal(uri: str) -> str:
    """Why a URI is not even looked up; "" where it is.

    A document may name files beside it with `..`, as many do; a package or a model has no business outside of its folder.
    """
    scheme, name = _parts(uri)
    if _remote(scheme):
        return "files of the network are not loaded; download it and name the file"
    if scheme in PACKAGES and climbs(name, package=True):
        return f"'..' leads out of the {scheme}'s folder, which is refused; name the file itself"
    if not name or "\0" in name or len(name) > LONGEST:
        return "that is no name of a file"
    return ""


def is_remote(uri: str) -> bool:
    """Whether a URI names something that is not on this machine (or of a kind that is not known)."""
    return _remote(_parts(uri)[0])


def _remote(scheme: str) -> bool:
    return scheme not in ("", "file", *PACKAGES)


def climbs(name: str, *, package: bool = False) -> bool:
    """Whether `..` leads out of the folder in which a relative path starts; with `package`, out of the one that it names first."""
    depth, least = 0, 0
    for part in name.split("/"):
        if part in ("", "."):
            continue
        depth += -1 if part == ".." else 1
        if depth < least:
            return True
        least = 1 if package else 0
    return False


def _parts(uri: str) -> tuple[str, str]:
    """Scheme ("" for none) and path."""
    scheme, separator, rest = uri.strip().partition("://")
    return (scheme.lower(), unquote(rest)) if separator else ("", uri.strip())
