"""The view in the middle of the window: it follows the simulation, the selection and the View menu."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QPointF, Qt, pyqtSignal
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QToolTip, QVBoxLayout, QWidget

from simulator.diagnostics import Diagnostic, Severity
from simulator.engine.snapshot import Snapshot
from simulator.gui.live import LiveSession
from simulator.gui.selection import Item, ItemKind, Selection
from simulator.gui.theme import Theme, Tokens
from simulator.gui.units import Units
from simulator.gui.viewport.composition import COMPOSED, Composition, ViewParts
from simulator.gui.viewport.dimension_fields import DimensionFields
from simulator.gui.viewport.dimensions import Dimensions
from simulator.gui.viewport.force_view import ForceView
from simulator.gui.viewport.framing import Framing
from simulator.gui.viewport.hand_on_view import HandOnView, movable_links
from simulator.gui.viewport.join_bar import JoinBar
from simulator.gui.viewport.join_picks import JoinPicks
from simulator.gui.viewport.marks import Marks
from simulator.gui.viewport.motion_view import MotionView
from simulator.gui.viewport.navigator import Navigator
from simulator.gui.viewport.onion_skin import SKINS, OnionSkin
from simulator.gui.viewport.overlay import Overlay
from simulator.gui.viewport.painter_view import PainterView
from simulator.gui.viewport.path_curves import PathCurves
from simulator.gui.viewport.pictures import Captured, PictureTaker
from simulator.gui.viewport.scene_choice import SceneChoice
from simulator.gui.viewport.section_bar import SectionBar
from simulator.gui.viewport.state import ViewState
from simulator.gui.viewport.views import View, view_of
from simulator.rendering.camera import Camera
from simulator.rendering.theme import THEMES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from simulator.gui.current_laws import CurrentLaws
    from simulator.rendering.scene import Hit
    from simulator.session.open.opening import Opened

MOTIONS = ("velocities", "accelerations", "centres", "polodes", "masses", "tracing")
"""What the view shows of motions."""
LOOKS = ("collisions", "transparent")
"""How it shows bodies."""
OF_PARTS = {
    **dict.fromkeys(MOTIONS, "motion"), **dict.fromkeys(LOOKS, "scene_choice"), **dict.fromkeys(SKINS, "onion"),
    "inertias": "marks", "limits": "marks", "kinematic": "hand", "forces": "forces", "dimensions": "dimensions",
}  # fmt: skip
"""By the name of a switch the part of the view that has it."""
VIEWED = ("axes", "frames", "grid", "labels", "shadow", "orthographic", "follow", "section", *OF_PARTS)
"""All that can be switched."""


class Viewport(QWidget):
    """Combines the drawing widget, the navigator and the overlay. `renderer_changed` carries what draws, and whether
    with shadows."""

    renderer_changed = pyqtSignal(str, bool)

    def __init__(self, live: LiveSession, selection: Selection, theme: Theme, units: Units) -> None:
        super().__init__()
        self._live = live
        self._selection = selection
        self._theme = theme
        self.units = units
        self.state = ViewState()
        self._pointer: QPointF | None = None
        self._fitted, self.framing = False, Framing(self.state)
        self._path: Path | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self.hand = HandOnView(live, self.state, self.hit)
        self.join = JoinPicks(self.state, self.hit)
        self.navigator = Navigator(self.state, self.hand)
        self.curves, self.marks, self.scene_choice = PathCurves(live), Marks(), SceneChoice()
        self.motion = MotionView(live.forces, live.kinematics, self.curves)
        self.forces, self.dimensions = ForceView(live.forces), Dimensions(live)
        self.show_follow, self.onion = False, OnionSkin(live)
        parts = ViewParts(
            self.state, self.motion, self.forces, self.marks, self.hand, self.join, self.onion, self.dimensions
        )  # fmt: skip
        self.composition = Composition(live, selection, parts)
        self._overlay = Overlay(self.state, theme.tokens, self)
        self.fields = DimensionFields(live, self._overlay.drawing, self, units)
        self._canvas = self._make_canvas()
        self._overlay.raise_()
        self._pictures = PictureTaker(self, self.state, self._overlay, theme.tokens)
        self.section_bar, self.join_bar = SectionBar(self), JoinBar(self)
        self._connect()
        self._set_tokens(theme.tokens)

    @property
    def canvas(self) -> QWidget:
        """The widget that draws."""
        return self._canvas

    def show_document(self, opened: Opened | None) -> None:
        """Draw another world, or none."""
        self.hand.end()
        self.motion.forget()
        self.forces.forget()
        self.dimensions.forget()
        state = self.state
        state.scene = None
        state.lines = ()
        state.labels = ()
        state.dimensions = None
        state.scale = state.hint = ""
        state.selected = frozenset()
        state.hovered = None
        scene = self._live.scene
        if opened is not None and scene is not None:
            self.scene_choice.fit_bars(self._live.laws)
            state.scene, state.poses = self.scene_choice.scene(opened.world, scene), scene.initial_link_poses()
            state.movable = movable_links(opened.mechanism, scene.links)
            self.composition.begin(opened.mechanism)
            for reason in scene.missing:
                self._live.add_finding(Diagnostic(Severity.WARNING, "SHAPE_NOT_DRAWN", str(opened.path), 0, reason))
            if opened.path != self._path:  # a reloaded document is seen as before
                state.camera = Camera(orthographic=state.camera.orthographic)
                self._fitted = self.isVisible() and self.width() > 200
                self.fit()
                self.section_bar.fit(scene)
            else:
                self.framing.keep()
            self._path = opened.path
        self._canvas.scene_changed()
        self._overlay.update()

    def show_still(self, opened: Opened) -> None:
        """Draw what could be read of a document that cannot be simulated."""
        scene = self._live.scene
        if scene is None:
            return
        self.state.scene, self.state.poses = scene, scene.initial_link_poses()
        if opened.path != self._path:
            self.state.camera = Camera(orthographic=self.state.camera.orthographic)
            self.fit()
        self._path = opened.path
        self._canvas.scene_changed()
        self._overlay.update()

    def show_hint(self, text: str) -> None:
        """Say what can be done here, or nothing more."""
        self.state.hint = "" if self.join.on else text
        self._overlay.follow()

    @property
    def hint_covers(self) -> bool:
        """Whether the hint lies on the mechanism, for nowhere was room."""
        return self._overlay.hint_place.covers

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Draw another instant."""
        poses = self._live.poses
        if self.state.scene is None or poses is None:
            return
        before = self.state.poses
        self.state.poses = poses.at(snapshot.body_poses)
        if self.show_follow:
            self.framing.follow(before, self.state.selected)
        elif not self.hand.is_holding:
            self.framing.see(self._aspect)
        if self._live.relations is not None:
            client, status = self._live.client, self._live.status
            known = (client.history, status.dt) if client is not None and status is not None else (None, 0.0)
            self.motion.see(self._live.relations.mechanism, snapshot, *known)
        self._has_news()
        self._refresh(snapshot)

    def show_news(self) -> None:
        """Draw what was reported of the same instant."""
        if self._has_news():
            self._refresh(self._live.snapshot)

    def _has_news(self) -> bool:
        return any([self.forces.has_news(), self.motion.has_news(), self.dimensions.has_news()])  # all are to know

    def show_swing(self, body_poses: NDArray[np.float64]) -> None:
        """Draw bodies where no simulation is, X_WB of shape (n_bodies, 7), until the next snapshot."""
        if self.state.scene is not None and self._live.poses is not None:
            self.state.poses = self._live.poses.at(body_poses)
            self.state.lines = ()
            self.state.labels = ()
            self.state.dimensions = None
            self._camera_moved()

    def point(self) -> None:
        """Find out what is under the mouse, and pass on where a hand goes, once per frame at most."""
        if self.hand.is_holding:
            self.hand.send()
            self._refresh(self._live.snapshot)
            return
        if self._pointer is None:
            return
        at = self._pointer
        self._pointer = None
        if self.join.on:
            self.join.point(at, self._size)
        name = self._canvas.pick(at)
        self._selection.hover(Item(ItemKind.LINK, name) if name is not None else None)
        shape = Qt.CursorShape.OpenHandCursor if self.hand.can_hold(name) else Qt.CursorShape.ArrowCursor
        self._show_cursor(Qt.CursorShape.CrossCursor if self.join.on else shape)

    def hit(self, at: QPointF) -> Hit | None:
        """The link at a point of the view, and the point of it that is seen."""
        return self._canvas.hit(at)

    def follow_point(self, hit: Hit) -> None:
        """Draw the path of a point of a link."""
        self.motion.add_path(hit.link, self.hand.point_of(hit))
        self._refresh(self._live.snapshot)

    def clear_paths(self) -> None:
        """Follow none of the points any more."""
        self.motion.paths.clear()
        self._refresh(self._live.snapshot)

    def fit(self, links: frozenset[str] = frozenset()) -> None:
        """Fill the view with the whole scene, or with some links."""
        self.framing.fit(self._aspect, links)
        self._camera_moved()

    def switch_joining(self, opened: Opened | None) -> None:
        """Pick places of a document for joints, or move bodies again."""
        self.join.switch(opened)
        self.navigator.hand = self.join if self.join.on else self.hand
        self.join_bar.setVisible(self.join.on)
        if self.join.on:
            self.show_hint("")
        self._cover()

    @property
    def _size(self) -> tuple[float, float]:
        return (self._canvas.width(), self._canvas.height())

    @property
    def _aspect(self) -> float:
        return self.width() / max(self.height(), 1)

    def standard_view(self, name: str) -> None:
        """Look from the front, the right, the top, or from the corner."""
        self.state.camera = self.state.camera.with_view(name)
        self.fit()

    def set_option(self, name: str, on: bool) -> None:
        """Switch one of `VIEWED`."""
        state = self.state
        own = OF_PARTS.get(name, "")
        if own in ("motion", "onion"):
            getattr(self, own).switch(name, on)
        elif own:
            setattr(getattr(self, own), name, on)
        elif name == "orthographic":
            state.camera = replace(state.camera, orthographic=on)
        elif name in ("shadow", "grid"):
            setattr(state, "shadows" if name == "shadow" else name, on)
        elif name == "section":
            self.section_bar.switch(on)
        else:
            setattr(self.composition if name in COMPOSED else self, f"show_{name}", on)
        if name in LOOKS:
            self._look_anew()
        self._refresh(self._live.snapshot)

    def _look_anew(self) -> None:
        """The same world, the same instant, drawn otherwise."""
        opened, own = self._live.opened, self._live.scene
        if opened is not None and own is not None:
            self.state.scene = self.scene_choice.scene(opened.world, own)
            self._canvas.scene_changed()

    def set_units(self, units: Units) -> None:
        """Show other units in labels."""
        self.units = self.fields.units = units
        self.section_bar.set_units(units)
        self._refresh(self._live.snapshot)

    def set_type(self, height: int) -> None:
        """Labels of this height [px], 0 for the usual one."""
        self._overlay.set_type(height)
        self.section_bar.place()

    def capture(self) -> Captured:
        """What is on show, to be drawn with its labels at any size."""
        return self._pictures.capture(self._canvas, self._theme.tokens)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """The overlay covers the view; the camera fits until the user moves it."""
        super().resizeEvent(event)
        self._overlay.setGeometry(self.rect())
        self._overlay.raise_()
        self.fields.fit()
        if self.state.scene is not None and not (self._fitted and self.framing.turned):
            self._fitted = True
            self.framing.refit(self._aspect)
            self._camera_moved()

    def _connect(self) -> None:
        self.hand.held.connect(self._held)
        self.navigator.moved.connect(self._turn)
        self.navigator.clicked.connect(self._clicked)
        self.navigator.double_clicked.connect(self._double_clicked)
        self.navigator.pointed.connect(self._pointed)
        self.fields.pointed.connect(lambda: self._pointed(None))
        self.fields.changed.connect(self._overlay.update)
        self._live.document_changed.connect(self.show_document)
        self._live.laws_changed.connect(self._place_axes)
        self.section_bar.changed.connect(self._cut)
        self.join.changed.connect(lambda: self._refresh(self._live.snapshot))
        for found in (self._live.kinematics.changed, self.curves.changed):
            found.connect(lambda: self._refresh(self._live.snapshot))
        self._selection.changed.connect(lambda _item: self._mark())
        self._selection.hovered.connect(lambda _item: self._mark())
        self._theme.changed.connect(self._set_tokens)

    def _make_canvas(self) -> View:
        view = view_of(self.state)
        if not isinstance(view, PainterView):
            view.failed.connect(self._fall_back)
            view.ready.connect(self.renderer_changed)
        return self._install(view)

    def _install(self, widget: View) -> View:
        self._layout.addWidget(widget)
        self.navigator.attach(widget)
        self.fields.attach(widget)
        return widget

    def _fall_back(self, reason: str) -> None:
        """OpenGL failed: draw with Qt's painter from now on, and say so."""
        old = self._canvas
        self._canvas = self._install(PainterView(self.state, reason))
        old.hide()
        old.deleteLater()
        self._overlay.raise_()
        self.renderer_changed.emit(self.tr("QPainter (no OpenGL)"), False)
        self._live.add_finding(Diagnostic(Severity.WARNING, "OPENGL_UNAVAILABLE", "", 0, reason))

    def _turn(self) -> None:
        """From now on the camera is where the user put it, whatever the size of the view."""
        self.framing.turned = True
        self._camera_moved()

    def _camera_moved(self) -> None:
        self._canvas.update()
        self._overlay.follow()

    def _clicked(self, at: QPointF) -> None:
        if self.join.on:
            self.join.click(at, self._size)
            return
        hit = self._canvas.hit(at)
        name = hit.link if hit is not None else None
        if hit is not None and self.motion.tracing and self.hand.can_hold(name):
            self.follow_point(hit)
        elif self.motion.tracing:
            text = self.tr("This body does not move: click on one that does, to follow the point.")
            QToolTip.showText(self._canvas.mapToGlobal(at.toPoint()), text, self._canvas)
        self._selection.select(Item(ItemKind.LINK, name) if name is not None else None)

    def _double_clicked(self, at: QPointF) -> None:
        name = self._canvas.pick(at)
        self.fit(frozenset({name}) if name is not None else frozenset())

    def _pointed(self, at: QPointF | None) -> None:
        self._pointer = at
        if at is None:
            self._selection.hover(None)
            self.join.point(None, self._size)

    def _held(self, on: bool) -> None:
        self._show_cursor(Qt.CursorShape.ClosedHandCursor if on else Qt.CursorShape.OpenHandCursor)
        self._refresh(self._live.snapshot)

    def _show_cursor(self, shape: Qt.CursorShape) -> None:
        if self._canvas.cursor().shape() is not shape:
            self._canvas.setCursor(shape)

    def _mark(self) -> None:
        relations = self._live.relations
        if relations is None:
            return
        self.state.selected = relations.links_of(self._selection.item)
        hovered = relations.links_of(self._selection.under_mouse)
        self.state.hovered = min(hovered) if hovered else None
        self._refresh(self._live.snapshot)

    def _place_axes(self, laws: CurrentLaws) -> None:
        """Joints may have been moved."""
        self.curves.forget()
        self.composition.begin(laws.now())
        if self.scene_choice.fit_bars(laws):
            self._look_anew()
        self._refresh(self._live.snapshot)

    def _cut(self) -> None:
        bar = self.section_bar
        self.state.section = bar.section
        self._cover()

    def _cover(self) -> None:
        """Labels keep off the bars, of which one is under the other."""
        self.join_bar.place(0 if self.section_bar.isHidden() else self.section_bar.height() + 6)
        bars = (self.section_bar, self.join_bar)
        self._overlay.covered = tuple(bar.geometry().toRectF() for bar in bars if not bar.isHidden())
        self._refresh(self._live.snapshot)

    def _refresh(self, snapshot: Snapshot | None) -> None:
        if snapshot is not None:
            painted = isinstance(self._canvas, PainterView)
            self.composition.show(snapshot, self._theme.tokens, self.units, painted=painted)
        self._camera_moved()

    def _set_tokens(self, tokens: Tokens) -> None:
        self.state.theme = THEMES[tokens.name]
        self._overlay.set_tokens(tokens)
        self._refresh(self._live.snapshot)
