"""Picks in the view: of two places that a joint is to be between, two joints of which one follows, or a link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QObject, QPointF, pyqtSignal

from simulator.building.features import AXIS, EDGE, FACE, FRAME, Feature, features_of
from simulator.gui.units import compact
from simulator.gui.viewport.body_row import BODIES
from simulator.gui.viewport.state import Label
from simulator.model.joint import WORLD
from simulator.model.names import tail_name
from simulator.rendering.overlays import Polyline, dashed, normal_plane, pieced
from simulator.rendering.theme import rgb
from simulator.spatial.pose_arrays import matrices

if TYPE_CHECKING:
    from collections.abc import Callable

    from PyQt6.QtWidgets import QWidget

    from simulator.gui.theme import Tokens
    from simulator.gui.units import Units
    from simulator.gui.viewport.state import ViewState
    from simulator.rendering.scene import Hit
    from simulator.session.open.opening import Opened
    from simulator.spatial.arrays import Array
    from simulator.spatial.rotation import Vec3

FOLLOW, GROUND, SHEET = "follow", "ground", "sheet"
"""What is picked besides types of joints and places for bodies: two joints, a link, a direction for a sheet."""
ONE = (GROUND, SHEET, *BODIES)
"""Those that need one pick."""
REACH = 16.0
"""A place is picked from this far [px]."""
ELSEWHERE, RARE = 7.0, 3.0
"""How much farther away [px] places count that are not of the link under the mouse, and those at which joints are
rare: faces, and edges twice; they are common at axes and where a joint is already."""
ON_FACE = 2e-3
"""What is seen is on a face that is nearer than this, in sizes of the scene."""
RING, CROSS, LINE = 0.016, 0.006, 0.09
"""Radius of the ring around a place, half size of the crosses of others, and half length of its axis, as parts of what
the view covers."""


class JoinPicks(QObject):
    """A drag from one place to another, or a click on each. `kind`: the type of the joint, "follow", "ground", "sheet"
    or a kind of body; `first`: what was picked, `under`: what is under the mouse. `changed`: they are others; `picked`
    carries both, twice the same where one is enough."""

    changed = pyqtSignal()
    picked = pyqtSignal(object, object)

    def __init__(self, state: ViewState, hit: Callable[[QPointF], Hit | None]) -> None:
        super().__init__()
        self._state, self._hit = state, hit
        self.kind = "revolute"
        self.on = False
        self.first: Feature | None = None
        self.under: Feature | None = None
        self._features: tuple[Feature, ...] = ()
        self._at, self._rows = np.zeros((0, 3)), np.zeros(0, dtype=np.intp)
        self._size = (1.0, 1.0)
        self._dragged = False

    def switch(self, opened: Opened | None) -> None:
        """Pick on a document, or no more."""
        scene = self._state.scene
        self.on = opened is not None and scene is not None
        self.first = self.under = None
        self._features = ()
        if opened is not None and scene is not None:
            numbers = scene.link_numbers
            found = features_of(opened.world)
            self._features = tuple(
                feature for link, features in found.items() if link in numbers or link == WORLD for feature in features
            )
            self._at = np.array([feature.at for feature in self._features])
            self._rows = np.array([numbers.get(feature.link, -1) for feature in self._features])
        self.changed.emit()

    def take(self, kind: str) -> None:
        """Pick for another kind; what was picked is given up."""
        self.kind = kind
        self.cancel()

    def cancel(self) -> bool:
        """Give up what was picked; whether there was something."""
        had = self.first is not None
        self.first = None
        self._dragged = False
        self.changed.emit()
        return had

    def point(self, at: QPointF | None, size: tuple[float, float]) -> None:
        """The mouse is there, in a view of this size [px], or nowhere."""
        self._size = size
        under = None if at is None else self._near(at)
        if under is not self.under:
            self.under = under
            self.changed.emit()

    def click(self, at: QPointF, size: tuple[float, float]) -> None:
        """Pick what is there."""
        self.point(at, size)
        if self.under is None:
            return
        if self.kind in ONE:
            self.picked.emit(self.under, self.under)
        elif self.first is None:
            self.first = self.under
            self.changed.emit()
        else:
            first, second = self.first, self.under
            self.cancel()
            self.picked.emit(first, second)

    # --- a drag, as the hand of the navigator -------------------------------------------------------------------------

    @property
    def is_holding(self) -> bool:
        """Whether a drag goes from a place to another one."""
        return self._dragged

    def begin(self, widget: QWidget, at: QPointF) -> bool:
        """A drag begins; False where no place is."""
        self.point(at, (widget.width(), widget.height()))
        if self.under is None or self.kind in ONE:
            return False
        self.first = self.under
        self._dragged = True
        return True

    def move(self, widget: QWidget, at: QPointF) -> None:
        """The drag is there now."""
        self.point(at, (widget.width(), widget.height()))

    def end(self) -> None:
        """The button is up: what is there is the second place, if it is one."""
        if not self._dragged:
            return
        first, second = self.first, self.under
        self.cancel()
        if first is not None and second is not None and second is not first:
            self.picked.emit(first, second)

    def harden(self, factor: float) -> None:
        """Nothing pulls."""

    # --- what is near -------------------------------------------------------------------------------------------------

    def _near(self, at: QPointF) -> Feature | None:
        """The place that is nearest to a point of the view, among those of the kind."""
        if not self._features:
            return None
        hit = self._hit(at)
        if self.kind == GROUND:
            return None if hit is None else Feature(hit.link, "", FRAME, (0.0, 0.0, 0.0))
        places = self._places()
        seen = self._state.camera.pixels(places, self._size)
        far = np.hypot(seen[:, 0] - at.x(), seen[:, 1] - at.y())
        far[~np.isfinite(far)] = np.inf
        link = hit.link if hit is not None else ""
        score = far + np.array([self._handicap(feature, link) for feature in self._features])
        depth = np.nan_to_num(seen[:, 2], nan=0.0) / max(self._state.camera.half_height(), 1e-9)
        score[far > REACH] = np.inf
        best = int(np.argmin(score + depth))
        if np.isfinite(score[best]):
            return self._features[best]
        return None if hit is None or self.kind == FOLLOW else self._face(hit, places)

    def _handicap(self, feature: Feature, link: str) -> float:
        """By how much a place counts as farther away [px]; infinite where it is none of those that are wanted."""
        first = self.first
        if self.kind == SHEET:
            wanted = feature.has_axis
        elif self.kind == FOLLOW:
            wanted = bool(feature.joint) and feature.has_axis and (first is None or first.joint != feature.joint)
        else:
            wanted = first is None or first.link != feature.link
        if not wanted:
            return np.inf
        rare = 0.0 if feature.joint or feature.kind == AXIS else 2.0 * RARE if feature.kind == EDGE else RARE
        return (ELSEWHERE if link and feature.link != link else 0.0) + rare

    def _face(self, hit: Hit, places: Array) -> Feature | None:
        """The face of a link that has a point of its surface."""
        first = self.first
        if first is not None and first.link == hit.link:
            return None
        size = ON_FACE * (1.0 if self._state.scene is None else self._state.scene.radius)
        found = [
            (float(np.linalg.norm(places[number] - hit.point)), number)
            for number, feature in enumerate(self._features)
            if feature.link == hit.link
            and feature.kind == FACE
            and abs(float(np.subtract(hit.point, places[number]) @ self._way(feature))) < size
        ]
        return self._features[min(found)[1]] if found else None

    def _places(self) -> Array:
        """Of all features now, in the world [m]."""
        frames = np.concatenate([matrices(self._state.poses), np.eye(4)[None]])[self._rows]
        return np.asarray(np.einsum("nij,nj->ni", frames[:, :3, :3], self._at) + frames[:, :3, 3])

    def _matrix(self, feature: Feature) -> Array:
        scene = self._state.scene
        row = None if scene is None else scene.link_numbers.get(feature.link)
        return np.eye(4) if row is None else matrices(self._state.poses[row])

    def _place(self, feature: Feature) -> Array:
        return np.asarray(self._matrix(feature) @ (*feature.at, 1.0))[:3]

    def _way(self, feature: Feature) -> Array:
        return np.asarray(self._matrix(feature)[:3, :3] @ feature.direction)

    # --- the picture --------------------------------------------------------------------------------------------------

    def lines(self, tokens: Tokens) -> tuple[Polyline, ...]:
        """Rings and axes of what was picked and is under the mouse, the way between, and crosses at other places of the
        link under the mouse."""
        if not self.on or self.kind == GROUND:
            return ()
        found: tuple[Polyline, ...] = ()
        for feature, token in ((self.first, tokens.accent), (self.under, tokens.warning)):
            if feature is not None:
                found += self._mark(feature, (*rgb(token), 1.0))
        if self.under is not None:
            found += (self._crosses(self.under.link, (*rgb(tokens.warning), 0.9)),)
        if self.first is not None and self.under is not None:
            ends = np.stack([self._place(self.first), self._place(self.under)])
            found += (Polyline(ends, (*rgb(tokens.text), 1.0), 1.8, 0.9),)
        return found

    def _mark(self, feature: Feature, colour: tuple[float, float, float, float]) -> tuple[Polyline, ...]:
        size = self._state.camera.half_height()
        place = self._place(feature)
        way = self._way(feature) if feature.has_axis else self._state.camera.backward
        u, v = normal_plane(way)
        angles = np.linspace(0.0, 2.0 * np.pi, 33)[:, None]
        ring = Polyline(place + RING * size * (np.cos(angles) * u + np.sin(angles) * v), colour, 3.0, 0.8)
        if not feature.has_axis:
            return (ring,)
        axis = Polyline(np.stack([place - LINE * size * way, place + LINE * size * way]), colour, 2.0, 0.8)
        return (ring, *dashed(axis, 0.02 * size))

    def _crosses(self, link: str, colour: tuple[float, float, float, float]) -> Polyline:
        size = CROSS * self._state.camera.half_height()
        wanted = [
            n for n, item in enumerate(self._features) if item.link == link and self._handicap(item, link) < REACH
        ]
        places = self._places()[wanted]
        u, v = normal_plane(self._state.camera.backward)
        arms = [np.stack([places - size * arm, places + size * arm], axis=1) for arm in (u + v, u - v)]
        return Polyline(pieced(np.concatenate(arms)), colour, 1.5, 0.9)

    def labels(self, units: Units) -> tuple[Label, ...]:
        """What is under the mouse, and how far it is from what was picked."""
        under, first = self.under, self.first
        if not self.on or under is None:
            return ()
        if self.kind == GROUND:
            return (Label(_vec(self._place(under)), tail_name(under.link), strong=True),)
        text = f"{under.name} · {tail_name(under.link)}"
        if self.kind == FOLLOW:
            text = tail_name(under.joint)
        elif first is not None:
            far = float(np.linalg.norm(self._place(first) - self._place(under)))
            text = f"{text} · {compact(far * units.factor_of('m'), 4)} {units.name_of('m')}"
        return (Label(_vec(self._place(under)), text, strong=True),)


def _vec(v: Array) -> Vec3:
    return (float(v[0]), float(v[1]), float(v[2]))
