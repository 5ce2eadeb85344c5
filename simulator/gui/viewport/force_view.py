"""Forces of joints and contacts, as arrows over the view, with their scale."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QCoreApplication

from simulator.gui.units import compact
from simulator.gui.viewport.state import Label
from simulator.model.names import distinct_tails
from simulator.rendering.overlays import Polyline, arrows, turning_axes
from simulator.rendering.theme import rgb
from simulator.session.forces.forces_now import MOST, NoiseFloor, watched_joints
from simulator.spatial.pose_arrays import vec3

if TYPE_CHECKING:
    from simulator.engine.snapshot import Snapshot
    from simulator.gui.theme import Tokens
    from simulator.mechanism.types import Mechanism
    from simulator.rendering.scene import Scene
    from simulator.session.forces.forces_now import ForceRecord, ForcesNow
    from simulator.spatial.arrays import Array


LONGEST = 0.45
"""Of the radius of the scene: the arrow of the largest force."""
RECENT = 2.0
"""Simulated seconds by which arrows are scaled."""
SHORTEST = 0.04
"""Of that arrow: one that is shorter is not drawn."""


class ForceView:
    """Lines and labels of a `record` while `forces` is on. Arrows are scaled by the largest force of the seconds before
    the moment on show, to a round figure, so that they can be compared over time and a blow does not make all that
    follows small. What is round-off is not drawn, however small everything else is."""

    def __init__(self, record: ForceRecord) -> None:
        self.forces = False
        self._record = record
        self._seen = 0
        self._now: ForcesNow | None = None
        self._largest = self._strongest = 0.0
        self._floor: NoiseFloor | None = None
        self._names: tuple[str, ...] = ()

    def forget(self) -> None:
        """Another document."""
        self._seen = 0
        self._now = None
        self._floor = None
        self._largest = 0.0
        self._strongest = 0.0

    def has_news(self) -> bool:
        """Whether something was reported that is not drawn yet."""
        seen = self._seen
        self._seen = self._record.changes
        return self.forces and seen != self._seen

    def look(self, mechanism: Mechanism, snapshot: Snapshot, reach: float) -> None:
        """Find what acts in a moment, and the scale for it; `reach`: the radius of the scene [m]."""
        self._now = now = self._record.at(snapshot.time) if self.forces else None
        if now is None:
            return
        if self._floor is None or self._floor.mechanism is not mechanism:
            self._floor, self._names = NoiseFloor(mechanism, reach), joint_labels(mechanism)
        force, moment = self._record.largest(now.time - RECENT, now.time)
        least = self._floor.at(snapshot, force, moment)
        self._largest, self._strongest = force if force > least[0] else 0.0, moment if moment > least[1] else 0.0

    def scale(self, mechanism: Mechanism) -> str:
        """What the longest arrows represent, and at which joints there are none; why there are none; empty where this
        is off."""
        if self._now is None or self._now.problem:
            return self._now.problem if self._now is not None else ""
        force, moment = (compact(rounded(value), 3) for value in (self._largest, self._strongest))
        text = QCoreApplication.translate("ForceView", "longest arrow {force} N").format(force=force)
        if self._largest <= 0.0 and self._strongest <= 0.0:
            text = QCoreApplication.translate("ForceView", "no forces at joints or contacts")
        elif self._largest <= 0.0:
            text = QCoreApplication.translate("ForceView", "largest turn {moment} N·m").format(moment=moment)
        elif self._strongest > 0.0:
            text = QCoreApplication.translate("ForceView", "longest arrow {force} N, largest turn {moment} N·m")
            text = text.format(force=force, moment=moment)
        joints = len(mechanism.joints) + len(mechanism.loop_joints)
        if joints > MOST:
            of = QCoreApplication.translate("ForceView", "at the first {n} of {all} joints")
            text = f"{text}, {of.format(n=MOST, all=joints)}"
        return text

    def lines(self, scene: Scene, tokens: Tokens) -> tuple[Polyline, ...]:
        """Arrows of forces, turns of moments; what is at a joint is by the parent on the child."""
        now = self._now
        longest = LONGEST * scene.radius
        if now is None:
            return ()
        joints, contacts = (*rgb(tokens.error), 1.0), (*rgb(tokens.warning), 1.0)
        points = now.points.astype(float)
        found = list[Polyline]()
        if self._largest > 0.0:
            per_newton = longest / rounded(self._largest)
            found += _straight(points, per_newton * now.wrenches[:, :3], longest, joints)
            touching = now.contacts.astype(float)
            found += _straight(touching[:, :3], per_newton * touching[:, 3:], longest, contacts)
        if self._strongest > 0.0:
            moments = now.wrenches[:, 3:]
            size = np.linalg.norm(moments, axis=1)
            sizes = longest / rounded(self._strongest) * size
            seen = sizes > SHORTEST * longest
            found += turning_axes(points[seen], moments[seen] / size[seen, None], sizes[seen], joints)
        return tuple(found)

    def labels(self) -> tuple[Label, ...]:
        """The size of every force that is drawn."""
        if self._now is None:
            return ()
        sizes = np.linalg.norm(self._now.wrenches.reshape(-1, 2, 3), axis=2)
        largest = np.array((self._largest or np.inf, self._strongest or np.inf))
        parts = sizes / largest
        found = []
        for number in np.flatnonzero((parts > SHORTEST).any(axis=1)).tolist():
            name = self._names[number]
            point = self._now.points[number]
            both = sizes[number].tolist()
            said = [f"{compact(size, 3)} {unit}" for size, unit, part in zip(both, UNITS, parts[number], strict=True)
                    if part > SHORTEST]  # fmt: skip
            weight = OF_A_FORCE * float(parts[number].max())
            found.append(Label(vec3(point.astype(float)), f"{name}  {'  '.join(said)}", weight=weight, key=name))
        return tuple(found)


UNITS = ("N", "N·m")
OF_A_FORCE = 0.9
"""How important the label of the largest force is, beside names of joints, 1."""


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
    places: Array, forces: Array, longest: float, colour: tuple[float, float, float, float]
) -> tuple[Polyline, ...]:
    """Arrows [m] of what is long enough."""
    seen = np.linalg.norm(forces, axis=1) >= SHORTEST * longest
    return arrows(places[seen], places[seen] + forces[seen], colour, width=3.0, hidden=0.8)
