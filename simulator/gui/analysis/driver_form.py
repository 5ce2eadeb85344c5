"""The settings of a driver: its range, its speed, and forces."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QCompleter, QHBoxLayout, QLineEdit, QPushButton, QWidget

from simulator.gui.fields import NoWheelComboBox, ValueSpin, label, scaled, set_slim
from simulator.gui.panels.flow import FlowLayout
from simulator.gui.panels.panel import bar_strip, column_layout

if TYPE_CHECKING:
    from collections.abc import Iterable

FARTHEST = 1e6


class DriverQuestion(NamedTuple):
    """Ends of the range [rad or m], velocity and acceleration [per s, per s²] and forces as text."""

    begin: float
    end: float
    velocity: float = 0.0
    acceleration: float = 0.0
    force: str = ""


class DriverForm(QWidget):
    """`edited` is emitted when a field was changed."""

    edited = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.driver, self.force = NoWheelComboBox(), QLineEdit()
        self.begin, self.end = ValueSpin(3, ""), ValueSpin(3, "")
        self.speed, self.acceleration = ValueSpin(3, ""), ValueSpin(3, "")
        self.start, self.along = QPushButton(self.tr("Analyse")), QPushButton(self.tr("Move along"))
        self._rest: list[QWidget] = []
        self._arrange()
        for spin in self._spins:
            spin.editingFinished.connect(self.edited)
        self.force.editingFinished.connect(self.edited)

    @property
    def _spins(self) -> tuple[ValueSpin, ...]:
        return self.begin, self.end, self.speed, self.acceleration

    def asked(self, factor: float) -> DriverQuestion:
        """What the fields say; they show `factor` times SI units."""
        begin, end, speed, acceleration = (spin.value() / factor for spin in self._spins)
        return DriverQuestion(begin, end, speed, acceleration, self.force.text().strip())

    def show_asked(self, asked: DriverQuestion, factor: float, unit: str) -> None:
        """Fill the fields, `unit` of positions being `factor` times the SI unit."""
        for spin, value, tail in zip(self._spins, asked[:4], ("", "", "/s", "/s²"), strict=True):
            spin.setSuffix(f" {unit}{tail}")
            spin.setValue(value * factor)
        self.force.setText(asked.force)

    def set_brief(self, brief: bool, *, slim: bool = False) -> None:
        """Where there is no height for all, only the range; speed and force where they are not zero. If `slim`, low
        controls, without a button for what begins by itself."""
        asked = self.asked(1.0)
        for part, value in zip(self._rest, asked[2:], strict=True):
            part.setHidden(brief and not value)
        self.start.setHidden(slim)
        set_slim((self.driver, *self._spins, self.force, self.along), slim)
        self._row.setContentsMargins(*((8, 3, 8, 0) if slim else (8, 6, 8, 6)))
        self._row.setSpacing(3 if slim else 8)
        self._row.invalidate()

    def narrow(self) -> int:
        """Width at which both ends of the range are in one line [px]."""
        return sum(part.sizeHint().width() for part in self._range) + self._row.spacing() + scaled(20)

    def offer_links(self, links: Iterable[str]) -> None:
        """Complete names of links on which forces can act."""
        self.force.setCompleter(QCompleter(list(links), self.force))

    def _arrange(self) -> None:
        names = self.tr("From"), self.tr("To"), self.tr("Speed"), self.tr("Acceleration")
        for spin, name in zip(self._spins, names, strict=True):
            spin.setRange(-FARTHEST, FARTHEST)
            spin.setAccessibleName(name)
            spin.set_width(112 if spin is self.acceleration else 100)
        self.force.setAccessibleName(self.tr("Forces on links"))
        self.force.setProperty("role", "number")
        self.force.setPlaceholderText(self.tr("none"))
        self.force.setToolTip(
            self.tr(
                "Forces that act besides those of the document: LINK@x,y,z=Fx,Fy,Fz or with a moment ,Mx,My,Mz; point "
                "in the link's frame [m], force in world axes [N]; several with ; between"
            )
        )
        self.force.setFixedWidth(scaled(140))
        self.driver.setAccessibleName(self.tr("Driver"))
        self.driver.setSizeAdjustPolicy(NoWheelComboBox.SizeAdjustPolicy.AdjustToContents)
        self.along.setCheckable(True)
        self.along.setToolTip(self.tr("Move the mechanism along the driver, without time"))
        self.start.setToolTip(self.tr("Begin again at the pose on show"))
        bar = bar_strip()
        row = self._row = FlowLayout(bar)
        row.addWidget(_named(self.tr("Driver"), self.driver))
        self._range = _named(self.tr("from"), self.begin), _named(self.tr("to"), self.end)
        for part in self._range:
            row.addWidget(part)
        for text, widget in ((self.tr("at"), self.speed), (self.tr("and"), self.acceleration),
                             (self.tr("with force"), self.force)):  # fmt: skip
            self._rest.append(_named(text, widget))
            row.addWidget(self._rest[-1])
        row.spring()  # at the right, where lines have room: in a lecture they would take a line of their own
        row.addWidget(self.start)
        row.addWidget(self.along)
        column_layout(self).addWidget(bar)


def _named(text: str, field: QWidget) -> QWidget:
    """A field behind its name, which go to the next line together."""
    both = QWidget()
    line = QHBoxLayout(both)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(8)
    line.addWidget(label(text, "muted"))
    line.addWidget(field)
    return both
