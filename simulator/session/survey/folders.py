"""The documents of a folder, and the folders for looking up their files."""

from __future__ import annotations

import os
import re
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from simulator.formats.files import read_head, read_regular
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

SUFFIXES = (".sdf", ".world", ".urdf")
XACRO, MJCF = ".xacro", ".xml"
TEMPLATE_NAME = re.compile(r"\.(sdf|world|urdf)\.(jinja2?|j2|erb|em|in|tmpl|template)$", re.IGNORECASE)
PLACEHOLDER = re.compile(r"@[A-Za-z_]\w*@|@[(\[]\w|\{\{.*?\}\}|\{%.*?%\}|<%.*?%>", re.DOTALL)
"""Placeholders of CMake, EmPy, Jinja and ERB, which are filled in before there is a document."""
COMMENT = re.compile("<!--.*?-->", re.DOTALL)
HEAD = 1 << 20
"""Bytes in which placeholders are searched."""
MARKS = ("package.xml", "model.config")
"""Files that mark a folder as a package of ROS or a model of Gazebo, which URIs find in the folder around it."""
XACRO_NAME = re.compile(r"\{[^}]*/xacro/?\}(\w+)")
"""A name of xacro, whose namespace has many addresses."""
DEFINITIONS = {"macro", "property", "arg", "include"}
INCLUDED = re.compile(r"""<\w+:include\s[^>]*filename\s*=\s*["'](?:[^"']*/)?([^"'/]+)["']""")
"""The name of a file that another one of xacro includes."""


@dataclass(frozen=True)
class Folder:
    """Contents of `root`: documents, sorted; numbers of `templates` and of xacro macro files, which are not documents;
    the folders that hold its packages and models; packages by another name than their folder's, as (name, folder);
    and names of files that xacro documents include."""

    root: Path
    documents: tuple[Path, ...]
    templates: int = 0
    libraries: int = 0
    resource_paths: tuple[Path, ...] = ()
    renamed: tuple[tuple[str, Path], ...] = ()
    included: frozenset[str] = frozenset()


@dataclass
class _Sorted:
    documents: list[Path] = field(default_factory=list)
    templates: int = 0
    libraries: int = 0
    roots: set[Path] = field(default_factory=set)
    renamed: list[tuple[str, Path]] = field(default_factory=list)
    included: set[str] = field(default_factory=set)


def look_into(root: Path, *, xacro: bool = False) -> Folder:
    """Walk through a folder, without hidden folders and links; `xacro` includes `.xacro` files as documents."""
    found = _Sorted()
    for path in _files(root):
        if path.name in MARKS:
            _note_package(path, found)
        elif TEMPLATE_NAME.search(path.name):
            found.templates += 1
        elif path.suffix.lower() in SUFFIXES or (xacro and path.suffix.lower() == XACRO) or _is_mjcf(path):
            _note_document(path, found)
    roots = (root, *sorted(found.roots - {root})) if root.is_dir() else (root.parent,)
    documents = tuple(sorted(found.documents))
    renamed = tuple(sorted(found.renamed))
    return Folder(root, documents, found.templates, found.libraries, roots, renamed, frozenset(found.included))


def _files(root: Path) -> Iterator[Path]:
    if not root.is_dir():
        yield root
        return
    for place, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(place, name)
            if not name.startswith(".") and path.is_file():
                yield path


def _is_mjcf(path: Path) -> bool:
    """Whether a file is MJCF with bodies or parts of its own: others are included by such."""
    if path.suffix.lower() != MJCF:
        return False
    try:
        root = ElementTree.fromstring(read_regular(path, HEAD))
    except (ElementTree.ParseError, OSError, ValueError):
        return False
    return root.tag == "mujoco" and (root.find("worldbody") is not None or root.find("include") is not None)


def _note_document(path: Path, found: _Sorted) -> None:
    try:
        text = read_head(path, HEAD).decode("utf-8", errors="replace")
    except OSError:
        text = ""  # the reader reports the error
    found.included.update(INCLUDED.findall(COMMENT.sub("", text)))
    if PLACEHOLDER.search(COMMENT.sub("", text)):
        found.templates += 1
    elif path.suffix.lower() == XACRO and _only_defines(text):
        found.libraries += 1
    else:
        found.documents.append(path)


def _only_defines(text: str) -> bool:
    """Whether a xacro file only defines macros."""
    try:
        parts = list(ElementTree.fromstring(text))
    except (ElementTree.ParseError, ValueError):
        return False
    found = [XACRO_NAME.fullmatch(part.tag) for part in parts]
    names = {match[1] if match else "" for match in found}
    return "macro" in names and names <= DEFINITIONS


def _note_package(mark: Path, found: _Sorted) -> None:
    folder = mark.parent
    found.roots.add(folder.parent)
    if mark.name == "package.xml":
        try:
            name = (ElementTree.fromstring(read_regular(mark, HEAD)).findtext("name") or "").strip()
        except (ElementTree.ParseError, OSError, ValueError):
            return
        if re.fullmatch(r"[\w-]+", name) and name != folder.name:
            found.renamed.append((name, folder))
