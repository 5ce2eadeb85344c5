"""Laws that are not straight lines, and constraints over several joints, against closed forms and other methods.

A pendulum drives another one by q2 = f(q1): with one freedom left its equation is that of Lagrange,

    J q̈ + ½ J' q̇² + V' = 0,   J = I1 + I2 f'²,   V = -g (m1 l1 cos q1 + m2 l2 cos f),

integrated here by DOP853 (Hairer, Nørsett and Wanner) to 1e-13.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from scipy.integrate import solve_ivp

import simulator
from simulator.engine.engine import Engine
from simulator.errors import AssemblyError, EngineLimitError, LimitsError, UsageError
from simulator.session.open.opening import open_document
from tests.physics.worlds import advance, example, joint, link, model, running, world

Write = Callable[..., Path]
OWN = pytest.mark.parametrize("solver", ["rows", "reduced"])
G = 9.8
MASSES, ARMS, MOMENTS = (1.0, 0.7), (0.3, 0.2), (0.02, 0.015)
"""[kg], [m], and [kg m²] about the centres."""
INERTIAS = tuple(i + m * a * a for i, m, a in zip(MOMENTS, MASSES, ARMS, strict=True))
"""About the hinges [kg m²]."""
CUBIC = (0.1, 0.5, 0.3, -0.1)


def document(body: str) -> str:
    """A world with our namespace."""
    return world(body).replace('version="1.12"', 'version="1.12" xmlns:simulator="urn:simulator"')


def law(text: str, leader: str = "ja", *, kind: str = "expression", options: str = "") -> str:
    return f'<mimic joint="{leader}"><simulator:{kind} {options}>{text}</simulator:{kind}></mimic>'


def polynomial(coefficients: tuple[float, ...], leader: str = "ja") -> str:
    return law(" ".join(map(repr, coefficients)), leader, kind="polynomial")


def pendulums(*inside: str, start: float = 0.0, constraint: str = "") -> str:
    """Two pendulums about y, `ja` and `jb`; `inside`: their axes."""
    names = ("a", "b")
    parts = [
        link(
            name, mass=MASSES[i], inertia=f"0.02 {MOMENTS[i]} 0.01", com=f"0 0 {-ARMS[i]}", pose=f"0 {i} 1 0 0 0"
        ) + joint(f"j{name}", "revolute", name, axis="0 1 0", inside_axis=inside[i] if i < len(inside) else "")
        for i, name in enumerate(names)
    ]  # fmt: skip
    position = f"<axis_state><position>{start!r}</position></axis_state>"
    state = f'<model_state><joint_state name="ja">{position}</joint_state></model_state>'
    return document(model(*parts, constraint, state))


def axis(engine: Engine, name: str) -> int:
    index = engine.mechanism.axis_index(name)
    assert index is not None
    return index


def positions(engine: Engine, *names: str) -> np.ndarray:
    snapshot = engine.snapshot()
    return np.array([snapshot.position[axis(engine, name)] for name in names])


def lagrange(f: Polynomial, start: float, time: float, torque: float = 0.0) -> tuple[float, float]:
    """q1 and q̇1 at a time, from rest."""
    slope, bend = f.deriv(), f.deriv(2)

    def rates(_: float, y: np.ndarray) -> list[float]:
        q, v = y
        J = INERTIAS[0] + INERTIAS[1] * slope(q) ** 2
        pull = G * (MASSES[0] * ARMS[0] * math.sin(q) + MASSES[1] * ARMS[1] * math.sin(f(q)) * slope(q))
        return [v, (torque - INERTIAS[1] * slope(q) * bend(q) * v * v - pull) / J]

    found = solve_ivp(rates, (0.0, time), [start, 0.0], method="DOP853", rtol=1e-13, atol=1e-13)
    return float(found.y[0, -1]), float(found.y[1, -1])


# -- motion ------------------------------------------------------------------------------------------------------------


@OWN
@pytest.mark.parametrize("coefficients", [CUBIC, (0.0, -1.3), (0.2, 0.0, 0.4), (0.0, 1.0, 0.0, 0.0, 0.2)])
def test_a_pendulum_that_follows_by_a_polynomial_moves_as_lagrange_says(
    write_document: Write, solver: str, coefficients: tuple[float, ...]
) -> None:
    f = Polynomial(coefficients)
    path = write_document(pendulums("", polynomial(coefficients), start=0.9))
    with running(path, solver=solver, dt=1e-3) as engine:
        worst = advance(engine, 2.0)
        snapshot = engine.snapshot()
        q, v = snapshot.position[axis(engine, "ja")], snapshot.velocity[axis(engine, "ja")]
        follower = snapshot.position[axis(engine, "jb")], snapshot.velocity[axis(engine, "jb")]
    # Runge-Kutta of order four with 1 ms, over some four swings: 1e-10 a second at these frequencies.
    assert (q, v) == pytest.approx(lagrange(f, 0.9, 2.0), abs=2e-9)
    assert follower == pytest.approx((f(q), f.deriv()(q) * v), abs=1e-13)
    assert worst.coupling < 1e-13


@OWN
@pytest.mark.parametrize(
    "text",
    [
        "0.4*sin(2*q) + 0.1*q**2",
        "atan2(sin(q), cos(0.5)*cos(q))",
        "2*atan2(1.3*sin(q/2), 0.7*cos(q/2))",
        "0.3*tanh(3*q)",
        "0.5*q + (0.2*q**4 if q > 0 else 0)",
    ],
)
def test_energy_is_kept_for_ten_seconds(write_document: Write, solver: str, text: str) -> None:
    with running(write_document(pendulums("", law(text), start=1.0)), solver=solver, dt=1e-3) as engine:
        before = engine.snapshot()
        advance(engine, 10.0)
        after = engine.snapshot()
    kinetic, potential = (abs(after.energy.kinetic), abs(after.energy.potential))
    drift = after.energy.kinetic + after.energy.potential - before.energy.kinetic - before.energy.potential
    assert abs(drift) < 1e-8 * (kinetic + potential)


def test_a_periodic_table_keeps_energy(write_document: Write) -> None:
    rows = "; ".join(f"{x!r} {0.5 * math.sin(x) + x!r}" for x in np.linspace(-math.pi, math.pi, 25).tolist())
    text = law(rows, kind="table", options='interpolation="cubic" periodic="true"')
    with running(write_document(pendulums("", text, start=2.8)), dt=1e-3) as engine:
        before = engine.snapshot().energy
        advance(engine, 10.0)
        after = engine.snapshot().energy
    # The third derivative of a cubic spline jumps at its rows: at each a step has an error of its own of order four.
    assert abs(after.kinetic + after.potential - before.kinetic - before.potential) < 1e-8 * abs(before.potential)


def test_inertia_is_reflected_by_the_slope(write_document: Write) -> None:
    f = Polynomial(CUBIC)
    sim = simulator.load(write_document(pendulums("", polynomial(CUBIC))))
    for q in (-0.8, 0.0, 0.7):
        sim.set({"ja": q})
        slope = f.deriv()(q)
        assert float(np.asarray(sim.mass_matrix()).item()) == pytest.approx(
            INERTIAS[0] + INERTIAS[1] * slope**2, rel=1e-12
        )


def test_forward_and_inverse_dynamics_are_lagranges(write_document: Write) -> None:
    f = Polynomial(CUBIC)
    sim = simulator.load(write_document(pendulums("", polynomial(CUBIC))))
    random = np.random.default_rng(1)
    for _ in range(20):
        q, v, torque = random.uniform(-1, 1, 3).tolist()
        slope, bend = f.deriv()(q), f.deriv(2)(q)
        sim.set({"ja": q}, velocity={"ja": v})
        J = INERTIAS[0] + INERTIAS[1] * slope**2
        pull = G * (MASSES[0] * ARMS[0] * math.sin(q) + MASSES[1] * ARMS[1] * math.sin(f(q)) * slope)
        expected = (torque - INERTIAS[1] * slope * bend * v * v - pull) / J
        found = sim.forward_dynamics({"ja": torque})
        assert found["m::ja"] == pytest.approx(expected, rel=1e-10, abs=1e-10)
        assert found["m::jb"] == pytest.approx(slope * expected + bend * v * v, rel=1e-10, abs=1e-10)
        assert sim.inverse_dynamics({"ja": expected})["m::ja"] == pytest.approx(torque, rel=1e-9, abs=1e-9)


def test_a_linear_model_is_that_of_the_reduced_pendulum(write_document: Write) -> None:
    """About an equilibrium q0, J δq̈ + V'' δq = 0 with V'' of the Lagrangian."""
    coefficients = (0.3, 0.6, 0.5)
    f = Polynomial(coefficients)
    sim = simulator.load(write_document(pendulums("", polynomial(coefficients))))
    m1, m2 = MASSES[0] * ARMS[0] * G, MASSES[1] * ARMS[1] * G

    def potential_slope(q: float) -> float:
        return m1 * math.sin(q) + m2 * math.sin(f(q)) * f.deriv()(q)

    low, high = -1.0, 0.5
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if potential_slope(middle) < 0.0 else (low, middle)
    sim.set({"ja": low})
    stiffness = (
        m1 * math.cos(low)
        + m2 * (math.cos(f(low)) * f.deriv()(low) ** 2 + math.sin(f(low)) * f.deriv(2)(low))
    )  # fmt: skip
    expected = math.sqrt(stiffness / (INERTIAS[0] + INERTIAS[1] * f.deriv()(low) ** 2))
    frequencies = np.abs(np.linalg.eigvals(np.asarray(sim.linearise().A)).imag)
    assert frequencies.max() == pytest.approx(expected, rel=1e-8)  # the place of equilibrium counts in full


def test_slopes_by_parameters_are_those_of_lagrange(write_document: Write) -> None:
    """q̈ changes with a damper on the leader by -q̇ / J, with one on the follower by -f'² q̇ / J."""
    f = Polynomial(CUBIC)
    sim = simulator.load(write_document(pendulums("", polynomial(CUBIC))))
    sim.set({"ja": 0.7}, velocity={"ja": 1.1})
    found = sim.gradients(["ja.damping", "jb.damping"]).accelerations
    slope = f.deriv()(0.7)
    J = INERTIAS[0] + INERTIAS[1] * slope**2
    assert found["m::ja", "ja.damping"] == pytest.approx(-1.1 / J, rel=1e-10)
    assert found["m::ja", "jb.damping"] == pytest.approx(-(slope**2) * 1.1 / J, rel=1e-10)
    assert found["m::jb", "ja.damping"] == pytest.approx(-slope * 1.1 / J, rel=1e-10)


