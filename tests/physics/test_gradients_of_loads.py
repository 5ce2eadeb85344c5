"""Derivatives by numbers of springs, loads and frames, of a chain with a universal joint and a ball and of a screw that
floats, against differences: what the example worlds have none of.

Tolerance: central differences of order four by steps of 1e-4 have errors of round-off, 1e-12 of accelerations over the
step: 1e-7. Runs of 1 ms steps add their own error of order four.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import simulator
from simulator import Simulation, UsageError
from simulator.kinematics.kinematics import Kinematics
from simulator.mechanism.varied import varied
from simulator.physics.queries.equations import Equations

if TYPE_CHECKING:
    from collections.abc import Callable

CLOSE = 1e-7
WITH_LINES = 'stiffness="3" free_length="0.1"'
WITH_TABLE = 'table="0.1 -1 0.4 1 2 3"'


def inertial(mass: float, pose: str, moments: tuple[float, float, float], product: float = 0.0) -> str:
    xx, yy, zz = moments
    tensor = f"<ixx>{xx}</ixx><iyy>{yy}</iyy><izz>{zz}</izz><ixy>{product}</ixy><ixz>0</ixz><iyz>0</iyz>"
    return f"<inertial><pose>{pose}</pose><mass>{mass}</mass><inertia>{tensor}</inertia></inertial>"


def document(spring: str) -> str:
    first = inertial(1.2, "0.1 0.02 0.03 0.3 0.2 0.1", (0.02, 0.03, 0.025), 0.001)
    passive = "<damping>0.1</damping><spring_stiffness>2</spring_stiffness><spring_reference>0.2</spring_reference>"
    return f"""<sdf version="1.12"><world name="w"><gravity>0.3 0 -9.81</gravity>
      <model name="a">
        <link name="s"><pose>0 0 0.5 0.2 0 0</pose>{first}</link>
        <link name="t"><pose>0.3 0 0.5 0 0.3 0</pose>{inertial(0.7, "0.1 0 0 0 0 0", (0.01, 0.02, 0.02))}</link>
        <link name="u"><pose>0.6 0.1 0.5 0 0 0.4</pose>{inertial(0.5, "0 0 0 0 0 0", (0.01, 0.01, 0.01))}</link>
        <joint name="j" type="universal"><parent>world</parent><child>s</child>
          <axis><xyz>0 1 0</xyz><dynamics>{passive}</dynamics></axis><axis2><xyz>1 0 0</xyz></axis2></joint>
        <joint name="b" type="ball"><parent>s</parent><child>t</child></joint>
        <joint name="f" type="fixed"><parent>t</parent><child>u</child></joint>
        <simulator:spring link="s" other="t" at="0.1 0.1 0" other_at="0 0.1 0.2" stiffness="30" damping="0.4"
          free_length="0.15"/>
        <simulator:spring link="u" other="world" at="0.1 0.1 0" other_at="1 0.1 0.2" damping="0.2" {spring}/>
        <simulator:load link="t" at="0.1 0.2 0" force="1 sine(2,1) 0.3" moment="0.1 0.2 0.3" frame="link"/>
        <simulator:load link="u" at="0.1 0.2 0" force="1 0.2 0.3"/>
      </model>
      <model name="free"><simulator:gravity>0 0.2 -1.6</simulator:gravity>
        <link name="v"><pose>2 0 1 0 0 0</pose>{inertial(2.0, "0.1 0 0.05 0 0 0", (0.1, 0.1, 0.1))}</link>
        <link name="x"><pose>2 0.5 1 0 0.1 0</pose>{inertial(1.0, "0 0 0 0 0 0", (0.1, 0.1, 0.1))}</link>
        <joint name="p" type="screw"><parent>v</parent><child>x</child><axis><xyz>0 1 0</xyz></axis>
          <screw_thread_pitch>0.1</screw_thread_pitch></joint>
      </model>
    </world></sdf>"""


def slope(values: Callable[[float], np.ndarray], at: float, step: float) -> np.ndarray:
    a, b, c, d = (values(at + k * step) for k in (1.0, -1.0, 2.0, -2.0))
    return np.asarray((8.0 * (a - b) - (c - d)) / (12.0 * step))


@pytest.mark.parametrize("spring", [WITH_LINES, WITH_TABLE])
def test_accelerations_by_every_parameter(spring: str) -> None:
    sim = simulator.load(document(spring))
    sim.run(0.3)
    state, world, mechanism = sim._core.state, sim._core.opened.world, sim.mechanism
    found, now = sim.gradients(), sim.forward_dynamics().array
    assert not found.without
    compared = 0
    for name in found.positions.columns:
        parameter = sim.parameters()[name]
        step = 1e-4 * max(abs(parameter.value), 0.1)
        if parameter.value - 2.0 * step < parameter.lower or name.endswith(("multiplier", ".pose.pitch")):
            continue  # one-sided, or it changes the velocity of the screw, which is held here

        def accelerations(value: float, name: str = name) -> np.ndarray:
            equations = Equations(Kinematics(varied(mechanism, world, {name: value})))
            equations.time = sim.time
            return equations.accelerations(state, np.zeros(len(state.position)))

        wanted = slope(accelerations, parameter.value, step)
        there = found.accelerations[:, name].array[: len(wanted)]
        size = np.abs(wanted).max() + 1e-3 * np.abs(now).max()
        assert np.abs(there - wanted).max() <= CLOSE * size, name
        compared += 1
    assert compared > 120


def test_regressors_leave_springs_and_loads_to_the_rest() -> None:
    sim = simulator.load(document(WITH_TABLE))
    sim.run(0.3)
    found = sim.regressor()
    smooth = np.array([not name.endswith("friction") for name in found.parameters.names])
    efforts = found.matrix.array[:, smooth] @ found.parameters.array[smooth] + found.rest.array
    assert efforts == pytest.approx(sim.inverse_dynamics().array, abs=1e-12)
    assert np.abs(found.rest.array).max() > 0.1


def test_runs_by_numbers_of_springs_and_loads() -> None:
    """From the same state, in the middle of a motion whose loads change over time."""
    sim = simulator.load(document(WITH_LINES))
    sim.run(0.3)
    names = ["spring1.stiffness", "t.mass", "load1.force.x", "world.gravity.z"]
    found = sim.sensitivities(0.3, names, points=7)
    for name in names:
        value = sim.parameters()[name].value

        def ends(number: float, name: str = name) -> np.ndarray:
            other = sim.varied({name: number})
            _go_on_from(other, sim)
            run = other.run(0.3)
            return np.array([run[row][-1] for row in found.rows if row in run])

        wanted = slope(ends, value, 1e-3 * max(abs(value), 0.1))
        there = np.array([found[row, name][-1] for row in found.rows if row.split("/")[1] in sim.positions.names])
        assert np.abs(there - wanted).max() <= 1e-6 * np.abs(wanted).max(), name


def test_times_that_do_not_fit_are_refused() -> None:
    sim = simulator.load(document(WITH_LINES))
    sim.run(0.3)
    with pytest.raises(UsageError, match="change over time"):
        sim.sensitivities(0.31415, ["t.mass"], points=7)


def _go_on_from(sim: Simulation, other: Simulation) -> None:
    """Let a simulation be at the state and time of another."""
    sim._core.known_moment, sim._core.is_placed, sim._core.origin = other.moment, False, None
