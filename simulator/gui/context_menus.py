"""Context menus: in the view, in the tree of the model, and on the plots. The Menu key opens the
same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QPoint, QPointF, Qt, QUrl
from PyQt6.QtGui import QDesktopServices
from PyQt6.QtWidgets import QApplication, QMenu, QWidget

from simulator.gui.panels.panel import Panel
from simulator.gui.selection import Item, ItemKind
from simulator.gui.tabled import Tabled
from simulator.gui.traces.arrangement import can_split
from simulator.model.names import tail_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.gui.actions import Actions
    from simulator.gui.live import LiveSession
    from simulator.gui.panels.joints_panel import JointsPanel
    from simulator.gui.panels.model_panel import ModelPanel
    from simulator.gui.panels.traces_panel import TracesPanel
    from simulator.gui.selection import Selection
    from simulator.gui.viewport.viewport import Viewport

VIEWS = ("view_iso", "view_front", "view_right", "view_top")
SWITCHES = ("axes", "frames", "grid", "labels", "dimensions", "velocities", "centres", "masses", "orthographic")


class ContextMenus:
    """Opened by the widgets; the entries use the same actions as the menu bar. `menu` is the last one
    shown."""

    def __init__(
        self, actions: Actions, live: LiveSession, selection: Selection, viewport: Viewport, model: ModelPanel,
        joints: JointsPanel, traces: TracesPanel,
    ) -> None:  # fmt: skip
        self._actions = actions
        self._live = live
        self._selection = selection
        self._viewport = viewport
        self._model = model
        self._joints = joints
        self._traces = traces
        self.menu = QMenu()
        actions.connect("save_panel", self.save_panel)
        viewport.navigator.menu_asked.connect(self.on_view)
        tree = model.tree
        tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        tree.customContextMenuRequested.connect(self.on_tree)
        for widget in (traces.plots.widget, traces.legend):
            widget.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            widget.customContextMenuRequested.connect(lambda at, widget=widget: self.on_traces(widget, at))

    def save_panel(self) -> None:
        """Save the table of the part of the window that has the focus, else of the first panel on show that has one."""
        window = self._viewport.window()
        focus = QApplication.focusWidget()
        parts = [] if window is None else window.findChildren(Tabled)
        shown = [part for part in parts if not part.visibleRegion().isEmpty()]
        shown.sort(key=lambda part: (focus is None or not part.isAncestorOf(focus), not isinstance(part, Panel)))
        for part in shown:
            if not (isinstance(part, Panel) and part.is_empty) and part.as_table() is not None:
                part.save_table()
                return

    def on_view(self, at: QPointF | None) -> None:
        """At a point of the view; None asks for the selected thing, in the middle."""
        viewport = self._viewport
        if self._live.opened is None:
            return
        canvas = viewport.canvas
        hit = viewport.hit(at) if at is not None else None
        name = hit.link if hit is not None else None
        item = Item(ItemKind.LINK, name) if name is not None else self._selection.item if at is None else None
        if item is not None:
            self._selection.select(item)
        menu = self._begin(canvas)
        self._add_item(menu, item)
        if hit is not None and viewport.hand.can_hold(name):
            self._add(menu, menu.tr("Follow this &point"), lambda: viewport.follow_point(hit))
        menu.addSeparator()
        self._add_actions(menu, ("fit", "copy_picture", "save_picture"))
        for title, keys in ((menu.tr("&Look from"), VIEWS), (menu.tr("&Show"), SWITCHES)):
            inner = menu.addMenu(title)
            if inner is not None:
                self._add_actions(inner, keys)
        menu.popup(canvas.mapToGlobal(at.toPoint() if at is not None else canvas.rect().center()))

    def on_tree(self, at: QPoint) -> None:
        """On an entry of the tree."""
        tree = self._model.tree
        entry = tree.itemAt(at) or tree.currentItem()
        item = self._model.item_of(entry)
        if item is None:
            return
        self._selection.select(item)
        menu = self._begin(tree)
        self._add_item(menu, item)
        menu.addSeparator()
        self._add(menu, menu.tr("Save the &list as CSV…"), self._model.save_table)
        menu.popup(tree.mapToGlobal(at))

    def on_traces(self, widget: QWidget, at: QPoint) -> None:
        """On the plots or the list of their curves."""
        traces = self._traces
        if traces.is_empty:
            return
        menu = self._begin(widget)
        for text, button in (
            (menu.tr("&Follow the newest time"), traces.follow),
            (menu.tr("Two &cursors"), traces.tools.cursors),
            (menu.tr("&Residuals in decades"), traces.tools.logarithmic),
        ):
            action = menu.addAction(text)
            if action is not None:
                action.setCheckable(True)
                action.setChecked(button.isChecked())
                action.toggled.connect(button.setChecked)
        menu.addSeparator()
        curves = traces.plots.curves_at(at) if widget is traces.plots.widget else ()
        if curves:
            self._add(menu, menu.tr("Re&move this plot"), lambda: traces.remove_plot(curves))
        if can_split(curves):
            self._add(menu, menu.tr("S&plit by joint"), lambda: traces.split_plot(curves))
        if traces.is_arranged:
            self._add(menu, menu.tr("&One plot per unit"), traces.one_plot_per_unit)
        self._add(menu, menu.tr("Show &all curves"), lambda: traces.check_all(True))
        self._add(menu, menu.tr("Show &none"), lambda: traces.check_all(False))
        menu.addSeparator()
        self._add(menu, menu.tr("Copy p&icture"), traces.copy_picture)
        self._add(menu, menu.tr("&Save…"), traces.tools.save.click)
        menu.popup(widget.mapToGlobal(at))

    def _begin(self, parent: QWidget) -> QMenu:
        self.menu.close()
        self.menu.deleteLater()
        self.menu = QMenu(parent)
        self.menu.setObjectName("context")
        return self.menu

    def _add_item(self, menu: QMenu, item: Item | None) -> None:
        relations = self._live.relations
        if item is None or relations is None:
            return
        short = tail_name(item.name)
        links = relations.links_of(item)
        axes = relations.axes_of(item)
        if links:
            self._add(menu, menu.tr("&Fit {name} into the view").format(name=short), lambda: self._viewport.fit(links))
        if axes:
            self._add(menu, menu.tr("Show in &Joints"), lambda: self._show_joint(item))
            self._add(menu, menu.tr("&Plot"), lambda: self._plot(axes))
        source = relations.source_of(item)
        if source is not None and Path(source.file).exists():
            file = Path(source.file)
            text = menu.tr("&Open line {line} of {file}").format(line=source.line, file=file.name)
            self._add(menu, text, lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(file.resolve()))))
        self._add(menu, menu.tr("Copy &name"), lambda: _copy(item.name))

    def _show_joint(self, item: Item) -> None:
        self._joints.bring_up()
        self._joints.show_item(item)

    def _plot(self, axes: tuple[int, ...]) -> None:
        self._traces.bring_up()
        self._traces.show_axes(axes)

    def _add(self, menu: QMenu, text: str, do: Callable[[], object]) -> None:
        action = menu.addAction(text)
        if action is not None:
            action.triggered.connect(lambda _checked=False: do())

    def _add_actions(self, menu: QMenu, keys: tuple[str, ...]) -> None:
        for key in keys:
            menu.addAction(self._actions[key])


def _copy(text: str) -> None:
    clipboard = QApplication.clipboard()
    if clipboard is not None:
        clipboard.setText(text)
