"""The report of a run: one HTML file that needs no network and prints well, with pictures, plots over time and tables
with units."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from simulator.formats.profile_text import format_number
from simulator.model.loads import Load
from simulator.recording.channels import ENERGIES, channels_of
from simulator.session.look.page import facts, made_by, number, passed_power, pictures, table, write_page
from simulator.session.text.drive_text import format_drive
from simulator.session.text.plots import COLOURS, plot
from simulator.transmissions.actuators import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from simulator.engine.engine import Engine
    from simulator.session.batch.batch import RunSummary
    from simulator.session.open.opening import Opened
    from simulator.session.text.settings import SessionSettings
    from simulator.spatial.arrays import Array


PICTURES = 4
"""Pictures of a run: at its start, at its end, and evenly between."""
POINTS = 1500
"""Samples of a curve; statistics use all."""
CURVES = len(COLOURS)
"""Most axes that are plotted, one for each colour."""


OF_AXES = ("position", "velocity", "effort")
"""Groups of channels of axes."""


class RunReport:
    """Collects the contents of a page during a run: `take` is a sink of its rows."""

    def __init__(self, opened: Opened, settings: SessionSettings, engine: Engine, duration: float) -> None:
        self._opened = opened
        self._settings = settings
        self._engine = engine
        self._channels = channels_of(engine.mechanism, engine.actuation.actuators)
        self._thin = max(1, round(duration / engine.dt) // POINTS)
        self._due = (engine.time + np.linspace(0.0, duration, PICTURES)).tolist()
        self._rows: list[Array] = []
        self._shown: list[tuple[str, Array]] = []
        self._count, self._squares = 0, np.zeros(len(self._channels))
        self._least, self._greatest = np.full((2, len(self._channels)), np.inf) * [[1.0], [-1.0]]

    def take(self, rows: Array) -> None:
        """Rows of all channels, shape (n, n_channels); the newest is the engine's present state."""
        kept = (self._count + np.arange(len(rows))) % self._thin == 0
        self._rows.append(rows[kept].copy())
        self._count += len(rows)
        self._squares += np.sum(rows * rows, axis=0)
        self._least = np.minimum(self._least, rows.min(axis=0))
        self._greatest = np.maximum(self._greatest, rows.max(axis=0))
        if self._due and self._engine.time >= self._due[0] - 0.5 * self._engine.dt:
            self._due = [time for time in self._due if time > self._engine.time + 0.5 * self._engine.dt]
            self._shown.append((f"{self._engine.time:.4g} s", self._engine.snapshot().body_poses))

    def write(self, path: Path, summary: RunSummary) -> None:
        """Write the page. Raises UsageError if it cannot be written."""
        ended = "interrupted" if summary.interrupted else str(summary.failure or "")
        title = self._opened.document.title
        parts = [f"<p>{escape(title)}</p>"] if title else []
        parts += [f"<p><strong>The run ended early: {escape(ended)}</strong></p>"] if ended else []
        parts += [facts(self._made(summary))]
        parts += ["<h2>Poses</h2>", pictures(self._opened, self._shown), "<h2>Motion</h2>", *self._motion()]
        if summary.drives:
            parts += ["<h2>Drives</h2>", *self._efforts(), self._drives(summary)]
        if summary.couplings:
            parts += ["<h2>Losses of couplings</h2>", passed_power(summary.couplings)]
        parts += ["<h2>Energy</h2>", self._energy(), "<h2>Accuracy</h2>", self._accuracy(summary)]
        if summary.findings:
            items = "".join(f"<li>{escape(str(finding))}</li>" for finding in summary.findings)
            parts += [f"<h2>Findings</h2><ul>{items}</ul>"]
        parts += ["<h2>Least, greatest, root mean square</h2>", self._statistics()]
        write_page(path, f"Run of {self._opened.path.stem}", parts)

    def _made(self, summary: RunSummary) -> Iterator[tuple[str, str]]:
        """The settings of the run, to repeat it."""
        settings = self._settings
        yield "document", str(self._opened.path)
        yield from made_by(self._opened.document.files)
        yield (
            "simulated",
            f"{summary.simulated:g} s in steps of {self._engine.dt:g} s, strategy {self._engine.strategy}",
        )
        for name, drive in settings.drives:
            yield f"drive of {name}", format_drive(drive)
        for name, value in settings.numbers:
            yield name, format_number(value)
        for name, value in settings.initial:
            yield f"initial position of {name}", format_number(value)
        for name, value in settings.initial_velocity:
            yield f"initial velocity of {name}", format_number(value)
        for load in settings.forces:
            yield "force on" if isinstance(load, Load) else "spring on", load.link

    # -- plots ---------------------------------------------------------------------------------------------------------

    @property
    def _samples(self) -> Array:
        return np.concatenate([np.zeros((0, len(self._channels))), *self._rows])

    def _motion(self) -> Iterator[str]:
        axes = self._engine.mechanism.axes
        plotted = self._plotted()
        for group in ("position", "velocity"):
            for unit in dict.fromkeys(axes[axis].unit for axis in plotted):
                chosen = [axis for axis in plotted if axes[axis].unit == unit]
                yield self._plot(group.capitalize(), group, chosen)
        if len(plotted) < len(axes):
            yield f"<p>{len(plotted)} of {len(axes)} axes are shown, those that are driven and independent first.</p>"

    def _plotted(self) -> list[int]:
        """Axes in the mechanism's order."""
        mechanism = self._engine.mechanism
        order = dict.fromkeys((*self._engine.drives, *mechanism.independent_axes(), *range(len(mechanism.axes))))
        return sorted(list(order)[:CURVES])

    def _efforts(self) -> Iterator[str]:
        axes = self._engine.mechanism.axes
        driven = sorted(self._engine.drives)
        for unit in dict.fromkeys(axes[axis].effort_unit for axis in driven):
            yield self._plot("Effort", "effort", [axis for axis in driven if axes[axis].effort_unit == unit])
        if actuators := sorted(self._engine.actuation.actuator_drives):
            yield self._plot("Effort of actuators", "actuator_effort", actuators)

    def _plot(self, title: str, group: str, indices: list[int]) -> str:
        """Channels of a group over time, all of one unit."""
        columns = {channel.index: i for i, channel in enumerate(self._channels) if channel.group == group}
        samples = self._samples
        places = [columns[index] for index in indices]
        curves = [(self._channels[place].name.split("/")[1], samples[:, place]) for place in places]
        return plot(title, ("time [s]", samples[:, 0]), self._channels[places[0]].unit, curves)

    def _energy(self) -> str:
        samples = self._samples
        places = {c.name: i for i, c in enumerate(self._channels) if c.group == "energy"}
        energies = {name: samples[:, places[f"energy/{name}"]] for name in ENERGIES}
        shown = [name for name in ENERGIES if name != "error" and np.any(energies[name])]
        total = energies["kinetic"] + energies["potential"]
        curves = [("kinetic and potential", total), *((name, energies[name]) for name in shown)]
        return plot("Energy", ("time [s]", samples[:, 0]), "J", curves)

    # -- tables --------------------------------------------------------------------------------------------------------

    def _drives(self, summary: RunSummary) -> str:
        units = {axis.name: axis.effort_unit for axis in self._engine.mechanism.axes}
        rows = []
        for name, told in summary.drives.items():
            unit = "N·m" if name.startswith(PREFIX) else units[name]
            efforts = [f"{told[key]:.6g} {unit}" for key in ("peak", "rms")]
            rows.append((name, *efforts, f"{told['mean_power']:.6g} W", f"{told['energy']:.6g} J"))
        return table(("drive", "peak effort", "RMS effort", "mean power", "energy"), rows)

    def _accuracy(self, summary: RunSummary) -> str:
        mechanism = self._engine.mechanism
        rows = []
        if mechanism.couplings:
            rows.append(("largest residual of couplings", _size(summary.max_coupling_residual, "rad or m")))
        if mechanism.loop_joints:
            rows.append(("largest gap of loops", _size(summary.max_loop_residual_m, "m")))
            rows.append(("largest angle of loops", _size(summary.max_loop_residual_rad, "rad")))
        rows.append(("largest error of the energy balance", _size(summary.max_energy_error, "J")))
        return facts(rows)

    def _statistics(self) -> str:
        """Statistics of the plotted axes, energies and actuators, without channels that are always zero."""
        plotted = set(self._plotted())
        peaks = np.maximum(np.abs(self._least), np.abs(self._greatest))
        greatest: dict[str, float] = {}
        for channel, peak in zip(self._channels, peaks.tolist(), strict=True):
            greatest[channel.unit] = max(greatest.get(channel.unit, 0.0), peak)
        rms = np.sqrt(self._squares / max(self._count, 1))
        rows = [
            (channel.name, *(number(value, greatest[channel.unit]) for value in values), channel.unit)
            for channel, *values in zip(
                self._channels, self._least.tolist(), self._greatest.tolist(), rms.tolist(), strict=True
            )
            if any(values)
            and (channel.index in plotted if channel.group in OF_AXES else channel.group.startswith(("energy", "act")))
        ]
        return table(("channel", "least", "greatest", "RMS", "unit"), rows)


def _size(value: float, unit: str) -> str:
    return f"{value:.1e} {unit}" if value else f"0 {unit}"
