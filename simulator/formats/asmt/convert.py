"""An `.asmt` → the tree of an `<sdf>` element: the entrance of this room.

Parts are placed anew from the ground outwards, so that the joints of a tree are exact, as the solver would assemble
them; what closes loops keeps the markers of both sides, and is closed before anything moves. Positions of joints are
zero where the document has its parts.
"""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from simulator.diagnostics import Source
from simulator.formats.asmt.assembly import GROUND, AsmtAssembly, is_without_mass, read_assembly
from simulator.formats.asmt.chains import MEET, AsmtChain, Chains
from simulator.formats.asmt.drives import Drives, is_translation
from simulator.formats.asmt.elements import MODEL, NOT_READ, inertial, pose
from simulator.formats.asmt.formulas import AsmtFormulaError, read_formula
from simulator.formats.asmt.items import AsmtError, tree_of
from simulator.formats.asmt.kinds import ANGLE, BARS, CHAINS, GENERAL, PARALLEL, Z, nearest
from simulator.formats.asmt.pictures import shapes_of
from simulator.formats.files import Budget, RefusedError, read_regular
from simulator.formats.nodes import Node
from simulator.formats.sdf.extensions import SPRING
from simulator.formats.values import number_text, numbers_text
from simulator.formats.xml import MAX_BYTES, ParsedFile
from simulator.spatial.pose import IDENTITY, Pose

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.asmt.assembly import AsmtBody
    from simulator.formats.asmt.items import AsmtItem
    from simulator.spatial.rotation import Vec3

TOKEN = 1e-6
ALIGNED = 1e-6
"""Sine between axes below which a loop moves in a plane across them."""


def parse_assembly(path: Path, log: DiagnosticLog, budget: Budget | None = None) -> ParsedFile | None:
    """The tree of the file; None, with an error, where it cannot be used."""
    where = Source(str(path), 1)
    try:
        text = read_regular(path, MAX_BYTES, budget).decode("utf-8", errors="replace")
    except (OSError, RefusedError) as error:
        log.error("FILE_READ", where, f"'{path}' cannot be read: {error}")
        return None
    item = tree_of(text)
    if item is None:
        message = "there is no Assembly in the file"
        log.error("PARSING_ERROR", where, message, "export it from FreeCAD's assembly workbench as ASMT")
        return None
    try:
        return written(path, read_assembly(item), log)
    except AsmtError as error:
        log.error("PARSING_ERROR", Source(str(path), error.line), str(error))
        return None


def written(path: Path, assembly: AsmtAssembly, log: DiagnosticLog) -> ParsedFile:
    """The tree of an assembly that the file at `path` has. Raises AsmtError for what cannot be used."""
    return ParsedFile(_Writer(path, assembly, log).world(), title=assembly.name)


