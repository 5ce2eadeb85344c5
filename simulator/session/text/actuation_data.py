"""The actuators of a document as plain data, for `describe --json`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.formats.report import describe_diagnostic

if TYPE_CHECKING:
    from simulator.session.open.opening import Opened
    from simulator.transmissions.actuators import Actuators, BoundTransmission


def actuators_data(opened: Opened) -> dict[str, object]:
    """`mechanism.actuators`: names, laws and reflected inertia; findings about them are in `actuator_diagnostics`."""
    actuators = opened.actuators
    names = [axis.name for axis in opened.mechanism.axes]
    reflected = actuators.reflected_inertia()
    felt = np.flatnonzero(reflected.any(axis=0)).tolist()
    return {
        "actuators": [
            {
                "name": actuator.name,
                "transmission": actuators.transmissions[actuator.transmission].name,
                "terms": {names[axis]: factor for axis, factor in actuators.terms(index)},
                "constant": float(actuators.constant[index]),
                "rotor_inertia": actuator.rotor_inertia,
            }
            for index, actuator in enumerate(actuators.actuators)
        ],
        "transmissions": [_transmission(bound, actuators, names) for bound in actuators.transmissions],
        "reflected_inertia": {
            "axes": [names[axis] for axis in felt],
            "values": reflected[np.ix_(felt, felt)].tolist(),
        },
        "actuator_diagnostics": [describe_diagnostic(item) for item in opened.actuator_diagnostics],
    }


def _transmission(bound: BoundTransmission, actuators: Actuators, axes: list[str]) -> dict[str, object]:
    return {
        "name": bound.name,
        "plugin": bound.plugin,
        "actuators": [actuators.names[index] for index in bound.actuators],
        "axes": [axes[index] for index in bound.axes],
        "matrix": bound.law.matrix().tolist(),
        "joint_offsets": list(bound.law.joint_offsets),
    }
