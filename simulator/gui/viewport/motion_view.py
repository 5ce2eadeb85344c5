"""Motion over the view: velocities, accelerations, instant centres, polodes, centres of mass and paths of
clicked points."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QCoreApplication

from simulator.gui.units import compact
from simulator.gui.viewport.state import Label
from simulator.mechanism.types import WORLD_BODY
from simulator.model.names import tail_name
from simulator.rendering.overlays import Polyline, arrows, crosses, dashed
from simulator.rendering.theme import rgb
from simulator.session.forces.forces_now import MOST
from simulator.session.look.motion_now import (
    PointPath,
    body_motions,
    centres_of_mass,
    instant_centres,
    moments_before,
    moments_between,
)
from simulator.spatial.pose_arrays import matrices, vec3

if TYPE_CHECKING:
    from simulator.engine.snapshot import Snapshot
    from simulator.gui.kinematic_watch import KinematicWatch
    from simulator.gui.theme import Tokens
    from simulator.gui.viewport.path_curves import PathCurves
    from simulator.mechanism.types import Mechanism
    from simulator.recording.history import History
    from simulator.rendering.scene import Scene
    from simulator.session.forces.forces_now import ForceRecord
    from simulator.session.look.motion_now import MovingBodies
    from simulator.spatial.arrays import Array
    from simulator.spatial.rotation import Vec3


LONGEST_ARROW = 0.4
"""Of the radius of the scene: the arrow of the largest velocity that was seen."""
CROSS, POINT = 0.035, 0.025
"""Arms of the marks of a centre and of a point that was clicked, in radii of the scene."""
FAR = 20.0
"""Instant centres further away than this many radii are not drawn."""
NEAR = 6.0
"""Parts of polodes further away than this many radii are not drawn."""
COLOURS = 16
"""Steps of colour along a path."""
RECENT = 2.0
"""Simulated seconds by which arrows of accelerations are scaled."""
SHORTEST = 0.02
"""Of the longest arrow: one that is shorter is not drawn."""
LEAST = 1e-3
"""Of the largest velocity: one that is smaller is a dot in the view, and is not drawn."""
STILL = 1e-9
"""Velocities [m/s] and accelerations [m/s²] of what is at rest, but for round-off."""
MOST_LABELS = 120
"""So many bodies have labels; a view has room for fewer."""
OF_A_CENTRE = 0.8
"""How important the name of an instant centre is, beside speeds of at most 0.5 and names of joints, 1."""


class MotionView:
    """Lines and labels of the switched-on parts. `paths`: those of points that were clicked while *Paths* is on.
    Accelerations are those of a `record` of what was watched; polodes and the driver are those of a `watch`.
    `unlabelled`: so many bodies that move have no label."""

    def __init__(self, record: ForceRecord, watch: KinematicWatch, curves: PathCurves) -> None:
        self.velocities = self.accelerations = self.centres = self.polodes = self.masses = self.tracing = False
        self.paths: list[PointPath] = []
        self._record = record
        self._watch = watch
        self._curves = curves
        self._fastest, self._rewinds = 0.0, 0
        self._seen = 0
        self._centres: tuple[Mechanism, Array] | None = None
        self.unlabelled = 0

    def forget(self) -> None:
        """Another document."""
        self.paths.clear()
        self._curves.forget()
        self._fastest, self._centres = 0.0, None

    def switch(self, name: str, on: bool) -> None:
        """Show something, or no longer."""
        setattr(self, name, on)
        if name == "polodes":
            self._watch.want("polodes", on)

    def add_path(self, link: str, at: Vec3) -> None:
        """Follow a point of a link from now on."""
        self.paths.append(PointPath(link, at))
        self._curves.look_again()

    def see(self, mechanism: Mechanism, snapshot: Snapshot, history: History | None = None, dt: float = 0.0) -> None:
        """A new instant; what happened since the last one is in the `history` of steps of `dt` [s]."""
        if not self.paths:
            return
        if history is not None:
            self._cut(history.rewound)
        begun = [path.rows[-1][0] for path in self.paths if path.rows]
        passed: list[Snapshot] = []
        if history is not None:
            if begun:
                passed = moments_between(history, dt, min(begun), snapshot.time, len(mechanism.bodies))
            if len(begun) < len(self.paths):
                self._begin(mechanism, moments_before(history, dt, snapshot.time))
        for path in self.paths:
            for moment in passed:
                if path.rows and path.rows[-1][0] < moment.time:
                    path.see(mechanism, moment)
            path.see(mechanism, snapshot)

    def _cut(self, rewound: tuple[int, float]) -> None:
        """Paths end where the recording was cut."""
        if rewound[0] != self._rewinds:
            self._rewinds = rewound[0]
            for path in self.paths:
                path.cut(rewound[1])

    def _begin(self, mechanism: Mechanism, before: list[Snapshot]) -> None:
        """Where points that are followed from now on went before."""
        for path in self.paths:
            if not path.rows:
                for moment in before:
                    path.see(mechanism, moment)

    def has_news(self) -> bool:
        """Whether accelerations were reported that are not drawn yet."""
        seen = self._seen
        self._seen = self._record.changes
        return self.accelerations and seen != self._seen

    def problem(self, mechanism: Mechanism) -> str:
        """Why there are no accelerations, or of which bodies there are none."""
        if not self.accelerations:
            return ""
        return (self._record.last.problem if self._record.last is not None else "") or accelerations_left_out(mechanism)

    def lines(
        self, mechanism: Mechanism, snapshot: Snapshot, scene: Scene, tokens: Tokens, selected: frozenset[str]
    ) -> tuple[Polyline, ...]:
        """What is switched on; polodes of the `selected` links, of all bodies where none of these has any."""
        found = self._path_lines(mechanism, snapshot, scene, tokens) if self.paths else []
        if self.masses or self.velocities or self.accelerations or self.centres:
            motions = self._motions(mechanism, snapshot)
            if self.masses:
                found += crosses(motions.centre[1:], CROSS * scene.radius, (*rgb(tokens.text), 1.0))
            if self.velocities:
                found += self._velocity_arrows(mechanism, snapshot, motions, scene, tokens)
            if self.accelerations:
                found += self._acceleration_arrows(mechanism, snapshot, motions, scene, tokens)
            if self.centres:
                found += _centre_lines(mechanism, snapshot, motions, scene, tokens)
        if self.polodes:
            found += self._polode_lines(mechanism, snapshot, scene, tokens, selected)
        return tuple(found)

    def _path_lines(self, mechanism: Mechanism, snapshot: Snapshot, scene: Scene, tokens: Tokens) -> list[Polyline]:
        """Thin where points can go, thick where they went, and a mark where they are."""
        self._curves.want()
        curves = [curve for curve in map(self._curves.of, self.paths) if curve is not None]
        found = [Polyline(curve, (*rgb(tokens.text), 0.7), 1.1, 0.4) for curve in curves]
        found += [line for path in self.paths for line in _lived_lines(path, tokens)]
        places = np.array([path.now(mechanism, snapshot).place for path in self.paths])
        return [*found, *crosses(places, POINT * scene.radius, (*rgb(tokens.selected), 1.0))]

    def _motions(self, mechanism: Mechanism, snapshot: Snapshot) -> MovingBodies:
        if self._centres is None or self._centres[0] is not mechanism:
            self._centres = mechanism, centres_of_mass(mechanism)
        return body_motions(mechanism, snapshot, self._centres[1])

    def _velocity_arrows(
        self, mechanism: Mechanism, snapshot: Snapshot, motions: MovingBodies, scene: Scene, tokens: Tokens
    ) -> tuple[Polyline, ...]:
        points = [path.now(mechanism, snapshot) for path in self.paths]
        places = np.concatenate((motions.centre[1:], *(point.place[None] for point in points)))
        moving = np.concatenate((motions.velocity[1:], *(point.velocity[None] for point in points)))
        speeds = np.linalg.norm(moving, axis=1)
        self._fastest = max(self._fastest, float(speeds.max(initial=0.0)))
        seen = speeds > max(LEAST * self._fastest, STILL)
        colour = (*rgb(tokens.accent), 1.0)
        scale = LONGEST_ARROW * scene.radius / max(self._fastest, STILL)
        return arrows(places[seen], places[seen] + scale * moving[seen], colour, hidden=0.8)

    def _acceleration_arrows(
        self, mechanism: Mechanism, snapshot: Snapshot, motions: MovingBodies, scene: Scene, tokens: Tokens
    ) -> tuple[Polyline, ...]:
        """Dashed, so that they differ from velocities in more than hue."""
        known = self._accelerations(snapshot)
        largest = self._record.largest_acceleration(snapshot.time - RECENT, snapshot.time)
        if largest <= STILL or not len(known):
            return ()
        moved = [(place, a) for place, _, a in (path.now(mechanism, snapshot, known) for path in self.paths)
                 if a is not None]  # fmt: skip
        longest = LONGEST_ARROW * scene.radius
        colour = (*rgb(tokens.follower), 1.0)
        places = np.concatenate((motions.centre[1 : len(known)], *(place[None] for place, _ in moved)))
        along = longest / largest * np.concatenate((known[1:, 3:], *(a[None] for _, a in moved)))
        seen = np.linalg.norm(along, axis=1) > SHORTEST * longest
        return arrows(places[seen], places[seen] + along[seen], colour, hidden=0.8, dash=longest / 14.0)

    def _accelerations(self, snapshot: Snapshot) -> Array:
        """As in `ForcesNow`; none where nothing was reported of that time."""
        found = self._record.at(snapshot.time)
        return found.accelerations if found is not None else np.zeros((0, 6))

    def _polode_lines(
        self, mechanism: Mechanism, snapshot: Snapshot, scene: Scene, tokens: Tokens, selected: frozenset[str]
    ) -> list[Polyline]:
        """The fixed polode solid, the moving one dashed, and where they touch."""
        rollings = self._watch.found.rollings if self._watch.found is not None else ()
        bodies = {body for link, body in mechanism.link_bodies().items() if link in selected}
        chosen = [rolling for rolling in rollings if rolling.body in bodies] or rollings
        X_WB = matrices(snapshot.body_poses)
        centre = np.asarray(scene.start_bounds.centre)
        reach = NEAR * scene.radius
        ground = (*rgb(tokens.error), 1.0)
        body = (*rgb(tokens.accent), 1.0)
        found: list[Polyline] = []
        for rolling in chosen:
            X = X_WB[rolling.body]
            for piece in _pieces(rolling.fixed, centre, reach):
                found.append(Polyline(piece, ground, 2.0, 0.7))
            for piece in _pieces(rolling.moving @ X[:3, :3].T + X[:3, 3], centre, reach):
                found += dashed(Polyline(piece, body, 2.0, 0.7), 0.05 * scene.radius)
        return found

    def labels(self, mechanism: Mechanism, snapshot: Snapshot, scene: Scene) -> tuple[Label, ...]:
        """Speeds and accelerations at the arrows, those of the fastest bodies where these are very many; names at the
        instant centres."""
        found: list[Label] = []
        self.unlabelled = 0
        if not (self.velocities or self.accelerations or self.centres):
            return ()
        motions = self._motions(mechanism, snapshot)
        known = self._accelerations(snapshot) if self.accelerations else np.zeros((0, 6))
        moving, self.unlabelled = self._labelled_bodies(motions, known)
        for body, weight in moving:
            parts = []
            if self.velocities:
                parts += _sizes(motions.velocity[body], motions.angular[body], ("m/s", "rad/s"))
            if body < len(known):
                parts += _sizes(known[body, 3:], known[body, :3], ("m/s²", "rad/s²"))
            found.append(Label(vec3(motions.centre[body]), "   ".join(parts), weight=weight, key=f"body {body}"))
        for number, path in enumerate(self.paths if self.velocities or self.accelerations else ()):
            place, velocity, acceleration = path.now(mechanism, snapshot, known)
            parts = [f"{compact(float(np.linalg.norm(velocity)), 3)} m/s"] if self.velocities else []
            parts += [f"{compact(float(np.linalg.norm(acceleration)), 3)} m/s²"] if acceleration is not None else []
            found.append(Label(vec3(place), "   ".join(parts), key=f"path {number}"))
        if self.centres:
            centres = instant_centres(motions)
            names = [tail_name(body.name) for body in mechanism.bodies]
            for name, centre in zip(names, centres if centres is not None else (), strict=False):
                if np.linalg.norm(centre - np.asarray(scene.start_bounds.centre)) < FAR * scene.radius:
                    found.append(Label(vec3(centre), f"P {name}", weight=OF_A_CENTRE))
        return tuple(label for label in found if label.text)

    def _labelled_bodies(self, motions: MovingBodies, known: Array) -> tuple[list[tuple[int, float]], int]:
        """Bodies that have a label with how important it is, the fastest first, and how many have none though they
        move."""
        speeds = np.zeros((len(motions.centre), 4))
        if self.velocities:
            speeds[:, :2] = np.stack([np.linalg.norm(v, axis=1) for v in (motions.velocity, motions.angular)], axis=1)
        speeds[: len(known), 2:] = np.linalg.norm(known.reshape(-1, 2, 3), axis=2)
        speeds[0] = 0.0
        parts = speeds / np.maximum(speeds.max(axis=0), STILL)
        moving = np.flatnonzero((speeds > STILL).any(axis=1))
        order = moving[np.argsort(-parts[moving].max(axis=1), kind="stable")]
        chosen = [(int(body), 0.5 * float(parts[body].max())) for body in order[:MOST_LABELS]]
        return chosen, max(len(order) - MOST_LABELS, 0)


def _centre_lines(
    mechanism: Mechanism, snapshot: Snapshot, motions: MovingBodies, scene: Scene, tokens: Tokens
) -> list[Polyline]:
    """A cross at the instant centre of each body, and lines to it from its joints with other bodies, whose velocities
    are across them."""
    centres = instant_centres(motions)
    if centres is None:
        return []
    near = np.linalg.norm(centres - np.asarray(scene.start_bounds.centre), axis=1) < FAR * scene.radius
    found = [*crosses(centres[near], 1.5 * CROSS * scene.radius, (*rgb(tokens.error), 1.0))]
    X_WB = matrices(snapshot.body_poses)
    for joint in (*mechanism.joints, *mechanism.loop_joints):
        bodies = (joint.parent, joint.child)
        if WORLD_BODY not in bodies:
            X = X_WB[joint.child]
            place = X[:3, :3] @ joint.X_CJ.position + X[:3, 3]
            ends = [centres[body] for body in bodies if near[body]]
            found += [Polyline(np.stack((place, end)), (*rgb(tokens.error), 0.6), 1.1, 0.4) for end in ends]
    return found


def accelerations_left_out(mechanism: Mechanism) -> str:
    """Of which bodies accelerations are not found; empty where they are of all."""
    bodies = len(mechanism.bodies) - 1
    if bodies <= MOST:
        return ""
    text = QCoreApplication.translate("MotionView", "accelerations of the first {n} of {all} bodies")
    return text.format(n=MOST, all=bodies)


def _sizes(linear: Array, angular: Array, units: tuple[str, str]) -> list[str]:
    """`0.31 m/s, 6 rad/s`; nothing of what is at rest."""
    sizes = [float(np.linalg.norm(vector)) for vector in (linear, angular)]
    text = ", ".join(f"{compact(size, 3)} {unit}" for size, unit in zip(sizes, units, strict=True) if size > STILL)
    return [text] if text else []


def _pieces(points: Array, centre: Array, reach: float) -> list[Array]:
    """The stretches of a curve that are within `reach` of a centre [m]."""
    inside = np.linalg.norm(np.nan_to_num(points, nan=np.inf) - centre, axis=1) < reach
    ends = np.flatnonzero(np.diff(np.concatenate(([False], inside, [False])).astype(int)))
    return [points[begin:end] for begin, end in ends.reshape(-1, 2) if end - begin > 1]


def _lived_lines(path: PointPath, tokens: Tokens) -> list[Polyline]:
    """A path in pieces, from the colour of rest to that of its highest speed."""
    rows = path.array()
    if len(rows) < 2:
        return []
    speed = np.linalg.norm(rows[:, 4:], axis=1)
    step = (speed / max(float(speed.max()), 1e-12) * (COLOURS - 1)).astype(int)
    slow, fast = np.array(rgb(tokens.accent)), np.array(rgb(tokens.error))
    bounds = [0, *(np.flatnonzero(np.diff(step)) + 1).tolist(), len(rows) - 1]
    lines = []
    for begin, end in pairwise(bounds):
        if end > begin:
            share = step[begin] / (COLOURS - 1)
            r, g, b = ((1.0 - share) * slow + share * fast).tolist()
            lines.append(Polyline(rows[begin : end + 1, 1:4], (r, g, b, 1.0), 3.2, 0.6))
    return lines
