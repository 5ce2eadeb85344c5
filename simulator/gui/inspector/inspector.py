"""The inspector: all facts about the selected item in one column, with fields that change it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QSize, Qt, QTimer, pyqtSignal
from PyQt6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from simulator.diagnostics import Source, counted, printable
from simulator.gui.facts import facts
from simulator.gui.fields import ElidingLabel, label, set_picture
from simulator.gui.inspector.law_section import LawSection
from simulator.gui.inspector.number_editor import NumberEditor
from simulator.gui.inspector.reaction_section import ReactionSection
from simulator.gui.inspector.source_section import FindingsSection, SourceSection, findings_about
from simulator.gui.panel_table import PanelTable
from simulator.gui.panels.panel import clear_layout, column_layout, scrolled_column
from simulator.gui.resources import icon
from simulator.gui.selection import Item, ItemKind
from simulator.gui.tabled import Tabled
from simulator.model.names import tail_name

if TYPE_CHECKING:
    from simulator.engine.snapshot import Snapshot
    from simulator.gui.facts import Facts
    from simulator.gui.live import LiveSession
    from simulator.gui.preferences import Preferences
    from simulator.gui.relations import Relations
    from simulator.gui.selection import Selection
    from simulator.gui.theme import Theme, Tokens
    from simulator.gui.units import Units
    from simulator.session.open.opening import Opened


PICTURES = {
    ItemKind.MODEL: "model", ItemKind.LINK: "link", ItemKind.JOINT: "joint-revolute", ItemKind.AXIS: "joint-revolute",
    ItemKind.COUPLING: "coupling", ItemKind.LOOP: "loop",
}  # fmt: skip
FOLDED = ("reaction", "source")
"""Sections that are folded at first: reactions cost time at every step."""


class Inspector(Tabled):
    """Below the list of joints. Without a selection it is about the mechanism as a whole. `fit` and `plot` ask for
    the selected item in the view and on the plots, `finding_chosen` carries a clicked finding."""

    fit = pyqtSignal()
    plot = pyqtSignal()
    finding_chosen = pyqtSignal(object)

    def __init__(
        self, live: LiveSession, selection: Selection, theme: Theme, units: Units, preferences: Preferences
    ) -> None:
        super().__init__()
        self.setObjectName("inspector")
        self._live = live
        self._selection = selection
        self._theme = theme
        self.units = units
        self._preferences = preferences
        self._path: Path | None = None
        self._bare = False
        self._picture, self.title = QLabel(), ElidingLabel("", "name")
        self.fit_button, self.plot_button = QToolButton(), QToolButton()
        self.facts, self.numbers, self.law = FactTable(), NumberEditor(live, units), LawSection(live, selection, units)
        self.reaction, self.findings, self.source = (
            ReactionSection(live),
            FindingsSection(),
            SourceSection(theme.tokens),
        )
        self.folds = self._make_folds()
        self.column = scrolled_column()
        self._arrange()
        self._connect()
        self.show_item(None)

    def show_document(self, opened: Opened | None) -> None:
        """What was selected stays so where the same file is read again and still has it, and the column stays where it
        was scrolled to."""
        bar = self.column.verticalScrollBar()
        scrolled = bar.value() if bar is not None else 0
        same = self._live.path == self._path
        self._path = self._live.path
        self.show_item(self._selection.item)
        if same and opened is not None and bar is not None:
            QTimer.singleShot(0, lambda: bar.setValue(scrolled))

    def set_bare(self, bare: bool) -> None:
        """In a lecture there is room for what is selected, and none for the mechanism where nothing is."""
        self._bare = bare
        self.setHidden(bare and self._selection.item is None)

    def show_item(self, item: Item | None) -> None:
        """All about another item; about the mechanism where there is none."""
        self.setHidden(self._bare and item is None)
        relations = self._live.relations
        self.setEnabled(relations is not None)
        if relations is None:
            for section in self.folds.values():
                section.hide()
            self.title.setText("")
            return
        title, rows = facts(relations, item, self.units)
        tail = printable(tail_name(title))
        self.title.setText(tail)
        self.facts.show_facts(rows)
        self.folds["facts"].show()
        self._show_picture(item, relations)
        self._show_numbers(item)
        self._show_law(item)
        place = relations.source_of(item)
        self.folds["reaction"].setVisible(self.reaction.show_joint(relations.joint_of(item)))
        self._show_findings(item, place)
        self.folds["source"].setVisible(item is not None and self.source.show_source(place))
        if place is not None:
            self.folds["source"].remark.setText(f"{Path(place.file).name}:{place.line}")
        has_axes = bool(relations.axes_of(item))
        self.plot_button.setVisible(has_axes)
        self.fit_button.setVisible(bool(relations.links_of(item)))

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """What changes as time passes."""
        self.reaction.show_snapshot(snapshot)

    def set_units(self, units: Units) -> None:
        """Show other units."""
        self.units = units
        self.numbers.set_units(units)
        self.law.set_units(units)
        self._show_facts()

    def as_table(self) -> PanelTable | None:
        """What is known of the selected item, by section; numbers in SI units. None where nothing is open."""
        if self._live.relations is None:
            return None
        sections = (
            ("law", self.law.rows()), ("numbers", self.numbers.rows()), ("reaction", self.reaction.rows()),
            ("properties", self.facts.rows()), ("findings", self.findings.rows()),
        )  # fmt: skip
        return PanelTable(
            ("section", "name", "value", "unit"), [(section, *row) for section, rows in sections for row in rows]
        )

    def open_fold(self, name: str) -> None:
        """Unfold a section and scroll to it."""
        section = self.folds[name]
        section.set_open(True)
        QTimer.singleShot(0, lambda: self.column.ensureWidgetVisible(section, 0, 0))

    def _show_picture(self, item: Item | None, relations: Relations) -> None:
        tokens = self._theme.tokens
        joint = relations.joint(item.name) if item is not None and item.kind is ItemKind.JOINT else None
        name = "mechanism" if item is None else PICTURES[item.kind]
        if joint is not None and joint.type.value in {"prismatic", "screw", "ball", "fixed", "universal", "gearbox"}:
            name = f"joint-{joint.type.value}"
        set_picture(self._picture, name, tokens.accent if item is not None else tokens.muted)

    def _show_numbers(self, item: Item | None) -> None:
        self.numbers.show_item(item)
        self.folds["numbers"].setVisible(bool(self.numbers.fields))

    def _show_law(self, item: Item | None) -> None:
        text = self.law.show_item(item)
        self.folds["law"].button.setText(text)
        self.folds["law"].setVisible(bool(text))

    def _show_findings(self, item: Item | None, place: Source | None) -> None:
        found = self._live.diagnostics
        chosen = found if item is None else findings_about(found, place, item.name)
        self.findings.show_findings(chosen)
        self.folds["findings"].remark.setText(counted(len(chosen), self.tr("finding")) if chosen else "")
        self.folds["findings"].setVisible(bool(chosen))

    def _make_folds(self) -> dict[str, Fold]:
        bodies: tuple[tuple[str, str, QWidget], ...] = (
            ("law", self.tr("Law"), self.law),
            ("numbers", self.tr("Numbers"), self.numbers),
            ("reaction", self.tr("Reaction"), self.reaction),
            ("facts", self.tr("Properties"), self.facts),
            ("findings", self.tr("Findings"), self.findings),
            ("source", self.tr("Source"), self.source),
        )
        return {
            name: Fold(name, title, body, is_open=self._preferences.flag(f"section_{name}", name not in FOLDED))
            for name, title, body in bodies
        }

    def _arrange(self) -> None:
        head = QWidget()
        head.setObjectName("inspectorHead")
        row = QHBoxLayout(head)
        row.setContentsMargins(12, 7, 8, 5)
        row.setSpacing(7)
        row.addWidget(self._picture)
        row.addWidget(self.title, 1)
        for button, text in (
            (self.fit_button, self.tr("Fit into the view")), (self.plot_button, self.tr("Plot it")),
        ):  # fmt: skip
            button.setAutoRaise(True)
            button.setIconSize(QSize(15, 15))
            button.setToolTip(text)
            button.setAccessibleName(text)
            row.addWidget(button)
        self.facts.setAccessibleName(self.tr("Properties of the selected item"))
        body = QWidget()
        body.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        column = column_layout(body)
        for section in self.folds.values():
            column.addWidget(section)
        column.addStretch(1)
        self.column.setWidget(body)
        whole = column_layout(self)
        whole.addWidget(head)
        whole.addWidget(self.column, 1)
        self._set_tokens(self._theme.tokens)

    def _connect(self) -> None:
        self._selection.changed.connect(self.show_item)
        self._live.document_changed.connect(self.show_document)
        self._live.laws_changed.connect(lambda _laws: self._show_facts())
        self._live.diagnostics_changed.connect(lambda _findings: self._on_findings())
        self._theme.changed.connect(self._set_tokens)
        self.fit_button.clicked.connect(lambda _checked=False: self.fit.emit())
        self.plot_button.clicked.connect(lambda _checked=False: self.plot.emit())
        self.findings.chosen.connect(self.finding_chosen)
        for name, section in self.folds.items():
            section.unfolded.connect(lambda on, name=name: self._preferences.set_flag(f"section_{name}", on))

    def _show_facts(self) -> None:
        """With the numbers that are now, in the units of the View menu."""
        relations = self._live.relations
        if relations is not None:
            _title, rows = facts(relations, self._selection.item, self.units)
            self.facts.show_facts(rows)

    def _on_findings(self) -> None:
        relations = self._live.relations
        if relations is not None:
            item = self._selection.item
            self._show_findings(item, relations.source_of(item))

    def _set_tokens(self, tokens: Tokens) -> None:
        self.fit_button.setIcon(icon("fit", tokens))
        self.plot_button.setIcon(icon("traces", tokens))
        self.source.view.set_tokens(tokens)
        relations = self._live.relations
        if relations is not None:
            self._show_picture(self._selection.item, relations)


class FactTable(QWidget):
    """Labels are reused while the names stay the same, so that only numbers change under the pointer."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: Facts = []
        self._values: list[QLabel] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(12, 0, 12, 10)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(1, 1)

    def rows(self) -> list[tuple[str, str, str]]:
        """All of it, as a table has it."""
        return [(name, value, "") for name, value in self._rows]

    def show_facts(self, rows: Facts) -> None:
        """Show others."""
        same = [name for name, _ in rows] == [name for name, _ in self._rows]
        self._rows = rows
        if not same:
            self._make_rows()
        for shown, (_, value) in zip(self._values, rows, strict=True):
            shown.setText(printable(value))

    def _make_rows(self) -> None:
        clear_layout(self._grid)
        self._values = []
        for row, (name, _) in enumerate(self._rows):
            value = label()
            value.setWordWrap(True)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            value.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)  # the inspector's has the table, too
            self._grid.addWidget(label(name, "muted"), row, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(value, row, 1)
            self._values.append(value)


class Fold(QFrame):
    """A title with an arrow, a remark at its right, and a body below it. `unfolded` carries whether the body is shown,
    when the user has changed that."""

    unfolded = pyqtSignal(bool)

    def __init__(self, name: str, title: str, body: QWidget, *, is_open: bool) -> None:
        super().__init__()
        self.setObjectName("section")
        self.name, self.body = name, body
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.button, self.remark = QToolButton(), ElidingLabel("", "muted")
        self.button.setObjectName("sectionTitle")
        self.button.setText(title)
        self.button.setCheckable(True)
        self.button.setAutoRaise(True)
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.remark.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        head = QHBoxLayout()
        head.setContentsMargins(4, 2, 12, 2)
        head.addWidget(self.button)
        head.addWidget(self.remark, 1)
        column = column_layout(self)
        column.addLayout(head)
        column.addWidget(body)
        self.set_open(is_open)
        self.button.clicked.connect(self._clicked)

    @property
    def is_open(self) -> bool:
        """Whether the body is shown."""
        return self.button.isChecked()

    def set_open(self, is_open: bool) -> None:
        """Show the body, or fold it away."""
        self.button.setChecked(is_open)
        self.button.setArrowType(Qt.ArrowType.DownArrow if is_open else Qt.ArrowType.RightArrow)
        self.body.setVisible(is_open)

    def _clicked(self, is_open: bool) -> None:
        self.set_open(is_open)
        self.unfolded.emit(is_open)
