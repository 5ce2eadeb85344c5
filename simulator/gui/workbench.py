"""The layout of the window: the view in the middle, the column of the selection at its right, a lesson at its left,
and the work area with plots and analyses below the view, beside it, or in its place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import Enum
from functools import partial

from PyQt6.QtCore import QEvent, QObject, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QSizePolicy, QSplitter, QToolButton, QWidget

from simulator.gui.area import Area
from simulator.gui.fields import scaled
from simulator.gui.inspector.inspector import Inspector
from simulator.gui.panels.panel import Page, column_layout
from simulator.gui.resources import icon
from simulator.gui.theme import Theme, Tokens

SIDE, LEAST_SIDE, LESSON = 340, 264, 320
"""Width of the column of the selection where the window is wide, and where it is not; and of a lesson, see `scaled`."""
MOST_LESSON, MOST_SIDE = 0.32, 0.27
"""Parts of the width of the window that they have at most, however large the type is."""
STRIP, LEAST_STRIP = 300, 78
"""Height of the work area below the view where the window is high, and the least of it, see `scaled`."""
MOST_STRIP, MOST_IN_LARGE = 0.42, 0.5
"""Part of the height that a panel below the view may have by itself, and in the type of a lecture."""
LIST, LEAST_LIST = 0.48, 120
"""Part of its column that the list of joints may have, and its least height, see `scaled`."""
VIEW, VIEW_IN_SMALL = 0.555, 0.455
"""Part of the window that the view keeps beside both areas, if these have their least sizes: it comes first."""
NARROW = 900
"""A window below this width begins with the view alone, see `scaled`."""


class Arrangement(str, Enum):
    """Where the work area is: below the view, beside it, or in its place."""

    STRIP = "strip"
    HALF = "half"
    FULL = "full"


class Workbench(QWidget):
    """Puts the parts of the window together and says which of them are seen. `changed` is emitted when an area is
    opened or closed, shows another panel, or moves.

    `above` and `below` are rows over and under the view; `pages` holds the view. The sizes that the user gives to areas
    stay; before that they follow the window, so that the view has its share (`VIEW`).
    """

    changed = pyqtSignal()

    def __init__(
        self, pages: QWidget, above: Sequence[QWidget], below: Sequence[QWidget], side: Area,
        work_panels: Sequence[Page], lesson: Area, inspector: Inspector, theme: Theme,
    ) -> None:  # fmt: skip
        super().__init__()
        self._pages = pages
        self.arrangement = Arrangement.STRIP
        self.modes = {kind: QToolButton() for kind in Arrangement}
        self.side, self.lesson = side, lesson
        self.work = Area(work_panels, theme, len(side.panels) + 1, tuple(self.modes.values()))
        self._fresh, self._bare = True, False
        self._by_hand = {"side": False, "work": False, "list": False}
        self._stowed: set[Area] = set()
        self._outer, self._bench = QSplitter(Qt.Orientation.Horizontal), QSplitter(Qt.Orientation.Vertical)
        self.column = QSplitter(Qt.Orientation.Vertical)
        self._inspector = inspector
        self._arrange(above, below, inspector)
        for area in (self.side, self.work, self.lesson):
            area.changed.connect(partial(self._changed, area))
        for kind, button in self.modes.items():
            button.clicked.connect(lambda _checked=False, kind=kind: self.arrange(kind))
        self._outer.splitterMoved.connect(lambda _at, _index: self._sized_by_hand("side"))
        self._bench.splitterMoved.connect(lambda _at, _index: self._sized_by_hand("work"))
        self.column.splitterMoved.connect(lambda _at, _index: self._sized_by_hand("list"))
        for panel in side.panels:
            panel.grown.connect(self._size_list)
        for splitter in (self._bench, self.column):
            splitter.installEventFilter(self)
        theme.changed.connect(self._set_tokens)
        self._set_tokens(theme.tokens)
        self._show()

    @property
    def panels(self) -> tuple[Page, ...]:
        """All of them, in the order of their keys."""
        return (*self.side.panels, *self.work.panels)

    def shown(self) -> set[str]:
        """Names of the panels in front of open areas; a lesson is not one of them."""
        return {area.current.objectName() for area in (self.side, self.work) if self._is_seen(area)}

    def arrange(self, kind: Arrangement) -> None:
        """Put the work area there, and open it."""
        self.arrangement = kind
        self._by_hand["work"] = False
        self.work.show_panel(self.work.current)

    def cycle(self) -> None:
        """Below the view, beside it, in its place, away."""
        order = list(Arrangement)
        if not self.work.is_open:
            self.arrange(Arrangement.STRIP)
        elif self.arrangement is order[-1]:
            self.arrangement = order[0]
            self.work.close_area()
        else:
            self.arrange(order[order.index(self.arrangement) + 1])

    def toggle_side(self) -> None:
        """The column of the selection, or not."""
        if self.side.is_open:
            self.side.close_area()
        else:
            self.side.show_panel(self.side.current)

    def toggle(self, panel: Page) -> None:
        """Bring a panel to the front; one that is there is closed."""
        self._area_of(panel).toggle(panel)

    def show_only(self, names: Sequence[str]) -> None:
        """The panels of these names, the first of each area in front, the work area below the view."""
        self._fresh = False
        self._stowed.clear()
        self.arrangement = Arrangement.STRIP
        self._by_hand["work"] = False
        for area in (self.side, self.work):
            wanted = [panel for panel in area.panels if panel.objectName() in names]
            if wanted:
                area.show_panel(min(wanted, key=lambda panel: list(names).index(panel.objectName())))
            else:
                area.close_area()

    def show_all(self) -> None:
        """Both areas."""
        self._fresh = False
        for area in (self.side, self.work):
            area.show_panel(area.current)

    def hide_all(self) -> None:
        """The view alone."""
        self._fresh = False
        for area in (self.side, self.work):
            area.close_area()

    def reset(self) -> None:
        """As at the first start: joints at the right and plots below, where the window has room for them."""
        self._by_hand = dict.fromkeys(self._by_hand, False)
        self.show_only((self.side.panels[0].objectName(), self.work.panels[0].objectName()))
        if self._window_size().width() < scaled(NARROW):
            self.hide_all()

    def stow(self, *, lesson: bool = True) -> None:
        """The start page has the window for itself, until a panel is asked for; `lesson`: that goes, too."""
        self._stowed = {self.side, self.work, *([self.lesson] if lesson else [])}
        self._show()

    def unstow(self) -> None:
        """Areas that were there come back."""
        self._stowed.clear()
        if self._fresh and self.isVisible():
            self.reset()
        self._show()

    def set_bare(self, bare: bool) -> None:
        """Areas without their headers, for lectures."""
        self._bare = bare
        self._inspector.set_bare(bare)
        for area in (self.side, self.work, self.lesson):
            area.set_bare(bare)

    def state(self) -> bytes:
        """The arrangement, to be stored; empty as long as no document was shown."""
        if self._fresh:
            return b""
        found = {name: {"open": area.is_open, "front": area.current.objectName()} for name, area in self._named_areas()}
        sizes = {"outer": self._outer.sizes(), "bench": self._bench.sizes(), "column": self.column.sizes()}
        return json.dumps(
            {**found, "arrangement": self.arrangement.value, "sizes": sizes, "by_hand": self._by_hand}
        ).encode()

    def restore(self, state: bytes) -> None:
        """An arrangement that was stored before, see `state`; what cannot be read is left as it is."""
        try:
            found = json.loads(state)
            arrangement = Arrangement(found["arrangement"])
            sizes = {name: [int(size) for size in found["sizes"][name]] for name in ("outer", "bench", "column")}
            areas = [(area, found[name]["open"], found[name]["front"]) for name, area in self._named_areas()]
            by_hand = {name: bool(found["by_hand"][name]) for name in self._by_hand}
        except (ValueError, KeyError, TypeError):
            return
        self._fresh = False
        self.arrangement = arrangement
        self._by_hand = by_hand
        for area, is_open, front in areas:
            for panel in area.panels:
                if panel.objectName() == front:
                    area.show_panel(panel)
            if not is_open:
                area.close_area()
        self._outer.setSizes(sizes["outer"])
        self._bench.setSizes(sizes["bench"])
        self.column.setSizes(sizes["column"])

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """The column follows the window, unless it was sized by hand."""
        super().resizeEvent(event)
        if not self._by_hand["side"]:
            self._size_column()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """What is in the column and beside the view follows them."""
        if event is not None and event.type() is QEvent.Type.Resize:
            if watched is self._bench and not self._by_hand["work"]:
                self._size_work()
            elif watched is self.column:
                self._size_list()
        return False

    def changeEvent(self, event: QEvent | None) -> None:
        """Other type needs other room."""
        super().changeEvent(event)
        if event is not None and event.type() is QEvent.Type.FontChange:
            self._size()

    def _named_areas(self) -> tuple[tuple[str, Area], ...]:
        return ("side", self.side), ("work", self.work)

    def _area_of(self, panel: Page) -> Area:
        return next(area for area in (self.side, self.work, self.lesson) if panel in area.panels)

    def _arrange(self, above: Sequence[QWidget], below: Sequence[QWidget], inspector: Inspector) -> None:
        middle = QWidget()
        rows = column_layout(middle)
        self._bench.addWidget(self._pages)
        self._bench.addWidget(self.work)
        for part in above:
            rows.addWidget(part)
        rows.addWidget(self._bench, 1)
        for part in below:
            rows.addWidget(part)
        self.column.addWidget(self.side)
        self.column.addWidget(inspector)
        for part in (self.lesson, middle, self.column):
            self._outer.addWidget(part)
        for splitter in (self._outer, self._bench, self.column):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(1)
        self._outer.setStretchFactor(1, 1)
        self._pages.setMinimumSize(scaled(160), scaled(120))
        self._pages.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        column_layout(self).addWidget(self._outer)
        texts = {
            Arrangement.STRIP: self.tr("Plots below the view  (T)"),
            Arrangement.HALF: self.tr("Plots beside the view  (T)"),
            Arrangement.FULL: self.tr("Plots in place of the view  (T)"),
        }
        for kind, button in self.modes.items():
            button.setCheckable(True)
            button.setToolTip(texts[kind])
            button.setAccessibleName(texts[kind])
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def _sized_by_hand(self, name: str) -> None:
        self._by_hand[name] = True

    def _is_seen(self, area: Area) -> bool:
        return area.is_open and area not in self._stowed

    def _changed(self, area: Area) -> None:
        self._stowed.discard(area)
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        """All in one picture: the view is not drawn again for each part that comes or goes."""
        self.setUpdatesEnabled(False)
        work_seen = self._is_seen(self.work)
        beside = self.arrangement is Arrangement.HALF
        wanted = Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical
        if self._bench.orientation() is not wanted:
            self._bench.setOrientation(wanted)
        self.work.setVisible(work_seen)
        self._pages.setVisible(not (work_seen and self.arrangement is Arrangement.FULL))
        self.column.setVisible(self._is_seen(self.side))
        self.lesson.setVisible(self._is_seen(self.lesson))
        for kind, button in self.modes.items():
            button.setChecked(work_seen and kind is self.arrangement)
        self._size()
        self.setUpdatesEnabled(True)

    def _size(self) -> None:
        if not self._by_hand["side"]:
            self._size_column()
        if not self._by_hand["work"]:
            self._size_work()
        self._size_list()

    def _size_list(self) -> None:
        """What the list of joints needs, as far as the inspector keeps its part of the column."""
        if self._by_hand["list"]:
            return
        room = self.column.height()
        header = self.side.header.sizeHint().height()
        most = round(LIST * room)
        wanted = self.side.current.wanted_height()
        height = most if wanted is None else min(most, max(wanted + header + scaled(4), scaled(LEAST_LIST)))
        self.column.setSizes([height, max(room - height, 1)])

    def _size_column(self) -> None:
        whole = self.width()
        side = min(scaled(SIDE), max(scaled(LEAST_SIDE), round(0.216 * whole)), round(MOST_SIDE * whole))
        lesson = min(scaled(LESSON), round(MOST_LESSON * whole)) if self.lesson.isVisibleTo(self) else 0
        side = side if self.column.isVisibleTo(self) else 0
        self._outer.setSizes([lesson, max(whole - lesson - side, 1), side])

    def _size_work(self) -> None:
        """Below the view: what the share of the view leaves. Beside it: half of the room."""
        if self.arrangement is Arrangement.HALF:
            room = self._bench.width()
            self._bench.setSizes([room // 2, room - room // 2])
            return
        size = self._window_size()
        room = self._bench.height()
        above = self._bench.y()  # a banner takes its room from the view, not from the plots
        share = VIEW if self._bare or size.width() >= scaled(NARROW) else VIEW_IN_SMALL
        left_over = room + above - share * size.width() * size.height() / max(self._bench.width(), 1)
        header = 0 if self._bare else self.work.header.sizeHint().height()
        needed = scaled(self.work.current.STRIP) + header
        most = MOST_IN_LARGE if self._bare else MOST_STRIP
        least = max(scaled(LEAST_STRIP), min(needed, round(most * room)))
        strip = round(min(max(left_over, least), scaled(STRIP)))
        self._bench.setSizes([max(room - strip, 1), strip])

    def _window_size(self) -> QSize:
        window = self.window()
        return self.size() if window is None else window.size()

    def _set_tokens(self, tokens: Tokens) -> None:
        for kind, button in self.modes.items():
            button.setIcon(icon(f"area-{kind.value}", tokens))
