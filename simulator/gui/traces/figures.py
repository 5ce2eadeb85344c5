"""Figures for paper: the numbers on show, drawn anew at a requested size, in panels by unit, with legend, units
and title, independent of the screen and its theme."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QCoreApplication
from PyQt6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QLineEdit,
    QMessageBox,
    QSpinBox,
    QWidget,
)

from simulator.gui.fields import tip
from simulator.gui.panel_table import write_panel_table
from simulator.gui.saved import say_saved
from simulator.gui.tokens import LIGHT
from simulator.gui.traces.plan import Group
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from simulator.gui.traces.saving import ShownTable
    from simulator.gui.units import Units

FORMATS = "*.csv *.svg *.pdf *.png"
"""In which curves are saved."""
INCH = 25.4
"""Millimetres."""
WIDTH, PANEL, REST = 160.0, 45.0, 20.0
"""Of a figure, of each of its panels, and of what is above and below them [mm]."""
DASHES: tuple[Any, ...] = ("-", (0, (5, 3)), (0, (1, 2)), (0, (6, 2, 1, 2)))
STYLE: Any = {
    "font.size": 9.0,
    "axes.linewidth": 0.6,
    "lines.linewidth": 1.2,
    "svg.fonttype": "none",  # text remains text, to be edited
    "svg.hashsalt": "simulator",
    "pdf.fonttype": 42,
    "axes.unicode_minus": True,
}


@dataclass(frozen=True)
class FigureSize:
    """Width and height [mm], pixels per inch of PNG files, and the title above it."""

    width: float = WIDTH
    height: float = PANEL + REST
    dpi: int = 300
    title: str = ""


def save_curves(parent: QWidget, path: Path, table: ShownTable, units: Units, title: str) -> None:
    """Write curves as CSV, or as a figure of which size and title are asked for, by the name of the file; show what
    keeps it from being written."""
    kind = path.suffix.lower()
    try:
        if kind == ".csv":
            write_panel_table(table.panel_table(), path)
        else:
            dialog = FigureDialog(parent, title, table, pixels=kind == ".png")
            if not dialog.exec():
                return
            write_figure(dialog.table(), units, path, dialog.size_())
    except OSError as error:
        title = QCoreApplication.translate("figures", "Not saved")
        QMessageBox.warning(parent, title, tip(f"{path.name}: {error}"))
        return
    say_saved(parent, path)


def write_figure(table: ShownTable, units: Units, path: Path, size: FigureSize) -> None:
    """Write the curves of a table as PNG, SVG or PDF, by the name of the file. Raises OSError where that cannot be, and
    for another kind of file."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    groups = panels(table)
    with rc_context(STYLE):
        figure = Figure(figsize=(size.width / INCH, size.height / INCH), layout="constrained")
        axes = figure.subplots(max(len(groups), 1), 1, sharex=True, squeeze=False)[:, 0]
        for plot, columns in zip(axes, groups, strict=False):
            _draw(plot, table, units, columns)
        figure.align_ylabels(axes)
        axes[-1].set_xlabel(QCoreApplication.translate("figures", "time [s]"))
        if size.title:
            figure.suptitle(size.title, fontsize=10)
        try:
            figure.savefig(path, dpi=size.dpi, metadata=_WITHOUT_DATE.get(path.suffix.lower()))
        except ValueError as error:  # what kinds there are
            raise OSError(str(error)) from None


_WITHOUT_DATE: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""The same figure is the same file."""


def panels(table: ShownTable) -> list[list[int]]:
    """Columns that share a panel: those of one unit, residuals by themselves, in the order of the table."""
    found: dict[tuple[str, bool], list[int]] = {}
    for place, (name, unit) in enumerate(table.columns):
        found.setdefault((unit, is_residual(name)), []).append(place)
    return list(found.values())


def is_residual(name: str) -> bool:
    """Whether a channel of that name says how far something is from what a law or a loop asks for."""
    return "residual" in name or name.endswith("/delta")


def _draw(plot: Any, table: ShownTable, units: Units, columns: list[int]) -> None:
    unit = table.columns[columns[0]][1]
    factor, name = units.quotient(unit)
    for number, place in enumerate(columns):
        colour, dash = table.styles[place] if table.styles else (number, 0)
        label = table.labels[place] if table.labels else table.columns[place][0]
        values: NDArray[np.float64] = factor * table.values[:, place]
        ink = LIGHT.text if colour < 0 else LIGHT.series[colour % len(LIGHT.series)]
        plot.plot(table.times, values, color=ink, linestyle=DASHES[dash % len(DASHES)], label=label)
    plot.set_ylabel(f"{_quantity([table.columns[place][0] for place in columns])} [{name or '1'}]".lstrip())
    plot.grid(visible=True, linewidth=0.4, color="0.85")
    plot.margins(x=0.0)
    for side in ("top", "right"):
        plot.spines[side].set_visible(False)
    plot.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)


def _quantity(names: Sequence[str]) -> str:
    """The quantity of channels with these names; empty where they are of several."""
    if all(map(is_residual, names)):
        return QCoreApplication.translate("figures", "residual")
    words = (set(name.split("/")) for name in names)
    return next(iter({group.value for group in Group}.intersection(*words)), "")


class FigureDialog(QDialog):
    """Asks for the size and the title of a figure of these curves, and whether residuals among others are in it."""

    def __init__(self, parent: QWidget, title: str, table: ShownTable, *, pixels: bool) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Figure"))
        self._table = table
        self.title, self.dpi = QLineEdit(title), QSpinBox()
        self.residuals = QCheckBox(self.tr("With residuals"))
        self.width_, self.height_ = QDoubleSpinBox(), QDoubleSpinBox()
        self.title.setProperty("role", "text")
        for spin in (self.width_, self.height_, self.dpi):
            spin.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        for field in (self.width_, self.height_):
            field.setRange(20.0, 2000.0)
            field.setDecimals(0)
            field.setSuffix(" mm")
        self.width_.setValue(WIDTH)
        self._set_height()
        self.residuals.toggled.connect(lambda _on: self._set_height())
        self.dpi.setRange(50, 1200)
        self.dpi.setSuffix(self.tr(" pixels per inch"))
        self.dpi.setValue(300)
        form = QFormLayout(self)
        form.addRow(self.tr("Title"), self.title)
        form.addRow(self.tr("Width"), self.width_)
        form.addRow(self.tr("Height"), self.height_)
        if pixels:
            form.addRow(self.tr("Resolution"), self.dpi)
        if {is_residual(name) for name, _ in table.columns} == {True, False}:
            form.addRow("", self.residuals)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        form.addRow(buttons)

    def table(self) -> ShownTable:
        """The curves that are in the figure: residuals, where there are others, only if the box is checked."""
        places = [place for place, (name, _) in enumerate(self._table.columns) if not is_residual(name)]
        return self._table if self.residuals.isChecked() or not places else self._table.of(places)

    def _set_height(self) -> None:
        self.height_.setValue(PANEL * max(len(panels(self.table())), 1) + REST)

    def size_(self) -> FigureSize:
        """What was asked for."""
        return FigureSize(self.width_.value(), self.height_.value(), self.dpi.value(), self.title.text().strip())
