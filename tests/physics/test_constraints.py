"""Constraints over several joints, against the loop that one describes and published differentials."""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from tests.physics.test_laws import OWN, Write, document, positions
from tests.physics.worlds import advance, joint, link, model, running


def slider_crank(*, as_constraint: bool) -> str:
    """A crank of 0.1 m and a rod of 0.3 m that pushes a piston along x: as an equation, or as a loop with a rod that
    weighs next to nothing."""
    crank = link("crank", inertia="0.01 0.01 0.01", com="0.05 0 0") + joint(
        "crank_joint", "revolute", "crank", axis="0 -1 0"
    )
    piston = link("piston", pose="0.4 0 0 0 0 0", mass=2.0) + joint("piston_joint", "prismatic", "piston", axis="1 0 0")
    if as_constraint:
        tie = (
            '<simulator:constraint name="rod" follower="piston_joint">hypot(piston_joint + 0.4 - 0.1*cos(crank_joint), '
            "0.1*sin(crank_joint)) - 0.3</simulator:constraint>"
        )
        return document(model(crank, piston, tie))
    rod = link("rod", pose="0.25 0 0 0 0 0", mass=1e-9, inertia="1e-11 1e-11 1e-11")
    pin = joint("pin", "revolute", "rod", parent="crank", axis="0 -1 0", pose="-0.15 0 0 0 0 0")
    wrist = joint("wrist", "revolute", "piston", parent="rod", axis="0 -1 0")
    return document(model(crank, piston, rod, pin, wrist))


@OWN
def test_a_constraint_moves_as_the_loop_that_it_describes(write_document: Write, solver: str) -> None:
    ends = []
    for as_constraint in (True, False):
        path = write_document(slider_crank(as_constraint=as_constraint), f"{as_constraint}.sdf")
        with running(
            path, solver=solver, dt=1e-3, drives=("crank_joint=effort:0.5",), initial=("crank_joint=1",)
        ) as engine:
            worst = advance(engine, 1.5)
            ends.append(positions(engine, "crank_joint", "piston_joint"))
    assert worst.coupling < 1e-12
    # The rod of the loop has a billionth of the piston's mass.
    assert ends[0] == pytest.approx(ends[1], abs=1e-7)


HIP = (
    "57*sin({y})/2500 - 49*cos(a)/5000 - {s}*399*sin(a)/20000 - 8*cos({y})*cos(b)/625 - 57*cos(a)*sin(b)/2500"
    " - {s}*7*sin({y})*sin(a)/625 + {s}*7*sin(a)*sin(b)/625 - 8*cos(a)*sin({y})*sin(b)/625 + 3021/160000"
)
KNEE = (
    "21*cos((y1 - y2)/2 + 1979*3.1415/4500)/6250 - 13*cos((y1 - y2)/2 + 493*3.1415/1500)/625 - 273*cos(3.1415/9)/12500"
    " - 7*sin((y1 - y2)/2 + foot + 231*3.1415/500)/2500 + 91*sin(foot + 2*3.1415/15)/5000"
    " - 147*sin(foot + 3.1415/45)/50000 + 163349/6250000"
)


def differential(names: tuple[str, str], axes: tuple[str, str], first: str, second: str) -> str:
    """Two links in a row, `names`, moved by two rotors behind gears of 6, which carry y1 and y2."""
    one, two = names
    parts = [
        link(f"l_{one}", pose="0 0 1 0 0 0") + joint(one, "revolute", f"l_{one}", axis=axes[0]),
        link(f"l_{two}", pose="0 0 0.7 0 0 0"),
        joint(two, "revolute", f"l_{two}", parent=f"l_{one}", axis=axes[1], pose="0 0 0.3 0 0 0"),
    ]
    for i in (1, 2):
        gear = f'<mimic joint="rotor{i}"><multiplier>{1 / 6!r}</multiplier></mimic>'
        parts += [
            link(f"l_rotor{i}", inertia="1e-4 1e-4 1e-4", pose=f"0 {i} 0 0 0 0"),
            joint(f"rotor{i}", "revolute", f"l_rotor{i}", axis="0 0 1"),
            link(f"l_y{i}", inertia="1e-6 1e-6 1e-6", mass=1e-3, pose=f"0 {i} 1 0 0 0"),
            joint(f"y{i}", "revolute", f"l_y{i}", axis="0 0 1", inside_axis=gear),
        ]
    ties = [
        f'<simulator:constraint name="{name}" follower="{follower}">{text}</simulator:constraint>'
        for name, follower, text in (("first", two, first), ("second", one, second))
    ]
    return document(model(*parts, *ties))


def slopes_by_rotors(sim: simulator.Simulation, names: tuple[str, str]) -> np.ndarray:
    """∂(joints)/∂(rotors) from velocities, shape (2, 2)."""
    columns = []
    for rates in ((1.0, 0.0), (0.0, 1.0)):
        sim.set({"rotor1": 0.0, "rotor2": 0.0}, velocity={"rotor1": rates[0], "rotor2": rates[1]})
        columns.append([sim.velocities[f"m::{name}"] for name in names])
    return np.array(columns).T


def test_the_hip_of_tello(write_document: Write) -> None:
    """Differential hip of the robot Tello (Sim et al., Tello Leg, 2022; equations of its model in GRBDA): with the
    rotors at zero the joints are at (0, -0.156853495), and ∂(a, b)/∂rotors is as published there."""
    text = differential(
        ("a", "b"), ("1 0 0", "0 1 0"), HIP.format(y="y1", s="1"), HIP.format(y="y2", s="-1")
    )  # fmt: skip
    sim = simulator.load(write_document(text))
    sim.set({"rotor1": 0.0, "rotor2": 0.0})
    assert (sim.positions["m::a"], sim.positions["m::b"]) == pytest.approx((0.0, -0.156853495), abs=1e-9)
    expected = [[0.0952381, -0.0952381], [0.08428461, 0.08428461]]
    assert slopes_by_rotors(sim, ("a", "b")) == pytest.approx(np.array(expected), abs=5e-8)


def test_the_knee_and_ankle_of_tello(write_document: Write) -> None:
    """Shin and foot: the mean of both rotors turns the shin, their difference the foot by a linkage. The published
    model has 3.1415 for π."""
    sim = simulator.load(write_document(differential(("shin", "foot"), ("0 1 0", "0 1 0"), KNEE, "shin - (y1 + y2)/2")))
    sim.set({"rotor1": 0.0, "rotor2": 0.0})
    assert (sim.positions["m::shin"], sim.positions["m::foot"]) == pytest.approx((0.0, 9.906e-5), abs=1e-7)
    expected = [[1 / 12, 1 / 12], [-0.08873211, 0.08873211]]
    assert slopes_by_rotors(sim, ("shin", "foot")) == pytest.approx(np.array(expected), abs=1e-5)
