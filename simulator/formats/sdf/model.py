"""`<model>` elements, nested ones included."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.formats.cursor import Cursor, offered
from simulator.formats.sdf.extensions import GRAVITY
from simulator.formats.sdf.joint import read_joint
from simulator.formats.sdf.laws import read_constraints
from simulator.formats.sdf.link import read_link
from simulator.formats.sdf.loads import read_loads
from simulator.formats.sdf.model_state import read_start_twists, read_starts
from simulator.formats.sdf.names import SCOPE, free_name, means_world, read_named
from simulator.formats.sdf.naming import distinguish
from simulator.formats.sdf.parameters import read_parameters
from simulator.formats.sdf.poses import read_pose
from simulator.formats.sdf.specs import FrameSpec, JointSpec, LinkSpec, ModelSpec

if TYPE_CHECKING:
    from collections.abc import Sequence


def read_model(cursor: Cursor, name: str) -> ModelSpec:
    """One model with everything inside it."""
    distinguish(cursor)
    links = read_named(cursor, "link", _read_link)
    models = read_named(cursor, "model", read_model)
    joints = read_named(cursor, "joint", read_joint)
    frames = read_named(cursor, "frame", read_frame)
    joints, frames = _distinct(cursor, links, models, joints, frames)
    return ModelSpec(
        name=name,
        source=cursor.source,
        version=cursor.version,
        pose=read_pose(cursor),
        placement_frame=cursor.get("placement_frame"),
        static=cursor.boolean("static", False),
        self_collide=cursor.boolean("self_collide", False),
        canonical_link=cursor.get("canonical_link"),
        links=tuple(links),
        joints=tuple(joints),
        frames=tuple(frames),
        models=tuple(models),
        starts=read_starts(cursor),
        start_twists=read_start_twists(cursor),
        control=tuple(node for node in cursor.node.children if node.tag in ("ros2_control", "transmission")),
        loads=read_loads(cursor),
        constraints=read_constraints(cursor),
        parameters=read_parameters(cursor),
        gravity=None if cursor.child(GRAVITY) is None else cursor.vector3(GRAVITY, (0.0, 0.0, 0.0)),
    )


def _read_link(cursor: Cursor, name: str) -> LinkSpec | None:
    return None if means_world(cursor) else read_link(cursor, name)


def read_frame(cursor: Cursor, name: str) -> FrameSpec:
    """One explicit frame."""
    return FrameSpec(name, cursor.source, read_pose(cursor), cursor.get("attached_to"))


def _distinct(
    cursor: Cursor,
    links: Sequence[LinkSpec],
    models: Sequence[ModelSpec],
    joints: Sequence[JointSpec],
    frames: Sequence[FrameSpec],
) -> tuple[list[JointSpec], list[FrameSpec]]:
    """Joints and frames with names of their own: links, models, joints and frames share one name space."""
    taken = {item.name: "link" for item in links}
    for model in models:
        if model.name in taken:
            _report_shared(cursor, model, "model", taken)
        taken.setdefault(model.name, "model")
    new_joints = [_renamed(cursor, joint, "joint", taken) for joint in joints]
    new_frames = [_renamed(cursor, frame, "frame", taken) for frame in frames]
    return [j for j in new_joints if j is not None], [f for f in new_frames if f is not None]


def _renamed(cursor: Cursor, item: _Item, kind: str, taken: dict[str, str]) -> _Item | None:
    """`item`, under a free name where an old file uses one twice; None (and an error) where a new file does."""
    if item.name not in taken:
        taken[item.name] = kind
        return item
    if cursor.version >= (1, 7):
        _report_shared(cursor, item, kind, taken)
        if isinstance(item, JointSpec) and item.parent == item.name:
            _report_own_parent(cursor, item)
        return None
    name = free_name(item.name, kind, taken)
    message = f"the {kind} '{item.name}' has the name of a {taken[item.name]}; it is called '{name}' here"
    cursor.log.warning("DUPLICATE_NAME", item.source, message, "names are unique in a model since SDFormat 1.7")
    taken[name] = kind
    return replace(item, name=name)


def _report_shared(cursor: Cursor, item: JointSpec | FrameSpec | ModelSpec, kind: str, taken: dict[str, str]) -> None:
    message = f"the {kind} '{item.name}' has the name of a {taken[item.name]} of the same {cursor.tag}; it is left out"
    cursor.log.error("DUPLICATE_NAME", item.source, message, offered(cursor.log, "", taken, "names in use"))
    if SCOPE not in item.name:
        text = f"the frame graph of <{cursor.tag}> '{cursor.get('name')}' has two frames named '{item.name}'"
        for code in ("FRAME_ATTACHED_TO_GRAPH_ERROR", "POSE_RELATIVE_TO_GRAPH_ERROR"):
            cursor.log.consequence(code, item.source, text)


def _report_own_parent(cursor: Cursor, joint: JointSpec) -> None:
    """With the name of a link, `<parent>` is the joint's own frame, which is attached to its child."""
    where = joint.end_sources.get("parent", joint.source)
    message = f"the parent '{joint.parent}' of joint '{joint.name}' is the name of the joint itself"
    cursor.log.error("JOINT_PARENT_LINK_INVALID", where, message, "give the joint a name of its own")
    message = f"joint '{joint.name}' ties '{joint.child}' to itself: its parent is its own frame, attached to its child"
    cursor.log.error("JOINT_PARENT_SAME_AS_CHILD", joint.source, message, "a joint needs two different bodies")


if TYPE_CHECKING:
    from typing import TypeVar

    _Item = TypeVar("_Item", JointSpec, FrameSpec)
