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
from tests.physics.worlds import advance, joint, link, model, running, world

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


def test_a_script_gives_another_law(write_document: Write) -> None:
    sim = simulator.load(write_document(pendulums("", polynomial(CUBIC))))
    sim.set({"ja": 0.5}, velocity={"ja": 1.0})
    other = sim.with_law("jb", "0 0 2")
    assert other.positions["m::ja"] == 0.5
    assert other.positions["m::jb"] == pytest.approx(0.5, abs=1e-13)
    assert other.velocities["m::jb"] == pytest.approx(2.0, abs=1e-12)
    straight = sim.with_law("jb", (3.0, 0.1, 0.0))
    assert straight.positions["m::jb"] == pytest.approx(1.6, abs=1e-13)
    assert straight.with_law("jb", "cos(q)").positions["m::jb"] == pytest.approx(math.cos(0.5), abs=1e-13)
    with pytest.raises(UsageError, match="follows no other joint; those that do: m::jb"):
        sim.with_law("ja", "q")


def test_coefficients_of_a_polynomial_are_parameters(write_document: Write) -> None:
    """Of models that are made from each other, each moves by its own numbers; nothing is derived by them."""
    sim = simulator.load(write_document(pendulums("", polynomial(CUBIC), start=0.9)))
    assert sim.parameters()["jb.a2"].value == CUBIC[2]
    for a2 in (0.3, -0.2, 0.8):
        other = sim.varied({"jb.a2": a2, "jb.a0": 0.0})
        other.run(1.0)
        q = other.positions["m::ja"]
        expected = lagrange(Polynomial((0.0, CUBIC[1], a2, CUBIC[3])), 0.9, 1.0)
        assert (q, other.velocities["m::ja"]) == pytest.approx(expected, abs=1e-9)
    with pytest.raises(UsageError, match="its law is a polynomial: it has a0, a1, a2, a3"):
        sim.varied({"jb.multiplier": 2.0})
    with pytest.raises(UsageError):
        sim.gradients(["jb.a2"])
