"""A document → the text of an SDFormat 1.12 document: the entrance of this room."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.diagnostics import Diagnostic, DiagnosticLog, Source
from simulator.formats.cursor import Cursor, Reading
from simulator.formats.document import read_with_tree
from simulator.formats.expansion.expand import PREFIX
from simulator.formats.files import read_named
from simulator.formats.mending import mended
from simulator.formats.options import STANDARD, ReadingOptions
from simulator.formats.resources import Resources
from simulator.formats.sdf.names import SCOPE
from simulator.formats.sdf.root import read_root
from simulator.formats.sdf.unflatten import unflatten
from simulator.formats.urdf.vocabulary import OWN, URDF
from simulator.formats.writing.comments import comments_of, put_comments
from simulator.formats.writing.passthrough import Carrier
from simulator.formats.writing.uris import Uris
from simulator.formats.writing.worlds import sdf_node
from simulator.formats.writing.xml_text import namespaces_of, xml_text
from simulator.formats.xml import MAX_BYTES, parse_bytes
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence
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


CODE = "CONVERT_DROPPED"
BROUGHT_ALONG = frozenset({"gazebo", "transmission", "ros2_control"})
_OF_MODEL = frozenset(
    {"pose", "parent", "child", "axis", "axis2", "gearbox_ratio", "gearbox_reference_body", "physics"}
)


def report_left_out(file: str, data: bytes, lost: Sequence[Node], comments: int, log: DiagnosticLog) -> None:
    """One info for each kind of thing that is lost, at its first place.

    `lost`: elements whose contents found no place; `comments`: how many of the file's comments found none.
    """
    for node in lost:
        parts = ", ".join(sorted({f"<{part.tag}>" for part in node.children if part.tag not in _OF_MODEL}))
        label = f"<{node.tag}> '{node.attributes.get('name', '')}'"
        log.info(CODE, node.source, f"{parts} of {label} is not written, as that element is another one now")
    if comments:
        count = "one comment is" if comments == 1 else f"{comments} comments are"
        log.info(CODE, Source(file, 1), f"{count} not written: their neighbours are gone")
    parsed = parse_bytes(data, file, DiagnosticLog())
    if parsed is not None and parsed.root.tag == "robot":
        _report_urdf(parsed.root, log)


def _report_urdf(robot: Node, log: DiagnosticLog) -> None:
    lost: dict[str, list[Node]] = {}
    pending = [(robot, "")]
    while pending:
        node, parent = pending.pop()
        known = URDF.words_in(node.tag, parent)
        for child in node.children:
            word = known.get(child.tag)
            if child.tag.startswith(PREFIX) or child.tag in OWN.get(node.tag, ()):
                continue  # a macro has done what it is for; the model holds what is ours
            if word is not None and word.read:
                pending.append((child, node.tag))
            elif child.is_user_data or (word is not None and child.tag not in BROUGHT_ALONG):
                lost.setdefault(f"<{child.tag}> of <{node.tag}>", []).append(child)
    for kind, nodes in sorted(lost.items()):
        first = min(nodes, key=lambda node: node.source.line)
        times = f" ({len(nodes)} times)" if len(nodes) > 1 else ""
        log.info(CODE, first.source, f"{kind} is not written{times}: SDFormat has no place for it")
