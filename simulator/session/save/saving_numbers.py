"""Writes numbers that were changed while a document ran back into it: the numbers, and nothing else."""

from __future__ import annotations

import math
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.formats.editing.numbers import ValueEdit, with_values
from simulator.formats.writing.real_coupling import RUBBING_TAGS
from simulator.formats.writing.real_coupling import TAGS as REAL_TAGS
from simulator.mechanism.types import CouplingKind
from simulator.mechanism.varied import number_of, split_name, varied
from simulator.mechanism.varied_couplings import RealNumbers, stated_number
from simulator.mechanism.varied_friction import RubbingNumbers
from simulator.mechanism.varied_names import NAMED
from simulator.mechanism.welding import all_joints
from simulator.model.profiles import Constant
from simulator.session.open.opening import open_document
from simulator.session.save.document_edit import DocumentEdit, is_urdf, read_files
from simulator.session.save.saving import check_can_be_edited
from simulator.session.save.saving_lengths import LENGTH, Restarted, bar_edits, urdf_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from _typeshed import DataclassInstance

    from simulator.diagnostics import Source
    from simulator.mechanism.types import AxisInfo, Mechanism
    from simulator.model.coupling import RealCoupling
    from simulator.model.world import World
    from simulator.session.open.opening import Opened

TURNS = ("roll", "pitch", "yaw")
PLACES = ("x", "y", "z", *TURNS)
SAME = 1e-12
"""Numbers of a mechanism that is read again are equal within this, relative to the largest of their kind: poses are
multiplied."""
DYNAMICS = ("damping", "friction", "spring_stiffness", "spring_reference")
LIMIT = ("lower", "upper", "effort", "velocity")
START = "initial_position"
POSE = 6


def save_numbers(opened: Opened, numbers: Mapping[str, float]) -> DocumentEdit:
    """Write parameters of the mechanism of `opened` (`mechanism.varied`) into the files that they were read from.
    Returns the change.

    Raises UsageError if the document has no place for one of them, or the files have changed since they were read;
    they are then as they were.
    """
    check_can_be_edited(opened)
    named = next((name for name in numbers if split_name(name)[1] == NAMED), "")
    if named:
        raise UsageError(f"'{named}' is a named length: build mode (key B) redraws what follows from it")
    wanted = varied(opened.mechanism, opened.world, numbers)
    bars = [name.removesuffix(LENGTH) for name in numbers if name.endswith(LENGTH)]
    numbers = _in_urdf(opened, numbers, wanted)
    made, fault = _written(opened, numbers, wanted, bars)
    whole = _with_whole_turns(opened, numbers)
    if fault and len(whole) > len(numbers):
        # The document may express the same rotation by other angles, 0 π 0 for π 0 π.
        made, fault = _written(opened, whole, wanted, bars)
    if fault:
        raise UsageError(
            f"the document would not give this mechanism with these numbers: {fault}; it was left as it was"
        )
    return made


def _written(
    opened: Opened, numbers: Mapping[str, float], wanted: Mechanism, bars: Sequence[str]
) -> tuple[DocumentEdit, str]:
    """Write numbers, and for links `bars`, which have other lengths, what their visuals are made for; check that the
    document then gives `wanted`. If not, it is left as it was, and the second value is the difference."""
    edits: dict[Path, list[ValueEdit]] = {}
    for edit, file in bar_edits(opened, bars):
        edits.setdefault(file, []).append(edit)
    if any(_is_place(opened.world, name) for name in numbers):
        restarted = Restarted(wanted)
        wanted = restarted.mechanism
        for edit, file in restarted.edits(opened):
            edits.setdefault(file, []).append(edit)
    for name, value in numbers.items():
        if _is_place(opened.world, name):
            continue
        found, file = _edits_of(opened, name, value, wanted)
        edits.setdefault(file, []).extend(found)
    before = read_files(tuple(edits))
    made = DocumentEdit(before, {file: with_values(before[file], found) for file, found in edits.items()})
    made.make_again()
    again = open_document(opened.path, opened.options)
    errors = [item.message for item in again.diagnostics if item.is_error]
    fault = errors[0] if errors else difference(again.mechanism, wanted)
    if fault:
        made.take_back()
    return made, fault


def _in_urdf(opened: Opened, numbers: Mapping[str, float], wanted: Mechanism) -> dict[str, float]:
    """Numbers with the places of joints of a URDF instead of lengths of its links."""
    found: dict[str, float] = {}
    for name, value in numbers.items():
        link, field = split_name(name)
        source = next((one.source for model in opened.world.models for one in model.links if one.name == link), None)
        is_length_of_urdf = field == "length" and source is not None and is_urdf(Path(source.file))
        found.update(urdf_numbers(opened, wanted, link) if is_length_of_urdf else {name: value})
    return found


def _is_place(world: World, name: str) -> bool:
    """Whether a number places a joint on one of its links, for which SDFormat has no number of its own."""
    owner, field = split_name(name)
    return field == "length" or (field.startswith(("parent_pose.", "child_pose.")) and not is_of_urdf(world, owner))


