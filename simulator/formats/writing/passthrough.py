"""What the model does not hold is taken over from the tree that it was read from.

Plugins, sensors, lights, elements of other programs (`mysim:x`) and settings of other engines come along as they are.
Poses and axes are taken over with the frame that the document gives them in, so that they stay readable and are read
back to the last bit; the model has them in the world frame. Which elements the model holds is what the vocabulary calls
read.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.formats.sdf.extensions import (
    ARMATURE,
    CABLE,
    CONSTRAINT,
    COUPLING,
    DRIVE,
    EXCLUDE,
    GRAVITY,
    LAWS,
    LOAD,
    PARAMETER,
    PARENT_POSE,
    RUBBING,
    SPRING,
    TORSION_SPRING,
    WITHOUT_MASS,
)
from simulator.formats.sdf.joint import AXIS_TAGS
from simulator.formats.sdf.vocabulary import CHILDREN, REPEATABLE, SDFORMAT
from simulator.formats.values import numbers_text, parse_numbers
from simulator.formats.vocabulary import NONE
from simulator.formats.writing.elements import exact_rpy
from simulator.spatial.rotation import quat_normalized

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.formats.nodes import Node
    from simulator.formats.resources import Resources
    from simulator.formats.writing.uris import Uris

# An inertial that asks to be computed (auto="true") comes along too, so that it still follows its shapes.
AS_THEY_ARE = frozenset(
    {("inertial", "density"), ("collision", "density"), ("material", "script"), ("material", "pbr")}
)
"""Elements that are read, but leave nothing in the model: they come along."""
WHOLE = frozenset({"physics", "ros2_control", "transmission"})
"""Elements of a world or model that replace what the model makes of them: a world has several profiles, a block its
sensors."""
WRITTEN = (
    {ARMATURE, CABLE, CONSTRAINT, DRIVE, EXCLUDE, GRAVITY, LOAD, PARAMETER, SPRING, TORSION_SPRING}
    | COUPLING
    | LAWS
    | RUBBING
)
"""Elements of our own that the model holds."""
FROM_MODEL = frozenset({"name", "canonical_link", "version", "auto", "merge"})
"""Attributes that are the model's."""
QUATERNION_POSE = 7
MADE_BY_FRAME = frozenset({"attached_to", "placement_frame"})


class Carrier:
    """Takes over from `source` files that `resources` finds beside them; `uris` knows the folder of the result."""

    def __init__(self, resources: Resources, uris: Uris) -> None:
        self._resources, self._uris = resources, uris
        self.lost: list[Node] = []
        """Elements that the model has renamed or replaced, with something inside that it does not hold."""

    def pass_through(self, source: Node, target: Node, parent: str = "") -> None:
        """Complete `target`, which the model made, by what `source` says besides. `parent` is the tag of the element
        around both."""
        known = SDFORMAT.words_in(source.tag, parent)
        target.source = source.source
        self._attributes(source, target)
        _place(source, target)
        target.children = [child for child in target.children if not _replaced(child, source)]
        for child in _counting(source):
            word = known.get(child.tag)
            if child.tag in WRITTEN or child.tag in ("pose", "xyz"):
                continue
            if word is None and not child.is_user_data:
                continue  # unknown, and the reader has said so
            if word is None or not word.read or self._is_whole(source, child):
                self._take(child, target)
            elif child.tag in CHILDREN or f"{source.tag}/{child.tag}" in CHILDREN:
                self._inside(child, target)

    def _is_whole(self, source: Node, child: Node) -> bool:
        automatic = child.tag == "inertial" and "auto" in child.attributes
        return (source.tag, child.tag) in AS_THEY_ARE or (source.tag == "world" and child.tag in WHOLE) or automatic

    def _inside(self, child: Node, target: Node) -> None:
        partner = _partner(child, target)
        if partner is not None:
            self.pass_through(child, partner, target.tag)
            return
        if "name" in child.attributes or child.tag in (*AXIS_TAGS, "inertial", "mimic"):
            if any(part.is_user_data or not _is_read(part, child) for part in child.children):
                self.lost.append(child)
            return  # renamed or replaced: the model knows better
        made = child.with_text(child.tag, "")
        self.pass_through(child, made, target.tag)
        if made.children:
            target.children.append(made)

    def _take(self, child: Node, target: Node) -> None:
        copy = child.copy()
        for node in copy.walk():
            if (node.tag == "uri" or node.tag.endswith("_map")) and node.text:
                found = self._resources.find(node.text, Path(node.source.file).parent)
                node.text = self._uris.of_file(node.text, "" if found is None else str(found))
        if child.tag not in REPEATABLE and not child.is_user_data:
            target.children = [node for node in target.children if node.tag != child.tag]
        place = _place_of_physics(target) if child.tag == "physics" else len(target.children)
        target.children.insert(place, copy)

    def _attributes(self, source: Node, target: Node) -> None:
        known = SDFORMAT.attribute_names.get(source.tag, NONE)
        for name, value in source.attributes.items():
            if name in FROM_MODEL or (":" not in name and name not in known):
                continue
            if name == WITHOUT_MASS and value == "estimate":  # what was computed is written
                continue
            if name not in target.attributes:
                target.attributes[name] = value


