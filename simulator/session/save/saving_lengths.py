"""Writes lengths of links. SDFormat has both sides of a joint in one place where positions are zero, so the links that
come after a joint that moves start elsewhere: their poses change. A URDF has the joint's place in its parent link.
The bar that the visuals of the link were made for is written beside it, so that they are drawn from joint to joint."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import AssemblyError, UsageError
from simulator.formats.editing.numbers import ValueEdit
from simulator.formats.sdf.extensions import BAR
from simulator.kinematics.allowed import with_loop_axes
from simulator.kinematics.assembly import assemble
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.state import rest_state
from simulator.mechanism.parameters import PLACE, Numbered
from simulator.mechanism.varied import number_of
from simulator.mechanism.varied_length import pins_of
from simulator.mechanism.welding import all_joints
from simulator.model.altered import altered
from simulator.session.look.freedoms import free_axes_at_start
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import rpy_from_quat

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simulator.diagnostics import Source
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import AxisInfo, Mechanism, MechanismJoint
    from simulator.session.open.opening import Opened
    from simulator.spatial.arrays import Array

LENGTH = ".length"
"""So ends the name of the length of a link."""
MOVED = 1e-12
"""Places that differ by less [m, or entries of a rotation] are the same: poses are multiplied."""
DECIMALS = 15
"""Of poses [m, rad] that are written: what is behind them is round-off."""
TURNED = 1e-9
"""Positions at the start that differ from zero by less [rad or m] are zero: loops are closed to this."""


class Restarted:
    """A mechanism with other lengths, whose positions count from where it starts: assembled, its free axes at zero if
    loops can follow. `mechanism` is what a document gives whose links start there.

    Raises AssemblyError where it cannot be assembled, and UsageError for an axis that would count from elsewhere while
    its limits, its spring or its coupling count from where it started before.
    """

    def __init__(self, wanted: Mechanism) -> None:
        kinematics = Kinematics(wanted)
        state = _start(kinematics)
        _check_counting(wanted, with_loop_axes(kinematics, state).position)
        self._X_WB = [Pose.from_matrix(matrix) for matrix in kinematics.body_matrices(state)]
        self.mechanism = altered(
            wanted,
            joints=tuple(map(self._closed, wanted.joints)),
            loop_joints=tuple(map(self._closed, wanted.loop_joints)),
        )

    def edits(self, opened: Opened) -> Iterator[tuple[ValueEdit, Path]]:
        """Poses of links that start elsewhere than in the document, and of joints that are elsewhere on their child."""
        places = self.mechanism.placed_links()
        for model in opened.world.models:
            for link in model.links:
                if link.name in places:
                    body, X_BL = places[link.name]
                    X_WL = self._X_WB[body] @ X_BL
                    if _differ(X_WL, link.X_WL):
                        yield from _pose_edits(link.source, link.name, "link", model.X_WM.inverse() @ X_WL)
        said = {joint.name: joint for joint in all_joints(opened.world)}
        before = (*opened.mechanism.joints, *opened.mechanism.loop_joints)
        for old, new in zip(before, (*self.mechanism.joints, *self.mechanism.loop_joints), strict=True):
            if new.name in said and _differ(old.side(child=True), new.side(child=True)):
                X_BL = places[said[new.name].child_link][1]
                X_LJ = X_BL.inverse() @ new.side(child=True)
                yield from _pose_edits(said[new.name].source, new.name, "joint", X_LJ)

    def _closed(self, joint: MechanismJoint) -> MechanismJoint:
        """With its parent's side where its child's side is at the start."""
        X_WP, X_WC = (self._X_WB[joint.body_on(child=child)] for child in (False, True))
        return joint.with_side(X_WP.inverse() @ X_WC @ joint.side(child=True), child=False)


def bar_edits(opened: Opened, links: Sequence[str]) -> Iterator[tuple[ValueEdit, Path]]:
    """What the visuals of links with other lengths than in `opened` are made for, where they do not say so yet."""
    of = Numbered(opened.mechanism, opened.world)
    for _, _, link in of.links:
        pins, _ = pins_of(of, link.name)
        looks = link.visuals or link.omitted
        if link.name in links and looks and link.bar is None and pins is not None:
            if link.source is None or link.source.line < 1:
                raise UsageError(f"'{link.name}' has no known place in the document")
            for place, value in enumerate(pins.bar.ends.ravel().tolist()):
                edit = ValueEdit(link.source.line, "link", (BAR,), round(value, DECIMALS) + 0.0, place, 6)
                yield edit, Path(link.source.file)


def urdf_numbers(opened: Opened, wanted: Mechanism, link: str) -> dict[str, float]:
    """The numbers of the `<origin>` that say the length of a link of a URDF, by name."""
    pins, _ = pins_of(Numbered(wanted, opened.world), link)
    if pins is None or pins.last[1]:
        raise UsageError(f"the URDF does not say the length of '{link}' as a place in it; change the joint's <origin>")
    names = [f"{pins.last[0].name}.parent_pose.{part}" for part in PLACE]
    return {name: round(number_of(wanted, opened.world, name), DECIMALS) + 0.0 for name in names}


def _start(kinematics: Kinematics) -> JointState:
    """With the axes at zero that are free there, else as near to zero as loops can be closed."""
    mechanism = kinematics.mechanism
    rest = rest_state(mechanism)
    try:
        near = assemble(kinematics, rest, {}, search=True).state
        return assemble(kinematics, rest, dict.fromkeys(free_axes_at_start(mechanism, start=near), 0.0)).state
    except AssemblyError:
        return assemble(kinematics, rest, {}, search=True).state


def _check_counting(mechanism: Mechanism, position: Array) -> None:
    coupled = {axis for coupling in mechanism.couplings for axis, _ in coupling.terms}
    for index, info in enumerate(mechanism.axes):
        if abs(position[index]) > TURNED and (index in coupled or _counts(info)):
            raise UsageError(
                f"with this length '{info.name}' starts elsewhere, and its limits, its spring or its coupling count "
                "from where it starts: change them in the document, too"
            )


def _counts(info: AxisInfo) -> bool:
    axis = info.axis
    is_limited = math.isfinite(axis.lower) or math.isfinite(axis.upper)
    return is_limited or axis.spring_stiffness != 0.0 or axis.initial_position != 0.0


def _differ(one: Pose, other: Pose) -> bool:
    return bool(np.abs(one.matrix() - other.matrix()).max() > MOVED)


def _pose_edits(source: Source | None, owner: str, tag: str, pose: Pose) -> Iterator[tuple[ValueEdit, Path]]:
    """All six numbers of the `<pose>` of an element."""
    if source is None or source.line < 1 or not Path(source.file).is_file():
        raise UsageError(f"'{owner}' has no known place in the document")
    for place, value in enumerate((*pose.position, *_angles(pose))):
        yield ValueEdit(source.line, tag, ("pose",), round(value, DECIMALS) + 0.0, place, 6), Path(source.file)


def _angles(pose: Pose) -> tuple[float, float, float]:
    """Roll, pitch and yaw [rad], of both ways to write them the one with less of roll and yaw."""
    roll, pitch, yaw = rpy_from_quat(pose.orientation)
    other = math.remainder(roll + math.pi, math.tau), math.pi - pitch, math.remainder(yaw + math.pi, math.tau)
    one = (roll, math.remainder(pitch, math.tau), yaw)
    other = (other[0], math.remainder(other[1], math.tau), other[2])
    return min((one, other), key=lambda angles: abs(angles[0]) + abs(angles[2]))
