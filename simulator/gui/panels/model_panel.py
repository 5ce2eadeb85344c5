"""The tree of models, links, joints, couplings and loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QCoreApplication, QEvent, QSize, Qt
from PyQt6.QtGui import QIcon
from PyQt6.QtWidgets import QLineEdit, QTreeWidgetItem, QWidget

from simulator.diagnostics import printable
from simulator.gui.facts import facts, plain
from simulator.gui.fields import tip
from simulator.gui.laws import law_names, law_text
from simulator.gui.live import LiveSession
from simulator.gui.panel_table import PanelTable, model_table
from simulator.gui.panels.joint_tree import JointTree
from simulator.gui.panels.panel import Panel, column_layout
from simulator.gui.relations import Relations
from simulator.gui.resources import icon
from simulator.gui.selection import Item, ItemKind, Selection
from simulator.gui.theme import Theme, Tokens
from simulator.gui.units import Units
from simulator.model.joint import Joint, JointType
from simulator.model.names import tail_name

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.session.open.opening import Opened

_ROLE = int(Qt.ItemDataRole.UserRole)
_ICON_ROLE = _ROLE + 1
_ICONS = {
    JointType.REVOLUTE: "joint-revolute",
    JointType.CONTINUOUS: "joint-revolute",
    JointType.PRISMATIC: "joint-prismatic",
    JointType.SCREW: "joint-screw",
    JointType.BALL: "joint-ball",
    JointType.FIXED: "joint-fixed",
    JointType.UNIVERSAL: "joint-universal",
    JointType.REVOLUTE2: "joint-universal",
    JointType.GEARBOX: "joint-gearbox",
    JointType.PLANAR: "joint-prismatic",
}


class ModelPanel(Panel):
    """Selection goes both ways between this tree and the view."""

    def __init__(self, live: LiveSession, selection: Selection, theme: Theme, units: Units) -> None:
        super().__init__(theme, "model", QCoreApplication.translate("ModelPanel", "Model"), "tree")
        self._live = live
        self._selection = selection
        self.units = units
        self._items: dict[Item, QTreeWidgetItem] = {}
        self._path: Path | None = None
        self.tree = JointTree(self._axes_of)
        self.tree.setHeaderHidden(True)
        self.tree.setIconSize(QSize(16, 16))
        self.tree.setIndentation(16)
        self.tree.setMouseTracking(True)
        self.tree.setAccessibleName(self.tr("Models, links, joints and couplings"))
        self.filter = QLineEdit()
        self._arrange()
        self.tree.currentItemChanged.connect(self._picked)
        self.tree.itemEntered.connect(lambda entry, _column: self._entered(entry))
        viewport = self.tree.viewport()
        if viewport is not None:
            viewport.installEventFilter(self)
        self.filter.textChanged.connect(self._apply_filter)
        live.document_changed.connect(self.show_document)
        live.laws_changed.connect(lambda _laws: self._show_laws())
        selection.changed.connect(self._show_selection)
        theme.changed.connect(self._set_tokens)
        self.show_document(None)

    def show_document(self, opened: Opened | None) -> None:
        """Fill the tree. What was selected stays so where the same file is read again and still has it."""
        path = self._live.path
        kept = self._selection.item if path == self._path else None
        self._path = path
        self.tree.blockSignals(True)
        self.tree.clear()
        self._items.clear()
        relations = self._live.relations
        if opened is not None and relations is not None:
            self._fill(relations)
            self.show_main()
        else:
            self.show_empty(self.tr("Open a world to see its models, joints and couplings."))
        self.tree.blockSignals(False)
        self._selection.select(None)
        self._selection.hover(None)
        if kept in self._items:
            self._selection.select(kept)

    def item_of(self, entry: QTreeWidgetItem | None) -> Item | None:
        """What an entry of the tree is about; None for the heading of a group."""
        item = entry.data(0, _ROLE) if entry is not None else None
        return item if isinstance(item, Item) else None

    def as_table(self) -> PanelTable | None:
        """Its models, links and joints."""
        return None if self._live.relations is None else model_table(self._live.relations)

    def _axes_of(self, entry: QTreeWidgetItem) -> tuple[int, ...]:
        relations = self._live.relations
        item = self.item_of(entry)
        return relations.axes_of(item) if relations is not None and item is not None else ()

    def set_units(self, units: Units) -> None:
        """Show other units."""
        self.units = units

    def eventFilter(self, watched: object, event: QEvent | None) -> bool:
        """The mouse left the tree: nothing is hovered."""
        if event is not None and event.type() is QEvent.Type.Leave:
            self._selection.hover(None)
        return False

    def _entered(self, entry: QTreeWidgetItem) -> None:
        """What is known about the entry under the mouse, looked up when the mouse is there."""
        item = entry.data(0, _ROLE)
        relations = self._live.relations
        if item is not None and relations is not None:
            title, rows = facts(relations, item, self.units)
            entry.setToolTip(0, tip(f"{printable(title)}\n{plain(rows)}"))
        self._selection.hover(item)

    def _arrange(self) -> None:
        body = QWidget()
        column = column_layout(body)
        self.filter.setPlaceholderText(self.tr("Filter by name"))
        self.filter.setClearButtonEnabled(True)
        self.filter.setFrame(False)
        self.filter.setMinimumHeight(30)
        self.filter.setTextMargins(8, 0, 8, 0)
        column.addWidget(self.filter)
        column.addWidget(self.tree)
        self.set_main(body)

    def _fill(self, relations: Relations) -> None:
        world = relations.world
        parents: dict[str, QTreeWidgetItem] = {}
        for model in sorted(world.models, key=lambda m: m.name.count("::")):
            outer = parents.get(model.name.rpartition("::")[0])
            entry = self._add(outer, model.name, Item(ItemKind.MODEL, model.name), "model", relations)
            parents[model.name] = entry
            for link in model.links:
                self._add(entry, link.name, Item(ItemKind.LINK, link.name), "link", relations)
            for joint in model.joints:
                self._add_joint(entry, joint, relations)
        if world.joints:
            group = self._group(self.tr("Joints of the world"), "world")
            for joint in world.joints:
                self._add_joint(group, joint, relations)
        self._fill_couplings(relations)
        self.tree.expandAll()

    def _fill_couplings(self, relations: Relations) -> None:
        mechanism = relations.mechanism
        if mechanism.couplings:
            group = self._group(self.tr("Couplings"), "coupling")
            for coupling in mechanism.couplings:
                item = Item(ItemKind.COUPLING, mechanism.axes[coupling.follower].name)
                self._add(
                    group,
                    law_text(coupling, law_names(coupling, mechanism.axes)),
                    item,
                    "coupling",
                    relations,
                    shorten=False,
                )
        if mechanism.loop_joints:
            group = self._group(self.tr("Loops"), "loop")
            for joint in mechanism.loop_joints:
                self._add(group, joint.name, Item(ItemKind.LOOP, joint.name), "loop", relations)

    def _add_joint(self, parent: QTreeWidgetItem, joint: Joint, relations: Relations) -> None:
        entry = self._add(parent, joint.name, Item(ItemKind.JOINT, joint.name), _ICONS[joint.type], relations)
        entry.setData(0, _ICON_ROLE, _ICONS[joint.type])
        axes = relations.axes_of_joints.get(joint.name, ())
        if len(axes) > 1:
            for axis in (relations.mechanism.axes[index] for index in axes):
                kind = "joint-revolute" if axis.unit == "rad" else "joint-prismatic"
                self._add(entry, axis.name, Item(ItemKind.AXIS, axis.name), kind, relations)

    def _group(self, text: str, icon_name: str) -> QTreeWidgetItem:
        entry = QTreeWidgetItem([printable(text)])
        entry.setData(0, _ICON_ROLE, icon_name)
        entry.setIcon(0, icon(icon_name, self.theme.tokens, self.theme.tokens.muted))
        entry.setFlags(Qt.ItemFlag.ItemIsEnabled)
        self.tree.addTopLevelItem(entry)
        return entry

    def _add(
        self,
        parent: QTreeWidgetItem | None,
        name: str,
        item: Item,
        icon_name: str,
        relations: Relations,
        shorten: bool = True,
    ) -> QTreeWidgetItem:
        entry = QTreeWidgetItem([printable(tail_name(name) if shorten else name)])
        entry.setData(0, _ROLE, item)
        entry.setData(0, _ICON_ROLE, icon_name)
        entry.setIcon(0, self._icon(icon_name))
        if parent is None:
            self.tree.addTopLevelItem(entry)
        else:
            parent.addChild(entry)
        self._items.setdefault(item, entry)
        return entry

    def _icon(self, name: str) -> QIcon:
        tokens = self.theme.tokens
        colour = tokens.follower if name == "coupling" else tokens.accent if name.startswith("joint") else tokens.muted
        return icon(name, tokens, colour)

    def _picked(self, current: QTreeWidgetItem | None, _previous: QTreeWidgetItem | None) -> None:
        self._selection.select(current.data(0, _ROLE) if current is not None else None)

    def _show_selection(self, item: Item | None) -> None:
        entry = self._items.get(item) if item is not None else None
        if entry is None and item is not None and item.kind is ItemKind.LOOP:
            entry = self._items.get(Item(ItemKind.JOINT, item.name))
        self.tree.blockSignals(True)
        self.tree.setCurrentItem(entry)
        if entry is None:
            self.tree.clearSelection()
        else:
            self.tree.scrollToItem(entry)
        self.tree.blockSignals(False)

    def _show_laws(self) -> None:
        """Couplings read as they are now."""
        relations = self._live.relations
        if relations is None:
            return
        axes = relations.mechanism.axes
        for coupling in relations.mechanism.couplings:
            item = Item(ItemKind.COUPLING, axes[coupling.follower].name)
            entry = self._items.get(item)
            if entry is not None:
                entry.setText(0, printable(law_text(coupling, law_names(coupling, axes))))

    def _apply_filter(self, text: str) -> None:
        for entry in (self.tree.topLevelItem(i) for i in range(self.tree.topLevelItemCount())):
            if entry is not None:
                _filtered(entry, text.lower())

    def _set_tokens(self, _tokens: Tokens) -> None:
        for entry in self.tree.findItems("", Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive):
            name = entry.data(0, _ICON_ROLE)
            if name:
                entry.setIcon(0, self._icon(name))


def _filtered(entry: QTreeWidgetItem, text: str) -> bool:
    """Hide what neither has the text nor holds something that has; says whether the entry stays."""
    children = [entry.child(i) for i in range(entry.childCount())]
    kept = [_filtered(child, text) for child in children if child is not None]
    stays = text in entry.text(0).lower() or any(kept)
    entry.setHidden(not stays)
    return stays
