"""An `.FCStd` → the tree of an `<sdf>` element: the entrance of this room.

FreeCAD passes its assemblies to OndselSolver, joint by joint; so do we: the saved file becomes the assembly of an
`.asmt` with the same parts, and is converted like one (`formats.asmt`).

Source: FreeCAD 1.0, AssemblyObject::makeMbdJoint and AssemblyUtils (the part and the frame of a reference).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.diagnostics import Source
from simulator.formats.asmt.assembly import GROUND, AsmtAssembly, AsmtBody, Marker
from simulator.formats.asmt.convert import written
from simulator.formats.asmt.elements import NOT_READ
from simulator.formats.asmt.items import AsmtError, AsmtItem
from simulator.formats.asmt.kinds import ANGLE
from simulator.formats.fcstd.saved import MILLIMETRE, Saved, read_saved
from simulator.formats.fcstd.solids import solid_of
from simulator.spatial.inertia import sphere_moment
from simulator.spatial.pose import IDENTITY, Pose

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.fcstd.solids import Solid
    from simulator.formats.files import Budget
    from simulator.formats.xml import ParsedFile

ASSEMBLY, LINK, PART, BODY = "Assembly::AssemblyObject", "App::Link", "App::Part", "PartDesign::Body"
FRAMES = ("PartDesign::CoordinateSystem", "PartDesign::Plane", "PartDesign::Line", "PartDesign::Point")
GROUPS = ("App::DocumentObjectGroup", "Assembly::JointGroup", "Assembly::ViewGroup", "Assembly::BomGroup")
GRAVITY = (0.0, 0.0, -9.8)
"""FreeCAD has none: that of SDFormat."""
KINDS = (
    "Fixed", "Revolute", "Cylindrical", "Slider", "Ball", "Distance", "Parallel", "Perpendicular", "Angle",
    "RackPinion", "Screw", "Gears", "Belt",
)  # fmt: skip
READ = {
    "Fixed": "FixedJoint", "Revolute": "RevoluteJoint", "Cylindrical": "CylindricalJoint",
    "Slider": "TranslationalJoint", "Ball": "SphericalJoint", "Parallel": "ParallelAxesJoint",
    "Perpendicular": "PerpendicularJoint", "Angle": "AngleJoint",
    "Gears": "GearJoint", "Belt": "GearJoint", "Screw": "ScrewJoint",
}  # fmt: skip


def parse_freecad(path: Path, log: DiagnosticLog, budget: Budget | None = None) -> ParsedFile | None:
    """The tree of the file; None, with an error, where it cannot be used."""
    try:
        return written(path, _Reader(path, log, budget).assembly(), log)
    except AsmtError as error:
        hint = "save an assembly of FreeCAD's Assembly workbench, version 1.0 or later"
        log.error("PARSING_ERROR", Source(str(path), error.line), str(error), hint)
        return None


class _Reader:
    """One document, and those that its links lead to."""

    def __init__(self, path: Path, log: DiagnosticLog, budget: Budget | None) -> None:
        self._path, self._log, self._budget = path, log, budget
        self._documents = {path: read_saved(path, log, budget)}
        found = next((item for item in self._documents[path].values() if item.kind == ASSEMBLY), None)
        if found is None:
            raise AsmtError(1, "there is no assembly in the file")
        self._root = found
        item = AsmtItem("Assembly", found.line, [_valued("Name", found.label, found.line)])
        self._found = AsmtAssembly(found.label, item, GRAVITY)

    def assembly(self) -> AsmtAssembly:
        """All of it."""
        parts, others = self._members(self._root)
        labels = [part.label for part in parts]
        names = {part.name: part.label if labels.count(part.label) == 1 else part.name for part in parts}
        unknown = 0
        for part in parts:
            solid = solid_of(self._target(part, self._path)[0])
            unknown += solid is None
            self._found.bodies[names[part.name]] = _body(names[part.name], part, solid)
        if parts:
            self._say_masses(unknown, len(parts))
        for item in others:
            if item.has("ObjectToGround"):
                self._ground(item, names)
            elif item.has("JointType") and item.is_set("Activated", True) and not item.is_set("Suppressed"):
                self._joint(item, names)
            elif item.has("MotionType"):
                self._leave_out(item, "a motion is")
        return self._found

    def _say_masses(self, unknown: int, count: int) -> None:
        where = Source(str(self._path), self._root.line)
        message = f"FreeCAD saves no masses: {count - unknown} of {count} parts are taken as solids of 1000 kg/m^3"
        if unknown:
            message += f", {unknown}, whose shapes are not read, as 1 kg"
        hint = "convert it to SDFormat and write the masses there before relying on forces"
        self._log.warning("INERTIA_ESTIMATED", where, message, hint)

    def _members(self, group: Saved) -> tuple[list[Saved], list[Saved]]:
        """Parts that move as one, and joints and all else, of an assembly and the groups in it."""
        parts: list[Saved] = []
        others: list[Saved] = []
        seen = {group.name}
        pending = group.members()
        while pending:
            name = pending.pop(0)
            item = self._documents[self._path].get(name)
            if item is None or name in seen:
                continue
            seen.add(name)
            if item.kind in GROUPS:
                pending[:0] = item.members()
            elif item.kind in (LINK, PART, BODY, "Assembly::AssemblyLink", ASSEMBLY) or item.kind.startswith("Part::"):
                parts.append(item)
            else:
                others.append(item)
                pending += item.members()
        return parts, others

    def _target(self, item: Saved, path: Path) -> tuple[Saved, Path]:
        """What a link shows, and the document that has it; any other object itself."""
        for _ in range(8):  # links to links
            reference = item.reference("LinkedObject") if item.kind == LINK else None
            if reference is None:
                break
            if reference.file:
                path = path.parent / reference.file
                if path not in self._documents:
                    self._documents[path] = read_saved(path, self._log, self._budget)
            if reference.name not in self._documents[path]:
                raise AsmtError(item.line, f"'{item.label}' links to '{reference.name}', which does not exist")
            item = self._documents[path][reference.name]
        return item, path

    def _side(self, joint: Saved, side: str) -> tuple[Saved, Pose]:
        """The part that one side of a joint moves, and the frame in it. Raises AsmtError where there is none."""
        reference = joint.reference(f"Reference{side}")
        if reference is None or not reference.paths:
            raise AsmtError(joint.line, f"joint '{joint.label}' has no Reference{side}")
        names = [reference.name, *reference.paths[0].split(".")][:-1]
        below = names[names.index(self._root.name) + 1 :] if self._root.name in names else names
        document = self._path
        moving, X, solid = None, IDENTITY, False
        for name in below:
            item = self._documents[document].get(name)
            if item is None or item.kind in GROUPS or (solid and item.kind not in FRAMES):
                continue
            X = X if moving is None else X @ item.pose()
            moving = moving or item
            target, document = self._target(item, document)
            solid = solid or target.kind == BODY or target.kind.startswith("Part::")
        if moving is None:
            raise AsmtError(joint.line, f"Reference{side} of joint '{joint.label}' names no part of the assembly")
        return moving, X @ joint.pose(f"Placement{side}")

    def _ground(self, item: Saved, names: dict[str, str]) -> None:
        reference = item.reference("ObjectToGround")
        if reference is not None and reference.name in names:
            body = self._found.bodies[names[reference.name]]
            markers = Marker(GROUND, body.X_WB), Marker(body.name, IDENTITY)
            self._add("FixedJoint", item, f"ground_{body.name}", markers)

    def _joint(self, joint: Saved, names: dict[str, str]) -> None:
        kind = joint.choice("JointType", KINDS)
        distance = MILLIMETRE * joint.number("Distance")
        read = READ.get(kind, "")
        more = {}
        if kind in ("Gears", "Belt"):
            other = MILLIMETRE * joint.number("Distance2")
            more = {"radiusI": distance, "radiusJ": other if kind == "Gears" else -other}
        elif kind == "Screw":
            more = {"pitch": distance}
        elif kind == "Distance" and _is_between_points(joint):
            read = "SphSphJoint" if distance > 0.0 else "SphericalJoint"
            more = {"distanceIJ": distance}
        elif kind == "Angle":
            more = {ANGLE: math.radians(abs(joint.number("Distance")))}
        if not read:
            self._leave_out(joint, f"a joint of type {kind or 'unknown'} is")
            return
        sides = [self._side(joint, side) for side in "12"]
        lost = next((part for part, _ in sides if part.name not in names), None)
        if lost is not None:
            raise AsmtError(joint.line, f"joint '{joint.label}' holds '{lost.label}', which is no part of the assembly")
        one, other_side = (Marker(names[part.name], X) for part, X in sides)
        taken = {item.name for item in self._found.joints}
        name = joint.label if joint.label not in taken else joint.name
        self._add(read, joint, name, (one, other_side), more)
        if kind in ("Slider", "Cylindrical"):
            self._limit(joint, name, "Length", "TranslationLimit", MILLIMETRE)
        if kind in ("Revolute", "Cylindrical"):
            self._limit(joint, name, "Angle", "RotationLimit", math.pi / 180.0)

    def _add(
        self, kind: str, of: Saved, name: str, markers: tuple[Marker, Marker], more: dict[str, float] | None = None
    ) -> None:
        paths = tuple(f"/{name}/{side}" for side in "IJ")
        self._found.markers.update(zip(paths, markers, strict=True))
        values = {"Name": name, "MarkerI": paths[0], "MarkerJ": paths[1]}
        values |= {key: repr(value) for key, value in (more or {}).items()}
        items = [_valued(key, value, of.line) for key, value in values.items()]
        self._found.joints.append(AsmtItem(kind, of.line, items))

    def _limit(self, joint: Saved, name: str, what: str, kind: str, unit: float) -> None:
        bounds = {
            end: unit * joint.number(f"{what}{end}") for end in ("Min", "Max") if joint.is_set(f"Enable{what}{end}")
        }
        if len(bounds) == 2 and bounds["Min"] > bounds["Max"]:  # as FreeCAD does
            bounds = {"Min": bounds["Max"], "Max": bounds["Min"]}
        for end, bound in bounds.items():
            values = {"Name": f"{name}_{end}", "MotionJoint": name, "limit": repr(bound)}
            values |= {"type": "=>" if end == "Min" else "=<"}
            items = [_valued(key, value, joint.line) for key, value in values.items()]
            self._found.limits.append(AsmtItem(kind, joint.line, items))

    def _leave_out(self, item: Saved, what: str) -> None:
        where = Source(str(self._path), item.line)
        self._log.warning(NOT_READ, where, f"{what} not read: '{item.label}'", fold=what, about=item.label)


def _is_between_points(joint: Saved) -> bool:
    """Whether both sides of a joint name a vertex."""
    references = [joint.reference(f"Reference{side}") for side in "12"]
    paths = [item.paths[0] if item is not None and item.paths else "" for item in references]
    return all(path.rpartition(".")[2].startswith("Vertex") for path in paths)


def _body(name: str, part: Saved, solid: Solid | None) -> AsmtBody:
    none = (0.0, 0.0, 0.0)
    if solid is None:
        moments = (sphere_moment(1.0),) * 3
        return AsmtBody(name, part.pose(), 1.0, moments, IDENTITY, none, none, AsmtItem(name, part.line))
    mass, moments, X_BM, sketch = solid
    item = AsmtItem(name, part.line, [AsmtItem("FeatureOrder", part.line, [sketch])])
    return AsmtBody(name, part.pose(), mass, moments, X_BM, none, none, item)


def _valued(name: str, value: str, line: int) -> AsmtItem:
    return AsmtItem(name, line, [AsmtItem(value, line)])
