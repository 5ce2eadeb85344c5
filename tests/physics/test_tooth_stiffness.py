"""A stiffness over the position of the leader, as teeth have over the cycle of their mesh: the law against an
independent integration, its energy, equilibria and linear models, and how a document states it."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import simulator
from simulator.errors import UsageError
from simulator.model.coupling import Compliance
from simulator.session.batch.conversion import convert_document, convert_to_urdf
from tests.helpers.real_couplings import arm, planetary, wheels

J1, J2, M = 0.5, 2.0, -2.0
POSITIONS, STIFFNESS, PERIOD = (0.0, 0.1, 0.25, 0.4), (300.0, 900.0, 500.0, 300.0), 0.4
TABLE = 'stiffness="300 900 500 300" positions="0 0.1 0.25 0.4" period="0.4"'
START = (0.03, 0.14, 1.0, -1.5)
"""Positions and velocities of both wheels: pressed in by 0.2 rad, so that -k' z² / 2 is as large as k z."""
Write = Callable[..., Path]


def table(position: float) -> tuple[float, float]:
    """Stiffness and slope of TABLE."""
    position %= PERIOD
    i = min(bisect_right(POSITIONS, position), len(POSITIONS) - 1)
    slope = (STIFFNESS[i] - STIFFNESS[i - 1]) / (POSITIONS[i] - POSITIONS[i - 1])
    return STIFFNESS[i - 1] + slope * (position - POSITIONS[i - 1]), slope


def exact(damping: float, duration: float) -> np.ndarray:
    """Positions and velocities at the end, from the equations of two wheels."""

    def rates(_time: float, y: np.ndarray) -> list[float]:
        stiffness, slope = table(y[0])
        z, dz = y[1] - M * y[0], y[3] - M * y[2]
        carried = -stiffness * z - damping * dz
        return [y[2], y[3], (-M * carried - 0.5 * slope * z * z) / J1, carried / J2]

    found = solve_ivp(rates, (0.0, duration), START, method="DOP853", rtol=1e-9, atol=1e-11, max_step=1e-3)
    return np.asarray(found.y[:, -1])


def swinging(inside: str, dt: float, duration: float) -> simulator.Run:
    sim = simulator.load(wheels((J1, J2), M, f"<simulator:compliance {inside}/>"), dt=dt)
    sim.set({"j0": START[0], "j1": START[1]}, velocity={"j0": START[2], "j1": START[3]})
    return sim.run(duration)


@pytest.mark.parametrize("damping", [0.0, 2.0])
def test_a_parametric_oscillator_is_followed_to_second_order(damping: float) -> None:
    """Half the step, a quarter of the error; kinks of the table that fall anywhere in a step make it 2.5 to 6."""
    wanted = exact(damping, 0.5)
    errors = []
    for dt in (1e-3, 5e-4, 2.5e-4):
        run = swinging(f'{TABLE} damping="{damping}"', dt, 0.5)
        got = [run[f"{name}/{what}"][-1] for what in ("position", "velocity") for name in ("j0", "j1")]
        errors.append(np.abs(np.array(got) - wanted).max())
    assert errors[0] < 0.05 * np.abs(wanted).max()
    assert 2.5**2 < errors[0] / errors[2] < 6.0**2


def test_free_motion_keeps_its_energy() -> None:
    """To the rounding of 10 000 steps. Without the effort -k' z² / 2 on the leader the exact motion would have 34 %
    more or less energy after them."""
    run = swinging(TABLE, 1e-3, 10.0)
    energy = run["energy/kinetic"] + run["energy/potential"]
    stiffness, _ = table(START[0])
    assert run["energy/potential"][0] == pytest.approx(0.5 * stiffness * 0.2**2, rel=1e-12)
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-11


@pytest.mark.parametrize(
    "inside",
    [
        f'<simulator:compliance {TABLE} damping="0.4"/>',
        f'<simulator:compliance {TABLE} damping="0.4"/><simulator:efficiency forward="0.9" backward="0.8"/>',
    ],
)
def test_the_ledger_closes(inside: str) -> None:
    """1e-9 of the energy that is converted. What teeth store on the way is no loss: couplings with losses alone have a
    power that passes them."""
    sim = simulator.load(wheels((J1, J2), M, inside))
    sim.drive("j0", simulator.effort(simulator.sine(4.0, 2.0)))
    run = sim.run(1.0)
    assert np.abs(run["energy/error"]).max() < 1e-9 * np.abs(run["energy/work"]).max()
    assert run["energy/dissipated"][-1] > 0.0
    assert bool(run.couplings) is ("efficiency" in inside)


@pytest.mark.parametrize(
    "inside",
    [
        'stiffness="500 500 500" damping="0.4" positions="0 0.1 0.3" period="0.3"',
        'stiffness="500" damping="0.4" positions="-1 1"',
    ],
)
def test_a_constant_table_moves_as_the_constant_does(inside: str) -> None:
    """To the last bit."""
    motions = []
    for one in ('stiffness="500" damping="0.4"', inside):
        sim = simulator.load(wheels((J1, J2), M, f"<simulator:compliance {one}/>"))
        sim.drive("j0", simulator.effort(simulator.sine(4.0, 1.0)))
        run = sim.run(0.5)
        motions.append(np.array([run["j0/position"], run["j1/velocity"], run["energy/potential"]]))
    assert (motions[0] == motions[1]).all()


