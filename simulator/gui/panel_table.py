"""The contents of a panel as a table, saved as CSV or copied: numbers as computed, in SI units, independent of the
units on the screen."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, NamedTuple

from PyQt6.QtWidgets import QApplication, QMessageBox, QWidget

from simulator.gui.fields import tip
from simulator.gui.file_names import ask_target
from simulator.gui.laws import law_text, short_names
from simulator.gui.saved import say_saved

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from simulator.diagnostics import Source
    from simulator.gui.live import LiveSession
    from simulator.gui.relations import Relations


class PanelTable(NamedTuple):
    """Names of columns, with units in brackets, and rows of texts and numbers."""

    heads: Sequence[str]
    rows: Sequence[Sequence[object]]

    def text(self) -> str:
        """As CSV (RFC 4180), numbers with 17 significant digits."""
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.heads)
        writer.writerows([_cell(value) for value in row] for row in self.rows)
        return out.getvalue()


def with_unit(name: str, unit: str) -> str:
    """The head of a column."""
    return f"{name} [{unit or '1'}]"


def _cell(value: object) -> object:
    return f"{value:.17g}" if isinstance(value, float) else value


def save_table(parent: QWidget, name: str, table: PanelTable) -> None:
    """Ask for a file, propose `name` for it, and write a table there."""
    title = QApplication.translate("PanelTable", "Save")
    path = ask_target(parent, "panel", title, "*.csv", f"{name}.csv")
    if path is None:
        return
    try:
        write_panel_table(table, path)
    except OSError as error:
        QMessageBox.warning(
            parent, QApplication.translate("PanelTable", "Not saved"), tip(f"{path.name}: {error.strerror}")
        )
        return
    say_saved(parent, path)


def write_panel_table(table: PanelTable, path: Path) -> None:
    """Write a table. Raises OSError."""
    path.write_text(table.text(), encoding="utf-8", newline="")


def copy_table(table: PanelTable) -> None:
    """Put a table where it can be pasted from."""
    clipboard = QApplication.clipboard()
    if clipboard is not None:
        clipboard.setText(table.text())


def joints_table(live: LiveSession, axes: Iterable[int] | None = None) -> PanelTable | None:
    """Positions, velocities and efforts of drives at the moment on show; None before the first."""
    snapshot, laws = live.snapshot, live.laws
    if snapshot is None or laws is None:
        return None
    infos = laws.now().axes
    rows = [
        (infos[i].name, infos[i].unit, *(float(values[i]) for values in (snapshot.position, snapshot.velocity)),
         infos[i].effort_unit, float(snapshot.effort[i]), infos[i].axis.lower, infos[i].axis.upper)
        for i in (range(len(infos)) if axes is None else axes)
    ]  # fmt: skip
    return PanelTable(
        ("joint", "unit", "position", "velocity [unit/s]", "effort unit", "effort", "lower", "upper"), rows
    )


def relations_table(live: LiveSession) -> PanelTable | None:
    """Laws of couplings and residuals of couplings and loops at the moment on show; a further leader of a coupling has
    a row of its own. None before the first moment."""
    snapshot, laws = live.snapshot, live.laws
    if snapshot is None or laws is None:
        return None
    mechanism = laws.now()
    names = short_names(mechanism.axes)
    rows = list[tuple[object, ...]]()
    for coupling, residual in zip(mechanism.couplings, snapshot.coupling_residual.tolist(), strict=True):
        follower = mechanism.axes[coupling.follower]
        for axis, multiplier in coupling.leaders:
            straight = coupling.curve is None
            numbers = (multiplier, coupling.constant) if straight else (law_text(coupling, names), "")
            law = follower.name, mechanism.axes[axis].name, *numbers, residual, follower.unit
            rows.append((coupling.kind.value, *law))
    for loop, (distance, angle) in zip(mechanism.loop_joints, snapshot.loop_residual.tolist(), strict=True):
        for residual, unit in ((distance, "m"), (angle, "rad")):
            rows.append(("loop", loop.name, "", "", "", residual, unit))
    return PanelTable(("kind", "follower", "leader", "multiplier", "constant", "residual", "unit"), rows)


def model_table(relations: Relations) -> PanelTable:
    """Models, links and joints of the document, in its order, with the mass of every link as the mechanism has it."""
    rows = list[tuple[object, ...]]()

    def add(kind: str, name: str, between: tuple[str, str], mass: object, source: Source | None) -> None:
        place = ("", "") if source is None else (source.file, source.line)
        rows.append((kind, name, *between, mass, *place))

    for joint in relations.world.joints:
        add(joint.type.value, joint.name, (joint.parent_link, joint.child_link), "", joint.source)
    for model in relations.world.models:
        add("model", model.name, ("", ""), "", model.source)
        for link in model.links:
            moving = relations.link(link.name)
            add("link", link.name, ("", ""), "" if moving is None else moving.inertial.mass, link.source)
        for joint in model.joints:
            add(joint.type.value, joint.name, (joint.parent_link, joint.child_link), "", joint.source)
    return PanelTable(("kind", "name", "parent", "child", "mass [kg]", "file", "line"), rows)
