"""Packages in the neighbourhood of a document: folders found by the name in their `package.xml`, or by their own.

A document in `repository/arm_description/urdf` that names `package://arm_meshes` means `repository/arm_meshes`, which
ROS finds in a workspace. The folders around the document are searched, the nearest first, to a bounded depth and
number.
"""

from __future__ import annotations

import os
import re
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.formats.files import read_head

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

UPWARD = 3
"""Folders around a document that belong to its neighbourhood, if no repository holds it."""
REPOSITORY_UPWARD = 8
"""Folders around a document in which the root of its repository is looked for."""
DEPTH = 5
"""Levels of folders below each of them that are searched."""
FOLDERS = 5000
"""Folders that are searched for one document, and as many for the resource folders."""
MANIFEST = "package.xml"
REPOSITORIES = (".git", ".hg")
WORKSPACE = "src"
"""Folder of a ROS workspace: it holds repositories side by side."""
_SKIPPED = ("build", "log", "node_modules")
_SHARED = tuple(f"/{name}" for name in ("", "home", "media", "mnt", "opt", "srv", "tmp", "usr", "var", "var/tmp"))
_NAME = re.compile(rb"<name>\s*([^<\s]+)\s*</name>")
_HEAD = 65536


def around(folder: str) -> list[str]:
    """The folder of a document and those around it, the nearest first: all of its repository, never the home folder or
    above."""
    inside = _enclosing(folder)
    root = _first_with(inside, REPOSITORIES)
    if root is None:
        package = _first_with(inside, (MANIFEST,))
        last = UPWARD if package is None else max(UPWARD, package + 1)
    else:
        last = root + 1 if inside[root].parent.name == WORKSPACE else root
    return [str(item) for item in inside[: last + 1]]


def repository(folder: str) -> str | None:
    """The root of the repository that holds a folder; None if none does."""
    inside = _enclosing(folder)
    root = _first_with(inside, REPOSITORIES)
    return None if root is None or _is_shared(inside[root]) else str(inside[root])


def _enclosing(folder: str) -> list[Path]:
    """The folder and those around it, the nearest first, below those that are shared; such a one alone."""
    path = Path(os.path.abspath(folder or "."))
    if _is_shared(path):
        return [path]
    return [path, *takewhile(lambda item: not _is_shared(item), path.parents)][: REPOSITORY_UPWARD + 1]


def _is_shared(folder: Path) -> bool:
    """Whether a folder is a home folder or a root of the system."""
    return str(folder) in _SHARED or folder == Path(os.path.expanduser("~"))


def _first_with(folders: list[Path], names: Iterable[str]) -> int | None:
    return next((i for i, folder in enumerate(folders) if any((folder / name).exists() for name in names)), None)


def inside_package(folder: str, path: str) -> str | None:
    """A file of a package, also one in a subfolder that CMake leaves out when it installs (`install(DIRECTORY
    description/urdf …)`)."""
    direct = os.path.normpath(os.path.join(folder, path))
    if os.path.exists(direct):
        return direct
    if not path or ".." in path.split("/"):
        return None
    try:
        below = sorted(entry.path for entry in os.scandir(folder) if entry.is_dir())
    except OSError:
        return None
    return next((found for item in below if os.path.exists(found := os.path.join(item, path))), None)


class Packages:
    """Enters each folder once; results are cached."""

    def __init__(self) -> None:
        self._by_manifest: dict[str, list[str]] = {}
        self._by_folder: dict[str, list[str]] = {}
        self._roots: set[str] = set()
        self._entered: set[tuple[int, int]] = set()

    def named(self, name: str, roots: Iterable[str]) -> Iterator[str]:
        """Folders that a package of that name may be, those below the first root first."""
        for root in roots:
            if root not in self._roots and not _is_shared(Path(root)):
                self._roots.add(root)
                self._search(root)
            inside = os.path.join(root, "")
            for found in (self._by_manifest, self._by_folder):
                yield from (folder for folder in found.get(name, ()) if folder == root or folder.startswith(inside))

    def _search(self, root: str) -> None:
        """Breadth first, so that the nearest folder of a name comes first; a folder is entered once, whatever links
        lead to it."""
        level = [root]
        for _ in range(DEPTH + 1):
            level = [below for folder in level for below in self._enter(folder)]

    def _enter(self, folder: str) -> list[str]:
        """Note the folder's names; returns the folders in it."""
        if len(self._entered) >= FOLDERS:
            return []
        try:
            state = os.stat(folder)
            if (state.st_dev, state.st_ino) in self._entered:
                return []
            with os.scandir(folder) as entries:
                items = sorted((entry.name, entry.is_dir()) for entry in entries)
        except OSError:
            return []
        self._entered.add((state.st_dev, state.st_ino))
        self._by_folder.setdefault(os.path.basename(folder), []).append(folder)
        if (MANIFEST, False) in items:
            name = package_name(os.path.join(folder, MANIFEST))
            self._by_manifest.setdefault(name, []).append(folder)
        return [
            os.path.join(folder, name)
            for name, is_folder in items
            if is_folder and not name.startswith(".") and name not in _SKIPPED
        ]


def package_name(manifest: str) -> str:
    """The name in a `package.xml`, "" where there is none."""
    try:
        match = _NAME.search(read_head(manifest, _HEAD))
    except OSError:
        return ""
    return match.group(1).decode("utf-8", errors="replace") if match else ""