def test_stiff_teeth_move_as_the_ideal_coupling() -> None:
    """They give way by the effort over the stiffness, 2e-6 rad, whatever their table: they are far too stiff for the
    step."""
    motions = []
    for inside in ("", '<simulator:compliance stiffness="1e7 3e7" damping="1e3" positions="0 0.02" period="0.04"/>'):
        sim = simulator.load(wheels((J1, J2), M, inside))
        sim.drive("j0", simulator.effort(simulator.sine(4.0, 1.0)))
        motions.append(sim.run(1.0)["j0/position"])
    assert motions[1] == pytest.approx(motions[0], abs=2e-6)


def test_the_cycle_of_a_planetary_gear_is_that_against_its_carrier() -> None:
    """What is stored is that of the angle from carrier to sun, and is conserved to second order as the teeth pass."""
    sim = simulator.load(planetary(f"<simulator:compliance {TABLE}/>", 80.0, 40.0, inertia=0.3))
    sim.set({}, velocity={"s": 2.0, "c": 0.2})
    run = sim.run(1.0)
    energy = run["energy/kinetic"] + run["energy/potential"]
    against = run["s/position"] - run["c/position"]
    stored = [0.5 * table(s)[0] * z * z for s, z in zip(against, run["coupling/m::c/residual"], strict=True)]
    assert run["energy/potential"] == pytest.approx(stored, abs=1e-12)
    assert against[-1] - against[0] > PERIOD
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-4


def test_an_arm_rests_where_its_teeth_push_the_rotor_aside() -> None:
    """c q = -0.2 k z - k' z² / 2 of the rotor on its spring, k z = m g r cos of the arm; what moves comes to rest
    there."""
    c, slope = 20.0, 50.0
    document = arm('<simulator:compliance stiffness="500 700" positions="-2 2" damping="20"/>').replace(
        "<child>rotor</child><axis><xyz>0 1 0</xyz>",
        "<child>rotor</child><axis><xyz>0 1 0</xyz><dynamics><damping>0.5</damping>"
        f"<spring_stiffness>{c}</spring_stiffness><spring_reference>0</spring_reference></dynamics>",
    )
    sim = simulator.load(document)
    rotor, bar = sim.equilibria()[0].position
    z = bar + 0.2 * rotor
    stiffness = 600.0 + slope * rotor
    assert stiffness * z == pytest.approx(2.0 * 9.8 * 0.5 * math.cos(bar), rel=1e-9)
    assert c * rotor == pytest.approx(-0.2 * stiffness * z - 0.5 * slope * z * z, rel=1e-9)
    run = sim.run(5.0)
    assert [run["r/position"][-1], run["a/position"][-1]] == pytest.approx([rotor, bar], abs=1e-8)


def test_a_table_is_constant_beyond_its_ends_or_repeats() -> None:
    once = Compliance((1.0, 3.0), 0.0, (0.0, 2.0))
    assert [once.at(s) for s in (-1.0, 0.5, 5.0)] == [(1.0, 0.0), (1.5, 1.0), (3.0, 0.0)]
    again = Compliance((1.0, 3.0), 0.0, (0.0, 2.0), 3.0)
    assert again.at(-0.5) == (2.0, -2.0)
    assert again.at(3.5) == (1.5, 1.0)


@pytest.mark.parametrize("suffix", [".sdf", ".urdf"])
def test_a_table_is_written_as_it_was_read(write_document: Write, tmp_path: Path, suffix: str) -> None:
    path = write_document(wheels((J1, J2), M, f'<simulator:compliance {TABLE} damping="0.4"/>'))
    converted = convert_document(path, tmp_path) if suffix == ".sdf" else convert_to_urdf(path, tmp_path)
    assert 'positions="0 0.1 0.25 0.4"' in converted.text.replace(".0 ", " ").replace('.0"', '"')
    target = tmp_path / f"written{suffix}"
    target.write_text(converted.text, encoding="utf-8")
    ends = []
    for one in (path, target):
        sim = simulator.load(one)
        sim.drive("j0", simulator.effort(3.0))
        ends.append(sim.run(0.2)["energy/potential"][-1])
    assert ends[0] == pytest.approx(ends[1], rel=1e-9)


def test_a_table_is_varied_in_proportion() -> None:
    """Its number is the largest. The same as a document with the other table, but for rounding of the ratio."""
    sim = simulator.load(wheels((J1, J2), M, f'<simulator:compliance {TABLE} damping="0.4"/>'))
    largest = max(STIFFNESS)
    assert sim.parameters()["j1.compliance.stiffness"].value == largest
    numbers = " ".join(repr(number * 2.0) for number in STIFFNESS)
    other = TABLE.replace(" ".join(f"{number:g}" for number in STIFFNESS), numbers)
    assert other != TABLE
    ends = []
    for one in (
        sim.varied({"j1.compliance.stiffness": 2.0 * largest}),
        simulator.load(wheels((J1, J2), M, f'<simulator:compliance {other} damping="0.4"/>')),
    ):
        one.drive("j0", simulator.effort(3.0))
        ends.append(one.run(0.2)["energy/potential"][-1])
    assert ends[0] == pytest.approx(ends[1], rel=1e-12)
    assert ends[0] != pytest.approx(sim.run(0.2)["energy/potential"][-1], rel=1e-3)


def test_a_table_of_zeros_has_no_proportions() -> None:
    table = '<simulator:bearing_friction speeds="0 10" forward="0 0" backward="0.1 0.2"/>'
    sim = simulator.load(wheels((J1, J2), M, table))
    assert sim.varied({"j1.bearing_friction.backward": 0.4}) is not None
    with pytest.raises(UsageError, match="the forward of its bearing_friction is a table of zeros"):
        sim.varied({"j1.bearing_friction.forward": 0.1})
