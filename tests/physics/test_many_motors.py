"""Motors of which there are so many that one factor solves them (`solver.dense`)."""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from simulator.physics.solver.dense import DENSE

MANY = DENSE + 4


def fingers(count: int, tip: float) -> str:
    """Fingers of two links side by side, with weight, dry friction and stops; the outer links have `tip` kg."""
    parts = ""
    for i in range(count):
        at = f"0 {0.1 * i} 0 0 0 0"
        parts += f"""<link name="a{i}"><pose>{at}</pose><inertial><pose>0.1 0 0 0 0 0</pose><mass>1</mass>
            <inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial></link>
          <link name="b{i}"><pose>0.2 {0.1 * i} 0 0 0 0</pose><inertial><pose>0.02 0 0 0 0 0</pose><mass>{tip}</mass>
            <inertia><ixx>{1e-4 * tip}</ixx><iyy>{1e-4 * tip}</iyy><izz>{1e-4 * tip}</izz></inertia></inertial></link>
          <joint name="j{i}" type="revolute"><parent>world</parent><child>a{i}</child><axis><xyz>0 1 0</xyz>
            <limit><lower>-0.5</lower><upper>0.02</upper><effort>20</effort></limit>
            <dynamics><friction>0.3</friction></dynamics></axis></joint>
          <joint name="k{i}" type="revolute"><parent>a{i}</parent><child>b{i}</child><axis><xyz>0 1 0</xyz>
            <limit><lower>-0.01</lower><upper>0.01</upper><effort>0.5</effort></limit>
            <dynamics><friction>0.01</friction></dynamics></axis></joint>"""
    return f'<sdf version="1.12"><world name="w"><model name="m">{parts}</model></world></sdf>'


@pytest.mark.parametrize("tip", [0.5, 1e-3])
def test_many_fingers_move_as_one_does(tip: float) -> None:
    """One finger has four rows at most at no bound, and is solved by conjugate gradients; of many, which do not feel
    each other, each does the same. Outer motors press on their stops with all they have; friction that sticks and a
    motor on its axis share, so that efforts are compared, too. Sweeps end at 1e-14 of the velocities, 1e-10 of the
    efforts of links of a gram."""
    drives = {"j": simulator.velocity(simulator.sine(0.5, 4.0)), "k": simulator.velocity(1.0)}
    runs = []
    for count in (1, MANY):
        sim = simulator.load(fingers(count, tip), dt=1e-3)
        runs.append(sim.run(0.1, drives={f"{axis}{i}": drive for i in range(count) for axis, drive in drives.items()}))
    alone, together = runs
    for i in range(0, MANY, 7):
        for column in ("j{}/position", "j{}/velocity", "j{}/effort", "k{}/position", "k{}/velocity", "k{}/effort"):
            scale = max(1.0, float(np.abs(alone[column.format(0)]).max()))
            assert together[column.format(i)] == pytest.approx(alone[column.format(0)], abs=1e-9 * scale), column


def test_a_strong_motor_presses_on_its_stop_with_all_it_has() -> None:
    """An effort limit of 2 kN m on 1e-5 kg m²: sweeps would take a million rounds to the limit, a motor and a stop that
    ask for different velocities push along impulses that move nothing."""
    document = """<sdf version="1.12"><world name="w"><gravity>0 0 0</gravity><model name="m">
      <link name="a"><inertial><mass>0.01</mass><inertia><ixx>1e-5</ixx><iyy>1e-5</iyy><izz>1e-5</izz></inertia>
      </inertial></link><joint name="j" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz>
      <limit><lower>0</lower><upper>0</upper><effort>2000</effort></limit></axis></joint></model></world></sdf>"""
    sim = simulator.load(document, dt=1e-3)
    run = sim.run(0.02, drives={"j": simulator.velocity(1e-3)})
    assert run["j/effort"][1:] == pytest.approx(2000.0, rel=1e-9)
    assert run["j/position"] == pytest.approx(0.0, abs=1e-9)