# -- what is passed on -------------------------------------------------------------------------------------------------


@OWN
def test_the_effort_of_the_coupling_is_what_its_follower_needs(write_document: Write, solver: str) -> None:
    f = Polynomial(CUBIC)
    sim = simulator.load(write_document(pendulums("", polynomial(CUBIC))), solver=solver)
    sim.set({"ja": 0.6}, velocity={"ja": -0.9})
    acceleration = sim.forward_dynamics({})["m::jb"]
    needed = INERTIAS[1] * acceleration + G * MASSES[1] * ARMS[1] * math.sin(f(0.6))
    found = sim.reactions().couplings
    assert found["m::jb"] == pytest.approx(needed, rel=1e-10)


@OWN
def test_the_stop_of_a_follower_stops_its_leader(write_document: Write, solver: str) -> None:
    stop = "<limit><lower>-1</lower><upper>0.4</upper></limit>"
    text = pendulums("", law("0.8*q + 0.3*q**3") + stop)
    with running(write_document(text), solver=solver, dt=1e-3, drives=("ja=effort:6",)) as engine:
        advance(engine, 3.0)
        q = positions(engine, "ja", "jb")
        speed = np.abs(engine.snapshot().velocity).max()
    leader = float(np.real(Polynomial((-0.4, 0.8, 0.0, 0.3)).roots()[-1]))
    assert q == pytest.approx([leader, 0.4], abs=1e-9)
    assert speed < 1e-9


