"""Where files named by URIs are looked up."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.diagnostics import counted
from simulator.formats.fuel import find_by_name, find_in_cache, fuel_model
from simulator.formats.packages import MANIFEST, Packages, around, inside_package, repository
from simulator.formats.uris import PACKAGES, Uri, climbs, components, is_path, parse_uri, refusal, repaired_uri
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Accept = Callable[[Path], bool]
"""Whether a file or folder is what is looked for."""
ENVIRONMENT = ("SDF_PATH", "GZ_SIM_RESOURCE_PATH", "ROS_PACKAGE_PATH")
"""Environment variables that hold folders, separated as in PATH."""
MORE_ENVIRONMENT = ("IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH", "GAZEBO_RESOURCE_PATH")
"""Those of other programs, and of older ones."""
PREFIXES = ("AMENT_PREFIX_PATH", "COLCON_PREFIX_PATH", "CMAKE_PREFIX_PATH")
"""Environment variables that hold installations, with packages in their `share`."""
OUTER = 3
"""Folders around that of the document in which a package is looked for by its folder's name."""
TAIL = 2
"""Components of a path that are enough to recognize a file by, if the folders before them do not exist here."""
SHOWN = 3
"""Folders that a message names."""
FAR = 6
"""More folders upward than a message counts."""


@dataclass(frozen=True)
class Found:
    """A file or folder, and what had to be done to find it: `told` is "" if nothing. `kind` is the same for findings of
    one kind. What is found by the name of its package is not a guess."""

    path: Path
    told: str = ""
    kind: str = ""
    is_guess: bool = True


