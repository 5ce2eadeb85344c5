"""Converts a document of any kind to current SDFormat, a URDF, a USD stage, or what glTF draws of it."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.diagnostics import DiagnosticLog, Source
from simulator.errors import UsageError
from simulator.formats.document import read_document
from simulator.formats.options import STANDARD, ReadingOptions
from simulator.formats.resources import Resources
from simulator.formats.urdf.dialects import BESIDE
from simulator.formats.urdf_writing.loops import Dialect
from simulator.formats.urdf_writing.robot import write_urdf
from simulator.formats.usd_writing.packing import packed
from simulator.formats.usd_writing.stage import write_usd
from simulator.formats.writing.document import read_source, write_document
from simulator.formats.writing.references import referenced_frames
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.gearbox_as_mimic import gearboxes_as_mimics
from simulator.model.joint import JointType
from simulator.model.world import World
from simulator.records import dataclass
from simulator.session.look.glb import glb_at_start
from simulator.session.open.opening import open_document
from simulator.session.text.inputs import is_one_of

if TYPE_CHECKING:
    from simulator.diagnostics import Diagnostic
    from simulator.formats.writing.document import SourceDocument
    from simulator.model.world import Document


STAGES = (".usda", ".usd", ".usdc", ".usdz")
"""Suffixes of stages of USD."""


@dataclass(frozen=True)
class Conversion:
    """The text, "" if the document has errors, and all findings: about reading, then about changes by the
    conversion.

    `files` are the sources of the document. `beside` are the texts of files that go with it, by name. `data`: the
    contents of a format that is no text.
    """

    text: str
    diagnostics: tuple[Diagnostic, ...]
    files: tuple[str, ...] = ()
    beside: tuple[tuple[str, str], ...] = ()
    data: bytes = b""


def convert_to_glb(path: Path, options: ReadingOptions = STANDARD) -> Conversion:
    """A binary glTF file of what is drawn of the document at `path`."""
    opened = open_document(path, options)
    if opened.document.has_errors:
        return Conversion("", opened.diagnostics, opened.document.files)
    return Conversion("", opened.diagnostics, opened.document.files, data=glb_at_start(opened))


def convert_document(
    path: Path, folder: Path, options: ReadingOptions = STANDARD, *, keep_gearbox: bool = False
) -> Conversion:
    """SDFormat 1.12 with the meaning of the document at `path`, for a file in `folder`; gearboxes become mimics if a
    mimic can express them."""
    source = read_source(path, options)
    document = source.document
    if document.has_errors:
        return Conversion("", document.diagnostics, document.files)
    log = DiagnosticLog(document.diagnostics)
    if not keep_gearbox:
        document = _without_gearboxes(document, source, log)
    written = write_document(document, folder, source)
    text = written.text
    if source.flat is not None and _lost(source.flat, text, log):
        text = ""
    return Conversion(text, (*log, *written.diagnostics), document.files)


def convert_to_urdf(
    path: Path, folder: Path, options: ReadingOptions = STANDARD, *, dialect: Dialect = Dialect.LOOP
) -> Conversion:
    """A URDF of the document at `path`, for a file in `folder`: its tree, mimics, and loops in the form of `dialect`.
    Gearboxes become mimics if a mimic can express them. Raises UsageError for bodies that are not connected."""
    document = read_document(path, options)
    if document.has_errors:
        return Conversion("", document.diagnostics, document.files)
    parts = _Parts.of(document)
    resources = Resources.of(options.resource_paths)
    written = write_urdf(parts.world, parts.cut, folder, resources, dialect, parts.document.title)
    beside = ((BESIDE, written.beside),) if written.beside else ()
    return parts.conversion(written.text, written.diagnostics, beside)


def convert_to_usd(path: Path, options: ReadingOptions = STANDARD) -> Conversion:
    """A USD stage, as text, of the document at `path`: bodies, joints, loops beside the articulation, mimics.
    Gearboxes become mimics if a mimic can express them. Raises UsageError if OpenUSD is not installed."""
    document = read_document(path, options)
    if document.has_errors:
        return Conversion("", document.diagnostics, document.files)
    parts = _Parts.of(document)
    written = write_usd(parts.world, parts.cut, parts.document.title)
    return parts.conversion(written.text, written.diagnostics)


@dataclass(frozen=True)
class _Parts:
    """Input for formats that separate tree and loops: a world without gearboxes that mimics can express, and the
    joints that close its loops, by scoped name."""

    document: Document
    world: World
    cut: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]

    @staticmethod
    def of(document: Document) -> _Parts:
        log = DiagnosticLog(document.diagnostics)
        world = gearboxes_as_mimics(document.world(), log, needed=())
        cut = frozenset(loop.name for loop in build_mechanism(world).loop_joints)
        return _Parts(document, world, cut, log.as_tuple())

    def conversion(
        self, text: str, found: tuple[Diagnostic, ...], beside: tuple[tuple[str, str], ...] = ()
    ) -> Conversion:
        return Conversion(text, (*self.diagnostics, *found), self.document.files, beside)


def _lost(flat: Document, text: str, log: DiagnosticLog) -> bool:
    """Whether links or joints of a document with `::` in its names are lost by libsdformat's rules; an error
    names them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "converted.sdf")
        path.write_text(text, encoding="utf-8")
        kept = _names(read_document(path, ReadingOptions(strict=True)))
    lost = [name for name in _names(flat) if name not in kept]
    if lost:
        names = ", ".join(f"'{name}'" for name in lost[:8]) + (", …" if len(lost) > 8 else "")
        message = f"the document is not converted: since SDFormat 1.8 '::' nests models, which loses: {names}"
        log.error("CONVERT_DROPPED", Source(flat.file, 1), message, "write '_' for '::' in these names, then convert")
    return bool(lost)