def test_limits_of_a_follower_move_the_start_of_its_leader(write_document: Write) -> None:
    stop = "<limit><lower>-1</lower><upper>0.4</upper></limit>"
    with running(write_document(pendulums("", law("q**3 + q") + stop, start=1.0))) as engine:
        q = positions(engine, "ja", "jb")
    assert q[1] == pytest.approx(q[0] ** 3 + q[0], abs=1e-12)
    assert q[1] <= 0.4 + 1e-9


def test_a_dwell_passes_nothing_on(write_document: Write) -> None:
    """A spring and a weight on a follower that rests: the leader turns as if it were alone."""
    rows = "-4 0 0; -1 0 0; 0 0.5 0; 1 0.5 0; 4 0.5 0"
    spring = "<dynamics><spring_stiffness>50</spring_stiffness></dynamics>"
    text = law(rows, kind="table", options='interpolation="hermite"')
    path = write_document(pendulums("", text + spring))
    assert any(finding.code == "LAW_DWELLS" for finding in open_document(path).diagnostics)
    sim = simulator.load(path)
    sim.set({"ja": 0.5}, velocity={"ja": 2.0})
    alone = -G * MASSES[0] * ARMS[0] * math.sin(0.5) / INERTIAS[0]
    found = sim.forward_dynamics({})
    assert found["m::ja"] == pytest.approx(alone, rel=1e-13)
    assert found["m::jb"] == 0.0


