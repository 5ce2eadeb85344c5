"""Where the elements of MuJoCo's model are written.

MuJoCo says a line at most. Its elements come in the order of the document, so that as many of a kind as the document
has are found by counting; where copies make more of them, by their name, else by the line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.diagnostics import Source
    from simulator.formats.nodes import Node

_LINE = re.compile(r"line (\d+)")
BRANCHES = ("frame", "replicate")
"""Elements that hold what belongs to the body around them."""
SECTIONS = {
    "actuators": "actuator",
    "equalities": "equality",
    "tendons": "tendon",
    "sensors": "sensor",
    "keys": "keyframe",
}
"""Kinds of elements as `MjSpec` names them, and the section that holds them."""
IN_BODY = {"joints": ("joint", "freejoint"), "geoms": ("geom",), "sites": ("site",)}
TAGS = {
    "pairs": ("pair",),
    "excludes": ("exclude",),
    "meshes": ("mesh",),
    "materials": ("material",),
    "bodies": ("body", "worldbody"),
}


@dataclass(frozen=True)
class MjcfPlaces:
    """The source of each element, by kind (`bodies`, `joints`, …) and number in the model."""

    root: Source
    sources: dict[str, tuple[Source, ...]]

    @staticmethod
    def of(tree: Node, spec: Any) -> MjcfPlaces:
        """`tree`: the document with what it includes in its place; `spec`: the `MjSpec` made of it, compiled."""
        bodies = list(_bodies(tree))
        nodes: dict[str, list[Node]] = {"bodies": bodies}
        for kind, tags in IN_BODY.items():
            nodes[kind] = [node for body in bodies for node in _held(body) if node.tag in tags]
        for kind, section in SECTIONS.items():
            nodes[kind] = [node for owner in tree.all(section) for node in owner.children]
        every = list(tree.walk())
        for kind in ("pairs", "excludes", "meshes", "materials"):
            owner = "contact" if kind in ("pairs", "excludes") else "asset"
            nodes[kind] = [node for part in tree.all(owner) for node in part.children if node.tag in TAGS[kind]]
        found = {}
        for kind, written in nodes.items():
            elements = list(getattr(spec, kind))
            if len(elements) == len(written):
                found[kind] = tuple(node.source for node in written)
            else:
                known = {*TAGS.get(kind, ()), *(node.tag for node in written)}
                alike = [node for node in every if node.tag in known]
                found[kind] = tuple(_guess(element, alike, tree.source) for element in elements)
        return MjcfPlaces(tree.source, found)

    def of_kind(self, kind: str, index: int) -> Source:
        """The place of an element; that of the document where it is not known."""
        sources = self.sources.get(kind, ())
        return sources[index] if 0 <= index < len(sources) else self.root


def _bodies(tree: Node) -> Iterator[Node]:
    """The world, then all bodies, each before those in it."""
    worlds = tree.all("worldbody")
    if not worlds:
        return
    world = worlds[0].copy()
    for more in worlds[1:]:
        world.children += more.children
    yield from _below(world)


def _below(body: Node) -> Iterator[Node]:
    yield body
    for node in _held(body):
        if node.tag == "body":
            yield from _below(node)


def _held(body: Node) -> Iterator[Node]:
    """What a body holds, also by frames."""
    for node in body.children:
        if node.tag in BRANCHES:
            yield from _held(node)
        else:
            yield node


def _guess(element: Any, alike: list[Node], root: Source) -> Source:
    line = _LINE.search(element.info or "")
    number = int(line[1]) if line is not None else 0
    named = [node for node in alike if element.name and node.attributes.get("name") == element.name]
    placed = [node for node in alike if number and node.source.line == number]
    return next((node.source for node in (*named, *placed)), root)