def _with_whole_turns(opened: Opened, numbers: Mapping[str, float]) -> dict[str, float]:
    """Numbers with all three angles of every pose with one of them."""
    whole = dict(numbers)
    for name in numbers:
        pose, _, angle = name.rpartition(".")
        if angle in TURNS:
            for turn in TURNS:
                other = f"{pose}.{turn}"
                whole.setdefault(other, number_of(opened.mechanism, opened.world, other))
    return whole


def _edits_of(opened: Opened, name: str, value: float, wanted: Mechanism) -> tuple[list[ValueEdit], Path]:
    """The place of a number in its file, and of those that follow from it by default."""
    owner, field = split_name(name)
    if field in RealNumbers.fields:
        return _coupling_edits(wanted, owner, field)
    if field in RubbingNumbers.fields:
        return _rubbing_edits(opened, owner, field, value)
    edit, file = _edit_of(opened, name, value)
    return [edit], file


def _coupling_edits(wanted: Mechanism, follower: str, field: str) -> tuple[list[ValueEdit], Path]:
    """An attribute of one of our elements in a mimic, gearbox or screw. Without `backward`, losses are as `forward`
    says: it is written where that changes alone."""
    coupling = next(c for c in wanted.couplings if wanted.axes[c.follower].name == follower)
    file = _file_of(coupling.source, follower)
    tag = "mimic" if coupling.kind is CouplingKind.MIMIC else "coupling" if is_urdf(file) else "joint"
    line = coupling.source.line if coupling.source is not None else 0
    part, _, attribute = field.partition(".")
    both = ("forward", "backward") if attribute in ("forward", "backward") else (attribute,)
    edits = []
    for each in both:
        number = _all_stated(coupling.real, part, each)
        default = _all_stated(coupling.real, part, "forward") if each == "backward" else None
        edits.append(ValueEdit(line, tag, (REAL_TAGS[part],), number, attribute=each, default=default))
    return edits, file


def _all_stated(real: RealCoupling, part: str, name: str) -> float | tuple[float, ...]:
    """A number, or all of a table."""
    value = getattr(getattr(real, part), name)
    return value if isinstance(value, tuple) and len(value) > 1 else stated_number(real, f"{part}.{name}")


def _rubbing_edits(opened: Opened, owner: str, field: str, value: float) -> tuple[list[ValueEdit], Path]:
    """An attribute of the brake or the falling friction of an axis."""
    info = next(info for info in opened.mechanism.axes if info.name == owner)
    source = _joint_source(opened.world, info.joint)
    file = _file_of(source, owner)
    part, _, attribute = field.partition(".")
    axis = "axis2" if owner.endswith(":axis2") else "axis"
    path = (RUBBING_TAGS[part],) if is_urdf(file) else (axis, RUBBING_TAGS[part])
    line = source.line if source is not None else 0
    return [ValueEdit(line, "joint", path, value, attribute=attribute)], file


def _edit_of(opened: Opened, name: str, value: float) -> tuple[ValueEdit, Path]:
    """The place of a number in its file."""
    owner, field = split_name(name)
    axis = next((info for info in opened.mechanism.axes if info.name == owner), None)
    if field == START and axis is not None:
        return _start_edit(axis, value)
    if axis is not None and field in (*DYNAMICS, *LIMIT):
        source = _joint_source(opened.world, axis.joint)
        tag = "joint"
    elif field.startswith("pose.") or (field.startswith("parent_pose.") and is_of_urdf(opened.world, owner)):
        source = _joint_source(opened.world, owner)
        tag = "joint"
    elif field != "mass" and not field.startswith(("com.", "inertia.")):
        raise UsageError(f"'{name}' is not written into documents; write it there")
    else:
        links = [link for model in opened.world.models for link in model.links]
        source = next((link.source for link in links if link.name == owner), None)
        tag = "link"
    file = _file_of(source, owner)
    line = source.line if source is not None else 0
    if is_urdf(file):
        path, attribute, place, count = _urdf_place(field)
        return ValueEdit(line, tag, path, value, place, count, attribute), file
    path, place, count = _sdf_place(field, "axis2" if owner.endswith(":axis2") else "axis")
    return ValueEdit(line, tag, path, value, place, count), file


def _sdf_place(field: str, axis: str) -> tuple[tuple[str, ...], int, int]:
    """Path inside of the joint or link, index and count of its numbers."""
    group, _, part = field.rpartition(".")
    if field in DYNAMICS:
        return (axis, "dynamics", field), 0, 1
    if field in LIMIT:
        return (axis, "limit", field), 0, 1
    if group in ("com", "pose"):
        return ("pose",) if group == "pose" else ("inertial", "pose"), PLACES.index(part), POSE
    return ("inertial", "inertia", part) if group == "inertia" else ("inertial", "mass"), 0, 1