def test_a_table_of_a_cam_has_its_derivative(write_document: Write) -> None:
    """Dwell, cycloidal rise, dwell, cycloidal return (Norton, Design of Machinery, ch. 8), with slopes."""
    h, beta = 0.01, math.pi / 2

    def rise(x: float) -> tuple[float, float]:
        return h * (x / beta - math.sin(2 * math.pi * x / beta) / (2 * math.pi)), h / beta * (
            1 - math.cos(2 * math.pi * x / beta)
        )

    rows = ["0 0 0"]
    count = 32
    rows += [f"{beta + x!r} {rise(x)[0]!r} {rise(x)[1]!r}" for x in np.linspace(0, beta, count + 1).tolist()]
    rows += [f"{3 * beta + x!r} {h - rise(x)[0]!r} {-rise(x)[1]!r}" for x in np.linspace(0, beta, count + 1).tolist()]
    cam = law("; ".join(rows), "cam_joint", kind="table", options='interpolation="hermite" periodic="true"')
    text = document(
        model(
            link("cam") + joint("cam_joint", "continuous", "cam", axis="0 1 0"),
            link("valve", pose="0 0 1 0 0 0") + joint("valve_joint", "prismatic", "valve", inside_axis=cam),
        )
    )
    sim = simulator.load(write_document(text))
    width = beta / count
    for angle in np.linspace(0.01, 4 * math.pi, 200).tolist():
        sim.set({"cam_joint": angle}, velocity={"cam_joint": 3.0})
        x = angle % (2 * math.pi)
        lift, slope = (0.0, 0.0) if x < beta else rise(x - beta) if x < 2 * beta else (h, 0.0)
        if x > 3 * beta:
            lift, slope = h - rise(x - 3 * beta)[0], -rise(x - 3 * beta)[1]
        # Hermite's cubic is off by at most w⁴/384 max|y⁗|, its slope by w³ √3/216 of that (Birkhoff and Priver, 1967).
        fourth = h * (2 * math.pi) ** 3 / beta**4
        assert sim.positions["m::valve_joint"] == pytest.approx(lift, abs=fourth * width**4 / 384 + 1e-15)
        assert sim.velocities["m::valve_joint"] == pytest.approx(
            3.0 * slope, abs=3.0 * fourth * width**3 * math.sqrt(3) / 216 + 1e-14
        )