def _names(document: Document) -> dict[str, None]:
    """Links and joints by their full names; gearboxes may have become mimics."""
    names: dict[str, None] = {}
    for model in (*document.root_models, *(model for world in document.worlds for model in world.models)):
        names |= dict.fromkeys(link.name for link in model.links)
        names |= dict.fromkeys(joint.name for joint in model.joints if joint.type is not JointType.GEARBOX)
    return names


def _without_gearboxes(document: Document, source: SourceDocument, log: DiagnosticLog) -> Document:
    needed = referenced_frames(source.tree) if source.tree is not None else ()
    worlds = tuple(gearboxes_as_mimics(world, log, needed=needed) for world in document.worlds)
    roots = gearboxes_as_mimics(World(models=document.root_models), log, needed=needed).models
    return replace(document, worlds=worlds, root_models=roots)


def write_conversion(path: Path, conversion: Conversion) -> None:
    """Write the contents atomically, then the files beside it; a stage of USD in the form of its suffix. Raises
    UsageError if one of them is a source of the document, or cannot be written."""
    texts = ((path, conversion.text), *((path.with_name(name), text) for name, text in conversion.beside))
    for target, _ in texts:
        if is_one_of(target, conversion.files):
            raise UsageError(f"'{target}' belongs to the converted document; name another file, nothing was written")
    for target, text in texts:
        suffix = target.suffix.lower()
        data = packed(text, suffix) if suffix in STAGES else text.encode("utf-8")
        write_whole(target, conversion.data if target == path and conversion.data else data)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file atomically. Raises UsageError if it cannot be written."""
    temporary = None
    try:
        target = path.resolve()
        with tempfile.NamedTemporaryFile(
            dir=target.parent, prefix=f".{target.name}.", suffix=".part", delete=False
        ) as file:
            temporary = Path(file.name)
            file.write(data)
        temporary.chmod(_mode(target))
        os.replace(temporary, target)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise UsageError(f"'{path}' cannot be written: {error.strerror or error}") from error


def _mode(path: Path) -> int:
    """Permissions of the file that is replaced, else those of any new file."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
