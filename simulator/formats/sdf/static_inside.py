"""Static models inside of models that move.

A static model is attached to the world, "even if this model is nested (or included) by another model" (SDFormat 1.8 and
later, `//model/static`; so does gz-sim). Gazebo classic took the links of an included model into the one around it and
lost its `<static>`: robots that were made for it have static parts, which hold them here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.sdf.names import MODEL_FRAME, SCOPE
from simulator.formats.sdf.specs import JointSpec
from simulator.model.joint import WORLD

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.sdf.frame_graph import FrameGraph
    from simulator.formats.sdf.scopes import Scope, Vertex


def report_static_inside(model: Vertex, graph: FrameGraph, log: DiagnosticLog) -> None:
    """Warn of a static model in one that is not, and name the joint by which it holds it."""
    outer = model.scope
    around = graph.body_at(outer, "")
    if outer.owner is None or around in (None, WORLD) or around.endswith(SCOPE + MODEL_FRAME):
        return
    joint = next((name for name in outer.names_of("joint") if _ties(outer, name, model)), "")
    done = f"joint '{joint}' ties {outer.label} to the world by it" if joint else f"it does not move with {outer.label}"
    message = f"model '{model.scoped_name}' is static, also inside of {outer.label}, which is not: {done}"
    hint = "take its <static> out, or write <static>false</static> into its <include>; Gazebo classic loses it there"
    log.warning(
        "STATIC_INSIDE_MOVING", model.source, message, hint, fold=f"{outer.label}{joint}", about=model.scoped_name
    )


def _ties(scope: Scope, name: str, model: Vertex) -> bool:
    """Whether one end of a joint, and only one, is the static model."""
    spec = scope.vertices[name].spec
    if not isinstance(spec, JointSpec):
        return False
    inside = [_is_in(scope, end, model) for end in (spec.parent, spec.child)]
    return inside[0] != inside[1]


def _is_in(scope: Scope, end: str, model: Vertex) -> bool:
    path = None if end == WORLD else scope.path(end)
    return path is not None and path[:1] == [model]
