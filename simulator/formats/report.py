"""Documents → plain dictionaries, ready for JSON."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import TYPE_CHECKING

from simulator.formats.control.report import control_data
from simulator.formats.profile_text import format_profile
from simulator.formats.sdf.joint import AXIS_TAGS
from simulator.formats.writing.real_coupling import RUBBING_TAGS
from simulator.model.shape import Mesh, Shape

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from simulator.diagnostics import Diagnostic
    from simulator.model.coupling import RealCoupling
    from simulator.model.joint import Axis, Joint
    from simulator.model.link import Link, Omitted
    from simulator.model.world import Document, Frame, Model, World


def describe_document(document: Document) -> dict[str, object]:
    """What the document means: resolved poses [x, y, z, qx, qy, qz, qw], SI units; infinite values are the strings
    "inf" and "-inf"."""
    described: dict[str, object] = {
        "file": document.file,
        "title": document.title,
        "diagnostics": [describe_diagnostic(item) for item in document.diagnostics],
        "worlds": [_world(world) for world in document.worlds],
        "root_models": [_model(model) for model in document.root_models],
    }
    return json_object(described)


def json_object(value: dict[str, object]) -> dict[str, object]:
    """`json_ready` for an object."""
    return {key: json_ready(item) for key, item in value.items()}


def json_ready(value: object) -> object:
    """The same tree with "inf", "-inf" and "nan" for what JSON cannot write."""
    if isinstance(value, dict):
        return {key: json_ready(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_ready(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def describe_diagnostic(item: Diagnostic) -> dict[str, object]:
    """One finding, as `describe --json` and `check --json` print it."""
    return {
        "severity": item.severity.value,
        "code": item.code,
        "file": item.file,
        "line": item.line,
        "message": item.message,
        "hint": item.hint,
        "included_from": list(item.included_from),
        "count": item.count,
        **({"others": [name.strip("'") for name in item.others]} if item.others else {}),
    }


def _world(world: World) -> dict[str, object]:
    return {
        "name": world.name,
        "gravity": list(world.gravity),
        "physics": {
            "type": world.physics.type,
            "max_step_size": world.physics.max_step_size,
            "real_time_factor": world.physics.real_time_factor,
        },
        "models": [_model(model) for model in world.models],
        "joints": [_joint(joint) for joint in world.joints],
        "frames": [_frame(frame) for frame in world.frames],
    }


def _model(model: Model) -> dict[str, object]:
    return {
        "name": model.name,
        "static": model.static,
        "self_collide": model.self_collide,
        "canonical_link": model.canonical_link,
        "pose_world": model.X_WM.as_list(),
        "links": [_link(link) for link in model.links],
        "joints": [_joint(joint) for joint in model.joints],
        "frames": [_frame(frame) for frame in model.frames],
        **control_data(model),
    }


def _link(link: Link) -> dict[str, object]:
    return {
        "name": link.name,
        "pose_world": link.X_WL.as_list(),
        "gravity": link.gravity,
        "kinematic": link.kinematic,
        "self_collide": link.self_collide,
        "mass": link.inertial.mass,
        "inertial_pose": link.inertial.X_LI.as_list(),
        "ixx_iyy_izz": list(link.inertial.moments),
        "ixy_ixz_iyz": list(link.inertial.products),
        **_start(link),
        "collisions": [_part(item.name, item.X_LC.as_list(), item.shape) for item in link.collisions]
        + [_omitted(item) for item in link.omitted if item.element == "collision"],
        "visuals": [_part(item.name, item.X_LV.as_list(), item.shape) for item in link.visuals]
        + [_omitted(item) for item in link.omitted if item.element == "visual"],
    }


def _start(link: Link) -> dict[str, object]:
    start = link.start_velocity
    return {} if start is None else {"start_velocity": [*start.linear, *start.angular]}


def _omitted(item: Omitted) -> dict[str, object]:
    """What the document says of a part that is left out; `omitted` marks it."""
    geometry = {"type": item.geometry} if item.mesh is None else _geometry(item.mesh)
    return {"name": item.name, "pose_link": item.X_L.as_list(), "geometry": geometry, "omitted": True}


def _part(name: str, pose: list[float], shape: Shape) -> dict[str, object]:
    return {"name": name, "pose_link": pose, "geometry": _geometry(shape)}


def _geometry(shape: Shape) -> dict[str, object]:
    values = {field.name: getattr(shape, field.name) for field in fields(shape)}
    if isinstance(shape, Mesh):
        values.pop("path")
        if not shape.up:
            values.pop("up")
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
    return {"type": type(shape).__name__.lower(), **plain}


def _joint(joint: Joint) -> dict[str, object]:
    axes: dict[str, Axis | None] = dict(zip(AXIS_TAGS, (*joint.axes, None, None), strict=False))
    axes = {tag: None if axis is None or axis.source is None else axis for tag, axis in axes.items()}
    axes.update(joint.unused_axes)
    return {
        "name": joint.name,
        "type": joint.type.value,
        "parent_raw": joint.parent,
        "child_raw": joint.child,
        "parent_link": joint.parent_link,
        "child_link": joint.child_link,
        "pose_world": joint.X_WJ.as_list(),
        "screw_thread_pitch": joint.screw_thread_pitch,
        "gearbox_ratio": joint.gearbox_ratio,
        "gearbox_reference": joint.gearbox_reference,
        "must_be_loop_joint": joint.must_be_loop_joint,
        "pose_world_parent": None if joint.X_WJ_parent is None else joint.X_WJ_parent.as_list(),
        "independent": joint.independent,
        **stated_parts(joint.coupling),
        **{tag: None if axis is None else _axis(axis) for tag, axis in axes.items()},
    }


def stated_parts(real: RealCoupling) -> dict[str, object]:
    """Losses, play, elasticity, freewheel and clutch as far as they are stated; profiles as texts."""
    parts = ((item.name, getattr(real, item.name)) for item in fields(real))
    return {name: stated_numbers(part) for name, part in parts if part is not None}


def stated_numbers(part: DataclassInstance) -> dict[str, object]:
    """What one part states."""
    values = ((item.name, getattr(part, item.name)) for item in fields(part))
    return {
        name: list(value) if isinstance(value, tuple) else value if isinstance(value, float) else format_profile(value)
        for name, value in values
        if value is not None
    }


def _axis(axis: Axis) -> dict[str, object]:
    limits = "lower upper effort velocity stiffness dissipation"
    numbers = f"{limits} damping friction spring_reference spring_stiffness initial_position initial_velocity"
    described: dict[str, object] = {
        "xyz_joint": list(axis.xyz_joint),
        "xyz_world": list(axis.xyz_world),
        "expressed_in": axis.expressed_in,
        **{name: getattr(axis, name) for name in numbers.split()},
    }
    if axis.armature:
        described["armature"] = axis.armature
    for name in RUBBING_TAGS:
        if getattr(axis, name) is not None:
            described[name] = stated_numbers(getattr(axis, name))
    if axis.commands:
        described["commands"] = {item.kind: [item.lower, item.upper] for item in axis.commands}
    if axis.mimic is not None:
        described["mimic"] = {
            "joint": axis.mimic.joint,
            "leader": axis.mimic.leader,
            "axis": axis.mimic.axis,
            "multiplier": axis.mimic.multiplier,
            "offset": axis.mimic.offset,
            "reference": axis.mimic.reference,
            **stated_parts(axis.mimic.coupling),
            **({} if axis.mimic.law is None else {axis.mimic.law.kind.value: axis.mimic.law.text}),
        }
    return described


def _frame(frame: Frame) -> dict[str, object]:
    return {"name": frame.name, "pose_world": frame.X_WF.as_list(), "attached_body": frame.attached_body}
