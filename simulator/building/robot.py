"""URDF documents that are edited: links, joints, mimics and the loops of URDF+."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from simulator.building.closing import free_name
from simulator.building.document import EditedDocument
from simulator.building.files import DraftFiles
from simulator.building.joints import AxisSettings, JointDraft, Place
from simulator.building.part import PartDraft, one_of, require_free
from simulator.building.references import references_to
from simulator.building.references import rename as rename_everywhere
from simulator.building.schema import Said, numbers
from simulator.building.shapes import color_of
from simulator.diagnostics import DiagnosticLog
from simulator.errors import UnknownNameError, UsageError
from simulator.formats.sdf.names import SCOPE
from simulator.formats.sdf.solids import total_inertial
from simulator.formats.urdf_writing.parts import link_node, origin
from simulator.formats.values import number_text, numbers_text
from simulator.formats.writing.elements import element
from simulator.model.joint import WORLD
from simulator.model.link import Collision, Inertial, Link, Visual
from simulator.model.material import Material
from simulator.spatial.pose import IDENTITY, Pose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.building.closing import JointBetween
    from simulator.building.features import Feature
    from simulator.building.scope import Named
    from simulator.building.shapes import PlacedShape
    from simulator.formats.nodes import Node

JOINTS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
LOOPS = ("revolute", "continuous", "prismatic", "fixed", "ball", "planar")
BOUNDED = ("revolute", "prismatic")
UNBOUNDED_EFFORT = 1e9
"""Effort and velocity that are written where a URDF must state some and none is given."""


class RobotDraft(EditedDocument, PartDraft):
    """A URDF over its text. In URDF the frame of a joint is that of its child link: places of joints are in the frame
    of the parent link, axes and shapes in that of the child."""

    suffix = ".urdf"

    def __init__(self, data: bytes, path: Path | None) -> None:
        """Raises UsageError where the text is no XML in UTF-8."""
        EditedDocument.__init__(self, data, path)
        PartDraft.__init__(self, self.tree.root)
        self.files = DraftFiles(path.resolve().parent if path is not None else Path.cwd())

    @property
    def links(self) -> dict[str, PartDraft]:
        """Its links by name."""
        return {item.get("name"): PartDraft(item) for item in self.element.all("link")}

    @property
    def joints(self) -> dict[str, JointDraft]:
        """Its joints by name."""
        return {item.get("name"): JointDraft(item) for item in self.element.all("joint")}

    def link(self, name: str, *shapes: PlacedShape) -> PartDraft:
        """A link made of shapes, with their mass. Raises UsageError for a name that is taken, and for a shape that URDF
        does not have."""
        require_free(name, list(self.links), "link")
        inertial = total_inertial(part for shape in shapes for part in shape.weighted())
        visuals: list[Visual] = []
        collisions: list[Collision] = []
        for shape in shapes:
            color = color_of(shape.color or "grey")
            for piece, X in shape.pieces:
                visuals.append(Visual(f"visual_{len(visuals) + 1}", self.files.shape(piece), X, Material(color, color)))
            for piece, X in (shape.touched or shape.pieces) if shape.collides else ():
                collisions.append(Collision(f"collision_{len(collisions) + 1}", self.files.shape(piece), X))
        link = Link(name, IDENTITY, inertial or Inertial(), inertial is not None, tuple(visuals), tuple(collisions))
        log = DiagnosticLog()
        node = link_node(link, name, IDENTITY, self.files.uris, log)
        lost = [item.message for item in log.as_tuple()]
        if lost:
            raise UsageError(f"a URDF cannot hold this link: {lost[0]}")
        return PartDraft(self.put_before(node, ("joint",)))

    def joint(
        self,
        name: str,
        kind: str,
        parent: Named,
        child: Named,
        *,
        at: Place = (0.0, 0.0, 0.0),
        axis: Sequence[float] = (0.0, 0.0, 1.0),
        **options: Said,
    ) -> JointDraft:
        """A joint of URDF: `at` is its place in the frame of the parent link. Further keywords are those of
        `AxisSettings` that URDF has. Raises UnknownNameError and UsageError; a link has one parent, see `loop`."""
        one_of(kind, JOINTS, "joint type of URDF")
        ends = self._ends(name, parent, child)
        taken = {item.element.child("child"): item.name for item in self.joints.values()}
        other = next((text for end, text in taken.items() if end is not None and end.get("link") == ends[1]), "")
        if other:
            raise UsageError(
                f"'{ends[1]}' is the child of joint '{other}' already; a second parent is a loop: see `loop`"
            )
        said = AxisSettings.of(options)
        moves = kind not in ("fixed", "floating")
        node = element(
            "joint",
            element("parent", link=ends[0]),
            element("child", link=ends[1]),
            origin(_pose(at)),
            element("axis", xyz=numbers_text(numbers(axis, 3, "an axis"))) if moves else None,
            _limit(said, bounded=kind in BOUNDED),
            _dynamics(said),
            name=name,
            type=kind,
        )
        return JointDraft(self.put(node))

    def loop(
        self,
        name: str,
        kind: str,
        first: Named,
        second: Named,
        *,
        at: Place = (0.0, 0.0, 0.0),
        other_at: Place = (0.0, 0.0, 0.0),
        axis: Sequence[float] = (0.0, 0.0, 1.0),
    ) -> PartDraft:
        """Close a loop, as URDF+ writes it: the frame `at` of one link is that `other_at` of another, up to what a
        joint of this kind lets move. Raises UnknownNameError and UsageError."""
        one_of(kind, LOOPS, "loop type of URDF+")
        ends = self._ends(name, first, second)
        sides = [
            element(tag, origin(_pose(place)), link=link)
            for tag, link, place in zip(("predecessor", "successor"), ends, (at, other_at), strict=True)
        ]
        direction = element("axis", xyz=numbers_text(numbers(axis, 3, "an axis")))
        turns = kind not in ("fixed", "ball")
        return PartDraft(self.put(element("loop", *sides, direction if turns else None, name=name, type=kind)))

    def mimic(self, follower: Named, leader: Named, *, multiplier: float = 1.0, offset: float = 0.0) -> None:
        """The follower's position = multiplier * the leader's + offset. Raises UnknownNameError for joints that do not
        exist."""
        for joint in (follower, leader):
            one_of(str(joint), list(self.joints), "joint")
        if str(follower) == str(leader):
            raise UsageError(f"joint '{leader}' cannot follow itself")
        item = self.joints[str(follower)]
        item.set("mimic@joint", str(leader))
        item.set("mimic@multiplier", multiplier)
        item.set("mimic@offset", offset)

    def delete(self, name: str, *, everything: bool = False) -> list[str]:
        """Delete a link or joint with what hangs on it; returns their names. Raises UsageError where something hangs on
        it and `everything` is not said."""
        known = {**{key: item.element for key, item in self.joints.items()},
                 **{key: item.element for key, item in self.links.items()}}  # fmt: skip
        if name not in known:
            raise UnknownNameError("link or joint", name, known)
        gone = [known[name]]
        hanging = references_to(self.element, known[name])
        if hanging and not everything:
            names = ", ".join(f"<{item.tag}> '{item.get('name')}'" for item in hanging)
            raise UsageError(f"on '{name}' hang {names}; say everything=True to delete them, too")
        for item in (*hanging, *gone):
            if item.parent is not None:
                item.parent.remove(item)
        return [item.get("name") or item.tag for item in (*gone, *hanging)]

    def rename(self, name: str, other: str) -> None:
        """Give a link or joint another name, wherever it is named. Raises UnknownNameError, and UsageError for a name
        that is taken."""
        known = {**self.joints, **self.links}
        if name not in known:
            raise UnknownNameError("link or joint", name, known)
        require_free(other, list(known), known[name].element.tag)
        rename_everywhere(known[name].element, other)

    def _put_between(self, name: str, kind: str, joint: JointBetween) -> None:
        """A `<loop>`; a robot is a tree, in which no link is loose."""
        parent, child = (link.rpartition(SCOPE)[2] for link in (joint.parent, joint.child))
        axis = joint.axes[0] if joint.axes else (0.0, 0.0, 1.0)
        self.loop(name, kind, parent, child, at=joint.X_PJ, other_at=joint.at, axis=axis)

    def _put_ground(self, link: str) -> str:
        base = link.rpartition(SCOPE)[2]
        if WORLD in self.links:
            raise UsageError("the robot has a link 'world' already, on which its other links hang")
        name = free_name("ground", [*self.joints, *self.links])
        self.put_before(element("link", name=WORLD), ("link", "joint"))
        self.joint(name, "fixed", WORLD, base)
        return name

    def _seat_of(self, feature: Feature) -> tuple[str, Feature]:
        if feature.link == WORLD:
            raise UsageError("the links of a URDF hang on its base: pick a place of a link")
        return feature.link.rpartition(SCOPE)[2], feature

    def _weld_on(self, name: str, link: str, X: Pose, shapes: Sequence[PlacedShape]) -> str:
        made = free_name(name, [*self.links, *self.joints])
        self.link(made, *shapes)
        self.joint(free_name("weld", [*self.joints, *self.links]), "fixed", link, made, at=X)
        return made

    def restore(self, data: bytes) -> None:
        """Take the whole document back to an earlier `tree.data`."""
        super().restore(data)
        self._element = self.tree.root

    def _ends(self, name: str, first: Named, second: Named) -> tuple[str, str]:
        loops = [item.get("name") for item in self.element.all("loop")]
        require_free(name, [*self.joints, *loops], "joint")
        ends = (one_of(str(first), list(self.links), "link"), one_of(str(second), list(self.links), "link"))
        if ends[0] == ends[1]:
            raise UsageError(f"joint '{name}' ties '{ends[0]}' to itself")
        return ends


def _pose(place: Place) -> Pose:
    if isinstance(place, Pose):
        return place
    count = 6 if len(place) == 6 else 3
    x, y, z, roll, pitch, yaw = (*numbers(place, count, "a place"), *((0.0,) * (6 - count)))
    return Pose.from_rpy((x, y, z), (roll, pitch, yaw))


def _limit(said: AxisSettings, *, bounded: bool) -> Node | None:
    if not bounded and said == AxisSettings():
        return None
    values = {
        "lower": said.lower, "upper": said.upper, "effort": min(said.effort, UNBOUNDED_EFFORT),
        "velocity": min(said.velocity, UNBOUNDED_EFFORT),
    }  # fmt: skip
    if not bounded:
        del values["lower"], values["upper"]
    elif not -UNBOUNDED_EFFORT < said.lower <= said.upper < UNBOUNDED_EFFORT:
        raise UsageError("a revolute or prismatic joint of URDF has finite limits, lower=… and upper=…")
    return element("limit", **{name: number_text(value) for name, value in values.items()})


def _dynamics(said: AxisSettings) -> Node | None:
    for name in ("spring_stiffness", "spring_reference", "armature"):
        if getattr(said, name):
            raise UsageError(f"a URDF has no place for {name}; `simulator convert` makes an SDFormat document of it")
    if not (said.damping or said.friction):
        return None
    return element("dynamics", damping=number_text(said.damping), friction=number_text(said.friction))
