"""Specs and frame graph → worlds and models of `simulator.model`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.formats.control.resolve import resolve_control
from simulator.formats.cursor import listed, offered
from simulator.formats.sdf.exclusions import resolved_exclusions
from simulator.formats.sdf.extensions import DRIVE
from simulator.formats.sdf.frame_graph import FrameGraph
from simulator.formats.sdf.friction import resolved_direction
from simulator.formats.sdf.joint import AXES, AXIS_TAGS
from simulator.formats.sdf.laws import resolved_constraints
from simulator.formats.sdf.loads import resolved_loads
from simulator.formats.sdf.names import SCOPE
from simulator.formats.sdf.parameters import report_parameters
from simulator.formats.sdf.resolve_joint import resolve_joint
from simulator.formats.sdf.scopes import Scope, canonical_link, root_scope, world_scope
from simulator.formats.sdf.specs import JointSpec, LinkSpec, ModelSpec, Scoped, Starts, StartSpec, WorldSpec
from simulator.formats.sdf.static_inside import report_static_inside
from simulator.model.link import Collision, Link, Omitted, Visual
from simulator.model.world import Frame, Model, World
from simulator.records import dataclass
from simulator.spatial.pose import IDENTITY, Pose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.diagnostics import DiagnosticLog
    from simulator.model.joint import Joint
    from simulator.model.link import StartVelocity
    from simulator.spatial.rotation import Vec3


@dataclass(frozen=True)
class _Resolver:
    graph: FrameGraph
    log: DiagnosticLog
    strict: bool


def resolve_world(spec: WorldSpec, log: DiagnosticLog, *, strict: bool) -> World:
    """A world with every pose in the world frame."""
    scope = world_scope(spec)
    graph = FrameGraph(log, strict=strict)
    graph.settle(scope)
    resolver = _Resolver(graph, log, strict)
    lost = _report_lost(graph, log, spec, scope.label)
    models = [model for inner in spec.models for model in _models(resolver, inner, scope, {})]
    joints = _joints(resolver, spec, scope, {})
    if lost or len(joints) < len(spec.joints):
        what = "frames in it have no place" if lost else "joints in it cannot be made"
        message = f"world '{spec.name}' cannot be used: {what}"
        log.consequence("ELEMENT_INVALID", spec.source, message, "mend the errors above first")
    frames = _frames(resolver, spec, scope)
    loads = resolved_loads(spec.loads, scope, log)
    _judge_drives(spec, (*(joint for model in models for joint in model.joints), *joints), log)
    constraints = resolved_constraints(spec.constraints, scope, log)
    graph.forget()
    scope.forget()
    return World(
        name=spec.name,
        gravity=spec.gravity,
        physics=spec.physics,
        models=tuple(models),
        joints=joints,
        frames=frames,
        drives=spec.drives,
        loads=loads,
        constraints=constraints,
        excluded=resolved_exclusions(spec.excluded, models, log),
        source=spec.source,
    )


def _judge_drives(spec: WorldSpec, joints: Sequence[Joint], log: DiagnosticLog) -> None:
    """Warn about drives of joints that do not exist; one of a second axis is named `joint:axis2`."""
    names = [joint.name for joint in joints]
    for drive in spec.drives:
        wanted = drive.axis.removesuffix(":axis2")
        if not any(name == wanted or name.endswith(f"{SCOPE}{wanted}") for name in names):
            message = f"<{DRIVE}> names the axis '{drive.axis}', which does not exist; it is not driven"
            log.warning("DRIVE_INVALID", drive.source, message, offered(log, drive.axis, names, "joints"))


def resolve_root_model(spec: ModelSpec, log: DiagnosticLog, *, strict: bool) -> tuple[Model, ...]:
    """A model without a world around it, and its nested models."""
    scope = root_scope(spec)
    graph = FrameGraph(log, strict=strict)
    if spec.pose.relative_to:
        message = (
            f"the pose of model '{spec.name}' names relative_to='{spec.pose.relative_to}', but nothing is around it"
        )
        log.error("ATTRIBUTE_INVALID", spec.pose.source, message, "leave relative_to away at the root of a document")
    graph.settle(scope)
    _report_lost(graph, log, spec, f"model '{spec.name}'")
    models = tuple(_models(_Resolver(graph, log, strict), spec, scope, {}))
    graph.forget()
    scope.forget()
    return models


def _report_lost(graph: FrameGraph, log: DiagnosticLog, spec: Scoped, label: str) -> bool:
    """One error for each of the two questions that some frames have no answer to."""
    bodies, poses = graph.lost_bodies(), graph.lost_poses()
    if bodies:
        message = f"{label} has frames that are attached to no link, because of another error: {listed(bodies)}"
        log.consequence("FRAME_ATTACHED_TO_GRAPH_ERROR", spec.source, message)
    if poses:
        message = f"{label} has frames whose poses are unknown, because of another error: {listed(poses)}"
        log.consequence("POSE_RELATIVE_TO_GRAPH_ERROR", spec.source, message)
    return bool(bodies or poses)


def _models(
    resolver: _Resolver, spec: ModelSpec, around: Scope, starts: Starts, gravity: Vec3 | None = None
) -> list[Model]:
    """The model and, behind it, its nested models. `gravity`: of the model around it."""
    vertex = around.vertices.get(spec.name)
    if vertex is None or vertex.inner is None or vertex.spec is not spec:
        return []
    scope = vertex.inner
    gravity = spec.gravity or gravity
    starts = {**_starts(resolver, spec, scope), **starts}
    canonical = scope.vertex(canonical_link(spec)) if canonical_link(spec) else None
    if spec.static:
        report_static_inside(vertex, resolver.graph, resolver.log)
    links = tuple(_link(resolver, link, scope, spec.start_twists.get(link.name)) for link in spec.links)
    _judge_start_twists(resolver, spec, scope)
    joints = _joints(resolver, spec, scope, starts)
    control = resolve_control(spec.control, joints, scope.name, resolver.log, strict=resolver.strict)
    model = Model(
        name=scope.name,
        static=spec.static,
        self_collide=spec.self_collide,
        canonical_link="" if canonical is None else canonical.scoped_name,
        X_WM=resolver.graph.pose_of(vertex),
        links=links,
        joints=control.joints,
        frames=_frames(resolver, spec, scope),
        hardware=control.hardware,
        transmissions=control.transmissions,
        loads=resolved_loads(spec.loads, scope, resolver.log),
        constraints=resolved_constraints(spec.constraints, scope, resolver.log),
        parameters=spec.parameters,
        gravity=gravity,
        source=spec.source,
    )
    report_parameters(model, resolver.log)
    return [model, *(item for inner in spec.models for item in _models(resolver, inner, scope, starts, gravity))]


def _starts(resolver: _Resolver, spec: ModelSpec, scope: Scope) -> Starts:
    """What `model_state` asks for, by (scoped joint, axis)."""
    found: Starts = {}
    for (name, tag), start in spec.starts.items():
        vertex = scope.vertex(name)
        if vertex is None or not isinstance(vertex.spec, JointSpec):
            hint = offered(resolver.log, name, scope.names_of("joint"), "joints there")
            message = f"model_state names a joint '{name}', which does not exist in {scope.label}; it is not read"
            resolver.log.warning("JOINT_STATE_INVALID", start.source, message, hint)
            continue
        _judge_start(vertex.spec, tag, start, resolver.log)
        found[vertex.scoped_name, tag] = start
    return found


def _judge_start(joint: JointSpec, tag: str, start: StartSpec, log: DiagnosticLog) -> None:
    """Warn about a start that has no effect; whether it is within the limits is seen when the mechanism is
    assembled."""
    if tag not in AXIS_TAGS[: AXES[joint.type]]:
        what = "a velocity" if start.position is None else "a position"
        message = (
            f"model_state gives {what} to {tag} of the {joint.type.value} joint '{joint.name}', which it does not have"
        )
        log.warning("JOINT_STATE_INVALID", start.source, message)


def _judge_start_twists(resolver: _Resolver, spec: ModelSpec, scope: Scope) -> None:
    """Warn about velocities of links that the model does not have."""
    known = {link.name for link in spec.links}
    for name, twist in spec.start_twists.items():
        if name not in known:
            hint = offered(resolver.log, name, known, "links there")
            message = f"model_state names a link '{name}', which does not exist in {scope.label}; it is not read"
            resolver.log.warning("LINK_STATE_INVALID", twist.source, message, hint)


def _link(resolver: _Resolver, spec: LinkSpec, scope: Scope, start: StartVelocity | None) -> Link:
    X_WL = resolver.graph.pose_of(scope.vertices[spec.name])

    link = replace(spec.link, name=scope.prefix + spec.name, X_WL=X_WL, start_velocity=start)
    if any(item.surface.direction for item in link.collisions):
        rubbing = (resolved_direction(item, scope, resolver.graph, resolver.log) for item in link.collisions)
        link = replace(link, collisions=tuple(rubbing))
    if not spec.elsewhere:
        return link

    def place(item: Visual | Collision | Omitted, tag: str, X_own: Pose) -> Pose:
        elsewhere = spec.elsewhere.get((tag, item.name))
        if elsewhere is None:
            return X_own
        X_WR = resolver.graph.pose_at(scope, elsewhere.relative_to)
        if X_WR is None:
            message = f"{tag} '{item.name}' has its pose relative to '{elsewhere.relative_to}', which does not exist"
            hint = offered(resolver.log, elsewhere.relative_to, scope.names(), f"frames in {scope.label}")
            resolver.log.error("POSE_RELATIVE_TO_INVALID", elsewhere.source, message, hint)
            return IDENTITY
        return X_WL.inverse() @ X_WR @ elsewhere.pose

    return replace(
        link,
        visuals=tuple(replace(item, X_LV=place(item, "visual", item.X_LV)) for item in link.visuals),
        collisions=tuple(replace(item, X_LC=place(item, "collision", item.X_LC)) for item in link.collisions),
        omitted=tuple(replace(item, X_L=place(item, item.element, item.X_L)) for item in link.omitted),
    )


def _joints(resolver: _Resolver, spec: Scoped, scope: Scope, starts: Starts) -> tuple[Joint, ...]:
    def resolved(joint: JointSpec) -> Joint | None:
        return resolve_joint(joint, scope, resolver.graph, resolver.log, starts, strict=resolver.strict)

    return tuple(joint for item in spec.joints if (joint := resolved(item)) is not None)


def _frames(resolver: _Resolver, spec: Scoped, scope: Scope) -> tuple[Frame, ...]:
    return tuple(
        Frame(
            name=scope.prefix + frame.name,
            X_WF=resolver.graph.pose_at(scope, frame.name) or IDENTITY,
            attached_body=resolver.graph.body_at(scope, frame.name) or "",
            source=frame.source,
        )
        for frame in spec.frames
    )
