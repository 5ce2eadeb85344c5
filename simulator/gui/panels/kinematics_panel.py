"""Kinematics of the pose: switches of what the view shows of the motion, and live figures of one driver."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QMenu, QToolButton, QWidget

from simulator.analysis.freedoms import Cause
from simulator.gui.fields import NoWheelComboBox, PlainLabel, ValueSpin, label, scaled
from simulator.gui.kinematic_watch import figure_names
from simulator.gui.laws import short_names
from simulator.gui.live import LiveSession
from simulator.gui.menu_button import MenuButton
from simulator.gui.panel_table import PanelTable
from simulator.gui.panels.flow import FlowLayout
from simulator.gui.panels.panel import Panel, bar_strip, column_layout, scrolled_column, under_bar
from simulator.gui.panels.tiles import Tile, Tiles
from simulator.gui.theme import Theme
from simulator.gui.units import Units, compact
from simulator.gui.viewport.motion_view import accelerations_left_out
from simulator.mechanism.types import MotionKind
from simulator.session.look.freedoms import ends_text
from simulator.session.look.kinematics_now import ANGLE, Figure

if TYPE_CHECKING:
    from simulator.engine.snapshot import Snapshot
    from simulator.gui.actions import Actions
    from simulator.mechanism.types import Mechanism
    from simulator.session.open.opening import Opened

SWITCHES = ("velocities", "accelerations", "centres", "polodes", "tracing", "masses", "forces", "axes",
            "limits", "onion_recording", "onion_range")  # fmt: skip
"""Actions that have a button here."""
BINDS = math.radians(40.0)
"""A transmission angle below that, or above its supplement, is called poor: Alt's rule of thumb (Hain, Applied
Kinematics, ch. 4; Norton, section 4.10)."""
MOST = 24
"""So many figures are shown."""
SELDOM = 250
"""Interval between updates of the figures while the simulation runs [ms]; each update costs milliseconds."""
DIGITS = 5
MOST_GHOSTS = 24
LOW = 180
"""Below this height switches are a menu, see `scaled`."""
NARROWEST = 140
"""Tile of a figure, see `scaled`."""


class KinematicsPanel(Panel):
    """Its driver is the one of `LiveSession.kinematics`."""

    def __init__(self, live: LiveSession, theme: Theme, units: Units, actions: Actions) -> None:
        super().__init__(theme)
        self._live = live
        self.watch = live.kinematics
        self.units = units
        self.driver, self.ends, self.ghosts = NoWheelComboBox(), PlainLabel(), ValueSpin(0, "")
        self.tiles: dict[str, Tile] = {}
        self._axes: tuple[int, ...] = ()
        self._table, self._rows, self.left_out = QWidget(), QWidget(), label("", "muted")
        self._switches, self.drawn = _switches(actions), MenuButton(theme)
        self._accelerations, self._pause = actions["accelerations"], QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(SELDOM)
        self._arrange(actions)
        self.driver.activated.connect(lambda index: self.watch.choose(self._axes[index]))
        self.watch.changed.connect(self._show_found)
        self._pause.timeout.connect(self._show_newest)
        self._accelerations.toggled.connect(lambda _on: self._show_found())
        self.seen.connect(lambda seen: self.watch.want("panel", seen))
        live.document_changed.connect(self.show_document)
        self.show_document(live.opened)

    def show_document(self, opened: Opened | None) -> None:
        """Offer the axes of another mechanism."""
        self._axes = ()
        self.driver.clear()
        if opened is None:
            self.show_empty(self.tr("Velocities, instant centres and figures of an open world are shown here."))
            return
        if not opened.mechanism.axes:
            self.show_empty(self.tr("This world has no joint that can move."))
            return
        names = short_names(opened.mechanism.axes)
        free = self._live.free_axes
        self._axes = (*free, *(axis for axis in range(len(names)) if axis not in free))
        self.driver.addItems([names[axis] for axis in self._axes])
        self.show_main()
        self._show_found()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """In a low panel the switches are a menu, and what room is left has the figures."""
        super().resizeEvent(event)
        low = self.height() < scaled(LOW)
        self._switches.setHidden(low)
        self.drawn.setVisible(low)

    def set_units(self, units: Units) -> None:
        """Show other units."""
        self.units = units
        self._show_found()

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """The figures of now; while it runs, some times a second."""
        if self.is_empty or not self.isVisible() or (self._live.running and self._pause.isActive()):
            return
        found = self.watch.found
        values = self.watch.now(snapshot)
        if found is None or values is None:
            return
        for figure, value in zip(found.figures.figures[: len(self.tiles)], values.tolist(), strict=False):
            poor = figure.key.startswith(ANGLE) and not BINDS <= value <= math.pi - BINDS
            remark = self.tr("poor: beyond 40° … 140°") if poor else ""
            self.tiles[figure.key].show_value(self._text(figure, value), remark, "warning" if poor else "")
        if self._live.running:
            self._pause.start()

    def as_table(self) -> PanelTable | None:
        """All figures at the moment on show."""
        found, snapshot = self.watch.found, self._live.snapshot
        values = self.watch.now(snapshot) if snapshot is not None else None
        if found is None or snapshot is None or values is None:
            return None
        rows = [(f.key, v, f.unit or "1") for f, v in zip(found.figures.figures, values.tolist(), strict=True)]
        return PanelTable(("figure", "value", "unit"), rows)

    def _show_newest(self) -> None:
        """The pause is over."""
        if self._live.snapshot is not None:
            self.show_snapshot(self._live.snapshot)

    def _text(self, figure: Figure, value: float) -> str:
        if math.isnan(value):
            return "–"
        factor, unit = self.units.quotient(figure.unit)
        return f"{compact(value * factor, DIGITS)} {unit}".rstrip()

    def _show_found(self) -> None:
        """Another driver, or more is known of it."""
        watch = self.watch
        mechanism = self.watch.mechanism
        if watch.driver in self._axes:
            self.driver.setCurrentIndex(self._axes.index(watch.driver))
        if mechanism is None or self.is_empty:
            return
        found = watch.found
        if found is None:
            self.ends.setText(watch.problem or self.tr("computing …"))
            self._fill(())
            return
        self.ends.setText(self._ends(mechanism))
        if [f.key for f in found.figures.figures[:MOST]] != list(self.tiles):
            self._fill(found.figures.figures[:MOST])
        self.left_out.setText(self._left_out(mechanism, len(found.figures.figures)))
        self.left_out.setHidden(not self.left_out.text())
        self._pause.stop()
        self._show_newest()

    def _left_out(self, mechanism: Mechanism, figures: int) -> str:
        """What there is no room for."""
        parts = [] if figures else [self.tr("No other joint moves with it.")]
        if figures > MOST:
            text = self.tr("The first {n} of {all} figures; Traces ▸ Kinematics has them all.")
            parts.append(text.format(n=MOST, all=figures))
        if self._accelerations.isChecked():
            parts.append(accelerations_left_out(mechanism))
        return "\n".join(filter(None, parts))

    def _ends(self, mechanism: Mechanism) -> str:
        """How far the driver goes, and what stops it."""
        found, driver = self.watch.found, self.watch.driver
        if found is None or driver is None:
            return ""
        reach = found.reach
        info = mechanism.axes[driver]
        if reach is None:
            return self.tr("It is at a dead point: it cannot drive from here.")
        if info.kind is MotionKind.ROTATION and (reach.low.cause, reach.high.cause) == (Cause.NONE, Cause.NONE):
            return self.tr("It turns fully: there is no dead point.")
        names = ends_text(mechanism, driver, reach)
        parts = [
            self.tr("{what} at {at}").format(what=self._named(name), at=self.units.text(info, end.position))
            for name, end in zip(names, (reach.low, reach.high), strict=True)
            if name
        ]
        return ", ".join(parts) or self.tr("Nothing limits its range.")

    def _named(self, name: str) -> str:
        """What ends a way, in the user's language."""
        if name == Cause.DEAD_POINT.value:
            return self.tr("dead point")
        whose = name.removeprefix(Cause.LIMIT.value).removeprefix(" of ")
        return self.tr("limit of {joint}").format(joint=whose) if whose else self.tr("limit")

    def _fill(self, figures: tuple[Figure, ...]) -> None:
        """A tile for every figure."""
        self._rows.deleteLater()
        names = figure_names(figures)
        self.tiles = {figure.key: Tile(name, name) for figure, name in zip(figures, names, strict=True)}
        for tile, name in zip(self.tiles.values(), names, strict=True):
            tile.value.setAccessibleName(name)
        self._rows = Tiles(tuple(self.tiles.values()), NARROWEST) if figures else QWidget()
        layout = self._table.layout()
        if layout is not None:
            layout.addWidget(self._rows)

    def _arrange(self, actions: Actions) -> None:
        self.driver.setAccessibleName(self.tr("Driver"))
        self.driver.setToolTip(self.tr("Figures are those of a motion in which this joint drives the others"))
        self.driver.setSizeAdjustPolicy(NoWheelComboBox.SizeAdjustPolicy.AdjustToContents)
        self.ends.setWordWrap(True)
        head = QWidget()
        line = FlowLayout(head, margin=2)
        self.drawn.setText(self.tr("In the view"))
        self.drawn.setToolTip(self.tr("What the view shows of the motion"))
        menu = QMenu(self.drawn)
        menu.addActions([actions[key] for key in SWITCHES])
        self.drawn.setMenu(menu)
        line.addWidget(self.drawn)
        line.addWidget(label(self.tr("Driver"), "muted"))
        line.addWidget(self.driver)
        self.ghosts.setRange(2, MOST_GHOSTS)
        self.ghosts.setValue(self.watch.ghosts)
        self.ghosts.setAccessibleName(self.tr("Number of poses of the onion skin"))
        self.ghosts.valueChanged.connect(lambda count: self.watch.show_ghosts(round(count)))
        self.ghosts.set_width(56)
        line.addWidget(label(self.tr("Poses"), "muted"))
        line.addWidget(self.ghosts)
        column_layout(self._table)
        scroll, content = scrolled_column(), QWidget()
        column = column_layout(content, margin=10, spacing=8)
        self.left_out.setWordWrap(True)
        for widget in (head, self.ends, self._table, self.left_out):
            column.addWidget(widget)
        column.addStretch(1)
        scroll.setWidget(content)
        self.set_main(under_bar(self._switches, scroll))


def _switches(actions: Actions) -> QWidget:
    """A button for everything that the view shows of the motion."""
    bar = bar_strip()
    row = FlowLayout(bar, spacing=4)
    for key in SWITCHES:
        button = QToolButton()
        button.setDefaultAction(actions[key])
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setObjectName(f"switch_{key}")
        row.addWidget(button)
    return bar
