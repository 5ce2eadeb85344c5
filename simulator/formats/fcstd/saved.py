"""Objects of a FreeCAD document, as `Document.xml` has them: types, names and properties.

Source: FreeCAD's classes Document::Save and Property…::Save. Lengths are in millimetres there, angles in degrees."""

from __future__ import annotations

import math
import zipfile
from dataclasses import field
from io import BytesIO
from typing import TYPE_CHECKING

from simulator.formats.asmt.items import AsmtError
from simulator.formats.files import RefusedError, read_regular
from simulator.formats.xml import MAX_BYTES, parse_bytes
from simulator.records import dataclass
from simulator.spatial.pose import IDENTITY, Pose

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.files import Budget
    from simulator.formats.nodes import Node

MILLIMETRE = 1e-3
CONTENT = "Document.xml"
UNIT = 1e-6
"""How far the square of a quaternion may be from 1."""


@dataclass(frozen=True)
class Reference:
    """A place in an object: the object's name, the file that it is in ("" for the same), and paths below it."""

    name: str
    file: str = ""
    paths: tuple[str, ...] = ()


@dataclass
class Saved:
    """An object: its `properties` by name."""

    name: str
    kind: str
    line: int
    properties: dict[str, Node] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What the user sees."""
        return self._value("Label") or self.name

    def has(self, name: str) -> bool:
        """Whether it has a property of that name."""
        return name in self.properties

    def is_set(self, name: str, default: bool = False) -> bool:
        """A property that is true or false."""
        return self._value(name) == "true" if self.has(name) else default

    def number(self, name: str) -> float:
        """A finite number, 0 where there is none. Raises AsmtError for what is no number."""
        try:
            value = float(self._value(name) or 0.0)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise AsmtError(self.line, f"{name} of '{self.label}' is no finite number")
        return value

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """One of an enumeration; `choices` where the file has no list of its own; "" for none."""
        own = self.properties[name].child("CustomEnumList") if self.has(name) else None
        words = choices if own is None else tuple(item.attributes.get("value", "") for item in own.children)
        place = int(self.number(name))
        return words[place] if 0 <= place < len(words) else ""

    def pose(self, name: str = "Placement") -> Pose:
        """A placement [m]. Raises AsmtError where its rotation is none."""
        node = self.properties[name].child("PropertyPlacement") if self.has(name) else None
        if node is None:
            return IDENTITY
        try:
            x, y, z, *turn = (float(node.attributes[key]) for key in ("Px", "Py", "Pz", "Q0", "Q1", "Q2", "Q3"))
        except (KeyError, ValueError):
            raise AsmtError(self.line, f"{name} of '{self.label}' is no placement") from None
        a, b, c, d = turn
        size = math.sqrt(a * a + b * b + c * c + d * d)
        if not (abs(size - 1.0) < UNIT and all(map(math.isfinite, (x, y, z)))):
            raise AsmtError(self.line, f"{name} of '{self.label}' is no placement")
        place = (MILLIMETRE * x, MILLIMETRE * y, MILLIMETRE * z)
        return Pose(place, (a / size, b / size, c / size, d / size))

    def reference(self, name: str) -> Reference | None:
        """What a link points at; None where it points at nothing."""
        node = next(iter(self.properties[name].children), None) if self.has(name) else None
        if node is None:
            return None
        target = node.attributes.get("name", node.attributes.get("value", ""))
        paths = [child.attributes.get("value", "") for child in node.children if child.tag == "Sub"]
        if "sub" in node.attributes:
            paths.insert(0, node.attributes["sub"])
        return Reference(target, node.attributes.get("file", ""), tuple(paths)) if target else None

    def members(self) -> list[str]:
        """Names of the objects in its group."""
        node = self.properties["Group"].child("LinkList") if self.has("Group") else None
        return [] if node is None else [item.attributes.get("value", "") for item in node.children]

    def _value(self, name: str) -> str:
        node = next(iter(self.properties[name].children), None) if self.has(name) else None
        return "" if node is None else node.attributes.get("value", "")


def read_saved(path: Path, log: DiagnosticLog, budget: Budget | None) -> dict[str, Saved]:
    """Objects by name, in the order of the file. Raises AsmtError for a file that cannot be used."""
    try:
        with zipfile.ZipFile(BytesIO(read_regular(path, MAX_BYTES, budget))) as archive:
            size = archive.getinfo(CONTENT).file_size
            if size > MAX_BYTES:
                raise AsmtError(1, f"{CONTENT} in it has {size} bytes; at most {MAX_BYTES} are read")
            data = archive.read(CONTENT)
    except (OSError, RefusedError) as error:
        raise AsmtError(1, f"'{path}' cannot be read: {error}") from error
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, EOFError) as error:
        raise AsmtError(1, f"it is no document of FreeCAD, a ZIP with a {CONTENT}: {error}") from error
    parsed = parse_bytes(data, str(path), log)
    if parsed is None:
        raise AsmtError(1, f"{CONTENT} in it cannot be read")
    objects = {
        node.attributes.get("name", ""): Saved(node.attributes.get("name", ""), node.attributes.get("type", ""), 1)
        for node in _children(parsed.root, "Objects", "Object")
    }
    for node in _children(parsed.root, "ObjectData", "Object"):
        found = objects.get(node.attributes.get("name", ""))
        if found is not None:
            found.line = node.source.line
            found.properties = {
                item.attributes.get("name", ""): item for item in _children(node, "Properties", "Property")
            }
    return objects


def _children(node: Node, tag: str, of: str) -> list[Node]:
    found = node.child(tag)
    return [] if found is None else [child for child in found.children if child.tag == of]