def test_chains_and_rings_of_laws(write_document: Write) -> None:
    """c follows b follows a; d is tied to a by a constraint that says the same as its law: one of both is enough."""
    wheels = {
        "a": "",
        "b": law("q + 0.3*sin(q)", "ja"),
        "c": law("2*atan2(1.5*sin(q/2), cos(q/2))", "jb"),
        "d": law("0.5*q**2", "ja"),
    }
    parts = [
        link(name, inertia="1 0.1 1", pose=f"0 {i} 0 0 0 0")
        + joint(f"j{name}", "continuous", name, axis="0 1 0", inside_axis=inside)
        for i, (name, inside) in enumerate(wheels.items())
    ]
    constraint = '<simulator:constraint name="again" follower="je">je - 0.5*ja**2 - jd</simulator:constraint>'
    parts.append(link("e", inertia="1 0.1 1", pose="0 5 0 0 0 0") + joint("je", "continuous", "e", axis="0 1 0"))
    with running(write_document(document(model(*parts, constraint))), drives=("ja=velocity:2",), dt=1e-3) as engine:
        worst = advance(engine, 5.0)
        a, b, c, d, e = positions(engine, "ja", "jb", "jc", "jd", "je")
    assert worst.coupling < 1e-12
    # A motor's effort is constant over a step while the inertia changes: t²/12 of the jerk that this leaves a second.
    assert a == pytest.approx(10.0, abs=1e-5)
    assert b == pytest.approx(a + 0.3 * math.sin(a), abs=1e-12)
    assert math.remainder(c - 2 * math.atan2(1.5 * math.sin(b / 2), math.cos(b / 2)), 2 * math.pi) == pytest.approx(
        0.0, abs=1e-12
    )
    assert abs(b - c) < math.pi  # it has turned as often
    assert (d, e) == pytest.approx((0.5 * a**2, a**2), abs=1e-10)


# -- published laws ----------------------------------------------------------------------------------------------------


def test_elliptic_gears_roll_on_each_other(write_document: Write) -> None:
    """Two equal ellipses that turn about foci 2 a apart: tan(θ2/2) = (1+e)/(1-e) tan(θ1/2), and where they touch both
    have one speed, r1 ω1 = r2 ω2 with r1 = a (1-e²)/(1 + e cos(θ1 + π)), r2 = 2 a - r1 (Litvin, Gear Geometry)."""
    e = 0.4
    path = write_document(pendulums("", law(f"2*atan2((1 + {e})*sin(q/2), (1 - {e})*cos(q/2))")))
    sim = simulator.load(path)
    for angle in np.linspace(-15, 15, 61).tolist():
        sim.set({"ja": angle}, velocity={"ja": 1.0})
        own = (1 - e * e) / (1 + e * math.cos(angle + math.pi))
        assert sim.velocities["m::jb"] == pytest.approx(own / (2 - own), rel=1e-12)
        half = math.remainder(sim.positions["m::jb"], 2 * math.pi) / 2
        assert math.sin(half) * (1 - e) * math.cos(angle / 2) == pytest.approx(
            math.cos(half) * (1 + e) * math.sin(angle / 2), abs=1e-12
        )


# -- constraints -------------------------------------------------------------------------------------------------------


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


# -- changes and refusals ----------------------------------------------------------------------------------------------


@OWN
def test_a_law_changes_while_it_runs(write_document: Write, solver: str) -> None:
    with running(write_document(pendulums("", law("0.5*q"), start=0.5)), solver=solver, dt=1e-3) as engine:
        advance(engine, 0.5)
        engine.change_curve(0, "0.3*q + 0.2*q**3")
        advance(engine, 0.5)
        a, b = positions(engine, "ja", "jb")
        assert b == pytest.approx(0.3 * a + 0.2 * a**3, abs=1e-13)
        engine.change_coupling(0, 2.0, 0.1, 0.0)
        advance(engine, 0.2)
        a, b = positions(engine, "ja", "jb")
        assert b == pytest.approx(2.0 * a + 0.1, abs=1e-13)
        engine.change_curve(0, "sin(q)")
        advance(engine, 0.2)
        a, b = positions(engine, "ja", "jb")
        assert b == pytest.approx(math.sin(a), abs=1e-13)
        with pytest.raises(UsageError, match="did you mean 'sin'"):
            engine.change_curve(0, "sine(q)")


def test_gears_of_bullet_refuse_a_law_by_its_name(write_document: Write) -> None:
    path = write_document(pendulums("", law("sin(q)")))
    said = r"gear cannot hold the mimic that ties 'm::jb', 'm::ja'.*straight line"
    with pytest.raises(EngineLimitError, match=said), running(path, solver="gear"):
        pass


def test_a_law_without_a_value_is_named(write_document: Write) -> None:
    path = write_document(pendulums("", law("sqrt(q)"), start=-0.5))
    (finding,) = [item for item in open_document(path).diagnostics if item.code == "LAW_WITHOUT_VALUE"]
    assert finding.is_error
    assert "has no value at 'm::ja' = -0.5 rad" in finding.message


