"""What joints and contacts exert, as arrows over the view, with their scale."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QCoreApplication

from simulator.gui.laws import distinct_tails
from simulator.gui.units import compact
from simulator.gui.viewport.state import Label
from simulator.rendering.overlays import Polyline, arrow, turning_axis
from simulator.rendering.theme import rgb
from simulator.session.forces_now import MOST, watched_joints

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.gui.theme import Tokens
    from simulator.mechanism.types import Mechanism
    from simulator.rendering.scene import Scene
    from simulator.session.forces_now import ForceRecord, ForcesNow
    from simulator.spatial.rotation import Vec3

    Array = NDArray[np.float64]

LONGEST = 0.45
"""Of the radius of the scene: the arrow of the largest force."""
RECENT = 2.0
"""Simulated seconds by which arrows are scaled."""
SHORTEST = 0.04
"""Of that arrow: one that is shorter is not drawn."""


class ForceView:
    """Lines and labels of a `record` while `forces` is on. Arrows are scaled by the largest force of the last seconds,
    to a round figure, so that they can be compared over time and a blow does not make all that follows small."""

    def __init__(self, record: ForceRecord) -> None:
        self.forces, self._record = False, record
        self._seen: ForcesNow | None = None
        self._largest = self._strongest = 0.0
        self._sizes: deque[tuple[float, float, float]] = deque()

    def forget(self) -> None:
        """Another document."""
        self._seen, self._largest, self._strongest = None, 0.0, 0.0
        self._sizes.clear()

    def has_news(self) -> bool:
        """Whether something was reported that is not drawn yet."""
        forces = self._record.last
        if not self.forces or forces is None or forces is self._seen:
            return False
        self._seen = forces
        both = np.concatenate((forces.wrenches[:, :3], forces.contacts[:, 3:]))
        force, moment = (np.linalg.norm(part, axis=1).max(initial=0.0) for part in (both, forces.wrenches[:, 3:]))
        while self._sizes and self._sizes[-1][0] >= forces.time:  # the time was set back
            self._sizes.pop()
        while self._sizes and self._sizes[0][0] < forces.time - RECENT:
            self._sizes.popleft()
        self._sizes.append((forces.time, float(force), float(moment)))
        _, self._largest, self._strongest = np.max(self._sizes, axis=0).tolist()
        return True

    def scale(self, mechanism: Mechanism) -> str:
        """What the longest arrows stand for, and at which joints there are none; why there are none; empty where this
        is off."""
        if not self.forces:
            return ""
        last = self._record.last
        if last is not None and last.problem:
            return last.problem
        if self._largest <= 0.0:
            return ""
        force, moment = (compact(rounded(value), 3) for value in (self._largest, self._strongest))
        text = QCoreApplication.translate("ForceView", "longest arrow {force} N").format(force=force)
        if self._strongest > TINY:
            text = QCoreApplication.translate("ForceView", "longest arrow {force} N, largest turn {moment} N·m")
            text = text.format(force=force, moment=moment)
        joints = len(mechanism.joints) + len(mechanism.loop_joints)
        if joints > MOST:
            of = QCoreApplication.translate("ForceView", "at the first {n} of {all} joints")
            text = f"{text}, {of.format(n=MOST, all=joints)}"
        return text

    def lines(self, time: float, scene: Scene, tokens: Tokens) -> tuple[Polyline, ...]:
        """Arrows of forces, turns of moments; what is at a joint is by the parent on the child."""
        forces = self._record.at(time) if self.forces else None
        if forces is None or self._largest <= 0.0:
            return ()
        longest = LONGEST * scene.radius
        per_newton, per_moment = longest / rounded(self._largest), longest / max(rounded(self._strongest), TINY)
        joints, contacts = (*rgb(tokens.error), 1.0), (*rgb(tokens.warning), 1.0)
        found: list[Polyline] = []
        for point, wrench in zip(forces.points.astype(float), forces.wrenches.astype(float), strict=True):
            found += _straight(point, per_newton * wrench[:3], longest, joints)
            size = per_moment * float(np.linalg.norm(wrench[3:]))
            if size > SHORTEST * longest:
                found += turning_axis(_vec(point), _vec(wrench[3:] / np.linalg.norm(wrench[3:])), size, joints)
        for row in forces.contacts.astype(float):
            found += _straight(row[:3], per_newton * row[3:], longest, contacts)
        return tuple(found)

    def labels(self, mechanism: Mechanism, time: float) -> tuple[Label, ...]:
        """The size of every force that is drawn."""
        forces = self._record.at(time) if self.forces else None
        if forces is None:
            return ()
        found = []
        for name, point, wrench in zip(joint_labels(mechanism), forces.points, forces.wrenches, strict=False):
            size, moment = (float(np.linalg.norm(part)) for part in (wrench[:3], wrench[3:]))
            parts = [f"{compact(size, 3)} N"] if size > SHORTEST * self._largest else []
            parts += [f"{compact(moment, 3)} N·m"] if moment > max(SHORTEST * self._strongest, TINY) else []
            if parts:
                weight = OF_A_FORCE * max(size / max(self._largest, TINY), moment / max(self._strongest, TINY))
                found.append(Label(_vec(point.astype(float)), f"{name}  {'  '.join(parts)}", weight=weight, key=name))
        return tuple(found)


OF_A_FORCE = 0.9
"""How important the label of the largest force is, beside names of joints, 1."""
TINY = 1e-9
"""Moments [N m] that are round-off."""


def joint_labels(mechanism: Mechanism) -> tuple[str, ...]:
    """Short names of the joints that are watched."""
    return distinct_tails(list(watched_joints(mechanism)))


def rounded(value: float) -> float:
    """The next of 1, 2, 5, 10 … that is as large as a value, so that a scale is a round figure."""
    if value <= 0.0:
        return 0.0
    decade = 10.0 ** math.floor(math.log10(value))
    return next(step * decade for step in (1.0, 2.0, 5.0, 10.0) if step * decade >= value * (1.0 - 1e-9))


def _straight(
    place: Array, force: Array, longest: float, colour: tuple[float, float, float, float]
) -> tuple[Polyline, ...]:
    if float(np.linalg.norm(force)) < SHORTEST * longest:
        return ()
    return arrow(_vec(place), _vec(place + force), colour, width=3.0, hidden=0.8)


def _vec(v: Array) -> Vec3:
    return (float(v[0]), float(v[1]), float(v[2]))
