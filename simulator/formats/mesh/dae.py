"""COLLADA files, made ready for pycollada, and the names of their parts."""

from __future__ import annotations

import copy
import io
from collections import defaultdict
from typing import TYPE_CHECKING

import collada
from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Iterable

PAINT = ("asset", "library_images", "library_effects", "library_materials")
"""The parts of a file that contain its materials."""
END = "␟"
"""Ends the id of a geometry: trimesh appends a number to it for all but the first piece."""
_USERS = {"instance_geometry": "url", "skin": "source", "morph": "source"}
"""Elements that name a geometry, and the attribute in which they do."""


class DaeFile:
    """`data` is the file without its uses of materials that cannot be read, because they need an image that is nowhere,
    say: pycollada would leave out every geometry that has one. Ids of geometries end with `END` in it."""

    def __init__(self, data: bytes) -> None:
        # Assimp, and with it RViz and Gazebo, passes over what stands before the declaration.
        root = etree.fromstring(data.lstrip(), etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
        _leave_out_broken_materials(root)
        self._titles: dict[str, str] = {}
        """Names of geometries by their ids."""
        self._nodes: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        """Names and ids of the nodes that show a geometry, by its id, in the order of the file."""
        self._name_geometries(root)
        self.data = etree.tostring(root)

    def _name_geometries(self, root: etree._Element) -> None:
        for geometry in root.iter("{*}geometry"):
            name = geometry.get("id", "")
            self._titles[name] = geometry.get("name", "")
            geometry.set("id", name + END)
        for tag, attribute in _USERS.items():
            for user in root.iter(f"{{*}}{tag}"):
                name = user.get(attribute, "").removeprefix("#")
                if name not in self._titles:
                    continue
                user.set(attribute, f"#{name}{END}")
                if tag == "instance_geometry":
                    named = (node for node in user.iterancestors("{*}node") if node.get("name") or node.get("id"))
                    node = next(named, user)  # 3ds Max puts a node without a name between
                    self._nodes[name].append((node.get("name", ""), node.get("id", "")))

    def labels(self, pieces: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """The names of every piece that trimesh makes, by its key: that of its node, by which Gazebo knows it,
        the id of the node, the id and the name of its geometry.

        `pieces`: in the order in which trimesh makes them, which is that of the nodes; each node that shows a geometry
        has the same number of pieces of it.
        """
        of_geometry: defaultdict[str, list[str]] = defaultdict(list)
        for key in pieces:
            of_geometry[key.rpartition(END)[0]].append(key)
        labels: dict[str, tuple[str, ...]] = {}
        for name, keys in of_geometry.items():
            nodes = self._nodes[name]
            each = len(keys) // len(nodes) if nodes and len(keys) % len(nodes) == 0 else 0
            for i, key in enumerate(keys):
                node = nodes[i // each] if each else ("", "")
                labels[key] = (*node, name, self._titles.get(name, ""))
        return labels


def _leave_out_broken_materials(root: etree._Element) -> None:
    uses = list(root.iter("{*}instance_material"))
    if not uses:
        return
    paint = etree.Element(root.tag)
    parts = root.iterchildren("{*}*")  # not its comments
    paint.extend(copy.deepcopy(part) for part in parts if etree.QName(part).localname in PAINT)
    known = collada.Collada(io.BytesIO(etree.tostring(paint)), ignore=[collada.common.DaeError]).materials
    for use in uses:
        owner = use.getparent()
        if owner is not None and use.get("target", "").removeprefix("#") not in known:
            owner.remove(use)
