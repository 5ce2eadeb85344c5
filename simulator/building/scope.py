"""What a model and a world have in common: joints, frames, couplings and loads between what has names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.building.joints import AxisSettings, JointDraft, JointPlace, Place, joint_node, joint_type, pose_node
from simulator.building.part import PartDraft, one_of, require_free
from simulator.building.references import references_to
from simulator.building.references import rename as rename_everywhere
from simulator.building.schema import Said, value_text
from simulator.errors import UnknownNameError, UsageError
from simulator.formats.sdf.extensions import EXPRESSION
from simulator.formats.sdf.joint import AXES, AXIS_TAGS
from simulator.formats.sdf.names import MODEL_FRAME, SCOPE
from simulator.formats.writing.elements import element, number
from simulator.formats.writing.joints import DEFAULT_LAW as STRAIGHT
from simulator.formats.writing.loads import load_node
from simulator.formats.writing.real_coupling import real_coupling_nodes
from simulator.model.cables import Cable
from simulator.model.coupling import IDEAL, RealCoupling
from simulator.model.joint import WORLD, JointType
from simulator.model.loads import Load, PointSpring, TorsionSpring

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simulator.formats.editing.tree import EditableElement
    from simulator.model.loads import AnyLoad

Z = (0.0, 0.0, 1.0)
PARTS = ("link", "joint", "frame", "model")
"""What has a name of its own in a scope."""
Named = str | PartDraft
"""A part, or its name."""


class ScopeDraft(PartDraft):
    """A model or a world: names in it are seen from there, `model::link` in a world."""

    frame_of_scope = ""
    """The frame in which places are given where no other is named."""

    # -- what there is -------------------------------------------------------------------------------------------------

    @property
    def joints(self) -> dict[str, JointDraft]:
        """Its own joints by name."""
        return {item.get("name"): JointDraft(item) for item in self.element.all("joint")}

    @property
    def frames(self) -> dict[str, PartDraft]:
        """Its own frames by name."""
        return {item.get("name"): PartDraft(item) for item in self.element.all("frame")}

    def named(self, *tags: str) -> dict[str, EditableElement]:
        """Elements of some kinds by their names as seen from here, those of models inside included."""
        found: dict[str, EditableElement] = {}
        for item in self.element.elements:
            if item.tag in tags:
                found.setdefault(item.get("name"), item)
            if item.tag == "model":
                inner = ScopeDraft(item).named(*tags)
                found.update({f"{item.get('name')}{SCOPE}{name}": value for name, value in inner.items()})
        return found

    def find(self, name: str, *tags: str) -> EditableElement | None:
        """The element of some kinds that has a name as seen from here: that of `named`, without a look at all."""
        found = next((item for tag in tags if (item := self.element.named(tag).get(name)) is not None), None)
        head, scope, rest = name.partition(SCOPE)
        model = self.element.named("model").get(head) if found is None and scope else None
        return found if model is None else ScopeDraft(model).find(rest, *tags)

    def require_free(self, name: str, what: str) -> None:
        """Raise UsageError for a name that is taken, reserved or empty."""
        is_taken = self.find(name, *PARTS) is not None
        require_free(name, list(self.named(*PARTS)) if is_taken else (), what)

    def joint_named(self, joint: Named) -> JointDraft:
        """A joint by its name as seen from here. Raises UnknownNameError."""
        name = str(joint)
        found = self.find(name, "joint")
        if found is None:
            raise UnknownNameError("joint", name, self.named("joint"))
        return JointDraft(found)

    def _end(self, part: Named) -> str:
        """A link, frame, joint or the world, by its name. Raises UnknownNameError."""
        name = str(part)
        if name in (WORLD, MODEL_FRAME) or self.find(name, *PARTS) is not None or self._included():
            return name
        return one_of(name, [*self.named(*PARTS), MODEL_FRAME], "link or frame")

    def _included(self) -> bool:
        """Whether a document that is included may have names that are not known here."""
        elements = self.element.elements
        return any(item.tag == "include" for item in elements) or any(
            ScopeDraft(item)._included() for item in elements if item.tag == "model"
        )

    # -- joints --------------------------------------------------------------------------------------------------------

    def joint(
        self,
        name: str,
        kind: str,
        parent: Named,
        child: Named,
        *,
        at: Place | None = None,
        axis: Sequence[float] = Z,
        axis2: Sequence[float] = Z,
        relative_to: str | None = None,
        loop: bool = False,
        independent: bool = True,
        compliance: Sequence[float] = (),
        parent_at: Place | None = None,
        second: AxisSettings | None = None,
        **options: Said,
    ) -> JointDraft:
        """A joint of any type of SDFormat, or "planar", which closes loops.

        `at` is a point [m], a point with roll, pitch, yaw [rad], or a pose; without it the joint is at the origin of
        its child. Place and axes are in the frame `relative_to`: that of the model by default, "" for the child's. A
        link may be the child of several joints: they are a loop, cut at the joint with `loop`. `parent_at`: where the
        parent has it, if the loop is open at the start. `independent=False`: its position follows from others.
        `compliance` [rad/(N m), m/N], six numbers. Further keywords are those of `AxisSettings`; `second` is for the
        second axis. Raises UsageError and UnknownNameError, which say what there is.
        """
        wanted = joint_type(kind)
        self.require_free(name, "joint")
        settings = (AxisSettings.of(options), second or AxisSettings())
        ends = (self._end(parent), self._end(child))
        if ends[0] == ends[1]:
            raise UsageError(f"joint '{name}' ties '{ends[0]}' to itself")
        frame = self._frame_for(ends[1], relative_to)
        place = JointPlace(at, (axis, axis2)[: AXES[wanted]], frame, parent_at)
        node = joint_node(
            name,
            wanted,
            ends,
            place,
            settings,
            loop=loop,
            independent=independent,
            compliance=compliance,
        )
        return JointDraft(self.put(node))

    def _frame_for(self, child: str, relative_to: str | None) -> str:
        """The frame that places are in; "" where that is the child's, which is at the model's origin."""
        if relative_to is not None:
            return self._end(relative_to) if relative_to else ""
        link = self.find(child, "link")
        if self.frame_of_scope == MODEL_FRAME and link is not None and SCOPE not in child:
            pose = link.child("pose")
            if pose is None or (not pose.attributes and not any(map(float, pose.words() or ["0"]))):
                return ""
        return self.frame_of_scope

    def fixed(self, name: str, parent: Named, child: Named, **options: Said) -> JointDraft:
        """A joint that lets nothing move. See `joint`."""
        return self.joint(name, "fixed", parent, child, **options)  # type: ignore[arg-type]

    def revolute(self, name: str, parent: Named, child: Named, **options: Said) -> JointDraft:
        """A hinge. See `joint`."""
        return self.joint(name, "revolute", parent, child, **options)  # type: ignore[arg-type]

    def continuous(self, name: str, parent: Named, child: Named, **options: Said) -> JointDraft:
        """A hinge without limits. See `joint`."""
        return self.joint(name, "continuous", parent, child, **options)  # type: ignore[arg-type]

    def prismatic(self, name: str, parent: Named, child: Named, **options: Said) -> JointDraft:
        """A slide along its axis. See `joint`."""
        return self.joint(name, "prismatic", parent, child, **options)  # type: ignore[arg-type]

    def ball(self, name: str, parent: Named, child: Named, **options: Said) -> JointDraft:
        """A joint that lets everything turn. See `joint`."""
        return self.joint(name, "ball", parent, child, **options)  # type: ignore[arg-type]

    def universal(self, name: str, parent: Named, child: Named, **options: Said) -> JointDraft:
        """A universal joint: `axis` of the parent, `axis2` of the child. See `joint`."""
        return self.joint(name, "universal", parent, child, **options)  # type: ignore[arg-type]

    def revolute2(self, name: str, parent: Named, child: Named, **options: Said) -> JointDraft:
        """Two hinges one after the other, about `axis` and `axis2`. See `joint`."""
        return self.joint(name, "revolute2", parent, child, **options)  # type: ignore[arg-type]

    def planar(self, name: str, parent: Named, child: Named, **options: Said) -> JointDraft:
        """The child slides in the plane across `axis` and turns about it. It closes a loop. See `joint`."""
        return self.joint(name, "planar", parent, child, **{"loop": True, **options})  # type: ignore[arg-type]

    def screw(self, name: str, parent: Named, child: Named, *, pitch: float, **options: Said) -> JointDraft:
        """A screw that advances `pitch` [m] for each turn, right-handed where that is positive. See `joint`. Raises
        UsageError for a pitch of zero."""
        if not 0.0 < abs(pitch) < 1e9:
            raise UsageError(f"the pitch of a screw is a length per turn other than zero [m], not {pitch!r}")
        joint = self.joint(name, "screw", parent, child, **options)  # type: ignore[arg-type]
        joint.set("screw_thread_pitch", pitch)
        return joint

    # -- couplings -----------------------------------------------------------------------------------------------------

    def gear(self, name: str, first: Named, second: Named, *, ratio: float, carrier: Named = WORLD) -> JointDraft:
        """Couple the angles of two links from a `carrier`, the link (or the world) that both have a hinge to: the angle
        of `second` = -ratio * that of `first`, so that `ratio` is teeth of the first over teeth of the second for
        wheels that mesh outside, and negative for an internal gear.

        Raises UsageError where one of them has no hinge to the carrier, or the ratio is zero.
        """
        self.require_free(name, "gear")
        if not 0.0 < abs(ratio) < 1e9:
            raise UsageError(f"the ratio of a gear is a number other than zero, not {ratio!r}")
        reference = str(carrier)
        axes = [self._axis_of_hinge(str(link), reference) for link in (first, second)]
        node = element(
            "joint",
            element("parent", text=self._end(first)),
            element("child", text=self._end(second)),
            number("gearbox_ratio", ratio),
            element("gearbox_reference_body", text=reference),
            name=name,
            type=JointType.GEARBOX.value,
        )
        made = JointDraft(self.put(node))
        for tag, (xyz, frame) in zip(AXIS_TAGS, axes, strict=True):
            made.set(f"{tag}/xyz", xyz)
            made.set(f"{tag}/xyz@expressed_in", frame)
        return made

    def _joints_from_last(self) -> Iterator[tuple[str, EditableElement]]:
        """Its own joints, the last one first, where the hinge of a new wheel is; then those of all."""
        yield from reversed(self.element.named("joint").items())
        yield from self.named("joint").items()

    def _axis_of_hinge(self, link: str, carrier: str) -> tuple[str, str]:
        """Words of the axis and its frame, of the hinge between a link and the carrier."""
        for name, item in self._joints_from_last():
            if item.get("type") not in ("revolute", "continuous"):
                continue
            ends = {"".join(end.words()) for tag in ("parent", "child") if (end := item.child(tag)) is not None}
            axis = item.child("axis")
            if ends == {link, carrier} and axis is not None:
                xyz = axis.child("xyz")
                text = xyz.text if xyz is not None else "0 0 1"
                return text, (xyz.get("expressed_in") if xyz is not None else "") or name
        raise UsageError(
            f"'{link}' has no hinge to '{carrier}'; joints are: {', '.join(sorted(self.named('joint'))) or 'none'}"
        )

    def mimic(
        self,
        follower: Named,
        leader: Named,
        *,
        multiplier: float = 1.0,
        offset: float = 0.0,
        reference: float = 0.0,
        axis: str = "axis",
        leader_axis: str = "axis",
        law: str = "",
        coupling: RealCoupling = IDEAL,
    ) -> None:
        """The follower's position = multiplier * (the leader's - reference) + offset [rad or m]; both ways.

        `law`: an expression over q, the leader's position, instead of these numbers. `coupling`: losses, play and
        elasticity. `axis` and `leader_axis` are "axis" or "axis2". Raises UnknownNameError for joints that do not
        exist, UsageError for one that follows already or has no such axis.
        """
        joint = self.joint_named(follower)
        other = self.joint_named(leader)
        for item, tag in ((joint, axis), (other, leader_axis)):
            there = [one.tag for one in item.element.elements if one.tag in AXIS_TAGS]
            if tag not in there:
                raise UsageError(f"joint '{item.name}' has no '{tag}'; it has: {', '.join(there) or 'none'}")
        if joint.element is other.element and axis == leader_axis:
            raise UsageError(f"joint '{joint.name}' cannot follow itself")
        owner = joint.element.child(axis)
        if owner is not None and owner.child("mimic") is not None:
            raise UsageError(f"joint '{joint.name}' follows another one already; remove '{axis}/mimic' first")
        joint.set(f"{axis}/mimic@joint", str(leader))
        if leader_axis != "axis":
            joint.set(f"{axis}/mimic@axis", leader_axis)
        if law:
            joint.set(f"{axis}/mimic/{EXPRESSION}", law)
        for name, value in {"multiplier": multiplier, "offset": offset, "reference": reference}.items():
            if not law or value != STRAIGHT[name]:
                joint.set(f"{axis}/mimic/{name}", value)
        made = joint.element.child(axis)
        assert made is not None
        mimic = made.child("mimic")
        assert mimic is not None
        for node in real_coupling_nodes(coupling):
            PartDraft(mimic).put(node)

    # -- frames and loads ----------------------------------------------------------------------------------------------

    def frame(
        self, name: str, place: Place = (0.0, 0.0, 0.0), *, attached_to: Named = "", relative_to: str = ""
    ) -> PartDraft:
        """A frame, rigidly attached to a link, joint or frame: by default to the model's own. `place` is in the frame
        `relative_to`, by default that of what it is attached to."""
        self.require_free(name, "frame")
        node = element("frame", pose_node(place, self._end(relative_to) if relative_to else ""), name=name)
        if str(attached_to):
            node.attributes["attached_to"] = self._end(attached_to)
        return PartDraft(self.put(node))

    def load(self, *loads: AnyLoad) -> None:
        """Forces, springs and cables, as `simulator.force`, `simulator.spring`, `TorsionSpring` and `Cable` make them.
        Raises UnknownNameError for links and joints that do not exist."""
        for load in loads:
            if isinstance(load, TorsionSpring):
                self.joint_named(load.joint)
            elif isinstance(load, Load):
                self._link(load.link)
            elif isinstance(load, PointSpring):
                self._link(load.link)
                self._link(load.other)
            elif isinstance(load, Cable):
                for part in load.parts:
                    if part.link:
                        self._link(part.link)
            else:
                raise UsageError(f"a load is made by simulator.force or simulator.spring, not {load!r}")
            self.put(load_node(load, ""))

    def torsion_spring(
        self,
        joint: Named,
        *,
        stiffness: float = 0.0,
        damping: float = 0.0,
        angle: float = 0.0,
        axis: str = "axis",
    ) -> None:
        """A spring and damper about the axis of a joint, relaxed at `angle`: see `TorsionSpring`."""
        self.load(TorsionSpring(str(joint), axis, stiffness, damping, angle))

    def _link(self, name: str) -> None:
        if name != WORLD and self.find(name, "link") is None and not self._included():
            one_of(name, list(self.named("link")), "link")

    def plugin(self, filename: str, name: str, **settings: Said) -> PartDraft:
        """A plugin of Gazebo, with its settings as elements; it is written, and not run."""
        made = self.add("plugin", filename=filename, name=name)
        for tag, value in settings.items():
            made.element.add(tag, value_text(value))
        return made

    def delete(self, name: str, *, everything: bool = False) -> list[str]:
        """Delete a link, joint, frame or model with what hangs on it; returns the names of all that is gone.

        Raises UsageError where something else hangs on it and `everything` is not said, and UnknownNameError.
        """
        known = self.named("link", "joint", "frame", "model")
        one_of(name, list(known), "link, joint, frame or model")
        gone = [known[name]]
        hanging: list[EditableElement] = []
        pending = list(gone)
        while pending:
            part = pending.pop()
            for user in references_to(self.element, part):
                if user not in gone and user not in hanging:
                    hanging.append(user)
                    pending += [user] if user.get("name") else []
        if hanging and not everything:
            names = ", ".join(f"<{item.tag}> '{item.get('name')}'" for item in hanging)
            raise UsageError(f"on '{name}' hang {names}; say everything=True to delete them, too")
        for item in (*hanging, *gone):
            if item.parent is not None:
                item.parent.remove(item)
        return [item.get("name") or item.tag for item in (*gone, *hanging)]

    def rename(self, name: str, other: str) -> None:
        """Give a link, joint, frame or model another name, wherever it is named. Raises UnknownNameError, and
        UsageError for a name that is taken."""
        known = self.named("link", "joint", "frame", "model")
        one_of(name, list(known), "link, joint, frame or model")
        require_free(other, list(known), known[name].tag)
        rename_everywhere(known[name], other)