def _urdf_place(field: str) -> tuple[tuple[str, ...], str, int, int]:
    """Path, attribute, index and count of its numbers."""
    group, _, part = field.rpartition(".")
    if field in ("damping", "friction"):
        return ("dynamics",), field, 0, 1
    if field in LIMIT:
        return ("limit",), field, 0, 1
    if group == "com":
        return ("inertial", "origin"), "xyz", PLACES.index(part), 3
    if group == "inertia":
        return ("inertial", "inertia"), part, 0, 1
    if field == "mass":
        return ("inertial", "mass"), "value", 0, 1
    if group == "parent_pose":
        place = PLACES.index(part)
        return ("origin",), "xyz" if place < 3 else "rpy", place % 3, 3
    instead = "change parent_pose, which is its <origin>; " if group == "pose" else ""
    raise UsageError(
        f"a URDF has no place for '{field}'; {instead}`simulator convert` makes an SDFormat document of it"
    )


def _start_edit(axis: AxisInfo, value: float) -> tuple[ValueEdit, Path]:
    source = axis.axis.start_source
    if source is None or is_urdf(Path(source.file)):
        raise UsageError(
            f"the document does not give the start of '{axis.name}'; write a <model_state> with its position"
        )
    tag = "axis2_state" if axis.name.endswith(":axis2") else "axis_state"
    return ValueEdit(source.line, tag, ("position",), value), _file_of(source, axis.name)


def is_of_urdf(world: World, joint: str) -> bool:
    """Whether a joint comes from a URDF, whose `<origin>` is its pose in the parent link (`parent_pose`); its child
    link is in the same place."""
    source = _joint_source(world, joint)
    return source is not None and is_urdf(Path(source.file))


def _joint_source(world: World, name: str) -> Source | None:
    return next((joint.source for joint in all_joints(world) if joint.name == name), None)


def _file_of(source: Source | None, owner: str) -> Path:
    if source is None or source.line < 1 or not Path(source.file).is_file():
        raise UsageError(f"'{owner}' has no known place in the document")
    return Path(source.file)


def difference(a: Mechanism, b: Mechanism) -> str:
    """Differences of two mechanisms beyond round-off, in words; empty if they have the same parts with the same
    numbers."""
    if _names(a) != _names(b):
        return "it has other bodies, joints or axes"
    for (what, first), (_, second) in zip(_numbers(a), _numbers(b), strict=True):
        if not _same(first, second):
            return f"{what} differ"
    return ""


def _names(mechanism: Mechanism) -> list[str]:
    joints = (*mechanism.joints, *mechanism.loop_joints)
    return [
        *(body.name for body in mechanism.bodies),
        *(joint.name for joint in joints),
        *(axis.name for axis in mechanism.axes),
    ]


def _numbers(mechanism: Mechanism) -> list[tuple[str, list[float]]]:
    """Numbers of a kind together, and their name."""
    bodies = mechanism.bodies[1:]
    joints = (*mechanism.joints, *mechanism.loop_joints)
    axes = [info.axis for info in mechanism.axes]
    passive = [(f"{field} of axes", [getattr(axis, field) for axis in axes]) for field in (*DYNAMICS, *LIMIT, START)]
    # As matrices: a quaternion and its negative are the same turn.
    poses = [X.matrix()[:3].ravel().tolist() for joint in joints for X in (joint.X_PJ, joint.X_CJ)]
    return [
        *_numbers_of_couplings(mechanism),
        ("masses of bodies", [body.mass for body in bodies]),
        ("centres of mass", [value for body in bodies for value in body.com]),
        ("moments of inertia", [value for body in bodies for value in body.inertia]),
        ("places of joints", [value for pose in poses for value in pose]),
        *passive,
    ]


def _numbers_of_couplings(mechanism: Mechanism) -> list[tuple[str, list[float]]]:
    """What couplings and axes state beside their laws, each part by itself; those of two mechanisms that differ in what
    is stated have different lengths."""
    reals: list[object] = [coupling.real for coupling in mechanism.couplings]
    axes: list[object] = [info.axis for info in mechanism.axes]
    parts = (*((part, "couplings", reals) for part in REAL_TAGS), *((part, "axes", axes) for part in RUBBING_TAGS))
    return [
        (f"{part.replace('_', ' ')} of {what}", [number for owner in owners for number in _numbers_in(owner, part)])
        for part, what, owners in parts
    ]


def _numbers_in(owner: object, part: str) -> list[float]:
    """The numbers of one part; a profile over time counts as none."""
    stated: DataclassInstance | None = getattr(owner, part)
    found: list[float] = []
    for item in fields(stated) if stated is not None else ():
        value = getattr(stated, item.name)
        if isinstance(value, tuple):
            found += value
        elif isinstance(value, float | Constant):
            found.append(value.level if isinstance(value, Constant) else value)
    return found


def _same(a: list[float], b: list[float]) -> bool:
    first, second = np.array(a), np.array(b)
    if first.shape != second.shape:
        return False
    finite = np.isfinite(first) & np.isfinite(second)
    largest = float(np.abs(second[finite]).max(initial=0.0))
    apart = float(np.abs(first[finite] - second[finite]).max(initial=0.0))
    return bool((first[~finite] == second[~finite]).all()) and (apart <= SAME * largest or math.isclose(apart, 0.0))
