"""The view in the middle of the window: what it draws follows the simulation, the selection and the View menu."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QPointF, pyqtSignal
from PyQt6.QtGui import QImage, QResizeEvent
from PyQt6.QtWidgets import QApplication, QVBoxLayout, QWidget

from simulator.diagnostics import Diagnostic, Severity
from simulator.engine.snapshot import Snapshot
from simulator.gui.live import LiveSession
from simulator.gui.selection import Item, ItemKind, Selection
from simulator.gui.theme import Theme, Tokens
from simulator.gui.units import Units
from simulator.gui.viewport.gl_view import GLView, opengl_problem
from simulator.gui.viewport.glyphs import AxisPlaces, axis_lines, frame_lines, labels
from simulator.gui.viewport.navigator import Navigator
from simulator.gui.viewport.overlay import Overlay
from simulator.gui.viewport.painter_view import PainterView
from simulator.gui.viewport.state import ViewState
from simulator.rendering.camera import Camera
from simulator.rendering.theme import THEMES

if TYPE_CHECKING:
    from simulator.session.opening import Opened

GLYPH_SIZE = 0.28
"""Length of an axis glyph in radii of the scene."""


class Viewport(QWidget):
    """Composes the drawing widget, the navigator and the overlay. `renderer_changed` tells what draws, and whether with shadows."""

    renderer_changed = pyqtSignal(str, bool)

    def __init__(self, live: LiveSession, selection: Selection, theme: Theme, units: Units) -> None:
        super().__init__()
        self._live, self._selection, self._theme, self.units = live, selection, theme, units
        self.state = ViewState()
        self.show_axes, self.show_frames, self.show_labels = False, False, True
        self._places: AxisPlaces | None = None
        self._pointer: QPointF | None = None
        self._fitted = False
        self._path: Path | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self.navigator = Navigator(self.state)
        self._canvas: GLView | PainterView = self._make_canvas()
        self._overlay = Overlay(self.state, theme.tokens, self)
        self._connect()
        self._set_tokens(theme.tokens)

    @property
    def canvas(self) -> QWidget:
        """The widget that draws."""
        return self._canvas

    def show_document(self, opened: Opened | None) -> None:
        """Draw another world, or none."""
        state = self.state
        state.scene, state.lines, state.labels = None, (), ()
        state.selected, state.hovered = frozenset(), None
        scene = self._live.scene
        if opened is not None and scene is not None:
            state.scene, state.poses = scene, scene.initial_link_poses()
            self._places = AxisPlaces(opened.mechanism)
            for reason in scene.missing:
                self._live.add_finding(Diagnostic(Severity.WARNING, "SHAPE_NOT_DRAWN", str(opened.path), 0, reason))
            if opened.path != self._path:  # a reloaded document is seen as before
                state.camera = Camera()
                self._fitted = self.isVisible() and self.width() > 200
                self.fit()
            self._path = opened.path
        self._canvas.scene_changed()
        self._overlay.update()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Draw another instant."""
        poses = self._live.poses
        if self.state.scene is None or poses is None:
            return
        self.state.poses = poses.at(snapshot.body_poses)
        self._refresh(snapshot)

    def point(self) -> None:
        """Find out what is under the mouse, once per frame at most."""
        if self._pointer is None:
            return
        at, self._pointer = self._pointer, None
        name = self._canvas.pick(at)
        self._selection.hover(Item(ItemKind.LINK, name) if name is not None else None)

    def fit(self, links: frozenset[str] = frozenset()) -> None:
        """Fill the view with the whole scene, or with some links."""
        scene = self.state.scene
        if scene is None:
            return
        if links:
            kept = tuple(d for d in scene.drawables if scene.links[d.link] in links)
            scene = replace(scene, drawables=kept or scene.drawables)
        points = scene.corner_points(self.state.poses)
        points = points[np.isfinite(points).all(axis=1)]
        self.state.camera = self.state.camera.fit(
            points, self.width() / max(self.height(), 1), 1.12 if not links else 2.2
        )
        self._camera_moved()

    def standard_view(self, name: str) -> None:
        """Look from the front, the right, the top, or from the corner."""
        self.state.camera = self.state.camera.with_view(name)
        self.fit()

    def set_option(self, name: str, on: bool) -> None:
        """Switch axes, frames, labels, grid or shadow."""
        if name == "shadow":
            self.state.shadows = on
        elif name == "grid":
            self.state.grid = on
        else:
            setattr(self, f"show_{name}", on)
        self._refresh(self._live.snapshot)

    def set_units(self, units: Units) -> None:
        """Show other units in labels."""
        self.units = units
        self._refresh(self._live.snapshot)

    def picture(self) -> QImage:
        """What is on show, labels included."""
        QApplication.processEvents()
        return self.grab().toImage()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """The overlay covers the view; the first real size fits the camera."""
        super().resizeEvent(event)
        self._overlay.setGeometry(self.rect())
        self._overlay.raise_()
        if not self._fitted and self.state.scene is not None:
            self._fitted = True
            self.fit()

    def _connect(self) -> None:
        self.navigator.moved.connect(self._camera_moved)
        self.navigator.clicked.connect(self._clicked)
        self.navigator.double_clicked.connect(self._double_clicked)
        self.navigator.pointed.connect(self._pointed)
        self._live.document_changed.connect(self.show_document)
        self._selection.changed.connect(lambda _item: self._mark())
        self._selection.hovered.connect(lambda _item: self._mark())
        self._theme.changed.connect(self._set_tokens)

    def _make_canvas(self) -> GLView | PainterView:
        problem = opengl_problem()
        if problem:
            return self._install(PainterView(self.state, problem))
        view = GLView(self.state)
        view.failed.connect(self._fall_back)
        view.ready.connect(self.renderer_changed)
        return self._install(view)

    def _install(self, widget: GLView | PainterView) -> GLView | PainterView:
        self._layout.addWidget(widget)
        self.navigator.attach(widget)
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

    def _camera_moved(self) -> None:
        self._canvas.update()
        self._overlay.update()

    def _clicked(self, at: QPointF) -> None:
        name = self._canvas.pick(at)
        self._selection.select(Item(ItemKind.LINK, name) if name is not None else None)

    def _double_clicked(self, at: QPointF) -> None:
        name = self._canvas.pick(at)
        self.fit(frozenset({name}) if name is not None else frozenset())

    def _pointed(self, at: QPointF | None) -> None:
        self._pointer = at
        if at is None:
            self._selection.hover(None)

    def _mark(self) -> None:
        relations = self._live.relations
        if relations is None:
            return
        self.state.selected = relations.links_of(self._selection.item)
        hovered = relations.links_of(self._selection.under_mouse)
        self.state.hovered = min(hovered) if hovered else None
        self._refresh(self._live.snapshot)

    def _refresh(self, snapshot: Snapshot | None) -> None:
        relations, places, scene = self._live.relations, self._places, self.state.scene
        if snapshot is not None and relations is not None and places is not None and scene is not None:
            chosen = relations.axes_of(self._selection.item)
            mechanism, size = relations.mechanism, GLYPH_SIZE * scene.radius
            wanted = frozenset(range(len(mechanism.axes)) if self.show_axes else chosen)
            followers = relations.coupling_numbers.keys()
            lines = axis_lines(places, snapshot.body_poses, wanted, followers, size, self._theme.tokens)
            if self.show_frames:
                lines += frame_lines(self.state.poses, 0.5 * size, self.state.theme)
            self.state.lines = lines
            shown = self.show_labels
            self.state.labels = (
                labels(relations, places, snapshot, chosen, shown, self.units) if shown or chosen else ()
            )
        self._camera_moved()

    def _set_tokens(self, tokens: Tokens) -> None:
        self.state.theme = THEMES[tokens.name]
        self._overlay.set_tokens(tokens)
        self._refresh(self._live.snapshot)
