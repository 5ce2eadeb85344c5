"""Overlays of the scene at a moment: lines and labels of axes, relations, motions, forces and the hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PyQt6.QtCore import QCoreApplication

from simulator.gui.viewport.glyphs import (
    AxisPlaces,
    axis_lines,
    frame_lines,
    labels,
    relation_arrows,
    relation_labels,
)
from simulator.gui.viewport.supports import support_lines
from simulator.rendering.load_arrows import load_lines

if TYPE_CHECKING:
    from simulator.engine.snapshot import Snapshot
    from simulator.gui.live import LiveSession
    from simulator.gui.relations import Relations
    from simulator.gui.selection import Selection
    from simulator.gui.theme import Tokens
    from simulator.gui.units import Units
    from simulator.gui.viewport.dimensions import Dimensions
    from simulator.gui.viewport.force_view import ForceView
    from simulator.gui.viewport.hand_on_view import HandOnView
    from simulator.gui.viewport.join_picks import JoinPicks
    from simulator.gui.viewport.marks import Marks
    from simulator.gui.viewport.motion_view import MotionView
    from simulator.gui.viewport.onion_skin import OnionSkin
    from simulator.gui.viewport.state import Label, ViewState
    from simulator.mechanism.types import Coupling, Mechanism
    from simulator.rendering.overlays import Polyline
    from simulator.rendering.scene import Scene

GLYPH_SIZE = 0.28
"""Length of an axis glyph in radii of the scene."""
COMPOSED = ("axes", "frames", "labels")
"""Switches of the View menu that are answered here."""


class ViewParts(NamedTuple):
    """What a view is made of, and its state."""

    state: ViewState
    motion: MotionView
    forces: ForceView
    marks: Marks
    hand: HandOnView
    join: JoinPicks
    onion: OnionSkin
    dimensions: Dimensions


class Composition:
    """Puts into the state of a view what its parts draw. `show_axes`, `show_frames` and `show_labels` are switches."""

    def __init__(self, live: LiveSession, selection: Selection, view: ViewParts) -> None:
        self._live = live
        self._selection = selection
        self._view = view
        self.show_axes = False
        self.show_frames = False
        self.show_labels = True
        self._places: AxisPlaces | None = None

    def begin(self, mechanism: Mechanism) -> None:
        """Another mechanism, or one whose joints were moved."""
        self._places = AxisPlaces(mechanism)

    def show(self, snapshot: Snapshot, tokens: Tokens, units: Units, *, painted: bool) -> None:
        """Compose anew; `painted`: by Qt, without OpenGL."""
        state = self._view.state
        relations = self._live.relations
        places = self._places
        if relations is None or places is None or state.scene is None:
            return
        state.dimensions = self._view.dimensions.at(snapshot, state.scene, self._selection.item, units)
        item = self._selection.item
        chosen = relations.axes_of(item)
        # with numbers on the drawing, the line of a ratio shows who follows whom
        tied = relations.couplings_of(item) if state.dimensions is None else ()
        state.lines = self._lines(relations, places, snapshot, state.scene, tokens, chosen, tied)
        state.ghosts = self._view.onion.poses()
        state.scale = "   ".join(filter(None, self._said(relations.mechanism, painted=painted)))
        state.labels = self._labels(relations, places, snapshot, state.scene, units, chosen, tied)
        state.unlabelled = self._view.motion.unlabelled

    def _lines(
        self, relations: Relations, places: AxisPlaces, snapshot: Snapshot, scene: Scene, tokens: Tokens,
        chosen: tuple[int, ...], tied: tuple[Coupling, ...],
    ) -> tuple[Polyline, ...]:  # fmt: skip
        """`chosen` axes and `tied` couplings are those of the selection."""
        view = self._view
        mechanism = relations.mechanism
        poses = snapshot.body_poses
        size = GLYPH_SIZE * scene.radius
        wanted = frozenset(range(len(mechanism.axes)) if self.show_axes else set(chosen) - self._drawn())
        lines = axis_lines(places, poses, wanted, relations.coupling_numbers.keys(), size, tokens)
        lines += relation_arrows(tied, places, poses, tokens)
        lines += support_lines(mechanism, scene, tokens)
        if self.show_frames:
            lines += frame_lines(view.state.poses, 0.5 * size, view.state.theme)
        lines += load_lines(mechanism.loads, poses, snapshot.time, scene.radius, snapshot.cables[:, 0])
        lines += view.motion.lines(mechanism, snapshot, scene, tokens, view.state.selected)
        view.forces.look(mechanism, snapshot, scene.radius)
        lines += view.forces.lines(scene, tokens)
        lines += view.marks.lines(mechanism, places, snapshot, scene, tokens)
        return lines + view.hand.lines(tokens) + view.join.lines(tokens)

    def _labels(
        self, relations: Relations, places: AxisPlaces, snapshot: Snapshot, scene: Scene, units: Units,
        chosen: tuple[int, ...], tied: tuple[Coupling, ...],
    ) -> tuple[Label, ...]:  # fmt: skip
        view, mechanism = self._view, relations.mechanism
        return (
            labels(relations, places, snapshot, chosen, self.show_labels, units, self._drawn())
            + relation_labels(mechanism, tied, places, snapshot.body_poses, units)
            + view.motion.labels(mechanism, snapshot, scene)
            + view.hand.labels()
            + view.join.labels(units)
            + view.forces.labels()
        )

    def _drawn(self) -> frozenset[int]:
        """Axes whose values are numbers on the drawing."""
        drawing = self._view.state.dimensions
        return drawing.axes if drawing is not None else frozenset()

    def _said(self, mechanism: Mechanism, *, painted: bool) -> tuple[str, ...]:
        """What the length of arrows stands for, and what is left out."""
        state = self._view.state
        view = self._view
        missing = painted and (len(state.ghosts) or state.section)
        text = QCoreApplication.translate("Viewport", "Onion skin and section plane need OpenGL.")
        return view.forces.scale(mechanism), view.motion.problem(mechanism), text if missing else ""
