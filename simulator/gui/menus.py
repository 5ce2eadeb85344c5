"""The menu bar and the toolbar, built from the actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtGui import QAction, QActionGroup, QKeySequence
from PyQt6.QtWidgets import QHBoxLayout, QMainWindow, QMenu, QMenuBar, QSizePolicy, QToolBar, QToolButton, QWidget

from simulator.gui.actions import Actions
from simulator.gui.fields import NoWheelComboBox, scaled
from simulator.gui.preferences import Preferences
from simulator.gui.strategies import StrategyMenu
from simulator.gui.theme import Theme, ThemeChoice
from simulator.gui.workbench import Workbench
from simulator.session.open.examples import Example, examples
from simulator.session.run.lessons import ShippedLesson, lessons
from simulator.session.stream.viewers import ADDRESSES

ENTRY = 23
"""What an entry of the menu bar has around its word [px], see style.py."""
SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)


class Menus:
    """Fills the menu bar of a window; `open_path` opens a file of *Open recent* or *Examples*."""

    def __init__(
        self, window: QMainWindow, actions: Actions, preferences: Preferences, open_path: Callable[[Path], object]
    ) -> None:
        self._window = window
        self._actions = actions
        self._preferences = preferences
        self.open_path = open_path
        self.recent = QMenu(window.tr("Open recen&t"), window)
        self.recordings = QMenu(window.tr("Recent recordin&gs"), window)
        self.examples = QMenu(window.tr("E&xamples"), window)
        self.lessons = QMenu(window.tr("&Lessons"), window)
        self.speed = QMenu(window.tr("S&peed"), window)
        self.themes = QMenu(window.tr("T&heme"), window)
        self.strategies = StrategyMenu(window)
        self.recent.aboutToShow.connect(self._fill_recent)
        self.examples.aboutToShow.connect(lambda: self._fill(self.examples, examples))
        self.lessons.aboutToShow.connect(lambda: self._fill(self.lessons, lessons))

    def build(
        self,
        workbench: Workbench,
        theme: Theme,
        set_theme: Callable[[ThemeChoice], object],
        folders: QMenu,
    ) -> None:
        """Put everything into the menu bar; `folders` are those for what documents name."""
        self._theme_menu(theme, set_theme)
        window = self._window
        self._menu(window.tr("&File"), "new", "synthesise", "open", self.recent, self.recordings, self.lessons,
                   self.examples, "reload", folders, "gallery", None, "save_document", "save_as", None,
                   "save_recording", "save_panel", "save_picture", "save_film", "share", "hand_in", None,
                   "quit")  # fmt: skip
        self._menu(window.tr("&Edit"), "undo", "redo", None, "build", "join", None, "copy_picture")
        streams = QMenu(window.tr("Strea&m to"), window)
        for viewer in ADDRESSES:
            streams.addAction(self._actions[f"stream_{viewer}"])
        self._menu(window.tr("&Simulation"), "run", "step", "reset", None, "step_back", "play_back", "play_file",
                   "resume_here", None, self.speed, self.strategies, None, "kinematic", "harder", "softer", None,
                   "side_by_side", streams)  # fmt: skip
        panels, units = QMenu(window.tr("&Panels"), window), QMenu(window.tr("&Units"), window)
        for key in ("degrees", "millimetres"):
            units.addAction(self._actions[key])
        self._add_panels(panels, workbench)
        panels.addSeparator()
        for key in ("side", "work", "all_panels", "no_panels", "reset_layout"):
            panels.addAction(self._actions[key])
        self._menu(window.tr("&View"), "fit", "view_iso", "view_front", "view_right", "view_top", None, "axes",
                   "frames", "grid", "labels", "dimensions", "limits", "inertias", None,
                   "collisions", "transparent", "section", "shadow", "orthographic", "follow", None,
                   units, self.themes, panels, "lecture", "full_screen")  # fmt: skip
        self._menu(window.tr("&Kinematics"), "velocities", "accelerations", "centres", "polodes", "masses", "forces",
                   None, "onion_recording", "onion_range", None, "tracing", "clear_paths", "save_paths")  # fmt: skip
        self._menu(window.tr("&Help"), "keys", "about")

    def _menu(self, title: str, *entries: str | QMenu | None) -> None:
        bar = self._window.menuBar()
        menu = bar.addMenu(title) if bar is not None else None
        if menu is None:
            return
        for entry in entries:
            if entry is None:
                menu.addSeparator()
            elif isinstance(entry, QMenu):
                menu.addMenu(entry)
            else:
                menu.addAction(self._actions[entry])

    def _add_panels(self, menu: QMenu, workbench: Workbench) -> None:
        """An entry for each, with its key; it is checked while the panel is in front."""
        entries: dict[str, QAction] = {}
        for place, panel in enumerate(workbench.panels, start=1):
            action = QAction(panel.windowTitle(), self._window)
            action.setShortcut(QKeySequence(f"Alt+{place}"))
            action.setCheckable(True)
            action.triggered.connect(lambda _checked=False, panel=panel: workbench.toggle(panel))
            self._window.addAction(action)
            menu.addAction(action)
            entries[panel.objectName()] = action

        def mark() -> None:
            for name, action in entries.items():
                action.setChecked(name in workbench.shown())

        workbench.changed.connect(mark)

    def _theme_menu(self, theme: Theme, set_theme: Callable[[ThemeChoice], object]) -> None:
        group = QActionGroup(self._window)
        names = {
            ThemeChoice.SYSTEM: self._window.tr("As the &system"),
            ThemeChoice.LIGHT: self._window.tr("&Light"),
            ThemeChoice.DARK: self._window.tr("&Dark"),
        }
        for choice, name in names.items():
            action = QAction(name, self._window)
            action.setCheckable(True)
            action.setChecked(choice is theme.choice)
            action.triggered.connect(lambda _checked=False, picked=choice: set_theme(picked))
            group.addAction(action)
            self.themes.addAction(action)

    def _fill_recent(self) -> None:
        self.recent.clear()
        for path in self._preferences.recent:
            self._add_path(self.recent, f"{path.name}    {path.parent}", path)
        if self.recent.isEmpty():
            nothing = self.recent.addAction(self._window.tr("Nothing yet"))
            if nothing is not None:
                nothing.setEnabled(False)
            return
        self.recent.addSeparator()
        clear = self.recent.addAction(self._window.tr("Clear the list"))
        if clear is not None:
            clear.triggered.connect(lambda _checked=False: self._preferences.clear_recent())

    def _fill(self, menu: QMenu, files: Callable[[], Sequence[Example | ShippedLesson]]) -> None:
        """Their titles are read from some forty files, when they are first asked for."""
        if menu.isEmpty():
            for one in files():
                self._add_path(menu, one.title, one.path)

    def _add_path(self, menu: QMenu, text: str, path: Path) -> None:
        action = menu.addAction(text.replace("&", "&&"))
        if action is not None:
            action.triggered.connect(lambda _checked=False: self.open_path(path))


class TopRow(QWidget):
    """The bar of buttons in the row of the menus: what they leave of the width."""

    def __init__(self, menus: QMenuBar, bar: QToolBar) -> None:
        super().__init__()
        self._menus, self._bar = menus, bar
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(bar, 1)

    def sizeHint(self) -> QSize:
        """The menu bar gives its corner the width that it asks for."""
        room = self._menus.fontMetrics().horizontalAdvance
        entries = sum(room(entry.text().replace("&", "")) + ENTRY for entry in self._menus.actions())
        return QSize(max(self._menus.width() - entries - 2 * ENTRY, 0), self._bar.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """None: buttons without room are behind an arrow."""
        return QSize(0, self._bar.sizeHint().height())


class Transport(QToolBar):
    """Run, step, reset and speed; then the views. `speed_chosen` carries simulated seconds per second."""

    speed_chosen = pyqtSignal(float)

    def __init__(self, actions: Actions, speed_menu: QMenu, speed: float) -> None:
        super().__init__()
        self.setObjectName("transport")
        self.setWindowTitle(self.tr("Transport"))
        self.setMovable(False)
        self.setIconSize(QSize(scaled(19), scaled(19)))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.speed = NoWheelComboBox()
        self._speeds = QActionGroup(self)
        self._speeds.setExclusionPolicy(
            QActionGroup.ExclusionPolicy.ExclusiveOptional
        )  # none is marked at other speeds
        self._add(actions, "open", "reload")
        self.addSeparator()
        self._add(actions, "run", "step", "reset", "kinematic")
        run = self.widgetForAction(actions["run"])
        if isinstance(run, QToolButton):
            run.setObjectName("transportRun")
            run.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            run.setMinimumWidth(88)
        self._add_speed(speed_menu, speed)
        self.addSeparator()
        self._add(actions, "fit")
        self._add_views(actions)
        self.addSeparator()
        self._add(actions, "axes", "frames", "grid", "labels", "shadow")
        spacer = QWidget()
        spacer.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(spacer)
        self._add(actions, "save_recording", "save_picture")
        self.addSeparator()
        self._add(actions, "work", "side")

    def show_speed(self, speed: float) -> None:
        """Show a speed that was set elsewhere."""
        index = self.speed.findData(speed)
        self.speed.blockSignals(True)
        if index < 0:
            self.speed.addItem(_speed_text(speed), speed)
            index = self.speed.count() - 1
        self.speed.setCurrentIndex(index)
        self.speed.blockSignals(False)
        self._mark_speed()

    def _add(self, actions: Actions, *keys: str) -> None:
        for key in keys:
            self.addAction(actions[key])
            button = self.widgetForAction(actions[key])
            if button is not None:
                button.setAccessibleName(actions[key].toolTip())

    def _add_views(self, actions: Actions) -> None:
        """The standard views behind one button."""
        button = QToolButton()
        menu = QMenu(self)
        for key in ("view_iso", "view_front", "view_right", "view_top"):
            menu.addAction(actions[key])
        button.setMenu(menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setToolTip(self.tr("Look from the corner, the front, the right, the top  (0, 1, 3, 7)"))
        button.setAccessibleName(self.tr("Standard views"))
        button.setIcon(actions["view_iso"].icon())
        actions["view_iso"].changed.connect(lambda: button.setIcon(actions["view_iso"].icon()))
        actions["view_iso"].enabledChanged.connect(button.setEnabled)
        self.addWidget(button)

    def _add_speed(self, menu: QMenu, speed: float) -> None:
        self.speed.setAccessibleName(self.tr("Simulated seconds per second"))
        self.speed.setToolTip(self.tr("Speed: simulated seconds per second"))
        for value in SPEEDS:
            self.speed.addItem(_speed_text(value), value)
            action = menu.addAction(_speed_text(value))
            if action is not None:
                action.setCheckable(True)
                action.setData(value)
                self._speeds.addAction(action)
                action.triggered.connect(lambda _checked=False, chosen=value: self._choose(chosen))
        self.addWidget(self.speed)
        self.show_speed(speed)
        self.speed.currentIndexChanged.connect(lambda _index: self._chosen())

    def _chosen(self) -> None:
        self._mark_speed()
        self.speed_chosen.emit(float(self.speed.currentData()))

    def _mark_speed(self) -> None:
        """In the menu."""
        for action in self._speeds.actions():
            action.setChecked(action.data() == self.speed.currentData())

    def _choose(self, speed: float) -> None:
        self.show_speed(speed)
        self.speed_chosen.emit(speed)


def _speed_text(speed: float) -> str:
    return f"{speed:g} ×"
