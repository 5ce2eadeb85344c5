"""Facts about an item, as a short table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from PyQt6.QtCore import QCoreApplication

from simulator.diagnostics import Source, printable
from simulator.gui.laws import kind_text, law_names, law_text
from simulator.gui.relations import Relations
from simulator.gui.selection import Item, ItemKind
from simulator.gui.units import MINUS, Units, compact
from simulator.mechanism.real_couplings import friction_text, real_text
from simulator.mechanism.types import AxisInfo, Coupling, Mobility
from simulator.model.joint import Joint
from simulator.model.link import Link
from simulator.model.names import tail_name
from simulator.model.world import World
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import rpy_from_quat

Facts = list[tuple[str, str]]


def _tr(text: str) -> str:
    return QCoreApplication.translate("Inspector", text)


def facts(relations: Relations, item: Item | None, units: Units) -> tuple[str, Facts]:
    """Title and rows (name, value) about an item; the mechanism as a whole where there is none."""
    if item is None:
        return _world_name(relations.world), _mechanism(relations)
    if item.kind is ItemKind.LINK:
        link = relations.link(item.name)
        return item.name, _link(link) if link else []
    if item.kind is ItemKind.COUPLING:
        coupling = relations.coupling(item.name)
        return item.name, _coupling(relations, coupling) if coupling else []
    if item.kind is ItemKind.MODEL:
        return item.name, _model(relations, item.name)
    joint = relations.joint(item.name if item.kind is not ItemKind.AXIS else relations.axis_joint(item.name))
    return item.name, _joint(relations, joint, item, units) if joint else []


def plain(rows: Sequence[tuple[str, str]]) -> str:
    """The table as a tooltip."""
    return "\n".join(f"{printable(name)}: {printable(value)}" for name, value in rows)


def _mechanism(relations: Relations) -> Facts:
    mechanism = relations.mechanism
    mobility = relations.mechanism.mobility
    return [
        (_tr("mobility by count"), _mobility(mobility)),
        (_tr("bodies"), str(len(mechanism.bodies) - 1)),
        (_tr("tree joints"), str(len(mechanism.joints))),
        (_tr("loop joints"), str(len(mechanism.loop_joints))),
        (_tr("couplings"), str(len(mechanism.couplings))),
        *([(_tr("cables"), str(len(mechanism.loads.cables)))] if mechanism.loads.cables else []),
        (_tr("gravity"), f"{_vector(mechanism.gravity)} m/s²"),
    ]  # fmt: skip


def _world_name(world: World) -> str:
    """A world that is called what all are called without a name goes by that of its file."""
    sources = (world.source, *(model.source for model in world.models))
    file = next((source.file for source in sources if source is not None), "")
    return Path(file).stem if file and world.name == World.name else world.name


def _mobility(mobility: Mobility) -> str:
    """'1 = 3 of joints − 2 of loops'; the number alone where nothing holds the joints."""
    held = ((mobility.loop_rows, _tr("of loops")), (mobility.coupling_rows, _tr("of couplings")))
    less = "".join(f" {MINUS} {rows} {what}" for rows, what in held if rows)
    count = str(mobility.count).replace("-", MINUS)
    return f"{count} = {mobility.joint_dof} {_tr('of joints')}{less}" if less else count


def _model(relations: Relations, name: str) -> Facts:
    model = relations.model(name)
    if model is None:
        return []
    rows = [
        (_tr("pose"), pose_text(model.X_WM)),
        (_tr("links"), str(len(model.links))),
        (_tr("joints"), str(len(model.joints))),
    ]
    rows += [(_tr("static"), _tr("yes"))] if model.static else []
    return rows + _source(model.source)


def _link(link: Link) -> Facts:
    inertial = link.inertial
    rows = [
        (_tr("mass"), f"{compact(inertial.mass)} kg" + ("" if link.has_inertial else " " + _tr("(default)"))),
        (_tr("inertia"), f"{_vector(inertial.moments)} kg·m²"),
        (_tr("products"), f"{_vector(inertial.products)} kg·m²"),
        (_tr("centre of mass"), f"{_vector(inertial.X_LI.position)} m"),
        (_tr("pose"), pose_text(link.X_WL)),
        (_tr("shapes"), _tr("{v} visual, {c} collision").format(v=len(link.visuals), c=len(link.collisions))),
    ]
    if all(product == 0.0 for product in inertial.products):
        del rows[2]
    return rows + _source(link.source)


def _joint(relations: Relations, joint: Joint, item: Item, units: Units) -> Facts:
    rows = [(_tr("type"), joint.type.value), (_tr("parent"), joint.parent_link), (_tr("child"), joint.child_link)]
    if any(loop.name == joint.name for loop in relations.mechanism.loop_joints):
        rows.append((_tr("role"), _tr("closes a loop")))
    hinges = [tail_name(name) for name in relations.mechanism.hinges_beside(joint.name)]
    if hinges:
        rows.append((_tr("role"), _tr("one ball joint: {hinges}").format(hinges=", ".join(hinges))))
    for index in relations.axes_of(item):
        rows += _axis(relations.mechanism.axes[index], units)
    rows.append((_tr("frame"), pose_text(joint.X_WJ)))
    return rows + _source(joint.source)


def _axis(info: AxisInfo, units: Units) -> Facts:
    axis = info.axis
    rows = [(_tr("axis"), _tr("{vector} in the world").format(vector=_vector(axis.xyz_world)))]
    if info.limited:
        rows.append((_tr("limits"), f"{units.text(info, axis.lower)} … {units.text(info, axis.upper)}"))
    rate = "rad/s" if info.unit == "rad" else "m/s"
    numbers = (
        (_tr("effort limit"), axis.effort, info.effort_unit),
        (_tr("velocity limit"), axis.velocity, rate),
        (_tr("damping"), axis.damping, f"{info.effort_unit}·s/{info.unit}"),
        (_tr("friction"), axis.friction, info.effort_unit),
        (_tr("spring"), axis.spring_stiffness, f"{info.effort_unit}/{info.unit}"),
    )
    rows += [(n, f"{compact(v)} {u}") for n, v, u in numbers if v and math.isfinite(v) and abs(v) < 1e15]
    return rows + [(_tr("friction"), part) for part in friction_text(info).split("; ") if part]


def _coupling(relations: Relations, coupling: Coupling) -> Facts:
    axes = relations.mechanism.axes
    follower, leader = axes[coupling.follower], axes[coupling.leader]
    unit = "" if follower.unit == leader.unit else f" {follower.unit}/{leader.unit}"
    rows = [
        (_tr("law"), law_text(coupling, law_names(coupling, axes))),
        (_tr("written as"), kind_text(coupling)),
        (_tr("leader"), leader.name),
    ]
    if coupling.curve is not None:
        more = [(_tr("also follows"), axes[axis].name) for axis, _ in coupling.others]
        return rows + more + _source(coupling.source)
    rows += [
        (_tr("multiplier"), f"{compact(coupling.multiplier, 9)}{unit}"),
        (_tr("reference"), f"{compact(coupling.reference, 9)} {leader.unit}"),
        (_tr("offset"), f"{compact(coupling.offset, 9)} {follower.unit}"),
    ]
    real = real_text(coupling, relations.mechanism)
    rows += [(_tr("real"), part) for part in real.split("; ") if part]
    more = [(_tr("also follows"), f"{compact(m, 9)} · {axes[axis].name}") for axis, m in coupling.others]
    return rows + more + _source(coupling.source)


def _source(source: Source | None) -> Facts:
    return [(_tr("source"), f"{Path(source.file).name}:{source.line}")] if source is not None else []


def pose_text(pose: Pose) -> str:
    """Position [m] and, where it turns, roll, pitch, yaw [rad]."""
    turn = rpy_from_quat(pose.orientation)
    turned = f"  rpy {_vector(turn)} rad" if any(abs(angle) > 1e-9 for angle in turn) else ""
    return f"{_vector(pose.position)} m{turned}"


def _vector(values: Sequence[float]) -> str:
    return "(" + ", ".join(compact(0.0 if abs(value) < 1e-12 else value, 4) for value in values) + ")"
