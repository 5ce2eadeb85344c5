"""Fixed tendons, whose length is a sum over joints: their limits and springs are constraints with bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.mjcf.equality_kinds import law_of
from simulator.formats.mjcf.poses import element
from simulator.formats.mjcf.spatial_tendons import is_spatial
from simulator.formats.sdf.extensions import CONSTRAINT

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.mjcf.bodies import BodyTree
    from simulator.formats.mjcf.starting import MjcfStart
    from simulator.formats.nodes import Node

NO_SLACK = 1e-12
"""Bound [m or rad] of a spring that acts from its length on: without one the start would be where it is at rest."""


def read_tendons(tree: BodyTree, start: MjcfStart, log: DiagnosticLog) -> list[Node]:
    """A constraint for the limits of each fixed tendon, and one for its spring; a finding for all else that acts.
    Limits that the start is beyond, and dampers that act between the bounds of a spring, have none."""
    model = tree.compiled.model
    found: list[Node] = []
    for tendon in range(model.ntendon):
        name = tree.compiled.name("TENDON", tendon)
        where = tree.compiled.places.of_kind("tendons", tendon)
        first, count = int(model.tendon_adr[tendon]), int(model.tendon_num[tendon])
        wraps = range(first, first + count)
        if is_spatial(tree.compiled, tendon):
            continue
        terms = [(int(model.wrap_objid[wrap]), float(model.wrap_prm[wrap])) for wrap in wraps]
        length = sum(factor * float(start.qpos[int(model.jnt_qposadr[joint])]) for joint, factor in terms)
        named = [(tree.names.joints[joint], factor) for joint, factor in terms]
        low, high = (float(bound) for bound in model.tendon_range[tendon])
        short, long = (float(bound) for bound in model.tendon_lengthspring[tendon])
        stiffness, damping = float(model.tendon_stiffness[tendon]), float(model.tendon_damping[tendon])
        left = dict[str, float]()
        if model.tendon_limited[tendon] and low < high and low <= length <= high:
            law = law_of(named, 0.5 * (low + high))
            found.append(element(CONSTRAINT, where, text=law, within=repr(0.5 * (high - low))))
        elif model.tendon_limited[tendon]:
            left["limits"] = 1.0
        if stiffness > 0.0:
            gives = {"within": repr(max(0.5 * (long - short), NO_SLACK)), "stiffness": repr(stiffness)}
            if damping > 0.0 and long <= short:
                gives["damping"] = repr(damping)
                damping = 0.0
            found.append(element(CONSTRAINT, where, text=law_of(named, 0.5 * (short + long)), **gives))
        left["damping"], left["frictionloss"] = damping, float(model.tendon_frictionloss[tendon])
        left["armature"] = float(model.tendon_armature[tendon]) if hasattr(model, "tendon_armature") else 0.0
        for what, acts in left.items():
            if acts:
                message = f"{what} of fixed tendons is not simulated"
                log.warning("NOT_SIMULATED", where, message, fold=f"tendon {what}", about=name)
    return found
