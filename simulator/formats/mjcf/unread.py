"""What of a document is not simulated, or not as MuJoCo does it: one finding for each kind."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.mjcf.bodies import BodyTree
    from simulator.formats.mjcf.compiling import Compiled
    from simulator.formats.nodes import Node

FLUID = "density", "viscosity", "wind"


def report_unread(tree: Node, compiled: Compiled, links: BodyTree, log: DiagnosticLog) -> None:
    """`tree`: the document; `links`: what has been made of it."""
    _report_softness(compiled, log)
    _report_sensors(tree, log)
    _report_bodies(compiled, links, log)
    _report_joints(compiled, links, log)
    _report_option(tree, compiled, log)
    for tag in ("extension", "plugin"):
        node = next((node for node in tree.walk() if node.tag == tag), None)
        if node is not None:
            log.warning("NOT_SIMULATED", node.source, f"<{tag}> is not simulated: plugins are programs of MuJoCo")
            break


def _report_softness(compiled: Compiled, log: DiagnosticLog) -> None:
    model = compiled.model
    counts = {
        "equalities": model.neq,
        "limits": int(model.jnt_limited.sum()),
        "dry friction": int((model.dof_frictionloss > 0.0).sum()),
        "contacts": int(((model.geom_contype > 0) | (model.geom_conaffinity > 0)).any()),
    }
    there = [what for what, count in counts.items() if count]
    if there:
        text = there[0] if len(there) == 1 else f"{', '.join(there[:-1])} and {there[-1]}"
        message = f"{text} give way in MuJoCo (solref, solimp, margin) and hold exactly here"
        log.info("MJCF_SOFT", compiled.places.root, message)


def _report_sensors(tree: Node, log: DiagnosticLog) -> None:
    nodes = [node for section in tree.all("sensor") for node in section.children]
    if nodes:
        kinds = Counter(node.tag for node in nodes)
        text = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        message = f"sensors measure nothing here, every channel is recorded directly: {text}"
        log.info("NOT_SIMULATED", nodes[0].source, message)


def _report_bodies(compiled: Compiled, links: BodyTree, log: DiagnosticLog) -> None:
    model = compiled.model
    for body in range(1, model.nbody):
        if model.body_gravcomp[body]:
            where = compiled.places.of_kind("bodies", body)
            message = "gravcomp is not simulated: gravity acts on the whole mass"
            log.warning("NOT_SIMULATED", where, message, fold="gravcomp", about=compiled.name("BODY", body))
    if model.nflex:
        left = model.nbody - 1 - len(links.links)
        message = f"deformable bodies (flex) are not simulated; {left} bodies that carry their points are left out"
        log.warning("NOT_SIMULATED", compiled.places.root, message)


def _report_joints(compiled: Compiled, links: BodyTree, log: DiagnosticLog) -> None:
    model = compiled.model
    for joint in range(model.njnt):
        dof = int(model.jnt_dofadr[joint])
        where = compiled.places.of_kind("joints", joint)
        for field, owner, what in (
            ("dof_dampingpoly", dof, "damping that is a polynomial of the velocity"),
            ("jnt_stiffnesspoly", joint, "stiffness that is a polynomial of the position"),
        ):
            values = getattr(model, field, None)
            if values is not None and values[owner].any():
                message = f"{what} is simulated by its linear part alone"
                log.warning("NOT_SIMULATED", where, message, fold=what, about=links.names.joints[joint])


def _report_option(tree: Node, compiled: Compiled, log: DiagnosticLog) -> None:
    option = compiled.model.opt
    if option.density or option.viscosity or any(option.wind):
        where = next((node.source for node in tree.all("option")), tree.source)
        log.warning("NOT_SIMULATED", where, f"{', '.join(FLUID)} of <option> are not simulated: there is no fluid")
