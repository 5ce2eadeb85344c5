"""`model.config`: which file of a model's folder to read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simulator.formats.sdf.versions import NEWEST
from simulator.formats.uris import climbs
from simulator.formats.xml import parse_file

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.formats.cursor import Cursor
    from simulator.formats.nodes import Node
    from simulator.formats.xml import ParsedFile


def may_be_model(path: Path) -> bool:
    """Whether an include may name a path: a file, or a folder with a manifest or a document that is likely meant."""
    return not path.is_dir() or _manifest(path) is not None or _likely(path) is not None


def _manifest(folder: Path) -> Path | None:
    return next((folder / name for name in ("model.config", "manifest.xml") if (folder / name).is_file()), None)


def model_file(folder: Path, include: Cursor) -> Path | None:
    """The document of a model's folder: the highest SDFormat version that its manifest offers. None (and an error)
    without one."""
    manifest = _manifest(folder)
    if manifest is None:
        document = None if include.reading.options.strict else _likely(folder)
        if document is not None:
            message = f"the folder '{folder}' has no model.config; '{document.name}' in it is read"
            include.log.warning("URI_SEARCHED", include.source, message, "name the .sdf file itself in <uri>")
            return document
        message = f"the folder '{folder}' has no model.config"
        include.reading.fatal("FILE_READ", include.source, message, "name the .sdf file itself in <uri>")
        include.log.error("URI_LOOKUP", include.source, f"'{include.text}' is not a model; the include is left out")
        return None
    include.reading.files[str(manifest)] = None
    parsed = _read(manifest, include)
    entries = [] if parsed is None else parsed.root.all("sdf")
    chosen = _newest(entries)
    if chosen is None:
        include.reading.fatal(
            "FILE_READ",
            include.source,
            f"'{manifest}' names no <sdf> file",
            "write <sdf version='1.12'>model.sdf</sdf>",
        )
        return None
    if climbs(chosen.text) or chosen.text.startswith("/"):
        message = f"'{manifest}' names '{chosen.text}', which is not in its folder"
        include.reading.fatal("URI_INVALID", chosen.source, message, "a model's files are in the model's folder")
        return None
    return folder / chosen.text


def _read(manifest: Path, include: Cursor) -> ParsedFile | None:
    """A manifest, read once for all includes of its model."""
    reading = include.reading
    if manifest not in reading.manifests:
        strict = reading.options.strict
        budget = reading.budget
        reading.manifests[manifest] = parse_file(manifest, include.log, include.source, strict=strict, budget=budget)
    return reading.manifests[manifest]


def _likely(folder: Path) -> Path | None:
    """The document of a folder without a manifest: model.sdf, that of the folder's name, or the only one there."""
    documents = sorted(path for path in folder.glob("*.sdf") if path.is_file())
    named = (path for name in ("model", folder.name) for path in documents if path.stem == name)
    return next(named, documents[0] if len(documents) == 1 else None)


def _newest(entries: list[Node]) -> Node | None:
    best = None
    best_version = (-1, -1)
    for entry in entries:
        match = re.fullmatch(r"(\d+)\.(\d+)", entry.attributes.get("version", "").strip())
        version = (int(match.group(1)), int(match.group(2))) if match else (0, 0)
        if best_version < version <= NEWEST:
            best, best_version = entry, version
    return best
