"""Mimics, gearboxes and screws that other programs do not have."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.model.joint import JointType
from simulator.session.other_programs.occurrences import Occurrence, joints_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from simulator.model.coupling import RealCoupling
    from simulator.model.joint import Axis, Joint, Mimic
    from simulator.model.world import Model, World
    from simulator.session.open.opening import Opened


def mimics(opened: Opened) -> Iterator[Occurrence]:
    """All."""
    return _where(opened, lambda _joint, _axis, _mimic, _leader: True)


def chains(opened: Opened) -> Iterator[Occurrence]:
    """Couplings whose leader follows another joint."""
    return _where(opened, lambda _joint, _axis, mimic, leader: _axis_of(leader, mimic.axis).mimic is not None)


def second_axes(opened: Opened) -> Iterator[Occurrence]:
    """Couplings of a joint with two axes, or that follow one."""
    return _where(opened, lambda joint, _axis, _mimic, leader: len(joint.axes) > 1 or len(leader.axes) > 1)


def across_models(opened: Opened) -> Iterator[Occurrence]:
    """Couplings whose leader is in another model."""
    return _where(opened, lambda joint, _axis, _mimic, leader: _model_of(joint) != _model_of(leader))


def curved(opened: Opened) -> Iterator[Occurrence]:
    """Those whose law is not a straight line, and constraints over several joints."""
    yield from _where(opened, lambda _joint, _axis, mimic, _leader: mimic.law is not None)
    owners: list[World | Model] = [opened.world, *opened.world.models]
    for constraint in (one for owner in owners for one in owner.constraints):
        yield Occurrence(constraint.name, constraint.source or opened.world.source)


def sliding(opened: Opened) -> Iterator[Occurrence]:
    """Couplings of sliding axes."""
    return _where(opened, lambda joint, _axis, _mimic, leader: JointType.PRISMATIC in (joint.type, leader.type))


def without_limits(opened: Opened) -> Iterator[Occurrence]:
    """Couplings between axes one of which may move without end."""
    return _where(
        opened,
        lambda _joint, axis, mimic, leader: not (_is_limited(axis) and _is_limited(_axis_of(leader, mimic.axis))),
    )


def mixed_limits(opened: Opened) -> Iterator[Occurrence]:
    """Couplings between a continuous hinge and an axis with limits."""
    return _where(
        opened,
        lambda joint, axis, mimic, leader: (
            _turns_freely(joint, axis) != _turns_freely(leader, _axis_of(leader, mimic.axis))
        ),
    )


def leaders_after(opened: Opened) -> Iterator[Occurrence]:
    """Couplings whose leader comes after its follower on the tree, joints of a link by name."""
    order = {name: place for place, name in enumerate(_walk(opened))}
    return _where(
        opened, lambda joint, _axis, _mimic, leader: order.get(leader.name, -1) > order.get(joint.name, len(order))
    )


def gearboxes(opened: Opened) -> Iterator[Occurrence]:
    """Gearbox joints."""
    return _of_type(opened, JointType.GEARBOX)


def screws(opened: Opened) -> Iterator[Occurrence]:
    """Screw joints."""
    return _of_type(opened, JointType.SCREW)


def real(opened: Opened) -> Iterator[Occurrence]:
    """Mimics, gearboxes and screws with losses, play or elasticity."""
    return _of_couplings(opened, lambda coupling: not coupling.is_ideal and not coupling.slips)


def slipping(opened: Opened) -> Iterator[Occurrence]:
    """Mimics, gearboxes and screws with a freewheel or a clutch."""
    return _of_couplings(opened, lambda coupling: coupling.slips)


def _of_couplings(opened: Opened, has: Callable[[RealCoupling], bool]) -> Iterator[Occurrence]:
    for joint in joints_of(opened.world):
        mimics_of = [axis.mimic for axis in joint.axes if axis.mimic is not None]
        if has(joint.coupling):
            yield Occurrence(joint.name, joint.source)
        for mimic in mimics_of:
            if has(mimic.coupling):
                yield Occurrence(joint.name, mimic.source or joint.source)


def _of_type(opened: Opened, kind: JointType) -> Iterator[Occurrence]:
    return (Occurrence(joint.name, joint.source) for joint in joints_of(opened.world) if joint.type is kind)


def _where(opened: Opened, holds: Callable[[Joint, Axis, Mimic, Joint], bool]) -> Iterator[Occurrence]:
    joints = {joint.name: joint for joint in joints_of(opened.world)}
    for joint in joints.values():
        for axis in joint.axes:
            mimic = axis.mimic
            leader = None if mimic is None else joints.get(mimic.leader)
            if mimic is not None and leader is not None and leader.axes and holds(joint, axis, mimic, leader):
                yield Occurrence(joint.name, mimic.source or axis.source or joint.source)


def _axis_of(joint: Joint, tag: str) -> Axis:
    return joint.axes[-1] if tag == "axis2" else joint.axes[0]


def _model_of(joint: Joint) -> str:
    return joint.name.rpartition("::")[0]


def _is_limited(axis: Axis) -> bool:
    return math.isfinite(axis.lower) and math.isfinite(axis.upper)


def _turns_freely(joint: Joint, axis: Axis) -> bool:
    return joint.type is not JointType.PRISMATIC and not (math.isfinite(axis.lower) or math.isfinite(axis.upper))


def _walk(opened: Opened) -> Iterator[str]:
    """Names of the joints of the tree, depth first."""
    below: dict[int, list[tuple[str, int]]] = {}
    for joint in opened.mechanism.joints:
        below.setdefault(joint.parent, []).append((joint.name, joint.child))
    pending = [(name, child) for name, child in sorted(below.get(0, ()), reverse=True)]
    while pending:
        name, body = pending.pop()
        yield name
        pending += sorted(below.get(body, ()), reverse=True)
