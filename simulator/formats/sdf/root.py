"""The `<sdf>` element → worlds and root models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.sdf.model import read_model
from simulator.formats.sdf.names import read_named
from simulator.formats.sdf.resolve import resolve_root_model, resolve_world
from simulator.formats.sdf.world import read_world

if TYPE_CHECKING:
    from simulator.formats.cursor import Cursor
    from simulator.model.world import Model, World

ROOT_ENTITIES = ("model", "actor", "light")
"""At most one of these is at the root of a document."""


def read_root(cursor: Cursor) -> tuple[tuple[World, ...], tuple[Model, ...]]:
    """All worlds and the models outside of them, resolved."""
    strict = cursor.reading.options.strict
    worlds = tuple(resolve_world(spec, cursor.log, strict=strict) for spec in read_named(cursor, "world", read_world))
    kept = _only_one(cursor)
    if not worlds and kept != "model":
        what = f"no world and no model, only <{kept}>" if kept else "no world and no model"
        message = f"the document holds {what}: there is nothing to simulate"
        cursor.log.warning("ELEMENT_MISSING", cursor.source, message, "write a <world> or a <model> into it")
    if kept != "model":
        return worlds, ()
    specs = read_named(cursor, "model", read_model)
    count = 1 if strict else len(specs)
    return worlds, tuple(
        model for spec in specs[:count] for model in resolve_root_model(spec, cursor.log, strict=strict)
    )


def _only_one(cursor: Cursor) -> str:
    """The kind of root entity that counts; an error where there are several, or a warning: several models are read
    unless `strict`."""
    present = [child for child in cursor.node.children if child.tag in ROOT_ENTITIES]
    kind = next((tag for tag in ROOT_ENTITIES if cursor.node.child(tag) is not None), "")
    kept = cursor.node.child(kind) if kind else None
    same_names = len({child.attributes.get("name") for child in present}) < len(present)
    for extra in present:
        if extra is kept or (extra.tag == kind and same_names):
            continue
        message = f"a document holds one model, actor or light at its root; this <{extra.tag}> is"
        hint = "put several models into a <world>"
        if cursor.reading.options.strict:
            cursor.log.error("ELEMENT_INCORRECT_TYPE", extra.source, f"{message} not read", hint)
        else:
            done = "one more" if extra.tag == "model" else "not read"
            cursor.log.warning("ELEMENT_INCORRECT_TYPE", extra.source, f"{message} {done}", hint, fold=extra.tag)
    return kind
