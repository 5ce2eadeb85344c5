"""Read a document: the entrance of this room."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from simulator.collector import collector_paused
from simulator.formats.cursor import Cursor, Reading
from simulator.formats.loading import Loader
from simulator.formats.options import STANDARD, ReadingOptions
from simulator.formats.resources import Resources
from simulator.formats.sdf.geometry import report_lost_meshes
from simulator.formats.sdf.gltf_axes import find_gltf_axes
from simulator.formats.sdf.root import read_root
from simulator.formats.sdf.textures import report_undrawn
from simulator.model.world import Document

if TYPE_CHECKING:
    from simulator.formats.nodes import Node


def read_document(path: str | Path, options: ReadingOptions = STANDARD) -> Document:
    """What the SDFormat or URDF document at `path` says, every fault of it a diagnostic. Never raises for bad input."""
    document, _ = read_with_tree(path, options)
    return document


def read_with_tree(path: str | Path, options: ReadingOptions) -> tuple[Document, Node | None]:
    """As `read_document`, with the tree in SDFormat 1.12 that it was read from; None where there is none."""
    with collector_paused():
        reading = Reading(Resources.of(options.resource_paths), options, document=str(path))
        tree, title = Loader(reading).document(Path(path))
        if tree is None:
            return Document(str(path), title, diagnostics=reading.log.as_tuple(), files=tuple(reading.files)), None
        reading.gltf_axes = find_gltf_axes(Cursor(tree, reading))
        worlds, models = read_root(Cursor(tree, reading))
        report_undrawn(reading)
        report_lost_meshes(reading)
        _report_unreadable(reading)
        findings = reading.log.as_tuple()
        files = tuple(reading.files)
        return Document(str(path), title, worlds, models, findings, files, reading.format), tree


def _report_unreadable(reading: Reading) -> None:
    """libsdformat gives such a file up; we read on to find all faults, and say so once at the end."""
    if reading.unreadable:
        count = len(reading.unreadable)
        first = reading.unreadable[0]
        places = "value" if count == 1 else "values"
        message = f"the document cannot be used: {count} {places} in it cannot be read, the first at {first}"
        reading.log.consequence("FILE_READ", first, message)