def test_a_position_that_a_law_does_not_allow_is_named(write_document: Write) -> None:
    path = write_document(pendulums("", law("0.1*sin(q)")))
    sim = simulator.load(path)
    with pytest.raises((AssemblyError, LimitsError), match="the law of 'm::jb' cannot hold"):
        sim.set({"ja": 0.0, "jb": 0.5})


# -- the worlds --------------------------------------------------------------------------------------------------------


@OWN
def test_hookes_joint_is_its_law(solver: str) -> None:
    """tan β = tan α / cos δ: the dial follows by the formula, the output shaft by a universal joint in a loop."""
    with running(example("hooke_shaft"), solver=solver, drives=("input_joint=velocity:3",)) as engine:
        for _ in range(30):
            advance(engine, 0.1)
            alpha, dial, output = positions(engine, "input_joint", "dial_joint", "output_joint")
            beta = math.atan2(math.sin(alpha), math.cos(math.radians(30)) * math.cos(alpha))
            assert math.remainder(dial - beta, 2 * math.pi) == pytest.approx(0.0, abs=1e-12)
            assert math.remainder(dial - output, 2 * math.pi) == pytest.approx(0.0, abs=1e-12)
            assert abs(dial - alpha) < 0.2  # it has turned as often


def test_hookes_joint_as_a_table(write_document: Write) -> None:
    """A spline of 60 rows, within its error: |y - s| ≤ 5/384 h⁴ max|y⁗| (Hall and Meyer, 1976)."""
    delta, count = math.radians(30), 60

    def beta(alpha: np.ndarray) -> np.ndarray:
        c = math.cos(delta)
        return alpha + np.arctan2(np.sin(alpha) * np.cos(alpha) * (1 - c), c * np.cos(alpha) ** 2 + np.sin(alpha) ** 2)

    rows = np.linspace(0, 2 * math.pi, count + 1)
    text = "; ".join(f"{x!r} {y!r}" for x, y in zip(rows.tolist(), beta(rows).tolist(), strict=True))
    sim = simulator.load(
        write_document(pendulums("", law(text, kind="table", options='interpolation="cubic" periodic="true"')))
    )
    h = 1e-2
    dense = np.arange(0, 7, h)
    fourth = np.abs(np.diff(beta(dense), 4)).max() / h**4
    bound = 5 / 384 * (2 * math.pi / count) ** 4 * fourth
    worst = 0.0
    for alpha in np.linspace(-9, 9, 101).tolist():
        sim.set({"ja": alpha})
        worst = max(worst, abs(sim.positions["m::jb"] - float(beta(np.array(alpha)))))
    assert 0.0 < worst < bound < 1e-5


def test_the_cam_feels_its_spring_on_the_way_only() -> None:
    """Torque of the cam at rest: the spring's force times the slope of the lift, none while the valve rests; and
    gravity of the valve likewise."""
    sim = simulator.load(example("cam_valve"))
    for angle, moves in ((0.7, False), (2.2, True), (4.0, False), (5.6, True)):
        sim.set({"cam_joint": angle}, velocity={"cam_joint": 1.0})
        lift, slope = sim.positions["cam_valve::valve_joint"], sim.velocities["cam_valve::valve_joint"]
        assert (slope != 0.0) == moves
        sim.set({"cam_joint": angle})
        torque = sim.inverse_dynamics({"cam_joint": 0.0})["cam_valve::cam_joint"]
        assert torque == pytest.approx((1500 * (lift + 0.02) + 0.12 * G) * slope, rel=1e-9, abs=1e-12)


def test_elliptic_gears_keep_energy_from_turn_to_turn() -> None:
    with running(example("elliptic_gears"), initial=("driver_joint=0.1",), velocity=("driver_joint=6",)) as engine:
        before = engine.snapshot().energy
        advance(engine, 10.0)
        after = engine.snapshot().energy
        driver, driven = positions(engine, "driver_joint", "driven_joint")
    change = after.kinetic + after.potential - before.kinetic - before.potential
    assert abs(change) < 1e-8 * before.kinetic
    assert abs(driver - driven) < 1.0
