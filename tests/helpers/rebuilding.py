"""A document's values, built again by the calls of a script."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import simulator
from simulator.building.draft import Draft
from simulator.building.joints import AxisSettings
from simulator.building.model import ModelDraft
from simulator.building.part import PartDraft
from simulator.engine.drives import Drive, DriveKind
from simulator.formats.writing.actuation import hardware_node, transmission_node
from simulator.formats.writing.joints import DEFAULT_LAW
from simulator.formats.writing.laws import law_node
from simulator.formats.writing.places import Places, local_name
from simulator.formats.writing.real_coupling import real_coupling_nodes, rubbing_nodes
from simulator.model.cables import Cable
from simulator.model.joint import Axis, Joint, JointType
from simulator.model.link import Link
from simulator.model.loads import AnyLoad, PointSpring, TorsionSpring
from simulator.model.world import Document, Model, World

NAMES = ("lower", "upper", "effort", "velocity", "damping", "friction", "spring_stiffness", "spring_reference")


def rebuilt(document: Document) -> Draft:
    """A draft of the first world of a document, made by the methods of `Draft` from nothing."""
    world = document.world()
    places = Places(world.models, world.joints, world.frames)
    first = world.models[0].name
    draft = simulator.new(first)
    if first != world.name:
        draft.world.set("@name", world.name)
    draft.title(document.title.replace("--", "- -").rstrip("-"))
    _world(draft, world)
    made: dict[str, ModelDraft] = {first: draft}
    for model in world.models:
        outer = model.name.rpartition("::")[0]
        pose = places.relative(outer, "", model.X_WM)
        if model.name == first:
            draft.place(pose)
        elif outer:
            made[model.name] = made[outer].model(local_name(model.name, outer), pose=pose)
        else:
            made[model.name] = draft.world.model(model.name, pose=pose)
        _model(made[model.name], model, places)
    for joint in world.joints:
        _joint(draft.world, joint, "", places)
    for drive in world.drives:
        draft.drive(drive.axis, Drive(DriveKind(drive.kind), drive.profile))
    for frame in world.frames:
        draft.world.frame(frame.name, frame.X_WF)
    draft.world.load(*world.loads)
    for one, other in world.excluded:
        draft.world.exclude(one, other)
    return draft


def _world(draft: Draft, world: World) -> None:
    draft.world.gravity(*world.gravity)
    draft.world.step(world.physics.max_step_size)
    draft.world.set("physics@type", world.physics.type)
    draft.world.set("physics/real_time_factor", world.physics.real_time_factor)
    engine = "bullet" if world.physics.type == "bullet" else "ode"
    draft.world.set(f"physics/{engine}/solver/iters", world.physics.solver_iterations)


def _model(draft: ModelDraft, model: Model, places: Places) -> None:
    scope = model.name
    if model.static:
        draft.set("static", True)
    if model.self_collide:
        draft.set("self_collide", True)
    if model.canonical_link:
        draft.set("@canonical_link", local_name(model.canonical_link, scope))
    if model.gravity is not None:
        draft.set("simulator:gravity", model.gravity)
    for link in model.links:
        _link(draft, link, scope, places)
    for frame in model.frames:
        attached = local_name(frame.attached_body, scope)
        pose = places.relative(scope, attached, frame.X_WF)
        draft.frame(local_name(frame.name, scope), pose, attached_to=attached)
    for joint in model.joints:
        _joint(draft, joint, scope, places)
    for item in model.hardware:
        draft.put(hardware_node(item))
    for transmission in model.transmissions:
        draft.put(transmission_node(transmission))
    for load in model.loads:
        draft.load(_local(load, scope))


def _local(load: AnyLoad, scope: str) -> AnyLoad:
    if isinstance(load, Cable):
        parts = (replace(part, link=local_name(part.link, scope)) if part.link else part for part in load.parts)
        return replace(load, parts=tuple(parts))
    if isinstance(load, TorsionSpring):
        return replace(load, joint=local_name(load.joint, scope))
    if isinstance(load, PointSpring):
        return replace(load, link=local_name(load.link, scope), other=local_name(load.other, scope))
    return replace(load, link=local_name(load.link, scope))


def _link(draft: ModelDraft, link: Link, scope: str, places: Places) -> None:
    made = draft.link(local_name(link.name, scope), pose=places.relative(scope, "", link.X_WL))
    if link.has_inertial:
        body = link.inertial
        made.inertia(body.mass, body.X_LI, body.moments, body.products)
    for visual in link.visuals:
        made.visual(visual.shape, visual.X_LV, visual.material, name=visual.name, transparency=visual.transparency)
    for collision in link.collisions:
        made.collision(collision.shape, collision.X_LC, collision.surface, name=collision.name)
    for name in ("gravity", "kinematic", "self_collide"):
        if getattr(link, name) != getattr(Link, name):
            made.set(name, getattr(link, name))
    if link.start_velocity is not None:
        draft.launch(made, link.start_velocity.linear, link.start_velocity.angular)


def _settings(axis: Axis) -> dict[str, float]:
    found = {name: getattr(axis, name) for name in NAMES}
    return {**{name: value for name, value in found.items() if math.isfinite(value)}, "armature": axis.armature}


def _joint(draft: object, joint: Joint, scope: str, places: Places) -> None:
    assert isinstance(draft, ModelDraft | type(simulator.new("x").world))
    name = local_name(joint.name, scope)
    axes = [axis.xyz_joint for axis in joint.axes]
    second = AxisSettings(**_settings(joint.axes[1])) if len(axes) > 1 else None
    made = draft.joint(
        name,
        joint.type.value,
        joint.parent,
        joint.child,
        at=places.relative(scope, joint.child, joint.X_WJ),
        axis=axes[0] if axes else (0.0, 0.0, 1.0),
        axis2=axes[1] if len(axes) > 1 else (0.0, 0.0, 1.0),
        relative_to="",
        loop=joint.must_be_loop_joint,
        independent=joint.independent,
        compliance=joint.compliance,
        second=second,
        **(_settings(joint.axes[0]) if axes else {}),
    )
    if joint.type is JointType.SCREW:
        made.set("screw_thread_pitch", joint.screw_thread_pitch)
    if joint.type is JointType.GEARBOX:
        made.set("gearbox_ratio", joint.gearbox_ratio)
        made.set("gearbox_reference_body", joint.gearbox_reference_body)
    for node in real_coupling_nodes(joint.coupling):
        made.put(node)
    if joint.X_WJ_parent is not None:
        reference = "" if joint.parent == "world" else joint.parent
        made.set("simulator:parent_pose", places.relative(scope, reference, joint.X_WJ_parent))
    for tag, axis in zip(("axis", "axis2"), joint.axes, strict=False):
        for node in rubbing_nodes(axis):
            for attribute, value in node.attributes.items():
                made.set(f"{tag}/{node.tag}@{attribute}", value)
        if axis.mimic is not None:
            made.set(f"{tag}/mimic@joint", axis.mimic.joint)
            made.set(f"{tag}/mimic@axis", axis.mimic.axis)
            for key, usual in DEFAULT_LAW.items():
                if axis.mimic.law is None or getattr(axis.mimic, key) != usual:
                    made.set(f"{tag}/mimic/{key}", getattr(axis.mimic, key))
            owner = made.element.child(tag)
            mimic = None if owner is None else owner.child("mimic")
            assert mimic is not None
            law = [] if axis.mimic.law is None else [law_node(axis.mimic.law)]
            for node in (*law, *real_coupling_nodes(axis.mimic.coupling)):
                PartDraft(mimic).put(node)
        if scope and (axis.initial_position or axis.initial_velocity):
            assert isinstance(draft, ModelDraft)
            draft.start(name, axis.initial_position, axis.initial_velocity, axis=tag)


def saved(draft: Draft, folder: Path) -> Path:
    """Write a draft without judging it, for documents that are not to be simulated."""
    path = folder / "rebuilt.sdf"
    path.write_text(draft.to_sdf(), encoding="utf-8")
    return path