def _is_read(child: Node, parent: Node) -> bool:
    word = CHILDREN.get(parent.tag, {}).get(child.tag)
    return word is None or word.read


def _place_of_physics(world: Node) -> int:
    """Behind the other profiles, before models: the first one counts where none is marked."""
    first = next((i for i, node in enumerate(world.children) if node.tag in ("model", "joint", "frame")), None)
    return len(world.children) if first is None else first


def _counting(source: Node) -> Iterator[Node]:
    """The children that count: of an element that may occur only once, the first."""
    seen = set()
    for child in source.children:
        if child.tag in REPEATABLE or child.is_user_data or child.tag in WHOLE or child.tag not in seen:
            yield child
        seen.add(child.tag)


def _replaced(child: Node, source: Node) -> bool:
    """Whether something that the model made goes: blocks that come along whole, and what the document leaves to the
    reader."""
    if source.tag in ("world", "model"):
        return child.tag in WHOLE
    if child.tag == PARENT_POSE:
        return True  # comes along as it is
    if source.tag == "material":
        return source.child(child.tag) is None  # a script says it, and comes along whole
    left_to_reader = child.tag == "geometry" or (child.tag in AXIS_TAGS and child.child("mimic") is None)
    return left_to_reader and source.child(child.tag) is None


def _partner(child: Node, target: Node) -> Node | None:
    """The element that the model made of `child`."""
    name = child.attributes.get("name")
    found = (node for node in target.children if node.tag == child.tag and node.attributes.get("name") in (name, None))
    return next(found, None)


def _place(source: Node, target: Node) -> None:
    """The pose and the direction of an axis as the document gives them."""
    if source.tag in ("sdf", "world"):
        return
    for name in MADE_BY_FRAME & {*source.attributes, *target.attributes}:
        if name in source.attributes:
            target.attributes[name] = source.attributes[name]
        else:
            del target.attributes[name]
    for tag in ("pose", "xyz"):
        if CHILDREN.get(source.tag, {}).get(tag) is None:
            continue
        target.children = [child for child in target.children if child.tag != tag]
        written = source.child(tag)
        if written is not None and (written.text or written.attributes):
            target.children.insert(0, _plain(written))


def _plain(written: Node) -> Node:
    """A pose or direction with its numbers in their shortest form and the attributes that are read."""
    node = written.with_text(written.tag, written.text)
    known = SDFORMAT.attribute_names[written.tag]
    node.attributes = {name: value for name, value in written.attributes.items() if name in known}
    with suppress(ValueError):
        numbers, _ = parse_numbers(written.text, len(written.text.split()))
        node.text = numbers_text(numbers)
        if node.attributes.get("rotation_format") == "quat_xyzw" and len(numbers) == QUATERNION_POSE:
            _in_angles(node, numbers)
    return node


def _in_angles(pose: Node, numbers: tuple[float, ...]) -> None:
    """Roll, pitch and yaw instead of a quaternion, where that changes nothing: the reader of URDF writes
    quaternions."""
    x, y, z, qx, qy, qz, qw = numbers
    angles = exact_rpy(quat_normalized((qx, qy, qz, qw)))
    if angles is not None:
        pose.text = numbers_text((x, y, z, *angles))
        del pose.attributes["rotation_format"]
