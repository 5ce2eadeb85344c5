"""Worlds and models → elements. Nested models, which the model keeps in one flat list, go back into their outer
ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.profile_text import format_profile
from simulator.formats.sdf.extensions import DRIVE, EXCLUDE, GRAVITY
from simulator.formats.sdf.names import SCOPE
from simulator.formats.writing.actuation import hardware_node, transmission_node
from simulator.formats.writing.elements import element, flag, number, numbers, pose, unless
from simulator.formats.writing.joints import joint_node, state_node
from simulator.formats.writing.laws import constraint_node, parameter_node
from simulator.formats.writing.links import link_node
from simulator.formats.writing.loads import load_node
from simulator.formats.writing.places import Places, local_name
from simulator.model.world import Physics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.formats.nodes import Node
    from simulator.formats.writing.uris import Uris
    from simulator.model.world import DemonstrationDrive, Document, Frame, Model, World

VERSION = "1.12"


def sdf_node(document: Document, uris: Uris) -> Node:
    """`<sdf>` with everything that the model holds."""
    roots = model_nodes(document.root_models, Places(document.root_models), uris)
    worlds = [_world(world, uris) for world in document.worlds]
    return element("sdf", *worlds, *roots, version=VERSION)


def _world(world: World, uris: Uris) -> Node:
    places = Places(world.models, world.joints, world.frames)
    return element(
        "world",
        *(_drive(drive) for drive in world.drives),
        *(load_node(load, "") for load in world.loads),
        *(constraint_node(constraint, str) for constraint in world.constraints),
        *(element(EXCLUDE, link=link, other=other) for link, other in world.excluded),
        numbers("gravity", world.gravity),
        unless(world.physics, Physics(), _physics(world.physics)),
        *(_frame(frame, "", places) for frame in world.frames),
        *model_nodes(world.models, places, uris),
        *(joint_node(joint, "", places) for joint in world.joints),
        name=world.name,
    )


def _drive(drive: DemonstrationDrive) -> Node:
    return element(DRIVE, axis=drive.axis, kind=drive.kind, value=format_profile(drive.profile))


def _physics(physics: Physics) -> Node:
    solver = element("solver", element("iters", text=str(physics.solver_iterations)))
    engine = element("bullet" if physics.type == "bullet" else "ode", solver)
    return element(
        "physics",
        number("max_step_size", physics.max_step_size),
        number("real_time_factor", physics.real_time_factor),
        unless(physics.solver_iterations, Physics().solver_iterations, engine),
        name="default_physics",
        type=physics.type,
    )


def model_nodes(models: Sequence[Model], places: Places, uris: Uris) -> list[Node]:
    """The outermost models, with those inside them that have their names in front."""
    roots: list[Node] = []
    made: dict[str, Node] = {}
    for model in models:
        outer = _outer(model.name, made)
        node = _model(model, outer, places, uris)
        made[model.name] = node
        (made[outer].children if outer else roots).append(node)
    for model in models:
        _choose_canonical(made[model.name], model)
    return roots


def _outer(name: str, made: dict[str, Node]) -> str:
    """The longest scope in front of a name that is a model; "" for none."""
    scope = name
    while SCOPE in scope:
        scope = scope.rpartition(SCOPE)[0]
        if scope in made:
            return scope
    return ""


def _model(model: Model, outer: str, places: Places, uris: Uris) -> Node:
    scope = model.name
    return element(
        "model",
        pose(places.relative(outer, "", model.X_WM)),
        unless(model.static, False, flag("static", model.static)),
        unless(model.self_collide, False, flag("self_collide", model.self_collide)),
        *(link_node(link, scope, places, uris) for link in model.links),
        *(_frame(frame, scope, places) for frame in model.frames),
        *(joint_node(joint, scope, places) for joint in model.joints),
        state_node(model.joints, model.links, scope),
        *(hardware_node(item) for item in model.hardware),
        *(transmission_node(item) for item in model.transmissions),
        None if model.gravity is None else numbers(GRAVITY, model.gravity),
        *(load_node(load, scope) for load in model.loads),
        *(constraint_node(constraint, lambda name: local_name(name, scope)) for constraint in model.constraints),
        *(parameter_node(parameter) for parameter in model.parameters),
        name=local_name(scope, outer),
    )


def _choose_canonical(node: Node, model: Model) -> None:
    """Name the canonical link where the reader would choose another one."""
    name = local_name(model.canonical_link, model.name)
    if name and name != _first_link(node):
        node.attributes["canonical_link"] = name


def _first_link(node: Node) -> str:
    link = node.child("link")
    if link is not None:
        return link.attributes["name"]
    for inner in node.all("model"):
        name = _first_link(inner)
        if name:
            return f"{inner.attributes['name']}{SCOPE}{name}"
    return ""


def _frame(frame: Frame, scope: str, places: Places) -> Node:
    attached_to = local_name(frame.attached_body, scope)
    node = element("frame", pose(places.relative(scope, attached_to, frame.X_WF)), name=local_name(frame.name, scope))
    if attached_to and (scope or attached_to != "world"):
        node.attributes["attached_to"] = attached_to
    return node
