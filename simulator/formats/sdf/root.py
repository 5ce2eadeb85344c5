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
"""At most one of these stands at the root of a document."""


def read_root(cursor: Cursor) -> tuple[tuple[World, ...], tuple[Model, ...]]:
    """All worlds and the models outside of them, resolved."""
    worlds = tuple(resolve_world(spec, cursor.log) for spec in read_named(cursor, "world", read_world))
    kept = _only_one(cursor)
    if not worlds and not kept:
        message = "the document holds no world and no model: there is nothing to simulate"
        cursor.log.warning("ELEMENT_MISSING", cursor.source, message, "write a <world> or a <model> into it")
    if kept != "model":
        return worlds, ()
    models = read_named(cursor, "model", read_model)
    return worlds, resolve_root_model(models[0], cursor.log) if models else ()


def _only_one(cursor: Cursor) -> str:
    """The kind of root entity that counts; an error where there are several."""
    present = [child for child in cursor.node.children if child.tag in ROOT_ENTITIES]
    kind = next((tag for tag in ROOT_ENTITIES if cursor.node.child(tag) is not None), "")
    kept = cursor.node.child(kind) if kind else None
    same_names = len({child.attributes.get("name") for child in present}) < len(present)
    for extra in present:
        if extra is not kept and not (extra.tag == kind and same_names):
            message = f"a document holds one model, actor or light at its root; this <{extra.tag}> is not read"
            cursor.log.error("ELEMENT_INCORRECT_TYPE", extra.source, message, "put several models into a <world>")
    return kind
