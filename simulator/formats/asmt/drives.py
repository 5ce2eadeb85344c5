"""What moves and bounds the joints of an assembly: motions over time, limits, gears, racks and screws."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.formats.asmt.elements import MODEL, NOT_READ, text
from simulator.formats.asmt.formulas import AsmtFormulaError, Linear, read_formula, read_motion
from simulator.formats.asmt.items import AsmtError
from simulator.formats.asmt.kinds import AT_J, CONSTANT_VELOCITY, GENERAL, X, Z
from simulator.formats.nodes import Node
from simulator.formats.sdf.extensions import DRIVE
from simulator.formats.values import number_text, numbers_text
from simulator.model.profiles import Expression

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from simulator.diagnostics import DiagnosticLog, Source
    from simulator.formats.asmt.assembly import AsmtAssembly, AsmtBody
    from simulator.formats.asmt.chains import Made
    from simulator.formats.asmt.items import AsmtItem
    from simulator.spatial.pose import Pose

ALONG = 1.0 - 1e-6
"""Cosine from which on two directions are one."""
MOTIONS = {"RotationalMotion": ("RotationZ", "revolute"), "TranslationalMotion": ("TranslationZ", "prismatic")}
PLACES = ("rIJI1", "rIJI2", "rIJI3")
"""Formulas of a general motion: where J is in I."""
ANGLES = ("angIJJ1", "angIJJ2", "angIJJ3")
STILL = 1e-10
"""Positions and rates below are round-off."""
ASSEMBLES = "AllowRotation"
"""A motion that commands nothing: while OndselSolver assembles, the joint turns freely."""
LIMITS = {"RotationLimit": "revolute", "TranslationLimit": "prismatic"}


class Drives:
    """Of one assembly; `made`: its joints by the names that they have there; `placed`: its bodies in the world."""

    def __init__(
        self,
        assembly: AsmtAssembly,
        made: Mapping[str, Sequence[Made]],
        placed: Mapping[str, Pose],
        source: Callable[[int], Source],
        log: DiagnosticLog,
    ) -> None:
        self._assembly = assembly
        self._made = made
        self._placed = placed
        self._source = source
        self._log = log

    def nodes(self) -> tuple[list[Node], list[Node]]:
        """Drives for the world, and the state for the model that it starts in: positions where motions do not begin
        where the document is, and velocities, of parts as the document has them."""
        drives: list[Node] = []
        starts: dict[str, dict[str, float]] = {}
        for motion, law, moved in self._motions():
            drives.append(Node(DRIVE, self._source(motion.line), {"axis": moved.joint, **_profile(law, moved)}))
            place, rate = (law.constant, law.time) if isinstance(law, Linear) else (law.value(0.0), law.rate(0.0))
            starts[moved.joint] = {"position": moved.sign * (place - moved.begun), "velocity": moved.sign * rate}
        return drives, self._state(starts)

    def _motions(self) -> Iterator[tuple[AsmtItem, Linear | Expression, Made]]:
        """Each law over time, with the part of a chain that it moves."""
        for motion in self._assembly.motions:
            if motion.text == ASSEMBLES:
                continue
            if motion.text == GENERAL and motion.name in self._made:
                moved = zip(PLACES, self._made[motion.name], strict=True)
            elif motion.text in MOTIONS:
                formula, kind = MOTIONS[motion.text]
                part = self._part(motion, kind)
                if part is None:
                    self._say(motion, "its joint does not move that way")
                    continue
                moved = zip((formula,), (part,), strict=True)
            else:
                what = "a motion that turns about several axes" if motion.text == GENERAL else f"a {motion.text}"
                self._say(motion, f"{what} is not read")
                continue
            for name, made in moved:
                law = self._law(motion, name)
                if law is not None:
                    yield motion, law, made

    def _law(self, motion: AsmtItem, formula: str) -> Linear | Expression | None:
        try:
            return read_motion(motion.value(formula))
        except AsmtFormulaError as error:
            self._say(motion, str(error))
            return None

    def _state(self, starts: Mapping[str, Mapping[str, float]]) -> list[Node]:
        source = self._source(self._assembly.item.line)
        bodies = self._assembly.bodies.values()
        moving = any(abs(rate) > STILL for body in bodies for rate in (*body.velocity, *body.omega))
        states = [self._body_state(body) for body in bodies if moving]
        for name, values in starts.items():
            told = [text(tag, value, source) for tag, value in values.items() if abs(value) > STILL]
            if told:
                axis = Node("axis_state", source, children=told)
                states.append(Node("joint_state", source, {"name": name}, children=[axis]))
        if not states:
            return []
        return [Node("model_state", source, {"name": MODEL}, children=states)]

    def _body_state(self, body: AsmtBody) -> Node:
        """All parts have one where any moves: what rests does so although others move."""
        source = self._source(body.item.line)
        rates = (rate if abs(rate) > STILL else 0.0 for rate in (*body.velocity, *body.omega))
        velocity = Node("velocity", source, text=numbers_text(rates))
        return Node("link_state", source, {"name": body.name}, children=[velocity])

    def limit(self) -> None:
        """Bounds of what joints may move, between marker I and marker J."""
        for item in self._assembly.limits:
            moved = self._part(item, LIMITS.get(item.text, ""))
            try:
                bound = read_formula(item.value("Limit"))
            except AsmtFormulaError as error:
                self._say(item, str(error))
                continue
            if moved is None or not bound.is_number:
                self._say(item, f"a {item.text} of this kind is not read")
                continue
            is_upper = item.value("Type") in ("=<", "<=", "<")
            tag = "upper" if is_upper == (moved.sign > 0.0) else "lower"
            value = moved.sign * (bound.constant - moved.begun)
            axis = moved.node.child("axis")
            assert axis is not None
            limit = axis.child("limit")
            if limit is None:
                limit = Node("limit", moved.node.source)
                axis.children.append(limit)
            limit.children.append(Node(tag, self._source(item.line), text=number_text(value)))

    def couple(self) -> None:
        """Gears, racks and screws as mimics of the joints that carry their parts."""
        for item in self._assembly.joints:
            if item.text == "ScrewJoint":
                self._screw(item)
            elif item.text in ("GearJoint", "RackPinionJoint"):
                self._mesh(item)
            elif item.text == CONSTANT_VELOCITY and item.name in self._made:
                first, _, last = self._made[item.name]
                _follow(last, first, 1.0, self._source(item.line))

    def _screw(self, item: AsmtItem) -> None:
        """z of J in I is pitch · angle / 2π: between the parts of the joint that carries the same two bodies."""
        bodies = {self._assembly.marker(item, tag).body for tag in ("MarkerI", "MarkerJ")}
        parts = [made for of in self._made.values() for made in of if set(made.chain.bodies) == bodies]
        slide = next((made for made in parts if made.part.kind == "prismatic"), None)
        turn = next((made for made in parts if made.part.kind == "revolute"), None)
        if slide is None or turn is None:
            self._say(item, "a screw needs a cylindrical joint between the same parts")
            return
        _follow(slide, turn, item.number("pitch") / math.tau, self._source(item.line))

    def _mesh(self, item: AsmtItem) -> None:
        """Teeth of two parts that move on joints to one other part."""
        i, j = (self._assembly.marker(item, tag).body for tag in ("MarkerI", "MarkerJ"))
        rates_of = self._rates_of_rack if item.text == "RackPinionJoint" else self._rates_of_gears
        for one in self._single(i):
            for other in self._single(j):
                rates = rates_of(item, one, other) if _other(one, i) == _other(other, j) else None
                if rates is not None:
                    _follow(other, one, -rates[0] / rates[1], self._source(item.line))
                    return
        self._say(item, "its parts do not both turn about one direction, or slide and turn, on one other part")

    def _rates_of_rack(self, item: AsmtItem, rack: Made, pinion: Made) -> tuple[float, float] | None:
        """Rates of x + pitchRadius · angle, of J in I, by the positions of both joints; x of I is along the rack."""
        if (rack.part.kind, pinion.part.kind) != ("prismatic", "revolute"):
            return None
        i = self._assembly.marker(item, "MarkerI")
        X_WI = self._placed[i.body] @ i.X_BK
        slid = float(np.dot(X_WI.rotate(X), _moved(rack, i.body)))
        turned = float(np.dot(X_WI.rotate(Z), _moved(pinion, self._assembly.marker(item, "MarkerJ").body)))
        if abs(slid) < ALONG or abs(turned) < ALONG:
            return None
        return -slid, item.number("pitchRadius") * turned

    def _rates_of_gears(self, item: AsmtItem, one: Made, other: Made) -> tuple[float, float] | None:
        """Rates of radiusI · angle of I + radiusJ · angle of J, both about z of I, by the positions of both joints."""
        if (one.part.kind, other.part.kind) != ("revolute", "revolute"):
            return None
        i, j = (self._assembly.marker(item, tag) for tag in ("MarkerI", "MarkerJ"))
        z = (self._placed[i.body] @ i.X_BK).rotate(Z)
        turned = [float(np.dot(z, _moved(made, at.body))) for made, at in ((one, i), (other, j))]
        if min(map(abs, turned)) < ALONG:
            return None
        return item.number("radiusI") * turned[0], item.number("radiusJ") * turned[1]

    def _single(self, body: str) -> list[Made]:
        return [of[-1] for of in self._made.values() if body in of[-1].chain.bodies and len(of) <= 2]

    def _part(self, item: AsmtItem, kind: str) -> Made | None:
        """What a motion or a limit is of: a part of the joint that it names, else of the one with its two markers."""
        named = item.child("MotionJoint")
        if named is not None and named.items:
            name = named.items[0].text.rpartition("/")[2]
        else:
            ends = [item.value(tag) for tag in ("MarkerI", "MarkerJ")]
            between = (
                joint for joint in self._assembly.joints if [joint.value("MarkerI"), joint.value("MarkerJ")] == ends
            )
            name = next((joint.name for joint in between), "")
        return next((made for made in self._made.get(name, ()) if made.part.kind == kind), None)

    def _say(self, item: AsmtItem, why: str) -> None:
        name = item.name
        self._log.warning(NOT_READ, self._source(item.line), f"'{name}' is not read: {why}", about=name)


def is_translation(motion: AsmtItem) -> bool:
    """Whether a general motion never turns J against I."""
    try:
        return all(read_formula(motion.value(name)) == read_formula("0") for name in ANGLES)
    except (AsmtFormulaError, AsmtError):
        return False


def _profile(law: Linear | Expression, moved: Made) -> dict[str, str]:
    """Kind and value of a drive."""
    if isinstance(law, Linear) and not law.time:
        return {"kind": "position", "value": number_text(moved.sign * (law.constant - moved.begun))}
    text = law.text if isinstance(law, Expression) else f"{number_text(law.constant)} + {number_text(law.time)} * t"
    if moved.begun:
        text = f"({text}) - ({number_text(moved.begun)})"
    return {"kind": "position", "value": f"expression({text if moved.sign > 0.0 else f'-({text})'})"}


def _follow(follower: Made, leader: Made, multiplier: float, source: Source) -> None:
    """Positions are zero at the start, so there is no offset."""
    axis = follower.node.child("axis")
    assert axis is not None
    law = Node("multiplier", source, text=number_text(multiplier))
    axis.children.append(Node("mimic", source, {"joint": leader.joint}, children=[law]))


def _other(made: Made, body: str) -> str:
    one, other = made.chain.bodies
    return other if one == body else one


def _moved(made: Made, body: str) -> NDArray[np.float64]:
    """The direction in the world in which `body` slides, or about which it turns, as the joint's position grows."""
    frame = made.chain.X_WJ if made.part.at == AT_J else made.chain.X_WI
    moves_j = made.chain.bodies[1] == body
    return made.sign * (1.0 if moves_j else -1.0) * np.array(frame.rotate(made.part.axis))
