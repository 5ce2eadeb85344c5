"""Parts of a document that can be changed: elements with names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.building.schema import (
    QUATERNION,
    Said,
    elements_allowed,
    numbers,
    require_attribute,
    require_element,
    value_text,
)
from simulator.errors import UnknownNameError, UsageError
from simulator.formats.editing.nodes import add_node, declare_namespaces
from simulator.formats.editing.tree import EditableElement
from simulator.formats.nodes import Node
from simulator.formats.writing.elements import exact_rpy
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from collections.abc import Sequence

POSE = 6


class PartDraft:
    """An element of a document. Paths name what is inside: `axis/limit/lower`, `visual[pin]/material/diffuse` for the
    one of several that has that name, `@type` and `pose@relative_to` for attributes."""

    def __init__(self, element: EditableElement) -> None:
        self._element = element

    @property
    def element(self) -> EditableElement:
        """Its element."""
        return self._element

    def __repr__(self) -> str:
        return f"<{self.element.tag}> '{self.name}'"

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """Its name in the document."""
        return self.element.get("name")

    def get(self, path: str) -> str:
        """The text of an element or attribute; "" where it is not there. Raises UnknownNameError for a path that no
        document has."""
        found = self._found(path)
        if found is None:
            return ""
        element, attribute = found
        return element.get(attribute) if attribute else element.text

    def set(self, path: str, value: Said) -> None:
        """Change a text or an attribute; elements on the way to it are added. Raises UnknownNameError for a path that
        no document has, and lists what there is."""
        element, attribute = self._made(path)
        text = value_text(value)
        if attribute:
            element.set(attribute, text)
        elif isinstance(value, Pose):
            _write_pose(element, value)
        else:
            element.text = text

    def add(self, tag: str, text: Said = "", **attributes: Said) -> PartDraft:
        """Add an element that may be repeated, a `<plugin>` or a `<visual>`; names of attributes with a colon are
        written with two underscores. Raises UnknownNameError for what has no place there."""
        require_element(self.element, tag)
        named = {name.replace("__", ":"): value_text(value) for name, value in attributes.items()}
        declare_namespaces(self.element, (tag, *named))
        made = self.element.add(tag, value_text(text), {})
        for name, value in named.items():
            require_attribute(made, name)
            made.set(name, value)
        return PartDraft(made)

    def remove(self, path: str) -> None:
        """Remove an element or attribute, if it is there. Raises UnknownNameError for a path that no document has."""
        found = self._found(path)
        if found is None:
            return
        element, attribute = found
        if attribute:
            element.unset(attribute)
        elif element.parent is not None:
            element.parent.remove(element)

    def put(self, node: Node) -> EditableElement:
        """Add what a writer made."""
        require_element(self.element, node.tag)
        return add_node(self.element, node)

    def put_before(self, node: Node, tags: Sequence[str]) -> EditableElement:
        """As `put`, before the first element of some names."""
        require_element(self.element, node.tag)
        later = next((child for child in self.element.elements if child.tag in tags), None)
        return add_node(self.element, node, before=later)

    def comment(self, text: str) -> None:
        """Add a comment at the end. Raises UsageError for two hyphens in a row."""
        self.element.add_comment(text)

    def place(self, pose: Pose | Sequence[float], relative_to: str = "") -> None:
        """Set `<pose>`: a `Pose`, or x, y, z [m] and roll, pitch, yaw [rad], which may be left out."""
        element = self.element.child("pose")
        if element is None:
            first = next(iter(self.element.elements), None)
            element = self.element.add("pose", before=first)
        if isinstance(pose, Pose):
            _write_pose(element, pose)
        else:
            element.text = value_text(tuple(_six(pose)))
            element.unset("rotation_format")
        if relative_to:
            element.set("relative_to", relative_to)
        else:
            element.unset("relative_to")

    def _found(self, path: str) -> tuple[EditableElement, str] | None:
        tags, attribute = _split(path)
        element: EditableElement | None = self.element
        owner = self.element
        for tag, name in tags:
            if element is None:
                return None
            owner = element
            require_element(owner, tag)
            element = _child(owner, tag, name)
        if element is None:
            return None
        if attribute:
            require_attribute(element, attribute)
        return element, attribute

    def _made(self, path: str) -> tuple[EditableElement, str]:
        tags, attribute = _split(path)
        self._check(path, tags, attribute)
        element = self.element
        inline = False
        for tag, name in tags:
            child = _child(element, tag, name)
            if child is None:
                declare_namespaces(element, (tag,))
                child = element.add(tag, "", {"name": name} if name else None, inline=inline)
                inline = True
            element = child
        return element, attribute

    def _check(self, path: str, tags: Sequence[tuple[str, str]], attribute: str) -> None:
        """Refuse what no document has, before anything is added."""
        element = self.element
        for tag, name in tags:
            require_element(element, tag)
            child = _child(element, tag, name)
            if child is None:
                child = EditableElement(tag, f"<{tag}/>", "")
                child.parent = element
            element = child
        if attribute:
            require_attribute(element, attribute)
        if not tags and "@" not in path:
            raise UsageError(f"'{path}' names no element; there are: {', '.join(sorted(elements_allowed(element)))}")


def _split(path: str) -> tuple[list[tuple[str, str]], str]:
    """Tags with the names of those that are one of several, and an attribute or ""."""
    inside, _, attribute = path.partition("@")
    found = []
    for part in inside.split("/"):
        tag, bracket, rest = part.partition("[")
        if tag:
            found.append((tag, rest.removesuffix("]") if bracket else ""))
    return found, attribute


def _child(element: EditableElement, tag: str, name: str) -> EditableElement | None:
    if not name:
        return element.child(tag)
    return next((child for child in element.all(tag) if child.get("name") == name), None)


def _six(pose: Sequence[float]) -> tuple[float, ...]:
    count = 3 if len(pose) == 3 else POSE
    return (*numbers(pose, count, "a pose"), *((0.0,) * (POSE - count)))


def _write_pose(element: EditableElement, pose: Pose) -> None:
    angles = exact_rpy(pose.orientation)
    if angles is None:
        element.set("rotation_format", QUATERNION)
        element.text = value_text(pose)
    else:
        element.unset("rotation_format")
        element.text = value_text((*pose.position, *angles))


def require_free(name: str, taken: Sequence[str], what: str) -> None:
    """Raise UsageError for a name that is taken, reserved or empty."""
    if not name or "::" in name or name == "world" or (name.startswith("__") and name.endswith("__")):
        raise UsageError(f"'{name}' is no name for a {what}: it is empty, reserved or has '::' in it")
    if name in taken:
        raise UsageError(f"there is a '{name}' already; names in use: {', '.join(sorted(taken))}")


def one_of(name: str, known: Sequence[str], kind: str) -> str:
    """The name, if it is there. Raises UnknownNameError, which lists those that are."""
    if name not in known:
        raise UnknownNameError(kind, name, known)
    return name
