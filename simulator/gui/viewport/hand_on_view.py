"""The hand in the view: a pressed point of a link follows the mouse, by commands to the simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QObject, QPointF, pyqtSignal

from simulator.gui.units import compact
from simulator.gui.viewport.state import Label
from simulator.mechanism.types import WORLD_BODY
from simulator.model.names import tail_name
from simulator.rendering.overlays import Polyline, arrow, normal_plane
from simulator.rendering.theme import rgb
from simulator.session.commands.commands import LetGo, Pause, Pull, Run
from simulator.spatial.pose import Pose
from simulator.spatial.pose_arrays import vec3

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from PyQt6.QtWidgets import QWidget

    from simulator.gui.live import LiveSession
    from simulator.gui.theme import Tokens
    from simulator.gui.viewport.state import ViewState
    from simulator.mechanism.types import Mechanism
    from simulator.rendering.scene import Hit
    from simulator.spatial.arrays import Array
    from simulator.spatial.rotation import Vec3


HARDER = 1.25
"""Factor of the strength for one notch of the wheel, or one press of a key."""
WEAKEST, STRONGEST = 0.1, 10.0
DOT, NEAR = 0.018, 0.004
"""Radius of the dot at the point, and distance below which it is on the mouse, as parts of what the view covers."""


def movable_links(mechanism: Mechanism, links: Sequence[str]) -> NDArray[np.bool_]:
    """Which of some links can be moved at all."""
    bodies = mechanism.link_bodies()
    return np.array([bodies.get(link, WORLD_BODY) != WORLD_BODY for link in links], dtype=bool)


class HandOnView(QObject):
    """`held` is emitted when a gesture begins (True) or ends (False). The `strength` of the spring persists from one
    gesture to the next. While `kinematic`, time stops during a gesture: no force acts, the mechanism follows the
    pointer, and the simulation continues from where it was released."""

    held = pyqtSignal(bool)

    def __init__(self, live: LiveSession, state: ViewState, hit: Callable[[QPointF], Hit | None]) -> None:
        super().__init__()
        self._live = live
        self._state = state
        self._hit = hit
        self.strength, self.kinematic = 1.0, False
        self._goes_on = False
        self.link = ""
        self._at: Vec3 = (0.0, 0.0, 0.0)
        self._cursor: tuple[float, float, float] | None = None
        self._target: Array | None = None
        self._sent: Pull | None = None
        self._in_time = False

    @property
    def is_holding(self) -> bool:
        """Whether a point is held."""
        return bool(self.link)

    def can_hold(self, link: str | None) -> bool:
        """Whether a link can be moved at all."""
        relations = self._live.relations
        return relations is not None and bool(movable_links(relations.mechanism, (link or "",))[0])

    @property
    def can_hold_anything(self) -> bool:
        """Whether there is a link that can be moved."""
        relations = self._live.relations
        return relations is not None and len(relations.mechanism.bodies) > 1

    def begin(self, widget: QWidget, at: QPointF) -> bool:
        """Hold what is seen at a point of the widget; False where that cannot be moved."""
        hit = self._hit(at)
        if hit is None or not self.can_hold(hit.link):
            return False
        self.link = hit.link
        self._at = self.point_of(hit)
        self._goes_on = self.kinematic and self._live.running
        if self._goes_on:
            self._live.send(Pause())
        self.move(widget, at)
        self.held.emit(True)
        return True

    def point_of(self, hit: Hit) -> Vec3:
        """The point that is seen, in the frame of its link [m]."""
        return self._pose(hit.link).inverse().transform(hit.point)

    def move(self, widget: QWidget, at: QPointF) -> None:
        """The mouse is there now; what follows from it is sent with the next frame."""
        width, height = max(widget.width(), 1), max(widget.height(), 1)
        self._cursor = (2.0 * at.x() / width - 1.0, 1.0 - 2.0 * at.y() / height, width / height)

    def end(self) -> None:
        """Let go."""
        if not self.link:
            return
        self.send()
        self.link = ""
        self._cursor = None
        self._target = None
        self._sent = None
        self._live.send(LetGo())
        if self._goes_on:
            self._live.send(Run())
        self._goes_on = False
        self.held.emit(False)

    def harden(self, factor: float) -> None:
        """Pull harder or softer from now on."""
        self.strength = min(max(self.strength * factor, WEAKEST), STRONGEST)

    def send(self) -> None:
        """Send where the mouse is, if that is news; once a frame."""
        if not self.link or self._cursor is None or self._live.client is None:
            return
        x, y, aspect = self._cursor
        camera = self._state.camera
        eye, along = camera.ray((x, y), aspect)
        forward = -camera.backward
        self._target = eye + along * (float((self.place() - eye) @ forward) / float(along @ forward))
        if self._in_time != self._live.running:
            self._in_time = self._live.running
            self._sent = None
        same_line = self._sent is not None and np.allclose(
            np.cross(self._target - self._sent.target, along), 0.0, atol=1e-12
        )
        if not same_line or self._sent is None or self._sent.strength != self.strength:
            self._sent = Pull(self.link, self._at, vec3(self._target), vec3(along), self.strength)
            self._live.send(self._sent)

    def place(self) -> Array:
        """The point that is held, in the world [m]."""
        return np.array(self._pose().transform(self._at))

    def lines(self, tokens: Tokens) -> tuple[Polyline, ...]:
        """The point, and an arrow from it to the mouse where it is not there."""
        if not self.link or self._target is None:
            return ()
        size = self._state.camera.half_height()
        colour = (*rgb(tokens.warning), 1.0)
        place = self.place()
        u, v = normal_plane(self._state.camera.backward)
        angles = np.linspace(0.0, 2.0 * np.pi, 25)[:, None]
        dot = Polyline(place + DOT * size * (np.cos(angles) * u + np.sin(angles) * v), colour, 2.5, 0.8)
        if np.linalg.norm(self._target - place) < NEAR * size:
            return (dot,)
        return (dot, *arrow(vec3(place), vec3(self._target), colour, width=3.0, hidden=0.8))

    def labels(self) -> tuple[Label, ...]:
        """The force of the spring, live, or what stops the mechanism."""
        status = self._live.status
        if not self.link or self._target is None or status is None or status.hand is None:
            return ()
        hand = status.hand
        text = f"{compact(hand.force, 3)} N" if hand.force is not None else short_reason(hand.stopped)
        return (Label(vec3(self._target), text, strong=True),) if text else ()

    def _pose(self, link: str = "") -> Pose:
        scene = self._state.scene
        row = (
            self._state.poses[scene.link_numbers[link or self.link]].tolist()
            if scene is not None
            else [0.0] * 6 + [1.0]
        )
        return Pose((row[0], row[1], row[2]), (row[3], row[4], row[5], row[6]))


def short_reason(stopped: str) -> str:
    """What stops a mechanism, for a label: names without their scope."""
    words = [tail_name(word) if word.startswith("'") else word for word in stopped.split()]
    return " ".join(words).replace("'", "")
