"""The section of the joints panel with the actuators of a document; empty if it has none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QObject

from simulator.gui.laws import actuator_law, short_names
from simulator.gui.panels.actuator_card import ActuatorCard, ActuatorText
from simulator.gui.panels.drive_suggestion import suggestion_for_actuator
from simulator.gui.theme import Tokens
from simulator.gui.units import Units, compact
from simulator.model.names import distinct_tails, tail_name
from simulator.transmissions.actuators import PREFIX
from simulator.transmissions.differential import DifferentialTransmission
from simulator.transmissions.four_bar_linkage import FourBarLinkageTransmission
from simulator.transmissions.simple import SimpleTransmission

if TYPE_CHECKING:
    from simulator.engine.snapshot import Snapshot
    from simulator.recording.channels import Channel
    from simulator.session.open.opening import Opened
    from simulator.session.run.client import SimulationClient
    from simulator.transmissions.actuators import Actuators
    from simulator.transmissions.base import Transmission

QUANTITIES = ("position", "velocity", "effort")

RECENT = 0.1
"""The newest values are looked for in the last stretch of the recording of this length [s of simulated time]."""


class ActuatorRows(QObject):
    """Makes the cards and keeps them up to date; `cards` by index of the actuator."""

    def __init__(self, opened: Opened, channels: Sequence[Channel], tokens: Tokens, units: Units) -> None:
        super().__init__()
        actuators = opened.actuators
        axes = opened.mechanism.axes
        self._columns = {
            index: columns
            for index, name in enumerate(actuators.names)
            if (columns := _columns(f"{PREFIX}{name}", channels))
        }
        laws = short_names(axes)
        self._terms = [actuators.terms(index) for index in range(len(actuators))]
        self.cards: list[ActuatorCard] = []
        for index, name in enumerate(distinct_tails(actuators.names)):
            terms = self._terms[index]
            text = ActuatorText(
                f"{PREFIX}{actuators.names[index]}",
                name,
                actuator_law(terms, float(actuators.constant[index]), laws),
                self._about(actuators, index),
            )
            unit, effort_unit = _units(terms, opened, self._columns.get(index), channels)
            self.cards.append(
                ActuatorCard(text, suggestion_for_actuator(terms, axes, unit, effort_unit), tokens, units)
            )

    def joints_of(self, card: ActuatorCard) -> tuple[int, ...]:
        """The axes that an actuator moves."""
        return tuple(axis for axis, _ in self._terms[self.cards.index(card)])

    def show_state(self, client: SimulationClient, snapshot: Snapshot) -> None:
        """The newest numbers of all actuators, from the recording."""
        columns = [column for found in self._columns.values() for column in found]
        if not columns:
            return
        _, values = client.trace(columns, snapshot.time - RECENT)
        if len(values):
            newest = np.reshape(values[-1], (-1, len(QUANTITIES)))
            for index, (position, velocity, effort) in zip(self._columns, newest.tolist(), strict=True):
                self.cards[index].show_state(position, velocity, effort)

    def _about(self, actuators: Actuators, index: int) -> str:
        """The kind of the transmission in words, its name, and the rotor."""
        actuator = actuators.actuators[index]
        bound = actuators.transmissions[actuator.transmission]
        name = tail_name(bound.name)
        lines = [actuator.name, self.tr("{kind}, “{name}”").format(kind=self._kind(bound.law), name=name), bound.plugin]
        if actuator.rotor_inertia:
            rotor = compact(actuator.rotor_inertia)
            lines.append(self.tr("inertia of the rotor {rotor} kg m²").format(rotor=rotor))
        return "\n".join(lines)

    def _kind(self, law: Transmission) -> str:
        if isinstance(law, SimpleTransmission):
            return self.tr("Simple transmission: one actuator turns one joint through a reduction")
        if isinstance(law, DifferentialTransmission):
            return self.tr("Differential: two actuators together move one joint, against each other the other one")
        if isinstance(law, FourBarLinkageTransmission):
            return self.tr(
                "Four-bar linkage transmission: constant ratios, as of belts or a parallelogram;\n"
                "not a loop of four bars, whose ratio changes with its angle"
            )
        return self.tr("Transmission of another package")


def _columns(target: str, channels: Sequence[Channel]) -> tuple[int, ...]:
    """Columns of position, velocity and effort; none where they are not recorded."""
    place = {channel.name: i for i, channel in enumerate(channels)}
    found = [place.get(f"{target}/{quantity}") for quantity in QUANTITIES]
    return tuple(column for column in found if column is not None) if None not in found else ()


def _units(
    terms: Sequence[tuple[int, float]], opened: Opened, columns: Sequence[int] | None, channels: Sequence[Channel]
) -> tuple[str, str]:
    """Of position and effort: as recorded, else as those of the joints that it moves."""
    if columns:
        return channels[columns[0]].unit, channels[columns[2]].unit
    axes = [opened.mechanism.axes[axis] for axis, _ in terms]
    return (axes[0].unit, axes[0].effort_unit) if axes else ("rad", "N·m")
