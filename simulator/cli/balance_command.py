"""`simulator equilibrium` and `simulator linearise`: where a mechanism stays, and how it moves near where it starts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.equilibrium import holding_efforts, indifferent_axes, stable_poses
from simulator.analysis.independent import IndependentAxes
from simulator.analysis.linear import linearised
from simulator.cli.opened import opened_or_reported
from simulator.cli.output import DOCUMENT_ERRORS, OK
from simulator.cli.page import Table, page
from simulator.engine.rotors import rotor_inertia
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.start import starting_pose
from simulator.physics.queries.start_velocity import set_moving
from simulator.physics.sweep.swept import SweptMechanism
from simulator.session.text.condition_data import matrix_data
from simulator.session.text.force_text import with_loads
from simulator.session.text.settings import SessionSettings, find_axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.analysis.linear import LinearModel
    from simulator.formats.options import ReadingOptions
    from simulator.mechanism.types import AxisInfo
    from simulator.session.open.opening import Opened


def report_equilibrium(file: str, settings: SessionSettings, options: ReadingOptions, *, as_json: bool) -> int:
    """Stable poses and holding efforts; returns the exit code. Raises as `IndependentAxes` does."""
    opened = opened_or_reported(file, options, settings.numbers)
    if opened is None:
        return DOCUMENT_ERRORS
    opened = replace(opened, mechanism=with_loads(opened.mechanism, settings.forces))
    axes, velocity = _at_start(opened, settings)
    efforts = holding_efforts(axes, velocity)
    names = [info.name for info in opened.mechanism.axes]
    holding = dict(zip(axes.names, efforts.tolist(), strict=True))
    stable = [(dict(zip(names, pose.position.tolist(), strict=True)), pose) for pose in stable_poses(axes, velocity)]
    if as_json:
        poses = [
            {
                "position": position,
                "axes": list(pose.axes),
                "stiffness": pose.stiffness.tolist(),
                "within_limits": pose.within_limits,
            }
            for position, pose in stable
        ]
        print(json.dumps({"file": str(opened.path), "holding": holding, "stable": poses}))
        return OK
    console = page()
    held = Table("held at the start", "effort")
    for name, effort in holding.items():
        held.add_row(name, f"{effort:.9g} {_axis(opened, name).effort_unit}")
    console.print(held)
    for number, (position, pose) in enumerate(stable, start=1):
        table = Table(f"stable pose {number}{'' if pose.within_limits else ', beyond limits'}", "position")
        for name, value in position.items():
            table.add_row(name, f"{value:.9g} {_axis(opened, name).unit}")
        console.print(table)
    if not stable:
        idle = " or ".join(indifferent_axes(axes, velocity))
        why = f": nothing pulls {idle} back, wherever it is moved; a spring or a weight would" if idle else ""
        console.print(f"no stable pose was found{why}")
    return OK


def report_linear(
    file: str,
    settings: SessionSettings,
    options: ReadingOptions,
    *,
    hold: bool = False,
    frequencies: Sequence[float] = (),
    as_json: bool = False,
) -> int:
    """Matrices, eigenvalues, modes and the response at `frequencies` [Hz]; returns the exit code. `hold`: around the
    start as efforts hold it there. Raises as `IndependentAxes` does."""
    opened = opened_or_reported(file, options, settings.numbers)
    if opened is None:
        return DOCUMENT_ERRORS
    opened = replace(opened, mechanism=with_loads(opened.mechanism, settings.forces))
    axes, velocity = _at_start(opened, settings)
    efforts = np.zeros(len(opened.mechanism.axes))
    if hold:
        efforts[list(axes.axes)] = holding_efforts(axes, velocity)
    model = linearised(axes, velocity, efforts)
    names = [info.name for info in opened.mechanism.axes]
    if as_json:
        print(
            json.dumps({"file": str(opened.path), **_linear(model, names, axes.names), **_response(model, frequencies)})
        )
        return OK
    console = page()
    table = Table("mode", "eigenvalue 1/s", "frequency Hz", "damping", "shape")
    for number, mode in enumerate(model.modes, start=1):
        shape = ", ".join(
            f"{name.split('::')[-1]} {z.real:.3g}" for name, z in zip(names, mode.shape.tolist(), strict=True)
        )
        value = f"{mode.eigenvalue.real:.6g} {mode.eigenvalue.imag:+.6g} i"
        table.add_row(str(number), value, f"{mode.frequency:.6g}", f"{mode.damping:.4g}", shape)
    console.print(table)
    if float(np.abs(model.drift).max(initial=0.0)) > 1e-9:
        console.print("the start is not an equilibrium: beside these modes it accelerates by itself")
    if frequencies:
        console.print(_gains(model, frequencies))
    return OK


def _linear(model: LinearModel, names: Sequence[str], independent: Sequence[str]) -> dict[str, object]:
    """Matrices and modes for JSON."""
    return {
        **{letter: matrix_data(getattr(model, letter)) for letter in "ABCD"},
        "eigenvalues": [[value.real, value.imag] for value in model.eigenvalues.tolist()],
        "modes": [
            {
                "eigenvalue": [mode.eigenvalue.real, mode.eigenvalue.imag],
                "frequency_hz": mode.frequency,
                "damping": mode.damping,
                "shape": {name: [z.real, z.imag] for name, z in zip(names, mode.shape.tolist(), strict=True)},
            }
            for mode in model.modes
        ],
        "drift": dict(zip(independent, model.drift.tolist(), strict=True)),
        "stable": model.is_stable,
    }


def _response(model: LinearModel, frequencies: Sequence[float]) -> dict[str, object]:
    """Gain and phase [rad] of every output for every input, shape (n_frequencies, n_outputs, n_inputs)."""
    if not frequencies:
        return {}
    found = model.response(np.array(frequencies))
    return {
        "response": {
            "frequency_hz": list(frequencies),
            "outputs": list(model.C.rows),
            "inputs": list(model.B.columns),
            "gain": np.abs(found).tolist(),
            "phase_rad": np.angle(found).tolist(),
        }
    }


def _gains(model: LinearModel, frequencies: Sequence[float]) -> Table:
    """How far every axis goes for one unit of effort on the first."""
    positions = [name.removesuffix("/position").split("::")[-1] for name in model.C.rows if name.endswith("/position")]
    first = model.B.columns[0].removesuffix("/effort").split("::")[-1]
    table = Table(f"Hz, effort on {first}", *positions)
    for frequency, row in zip(
        frequencies, np.abs(model.response(np.array(frequencies)))[:, : len(positions), 0], strict=True
    ):
        table.add_row(f"{frequency:.4g}", *(f"{gain:.4g}" for gain in row.tolist()))
    return table


def _at_start(opened: Opened, settings: SessionSettings) -> tuple[IndependentAxes, NDArray[np.float64]]:
    mechanism = opened.mechanism
    kinematics = Kinematics(mechanism).as_meant
    rotors = rotor_inertia(opened.actuators, mechanism)
    initial = {find_axis(mechanism, name): value for name, value in settings.initial}
    moving = {find_axis(mechanism, name): value for name, value in settings.initial_velocity}
    state = set_moving(kinematics, starting_pose(kinematics, initial).state, moving, rotors)
    axes = IndependentAxes(SweptMechanism(kinematics, rotors), state)
    return axes, state.velocity[list(axes.axes)]


def _axis(opened: Opened, name: str) -> AxisInfo:
    return next(info for info in opened.mechanism.axes if info.name == name)