@dataclass(frozen=True)
class Resources:
    """Folders for `model://`, `package://` and relative URIs, searched in order after the document's own folder.

    `more` are searched after those, by `search` alone.
    """

    folders: tuple[Path, ...] = ()
    more: tuple[Path, ...] = ()
    _near: Packages = field(default_factory=Packages, compare=False, repr=False)
    _given: Packages = field(default_factory=Packages, compare=False, repr=False)

    @staticmethod
    def of(folders: Sequence[Path] = ()) -> Resources:
        """The given folders, then those of the environment."""
        more = [Path(prefix, "share") for variable in PREFIXES for prefix in _paths(variable)]
        more += [Path(path) for variable in MORE_ENVIRONMENT for path in _paths(variable)]
        more.append(Path(os.path.expanduser("~"), ".gazebo", "models"))
        named = [Path(path) for variable in ENVIRONMENT for path in _paths(variable)]
        return Resources((*map(Path, folders), *named), tuple(more))

    def find(self, uri: str, beside: str | Path, accept: Accept | None = None) -> Path | None:
        """The file or folder that `uri` names by libsdformat's rules; `beside` is the folder of the document that names
        it, those that `accept` refuses are passed over. None: not found."""
        if refusal(uri):
            return None
        found = (Path(item) for item in self._candidates(parse_uri(uri), str(beside)) if os.path.exists(item))
        return next(filter(accept, found) if accept else found, None)

    def search(self, uri: str, beside: Sequence[str], accept: Accept | None = None) -> Found | None:
        """As `find`, but searched for: in caches, by the names of packages around the documents, and by the end of a
        path.

        `beside` are the folders of the documents that it is named in: that of the element first, that of the whole
        document last.
        """
        model = fuel_model(uri)
        if model is not None:
            cached = find_in_cache(model)
            return None if cached is None else Found(cached)
        wanted = repaired_uri(uri)
        if wanted.is_remote or not is_path(wanted.path):
            return None
        ways = (self._as_written, self._without_package, self._in_package, self._by_tail, self._in_other_case)
        found = (item for way in ways for item in way(wanted, [os.path.abspath(folder or ".") for folder in beside]))
        return next((item for item in found if accept is None or accept(item.path)), None)

    def package(self, name: str, beside: str) -> Path | None:
        """The folder of a ROS package, searched for as `search` does."""
        found = next(self._packages(name, [os.path.abspath(beside or ".")]), None)
        return None if found is None else Path(found)

    def searched(self, beside: str) -> str:
        """The first of the folders, for a message."""
        folders = [str(folder) for folder in (beside or ".", *self.folders)]
        more = f" and {counted(len(folders) - SHOWN, 'more folder')}" if len(folders) > SHOWN else ""
        return ", ".join(folders[:SHOWN]) + more

    def _candidates(self, uri: Uri, beside: str) -> Iterator[str]:
        if uri.path.startswith("/"):
            yield uri.path
            return
        root = beside
        yield os.path.join(root, uri.path)
        for _ in range(OUTER if uri.scheme in PACKAGES else 0):
            root = os.path.dirname(root)
            yield os.path.join(root, uri.path)
        if not climbs(uri.path):
            yield from (os.path.join(folder, uri.path) for folder in self.folders)

    def _as_written(self, uri: Uri, beside: Sequence[str]) -> Iterator[Found]:
        """Where the rules look for the repaired URI, and in the folders that other programs use."""
        if uri.scheme in PACKAGES and climbs(uri.path, package=True):
            return
        told = "; ".join(uri.repairs)
        for i, folder in enumerate(beside):
            for item in self._candidates(uri, folder):
                if os.path.exists(item):
                    yield Found(Path(item), told or (f"'{_seen_from(beside[0], item)}' is taken" if i else ""))
        for place in self.more:
            if not uri.is_absolute and not climbs(uri.path) and (place / uri.path).exists():
                yield Found(place / uri.path, told)

    def _without_package(self, uri: Uri, beside: Sequence[str]) -> Iterator[Found]:
        """`package:///part.stl`, which names no package: onshape-to-robot writes it for what is beside the document."""
        if not (uri.package and uri.is_absolute) or climbs(uri.path):
            return
        for folder in beside:
            path = os.path.join(folder, uri.path.strip("/"))
            if os.path.exists(path):
                told = f"it names no {uri.scheme}; '{_seen_from(beside[0], path)}' is taken"
                yield Found(Path(path), told, f"no {uri.scheme}", is_guess=False)

    def _in_package(self, uri: Uri, beside: Sequence[str]) -> Iterator[Found]:
        """In a folder that is the package by its manifest or by its name; from one in its right place `..` may lead
        beside it, and further within the repository of a document or a resource folder."""
        if uri.package in ("", ".", ".."):
            return
        leaves = climbs(uri.path, package=True)
        for folder in self._right_places(uri.package, beside) if leaves else self._packages(uri.package, beside):
            path = inside_package(folder, uri.inside)
            if path is not None and (not climbs(uri.path) or self._may_open(path, beside)):
                way = "; '..' in it leads out of that folder" if leaves else ""
                told = f"{uri.scheme} '{uri.package}' is taken to be '{_seen_from(beside[0], folder)}'{way}"
                yield Found(Path(path), told, f"{uri.scheme} in {os.path.dirname(folder)}{way}", is_guess=leaves)
        cached = None if leaves else find_by_name(uri.package)
        if cached is not None and (cached / uri.inside).exists():
            yield Found(cached / uri.inside)

    def _may_open(self, path: str, beside: Sequence[str]) -> bool:
        """Whether a file is below the repository of a document, or a resource folder."""
        roots = [os.path.abspath(place) for place in (*self.folders, *self.more)]
        roots += filter(None, map(repository, beside))
        return any(path.startswith(os.path.join(root, "")) for root in roots)

    def _right_places(self, name: str, beside: Sequence[str]) -> Iterator[str]:
        """Folders of that name where the rules look for them, those with a manifest first: a package of ROS 2 often has
        a folder of its own name inside, for Python."""
        uri = Uri("package", name)
        found = [item for folder in beside for item in self._candidates(uri, folder) if os.path.isdir(item)]
        yield from sorted(found, key=lambda item: not os.path.isfile(os.path.join(item, MANIFEST)))
        yield from (str(place / name) for place in self.more if (place / name).is_dir())

    def _packages(self, name: str, beside: Sequence[str]) -> Iterator[str]:
        """Folders that the package may be: those in their right places, then by manifests and names around the
        documents."""
        yield from self._right_places(name, beside)
        for folder in beside:
            yield from self._near.named(name, around(folder))
        yield from self._given.named(name, [os.path.abspath(place) for place in (*self.folders, *self.more)])

    def _by_tail(self, uri: Uri, beside: Sequence[str]) -> Iterator[Found]:
        """By the longest end of the path that exists around the documents or in a resource folder: another
        user's home, another name of the package."""
        if uri.package and climbs(uri.path, package=True):
            return
        for place, tail in self._tails(uri, beside):
            path = os.path.join(place, *tail)
            if os.path.exists(path):
                yield Found(Path(path), f"'{_seen_from(beside[0], path)}' is taken", f"tail in {place}")

    def _in_other_case(self, uri: Uri, beside: Sequence[str]) -> Iterator[Found]:
        """By the same names in upper and lower case, as file systems of Windows compare them."""
        if uri.package and climbs(uri.path, package=True):
            return
        packages = ((folder, components(uri.inside)) for folder in self._packages(uri.package, beside) if uri.inside)
        relative = ((folder, uri.path.split("/")) for folder in beside if not uri.is_absolute)
        for place, names in (*packages, *relative, *self._tails(uri, beside)):
            path = _in_any_case(place, names)
            if path is not None:
                told = f"'{_seen_from(beside[0], path)}' has other upper and lower case"
                yield Found(Path(path), told, "other case")

    def _tails(self, uri: Uri, beside: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
        """Places and ends of the path that may exist there, the longest first."""
        names = components(uri.path)
        if ".." in names:
            return
        places = list(dict.fromkeys(place for folder in beside for place in around(folder)))
        places += [os.path.abspath(place) for place in (*self.folders, *self.more)]
        for start in range(max(0, len(names) - TAIL + 1)):
            yield from ((place, names[start:]) for place in places)


def _in_any_case(place: str, names: Sequence[str]) -> str | None:
    """The path of these names below `place`, whatever their case; None if there is none."""
    path = place
    for name in names:
        inside = os.path.join(path, name)
        if not os.path.exists(inside):
            try:
                match = next((item for item in sorted(os.listdir(path)) if item.lower() == name.lower()), None)
            except OSError:
                return None
            if match is None:
                return None
            inside = os.path.join(path, match)
        path = inside
    return path


def _seen_from(folder: str, path: str) -> str:
    """A path for a message: relative to the folder of the document, as long as it is near."""
    relative = os.path.relpath(path, folder)
    return path if relative.startswith("../" * FAR) else relative


def _paths(variable: str) -> list[str]:
    return [part for part in os.environ.get(variable, "").split(os.pathsep) if part]
