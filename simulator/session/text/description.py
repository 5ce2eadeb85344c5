"""A document and its mechanism as plain data."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from simulator.condition.condition import condition_of
from simulator.formats.report import describe_diagnostic, describe_document, stated_parts
from simulator.mechanism.real_couplings import locks_itself
from simulator.model.coupling import loss_table
from simulator.session.text.actuation_data import actuators_data
from simulator.session.text.condition_data import condition_data, loops_data

if TYPE_CHECKING:
    from simulator.mechanism.types import Cluster, Coupling, Mechanism, MechanismJoint
    from simulator.session.open.opening import Opened


def describe(opened: Opened) -> dict[str, object]:
    """The object of `describe --json`: the document, and under `mechanism` its mechanism."""
    return {
        **describe_document(opened.document),
        "mechanism": {**_mechanism(opened.mechanism), **actuators_data(opened)},
    }


def _mechanism(mechanism: Mechanism) -> dict[str, object]:
    condition = condition_of(mechanism)
    return {
        "bodies": [
            {"name": body.name, "links": [link.name for link in body.links], "mass": body.mass, "com": list(body.com)}
            for body in mechanism.bodies
        ],
        "tree_joints": [_joint(joint, mechanism) for joint in mechanism.joints],
        "loop_joints": [_joint(joint, mechanism) for joint in mechanism.loop_joints],
        "couplings": [_coupling(coupling, mechanism) for coupling in mechanism.couplings],
        "clusters": [_cluster(cluster, mechanism) for cluster in mechanism.clusters],
        "mobility": {"count": mechanism.mobility.count, "rank": condition.rank},
        "redundant_rows": len(condition.redundant),
        "condition": condition_data(condition),
        "loops": loops_data(condition),
        "diagnostics": [describe_diagnostic(item) for item in mechanism.diagnostics],
    }


def _joint(joint: MechanismJoint, mechanism: Mechanism) -> dict[str, object]:
    return {
        "name": joint.name,
        "type": joint.type.value if joint.type is not None else joint.kind.value,
        "parent": mechanism.bodies[joint.parent].name,
        "child": mechanism.bodies[joint.child].name,
        "dof": joint.dof,
        "axes": [mechanism.axes[motion.axis].name for motion in joint.motions],
        "reversed": joint.reversed,
    }


def _coupling(coupling: Coupling, mechanism: Mechanism) -> dict[str, object]:
    return {
        "kind": coupling.kind.value,
        "follower": mechanism.axes[coupling.follower].name,
        "leader": mechanism.axes[coupling.leader].name,
        "multiplier": coupling.multiplier,
        "offset": coupling.offset,
        "reference": coupling.reference,
        "terms": {mechanism.axes[axis].name: coefficient for axis, coefficient in coupling.terms},
        "constant": coupling.constant,
        **_real(coupling),
    }


def _real(coupling: Coupling) -> dict[str, object]:
    """Losses, play and elasticity, as far as there are any."""
    if coupling.is_rigid_law:
        return {}
    losses = [asdict(point) for point in loss_table(coupling.real, coupling.lead)] if coupling.real.has_losses else []
    return {"real": stated_parts(coupling.real), "losses": losses, "self_locking": locks_itself(coupling)}


def _cluster(cluster: Cluster, mechanism: Mechanism) -> dict[str, object]:
    return {
        "joints": [mechanism.joints[i].name for i in cluster.joints],
        "loop_joints": [mechanism.loop_joints[i].name for i in cluster.loop_joints],
        "couplings": [mechanism.axes[mechanism.couplings[i].follower].name for i in cluster.couplings],
    }
