"""State of the equations of the mechanism: mobility, loops, distance to singular positions, energies, K and G."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtWidgets import (
    QButtonGroup,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from simulator.condition.singular import AT, NEAR
from simulator.diagnostics import counted
from simulator.engine.snapshot import Snapshot
from simulator.gui.background import Background
from simulator.gui.fields import PlainLabel, label
from simulator.gui.live import LiveSession
from simulator.gui.panel_table import PanelTable
from simulator.gui.panels.matrix_table import EMPTY, MatrixTable
from simulator.gui.panels.panel import Panel, bar_layout, scrolled_column, segments, side_by_side, under_bar
from simulator.gui.panels.tiles import Tile, Tiles, heading
from simulator.gui.theme import Theme
from simulator.gui.units import MINUS, compact, number
from simulator.model.names import tail_name
from simulator.session.look.condition_here import ConditionReport, report_condition

if TYPE_CHECKING:
    from simulator.condition.condition import Condition
    from simulator.session.open.opening import Opened

STILL = 1e-21
"""Energies below are those of round-off, and shown as 0 [J]: molecules that move with the heat have more."""
READABLE = 1e-3
"""Energies below are shown with one digit, which leaves room for their exponent [J]."""

ENERGIES = ("kinetic", "potential", "work", "loads", "dissipated", "contact", "overlap", "error")


class MechanismPanel(Panel):
    """Computed when it is first seen, at the start; again on request at the present moment. Energies are
    current."""

    def __init__(self, live: LiveSession, theme: Theme, *, threaded: bool = True) -> None:
        super().__init__(theme)
        self._live = live
        self._background: Background[ConditionReport] = Background(threaded=threaded)
        self.report: ConditionReport | None = None
        self.start, self.here = QPushButton(self.tr("At the start")), QPushButton(self.tr("Here"))
        self.where, self.sentences = label("", "muted", digits=True), PlainLabel()
        self.table = MatrixTable(theme.tokens)
        self.mobility = Tile(
            self.tr("Mobility"), self.tr("Degrees of freedom, by counting joints and by the rank of K")
        )
        self.redundant = Tile(self.tr("Redundant"), self.tr("Rows of K that follow from others"))
        self.distance = Tile(
            self.tr("To singularity"),
            self.tr(
                "Distance to the nearest singular position, without units; near is below {near:g}. 0 at a dead point "
                "or where branches meet"
            ).format(near=NEAR),
        )
        self.sigma = Tile(self.tr("\u03c3 min"), self.tr("Smallest singular value of K that is not zero"))
        self.energies = {name: Tile(*texts) for name, texts in self._energy_texts().items()}
        self._matrices = QButtonGroup(self)
        self._arrange()
        self._connect()
        self.show_document(live.opened)

    def show_document(self, opened: Opened | None) -> None:
        """Another mechanism, or none."""
        self._background.cancel()
        self.report = None
        self.table.show_matrix(EMPTY)
        if opened is None:
            self.show_empty(self.tr("Mobility, loops, energies, K and G of an open world are shown here."))
            return
        self.show_main()
        self.sentences.setText("")
        self.start.setChecked(True)
        for tile in (self.mobility, self.redundant, self.distance, self.sigma, *self.energies.values()):
            tile.show_value("\u2013")
        QTimer.singleShot(0, self._compute_if_seen)

    def as_table(self) -> PanelTable | None:
        """The matrix on show."""
        matrix = self.table.matrix
        if self.report is None:
            return None
        return PanelTable(
            ("", *matrix.columns), [(name, *row) for name, row in zip(matrix.rows, matrix.array.tolist(), strict=True)]
        )

    def compute(self, snapshot: Snapshot | None) -> None:
        """The condition at the start, or at a snapshot, in a thread of its own."""
        relations = self._live.relations
        if relations is None:
            return
        mechanism = relations.mechanism
        self.where.setText(self.tr("computing \u2026"))
        self._background.start(lambda: report_condition(mechanism, snapshot), self._computed)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """The energies of now."""
        if not self.isVisible():
            return
        for name, tile in self.energies.items():
            value = float(getattr(snapshot.energy, name))
            value = value if abs(value) > STILL else 0.0
            tile.show_value(f"{compact(value, 3 if abs(value) >= READABLE else 1)} J")

    def _compute_if_seen(self) -> None:
        """Fill the panel when it is first seen. Done in the next turn of the event loop, because panels are visible for
        a moment before one covers the others."""
        if self.report is None and not self._background.busy and self.isVisible():
            self.compute(None)

    def _computed(self, report: ConditionReport | None, error: Exception | None) -> None:
        if report is None:
            self.where.setText("")
            self.sentences.setText(self.tr("The condition could not be computed: {why}").format(why=error))
            return
        self.report = report
        at_start = report.time is None
        self.where.setText(self.tr("assembled start") if at_start else f"t = {number(report.time or 0.0, 3)} s")
        (self.start if at_start else self.here).setChecked(True)
        self.sentences.setText("\n".join(line.strip() for line in report.lines))
        self._show_tiles(report.condition)
        self._show_matrix()

    def _show_tiles(self, condition: Condition) -> None:
        differs = condition.count != condition.rank
        said = self.tr("{count} by count").format(count=str(condition.count).replace("-", MINUS))
        self.mobility.show_value(str(condition.rank), said, "warning" if differs else "")
        bad = "error" if condition.contradictory else ""
        rows = self.tr("of {rows}").format(rows=counted(len(condition.K.rows), "row"))
        contradictory = self.tr("{n} contradictory").format(n=len(condition.contradictory))
        self.redundant.show_value(str(len(condition.redundant)), contradictory if bad else rows, bad)
        nearest = condition.distance_to_singularity
        if nearest is None:
            self.distance.show_value("\u2013", self.tr("no loop moves"))
        else:
            level = "error" if nearest < AT else "warning" if nearest < NEAR else ""
            where = next((name for name, value in condition.distances.axes if value == nearest), "")
            self.distance.show_value(
                compact(nearest, 3),
                tail_name(where) if where else self.tr("change point"),
                level,
            )
        ratio = condition.condition_number
        self.sigma.show_value(
            "\u2013" if condition.sigma_min is None else compact(condition.sigma_min, 3),
            "" if ratio is None else self.tr("condition {ratio}").format(ratio=compact(ratio, 3)),
        )

    def _show_matrix(self) -> None:
        if self.report is not None:
            condition = self.report.condition
            self.table.show_matrix(condition.K if self._matrices.checkedId() == 0 else condition.G)

    def _arrange(self) -> None:
        bar, row = bar_layout()
        places = QButtonGroup(self)
        places.addButton(self.start)
        places.addButton(self.here)
        row.addLayout(segments(self.start, self.here))
        row.addWidget(self.where)
        row.addStretch(1)
        k, g = QPushButton("K"), QPushButton("G")
        k.setToolTip(self.tr("K q\u0307 = 0: rows of loops and couplings over all freedoms"))
        g.setToolTip(self.tr("q\u0307 = G y\u0307: all freedoms over the independent ones"))
        self._matrices.addButton(k, 0)
        self._matrices.addButton(g, 1)
        row.addWidget(label(self.tr("Matrix"), "muted"))
        row.addLayout(segments(k, g))
        k.setChecked(True)
        self.start.setToolTip(self.tr("At the assembled start of the document"))
        self.here.setToolTip(self.tr("At the positions of this moment; press again for another moment"))
        self.table.setAccessibleName(self.tr("Constraint matrix"))
        self.set_main(under_bar(bar, side_by_side(self._numbers(), self.table, 550, 430)))

    def _numbers(self) -> QScrollArea:
        body = QWidget()
        body.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        column = QVBoxLayout(body)
        column.setContentsMargins(12, 10, 12, 12)
        column.setSpacing(8)
        column.addWidget(Tiles((self.mobility, self.redundant, self.distance, self.sigma), 104))
        column.addWidget(heading(self.tr("Energy")))
        column.addWidget(Tiles(tuple(self.energies.values()), 84))
        column.addWidget(heading(self.tr("In words")))
        self.sentences.setWordWrap(True)
        self.sentences.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column.addWidget(self.sentences)
        column.addStretch(1)
        scroll = scrolled_column()
        scroll.setWidget(body)
        return scroll

    def _connect(self) -> None:
        self.start.clicked.connect(lambda _checked=False: self.compute(None))
        self.here.clicked.connect(lambda _checked=False: self.compute(self._live.snapshot))
        self._matrices.idClicked.connect(lambda _id: self._show_matrix())
        self.seen.connect(lambda _seen: QTimer.singleShot(0, self._compute_if_seen))
        self._live.document_changed.connect(self.show_document)
        self._live.laws_changed.connect(lambda _laws: self._laws_changed())
        self.theme.changed.connect(self.table.set_tokens)

    def _laws_changed(self) -> None:
        """K holds the multipliers: what is shown is computed again, at the same place."""
        if self.report is None or not self.isVisible():
            self.report = None
        else:
            self.compute(None if self.report.time is None else self._live.snapshot)

    def _energy_texts(self) -> dict[str, tuple[str, str]]:
        """Caption and tool tip of each."""
        captions = (
            self.tr("Kinetic"), self.tr("Potential"), self.tr("Work"), self.tr("Loads"), self.tr("Dissipated"),
            self.tr("Contact"), self.tr("Overlap"), self.tr("Error"),
        )  # fmt: skip
        tips = (
            self.tr("Present kinetic energy"),
            self.tr("Present potential energy of gravity and springs"),
            self.tr("Work of drives since the start"),
            self.tr("Work of forces and moments of loads since the start"),
            self.tr("Lost to damping, friction and stops of joints since the start"),
            self.tr("Work of contacts since the start: 0 or negative"),
            self.tr("Energy added by separating overlapping bodies"),
            self.tr(
                "(kinetic + potential) \u2212 (their sum at the start) \u2212 work \u2212 loads \u2212 contact "
                "\u2212 overlap + dissipated: the error of the simulation"
            ),
        )
        return dict(zip(ENERGIES, zip(captions, tips, strict=True), strict=True))
