"""Joint axes, frames and labels: lines and texts made from where the bodies are."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QCoreApplication

from simulator.engine.snapshot import Snapshot
from simulator.gui.laws import kind_text
from simulator.gui.relations import Relations
from simulator.gui.theme import Tokens
from simulator.gui.units import Units, compact, scientific, symbol
from simulator.gui.viewport.state import BETWEEN, Label
from simulator.mechanism.types import Coupling, Mechanism, MotionKind
from simulator.model.names import tail_name
from simulator.rendering.overlays import Polyline, arrow, dashed, normal_plane, sliding_axes, triads, turning_axes
from simulator.rendering.theme import Theme, rgb
from simulator.spatial.pose_arrays import compose, matrices, rotate, vec3

DASH = 0.09
"""Length of a dash of a follower's glyph, in sizes of the glyph."""
MOST_ARROWS = 24
FOLLOWS = "↳ "
"""Before the name of a follower, as in the legend of the plots."""
OF_A_RATIO = 0.9
"""How important the label of a ratio is, beside names of joints, 1."""
FEW_LABELS = 4
"""With more joints than this, labels show names only, and values only for the selected ones."""
MOST_NAMES = 60
"""With more joints than this, only the selected ones have labels."""


class AxisPlaces:
    """Where the axis of every coordinate is: on the inboard body for a joint's first, on the outboard body for its
    last."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.axes: list[int] = []
        self.kinds: list[MotionKind] = []
        self.inboard: list[bool] = []
        bodies = []
        frames = []
        directions = []
        for joint in (*mechanism.joints, *mechanism.loop_joints):
            for number, motion in enumerate(joint.motions):
                inboard = number == 0
                self.axes.append(motion.axis)
                self.kinds.append(motion.kind)
                self.inboard.append(inboard)
                bodies.append(joint.parent if inboard else joint.child)
                frames.append((joint.X_PJ if inboard else joint.X_CJ).as_list())
                directions.append(motion.direction)
        self._bodies = np.array(bodies, dtype=int)
        self._frames = np.array(frames, dtype=float).reshape(-1, 7)
        self._directions = np.array(directions, dtype=float).reshape(-1, 3)
        across = [np.stack(normal_plane(direction)) for direction in self._directions]
        self._across = np.array(across, dtype=float).reshape(-1, 2, 3)

    @cached_property
    def turns(self) -> NDArray[np.bool_]:
        """Which of them turn; the others slide."""
        return np.array([kind is MotionKind.ROTATION for kind in self.kinds], dtype=bool)

    def among(self, axes: Collection[int]) -> NDArray[np.bool_]:
        """Which of them are axes of a collection."""
        return np.isin(np.array(self.axes, dtype=np.intp), np.array(sorted(axes), dtype=np.intp))

    def at(self, body_poses: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Origins [m] and unit directions in the world, each of shape (n, 3), in the order of `axes`."""
        if not self.axes:
            return np.zeros((0, 3)), np.zeros((0, 3))
        frames = compose(body_poses[self._bodies], self._frames)
        return frames[:, :3], rotate(frames[:, 3:], self._directions)

    def across_at(self, body_poses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Two unit vectors u, v of the world with u x v along each axis, fixed to the body that carries it, shape (n,
        2, 3)."""
        turned = compose(body_poses[self._bodies], self._frames)[:, None, 3:]
        return np.stack([rotate(turned[:, 0], self._across[:, i]) for i in (0, 1)], axis=1)


def axis_lines(
    places: AxisPlaces, body_poses: NDArray[np.float64], wanted: frozenset[int], followers: Collection[int],
    size: float,
    tokens: Tokens,
) -> tuple[Polyline, ...]:  # fmt: skip
    """Glyphs of the wanted axes; followers in their own colour and dashed."""
    if not wanted:
        return ()
    origins, directions = places.at(body_poses)
    chosen = places.among(wanted)
    follows = places.among(followers)
    turns = places.turns
    lines: list[Polyline] = []
    for is_follower in (False, True):
        colour = (*rgb(tokens.follower if is_follower else tokens.accent), 1.0)
        turning, sliding = (np.flatnonzero(chosen & (follows == is_follower) & kind) for kind in (turns, ~turns))
        glyphs = turning_axes(origins[turning], directions[turning], np.full(len(turning), size), colour)
        glyphs += sliding_axes(origins[sliding], directions[sliding], size, colour)
        lines += [dash for line in glyphs for dash in dashed(line, DASH * size)] if is_follower else glyphs
    return tuple(lines)


def relation_arrows(
    couplings: Sequence[Coupling], places: AxisPlaces, body_poses: NDArray[np.float64], tokens: Tokens
) -> tuple[Polyline, ...]:
    """Who follows whom: a thin arrow from every leader to its follower."""
    colour = (*rgb(tokens.text), 1.0)
    lines: list[Polyline] = []
    for begin, end, _, _ in _relations(couplings, places, body_poses):
        lines += arrow(vec3(begin), vec3(end), colour, width=1.8, hidden=0.9)
    return tuple(lines)


def relation_labels(
    mechanism: Mechanism, couplings: Sequence[Coupling], places: AxisPlaces, body_poses: NDArray[np.float64],
    units: Units,
) -> tuple[Label, ...]:  # fmt: skip
    """At the middle of each of these arrows its multiplier: '× −1.5', '× 0.02 m/rad'."""
    found = []
    for begin, end, coupling, (leader, multiplier) in _relations(couplings, places, body_poses):
        of = mechanism.axes[coupling.follower]
        to = mechanism.axes[leader]
        factor, unit = units.quotient("1" if of.unit == to.unit else f"{of.unit}/{to.unit}")
        text = f"× {compact(multiplier * factor, 4)} {unit}".rstrip()
        text = text if coupling.curve is None else kind_text(coupling)
        found.append(Label(vec3(0.5 * (begin + end)), text, weight=OF_A_RATIO, key=f"ratio {of.name} {to.name}"))
    return tuple(found)


_Relation: TypeAlias = "tuple[NDArray[np.float64], NDArray[np.float64], Coupling, tuple[int, float]]"


def _relations(
    couplings: Sequence[Coupling], places: AxisPlaces, body_poses: NDArray[np.float64]
) -> Iterator[_Relation]:
    """For every leader: its place and that of its follower [m], the coupling, and the leader with its multiplier."""
    if not couplings:
        return
    origins, _ = places.at(body_poses)
    place = dict(zip(places.axes, origins, strict=True))
    for coupling in couplings[:MOST_ARROWS]:
        for leader, multiplier in coupling.leaders:
            if leader in place and coupling.follower in place:
                yield place[leader], place[coupling.follower], coupling, (leader, multiplier)


def frame_lines(link_poses: NDArray[np.float64], size: float, theme: Theme) -> tuple[Polyline, ...]:
    """A triad at every link."""
    return triads(matrices(link_poses), size, theme)


def labels(
    relations: Relations, places: AxisPlaces, snapshot: Snapshot, chosen: tuple[int, ...], every: bool, units: Units,
    drawn: Collection[int] = (),
) -> tuple[Label, ...]:  # fmt: skip
    """Name and live value of the chosen axes, a follower's residual beside it; with `every` also those of all joints
    that there is room for, their names alone where these are many. The value of those that are `drawn` is on the
    drawing already."""
    mechanism, number = relations.mechanism, relations.coupling_numbers
    named = relations.named_axes if every and len(relations.named_axes) <= MOST_NAMES else ()
    rank = {axis: 1.0 - place / (2 * len(named)) for place, axis in enumerate(named)}
    if not rank and not chosen:
        return ()
    origins, _ = places.at(snapshot.body_poses)
    result = []
    for axis, origin in zip(places.axes, origins, strict=True):
        if axis not in chosen and axis not in rank:
            continue
        info = mechanism.axes[axis]
        text = (FOLLOWS if axis in number else "") + tail_name(info.name)
        if axis in chosen or len(named) <= FEW_LABELS:
            if axis not in drawn:
                text += f"{BETWEEN}{symbol(info)} = {units.text(info, float(snapshot.position[axis]))}"
            if axis in number:
                residual = float(snapshot.coupling_residual[number[axis]])
                text += BETWEEN + _residual_text(mechanism.couplings[number[axis]], residual, units.factor(info))
            text += _loop_residual(mechanism, snapshot, info.joint)
        weight = rank.get(axis, 1.0)
        spare = axis not in chosen
        result.append(Label(vec3(origin), text, not spare, axis in number, weight, info.name, spare))
    return tuple(result)


def _residual_text(coupling: Coupling, residual: float, factor: float) -> str:
    """What is left of a law; by how much the sides of a clutch have slipped; what bounds keep within them."""
    if coupling.bounds:
        return f"φ = {compact(residual, 4)}"
    what = "|r|" if coupling.ties else QCoreApplication.translate("Glyphs", "slip")
    return f"{what} = {scientific(abs(residual) * factor)}"


def _loop_residual(mechanism: Mechanism, snapshot: Snapshot, joint: str) -> str:
    for number, loop in enumerate(mechanism.loop_joints):
        if loop.name == joint:
            return f"{BETWEEN}|r| = {scientific(float(abs(snapshot.loop_residual[number, 0])))} m"
    return ""
