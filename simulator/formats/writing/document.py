"""A document → the text of an SDFormat 1.12 document: the entrance of this room."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from simulator.diagnostics import Diagnostic, DiagnosticLog
from simulator.formats.cursor import Cursor, Reading
from simulator.formats.document import read_with_tree
from simulator.formats.files import read_named
from simulator.formats.mending import mended
from simulator.formats.options import STANDARD, ReadingOptions
from simulator.formats.resources import Resources
from simulator.formats.sdf.names import SCOPE
from simulator.formats.sdf.root import read_root
from simulator.formats.sdf.unflatten import unflatten
from simulator.formats.writing.comments import comments_of, put_comments
from simulator.formats.writing.left_out import report_left_out
from simulator.formats.writing.passthrough import Carrier
from simulator.formats.writing.uris import Uris
from simulator.formats.writing.worlds import sdf_node
from simulator.formats.writing.xml_text import namespaces_of, xml_text
from simulator.formats.xml import MAX_BYTES

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.formats.nodes import Node
    from simulator.model.world import Document


@dataclass(frozen=True)
class SourceDocument:
    """A document with the SDFormat 1.12 tree that it was read from; `tree` is None where it cannot be read at all."""

    document: Document
    tree: Node | None
    resources: Resources
    flat: Document | None = None
    """The document as it was read, where its names say `nested::link` and the tree has been nested since."""


@dataclass(frozen=True)
class Written:
    """The text of a document, and what could not be written into it."""

    text: str
    diagnostics: tuple[Diagnostic, ...] = ()


def read_source(path: str | Path, options: ReadingOptions = STANDARD) -> SourceDocument:
    """As `read_document`, with the tree: versions converted, includes in their places, URDF turned into SDFormat."""
    resources = Resources.of(options.resource_paths)
    document, tree = read_with_tree(path, options)
    flat = None
    if tree is not None and not document.has_errors and _has_flat_names(tree):
        for model in tree.all("model"):
            unflatten(model)
        flat = document
        worlds, models = read_root(Cursor(tree, Reading(resources, options, document=str(path))))
        document = replace(document, worlds=worlds, root_models=models)
    return SourceDocument(document, tree, resources, flat)


def write_document(document: Document, folder: Path, source: SourceDocument | None = None) -> Written:
    """SDFormat 1.12 that means what `document` means; `folder` is where it will be saved, for the names of mesh files.

    Without `source` (values made by a program) poses are written as resolved, which rounds them by an ulp or two where
    the frame around them is not the world's. With it they keep the frames of the document, and what the model does not
    hold comes along.
    """
    uris = Uris(folder, source.resources if source is not None else Resources.of())
    root = sdf_node(document, uris)
    if source is None or source.tree is None:
        return Written(xml_text(root, document.title))
    carrier = Carrier(source.resources, uris)
    log = DiagnosticLog()
    carrier.pass_through(source.tree, root)
    data = mended(read_named(document.file, MAX_BYTES)).data
    rest = put_comments(root, document.file, comments_of(data))
    before = [comment.text for comment in rest if not comment.around and comment.before is not None]
    report_left_out(document.file, data, carrier.lost, len(rest) - len(before), log)
    text = xml_text(root, document.title, namespaces_of(data.decode("utf-8", errors="replace")), before)
    return Written(text, log.as_tuple())


def _has_flat_names(tree: Node) -> bool:
    """Whether a model at the root of an old document names its parts `nested::link`, which SDFormat 1.8 forbids."""
    parts = (child for model in tree.all("model") for child in model.children)
    return any(SCOPE in child.attributes.get("name", "") for child in parts)