class _Writer:
    """One assembly on its way."""

    def __init__(self, path: Path, assembly: AsmtAssembly, log: DiagnosticLog) -> None:
        self._path = path
        self._assembly = assembly
        self._log = log
        self._placed: dict[str, Pose] = {GROUND: IDENTITY}
        self._reached: dict[str, tuple[AsmtItem, str]] = {}
        self._chains = Chains(self._source, _token(assembly), {*assembly.bodies}, self._placed)

    def world(self) -> Node:
        """The whole document."""
        assembly = self._assembly
        read = [joint for joint in assembly.joints if self._is_read(joint)]
        read += [motion for motion in assembly.motions if motion.text == GENERAL and is_translation(motion)]
        tree = self._place(read)
        for joint in read:
            self._join(joint, tree.get(joint.line))
        nodes = [self._link(name) for name in assembly.bodies]
        nodes += [*self._chains.links, *self._chains.joints]
        if self._chains.links:
            count = len(self._chains.links)
            message = f"{count} links between joints have a millionth of the mass of the lightest part"
            self._log.info("INERTIA_ESTIMATED", self._source(assembly.item.line), message)
        drives = Drives(assembly, self._chains.made, self._placed, self._source, self._log)
        drives.couple()
        drives.limit()
        source = self._source(assembly.item.line)
        driven, state = drives.nodes()
        model = Node("model", source, {"name": MODEL}, children=[*nodes, *state])
        gravity = Node("gravity", source, text=numbers_text(assembly.gravity))
        springs = [spring for spring in map(self._spring, assembly.forces) if spring is not None]
        for item in assembly.others:
            self._leave_out(item, "general constraints are")
        if is_without_mass(assembly):
            message = "all parts have mass 1 and moments of inertia 1, which FreeCAD writes where it knows none"
            hint = "give the parts masses before relying on forces; FreeCAD's lengths are millimetres, taken as metres"
            self._log.warning("INERTIA_ESTIMATED", source, message, hint)
        children = [gravity, model, *springs, *driven]
        world = Node("world", source, {"name": assembly.name.replace("::", "_")}, children=children)
        return Node("sdf", source, {"version": "1.12"}, children=[world])

    def _is_read(self, joint: AsmtItem) -> bool:
        if joint.text == "AngleJoint" and (joint.child(ANGLE) is None or abs(math.sin(joint.number(ANGLE))) < PARALLEL):
            joint.text = "ParallelAxesJoint"
        if joint.text in CHAINS:
            return True
        if joint.text not in ("GearJoint", "RackPinionJoint", "ScrewJoint"):
            self._leave_out(joint, f"a {joint.text} is")
        return False

    def _leave_out(self, item: AsmtItem, what: str) -> None:
        self._log.warning(
            NOT_READ, self._source(item.line), f"{what} not read: '{item.name}'", fold=item.text, about=item.name
        )

    def _place(self, joints: list[AsmtItem]) -> dict[int, str]:
        """Put bodies where the joints of a tree want them; returns from which body each of those joints goes, by its
        line."""
        bodies: dict[str, AsmtBody] = self._assembly.bodies
        tree: dict[int, str] = {}
        pending = deque([GROUND])
        roots = iter(list(bodies))
        while True:
            while pending:
                known = pending.popleft()
                for joint in joints:
                    other = self._beyond(joint, known)
                    if other is None or other in self._placed:
                        continue
                    self._placed[other] = self._wanted(joint, known, other)
                    tree[joint.line] = known
                    self._reached[other] = joint, known
                    pending.append(other)
            root = next((name for name in roots if name not in self._placed), None)
            if root is None:
                return tree
            self._placed[root] = bodies[root].X_WB
            pending.append(root)

    def _beyond(self, joint: AsmtItem, known: str) -> str | None:
        ends = self._assembly.marker(joint, "MarkerI").body, self._assembly.marker(joint, "MarkerJ").body
        if known not in ends or ends[0] == ends[1]:
            return None
        return ends[1] if ends[0] == known else ends[0]

    def _wanted(self, joint: AsmtItem, known: str, other: str) -> Pose:
        """Where the body beyond a joint is: as near to the document as the joint lets it."""
        bodies = self._assembly.bodies
        i = self._assembly.marker(joint, "MarkerI")
        j = self._assembly.marker(joint, "MarkerJ")
        before = IDENTITY if known == GROUND else bodies[known].X_WB
        carried = self._placed[known] @ before.inverse() @ (IDENTITY if other == GROUND else bodies[other].X_WB)
        at_known, at_other = (i, j) if i.body == known else (j, i)
        X_KO = (self._placed[known] @ at_known.X_BK).inverse() @ carried @ at_other.X_BK
        bar = _bar(joint)
        allowed = (
            nearest(joint.text, X_KO, bar) if i.body == known else nearest(joint.text, X_KO.inverse(), bar).inverse()
        )
        return self._placed[known] @ at_known.X_BK @ allowed @ at_other.X_BK.inverse()

    def _join(self, joint: AsmtItem, known: str | None) -> None:
        """`known`: the body from which a joint of the tree goes. What closes a loop goes from I, or from the ground."""
        i, j = self._assembly.marker(joint, "MarkerI"), self._assembly.marker(joint, "MarkerJ")
        name = joint.name
        if i.body == j.body:
            self._log.warning(NOT_READ, self._source(joint.line), f"both markers of '{name}' are on one part")
            return
        X_WI, X_WJ = self._placed[i.body] @ i.X_BK, self._placed[j.body] @ j.X_BK
        if known is None and joint.text == "RevoluteJoint":
            X_WJ = self._side_by_side(joint, X_WI, X_WJ)
        chain = AsmtChain(name, joint.text, joint.line, (i.body, j.body), X_WI, X_WJ, _bar(joint), known is not None)
        self._chains.add(chain, known if known is not None else j.body if j.body == GROUND else i.body)

    def _side_by_side(self, joint: AsmtItem, X_WI: Pose, X_WJ: Pose) -> Pose:
        """J in the world, moved along the axis of a hinge that closes a loop to the height of I. Where the loop moves
        in a plane across the axis, no motion can do that: OndselSolver leaves such a redundant constraint out although
        it is not met."""
        X_IJ = X_WI.inverse() @ X_WJ
        x, y, z = X_IJ.position
        normal = X_WI.rotate(Z)
        if abs(z) <= MEET or _sine(normal, X_WJ.rotate(Z)) > ALIGNED or not self._moves_across(joint, normal):
            return X_WJ
        message = f"'{joint.name}' joins parts that are {abs(z):.3g} m apart along its axis; no motion closes this gap"
        hint = "the gap stays open, as in FreeCAD, and the loop moves in its plane; move one part to close it"
        self._log.warning(NOT_READ, self._source(joint.line), message, hint)
        return X_WI @ Pose((x, y, 0.0), X_IJ.orientation)

    def _moves_across(self, joint: AsmtItem, normal: Vec3) -> bool:
        """Whether all joints of the tree between the bodies of a joint turn about a direction or slide across it."""
        paths = [self._to_ground(self._assembly.marker(joint, side).body) for side in ("MarkerI", "MarkerJ")]
        for line in paths[0].keys() ^ paths[1].keys():
            item = (paths[0] | paths[1])[line]
            i = self._assembly.marker(item, "MarkerI")
            axis = (self._placed[i.body] @ i.X_BK).rotate(Z)
            turns = item.text in ("RevoluteJoint", "PlanarJoint") and _sine(axis, normal) < ALIGNED
            slides = item.text == "TranslationalJoint" and abs(np.dot(axis, normal)) < ALIGNED
            if not (turns or slides or item.text == "FixedJoint"):
                return False
        return True

    def _to_ground(self, body: str) -> dict[int, AsmtItem]:
        """The joints of the tree between a body and the ground, or the root that it hangs on, by their lines."""
        found = {}
        while body in self._reached:
            joint, body = self._reached[body]
            found[joint.line] = joint
        return found

    def _link(self, name: str) -> Node:
        body = self._assembly.bodies[name]
        source = self._source(body.item.line)
        parts = [pose(self._placed[name], source), inertial(body, source), *shapes_of(body, source, self._log)]
        return Node("link", source, {"name": name}, children=parts)

    def _spring(self, item: AsmtItem) -> Node | None:
        """A tension constant + stiffness · length + damping · rate along the line between two markers."""
        source = self._source(item.line)
        if item.text != "InLineForceTorque":
            self._leave_out(item, f"a {item.text} is")
            return None
        try:
            law, twist = read_formula(item.value("tension")), read_formula(item.value("twist"))
        except AsmtFormulaError as error:
            self._log.warning(NOT_READ, source, f"the force '{item.name}' is not read: {error}")
            return None
        if twist != read_formula("0") or law.time or not law.length:
            self._leave_out(item, "a force that is no spring is")
            return None
        i, j = self._assembly.marker(item, "MarkerI"), self._assembly.marker(item, "MarkerJ")
        ends = [(f"{MODEL}::{end.body}" if end.body else "world", end.X_BK.position) for end in (i, j)]
        if ends[0][0] == "world":
            ends.reverse()
        (link, at), (other, other_at) = ends
        attributes = {
            "link": link, "at": numbers_text(at), "other": other, "other_at": numbers_text(other_at),
            "stiffness": number_text(law.length), "damping": number_text(law.rate),
            "free_length": number_text(-law.constant / law.length),
        }  # fmt: skip
        return Node(SPRING, source, attributes)

    def _source(self, line: int) -> Source:
        return Source(str(self._path), line)


def _token(assembly: AsmtAssembly) -> tuple[float, float]:
    """A millionth of the least mass and moment, which moves no figure that an assembly is made for."""
    masses = [body.mass for body in assembly.bodies.values() if body.mass > 0.0]
    moments = [moment for body in assembly.bodies.values() for moment in body.moments if moment > 0.0]
    return TOKEN * min(masses, default=1.0), TOKEN * min(moments, default=1.0)


def _sine(one: Vec3, other: Vec3) -> float:
    """Of the angle between two unit vectors."""
    return float(np.linalg.norm(np.cross(one, other)))


def _bar(joint: AsmtItem) -> float:
    if joint.text == "AngleJoint":
        return joint.number(ANGLE)
    return joint.number("distanceIJ") if joint.text in BARS else 0.0
