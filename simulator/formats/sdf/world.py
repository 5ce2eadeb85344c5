"""`<world>` elements."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.formats.cursor import Cursor, offered
from simulator.formats.sdf.exclusions import read_exclusions
from simulator.formats.sdf.extensions import DRIVE
from simulator.formats.sdf.joint import read_joint
from simulator.formats.sdf.laws import read_constraints
from simulator.formats.sdf.loads import read_loads
from simulator.formats.sdf.model import read_frame, read_model
from simulator.formats.sdf.names import free_name, read_named
from simulator.formats.sdf.naming import distinguish
from simulator.formats.sdf.physics import read_physics
from simulator.formats.sdf.profiles import read_profile
from simulator.formats.sdf.specs import FrameSpec, WorldSpec
from simulator.model.world import DemonstrationDrive

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DEFAULT_GRAVITY = (0.0, 0.0, -9.8)
DRIVE_KINDS = ("position", "velocity", "effort")


def read_world(cursor: Cursor, name: str) -> WorldSpec:
    """One world with everything inside it."""
    distinguish(cursor)
    models = read_named(cursor, "model", read_model)
    joints = read_named(cursor, "joint", read_joint)
    taken = [*(model.name for model in models), *(joint.name for joint in joints)]
    frames = _distinct(cursor, taken, read_named(cursor, "frame", read_frame))
    return WorldSpec(
        name=name,
        source=cursor.source,
        gravity=cursor.vector3("gravity", DEFAULT_GRAVITY),
        physics=read_physics(cursor),
        models=tuple(models),
        joints=tuple(joints),
        frames=tuple(frames),
        drives=_drives(cursor),
        loads=read_loads(cursor),
        constraints=read_constraints(cursor),
        excluded=read_exclusions(cursor),
    )


def _drives(cursor: Cursor) -> tuple[DemonstrationDrive, ...]:
    """Our own namespaced element, which says to the window how to show the world; what is wrong with one is a
    warning."""
    found = []
    for element in cursor.children(DRIVE):
        try:
            found.append(_drive(element))
        except UsageError as error:
            example = f"<{DRIVE} axis='crank_joint' kind='velocity' value='sine(2,0.5)'/>"
            hint = f"kinds: {', '.join(DRIVE_KINDS)}; e.g. {example}"
            cursor.log.warning("DRIVE_INVALID", element.source, f"<{DRIVE}> is not used: {error}", hint)
    return tuple(found)


def _drive(element: Cursor) -> DemonstrationDrive:
    axis, kind, text = (element.get(name).strip() for name in ("axis", "kind", "value"))
    if not axis or not text or kind not in DRIVE_KINDS:
        raise UsageError(f"it needs an axis, a kind and a value; it has axis='{axis}' kind='{kind}' value='{text}'")
    return DemonstrationDrive(axis, kind, read_profile(element, text, expressions=True), element.source)


def _distinct(cursor: Cursor, taken: Sequence[str], frames: Iterable[FrameSpec]) -> list[FrameSpec]:
    """Frames whose names no model or joint has; old files get theirs renamed."""
    used = set(taken)
    kept = []
    for frame in frames:
        name = frame.name
        if name in used and cursor.version >= (1, 7):
            message = f"the frame '{name}' has the name of a model or joint of the same world; it is left out"
            cursor.log.error("DUPLICATE_NAME", frame.source, message, offered(cursor.log, "", used, "names in use"))
            text = f"the frame graph of the world '{cursor.get('name')}' has two frames named '{name}'"
            for code in ("FRAME_ATTACHED_TO_GRAPH_ERROR", "POSE_RELATIVE_TO_GRAPH_ERROR", "ELEMENT_INVALID"):
                cursor.log.consequence(code, frame.source, text)
            continue
        if name in used:
            name = free_name(name, "frame", used)
            message = f"the frame '{frame.name}' has the name of a model; it is called '{name}' here"
            cursor.log.warning("DUPLICATE_NAME", frame.source, message)
        used.add(name)
        kept.append(replace(frame, name=name))
    return kept
