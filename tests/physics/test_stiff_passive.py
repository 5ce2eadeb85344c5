"""Dampers and springs that are stiffer than the step, against exponentials, matrix exponentials and statics."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.linalg import expm

from simulator.engine.drives import Drive, DriveKind
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import Mechanism
from simulator.model.link import Inertial
from simulator.model.profiles import Constant
from simulator.physics.compiled.model import CompiledMechanism
from simulator.physics.layout import buffers as at
from simulator.session.commands.factory import make_engine
from simulator.session.open.opening import Opened, open_document
from simulator.session.text.settings import SessionSettings
from tests.helpers import documents
from tests.helpers.mechanisms import joint, link, mimic, world
from tests.physics.worlds import make_steps

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[..., Path]

DT = 1e-3
SMALL = Inertial(1.0, moments=(1e-4, 1e-4, 1e-4))


def spinner(damping: float, stiffness: float = 0.0, inertia: float = 1e-4) -> CompiledMechanism:
    """A wheel on a damped, sprung hinge; nothing pulls."""
    wheel = link("wheel", inertial=Inertial(1.0, moments=(1.0, 1.0, inertia)))
    hinge = joint("j", "revolute", "world", "wheel", axis={"damping": damping, "spring_stiffness": stiffness})
    return CompiledMechanism(build_mechanism(world(wheel, hinge)))


@pytest.mark.parametrize("ratio", [1e3, 1e2, 1.99, 1.0, 0.3, 1e-1, 1e-3, 1e-6])
def test_a_damper_alone_is_an_exponential(ratio: float) -> None:
    """omega = exp(-t / tau), angle = tau (1 - exp(-t / tau)), for time constants of a thousand steps to a millionth of
    one.

    Where the step resolves tau, the classical method errs by (dt / tau)^5 / 120 a step, which adds up to less than 1e-9
    from a hundred steps on; where it does not, only rounding is left. The energy is what the damper took.
    """
    tau, inertia = ratio * DT, 1e-4
    model = spinner(inertia / tau)
    speed, angle, flow = model.view(at.F_V), model.view(at.F_Q), model.view(at.F_FLOW)
    speed[0], taken = 1.0, 0.0
    for step in range(1, 31):
        model.step(DT)
        taken += flow[1]
        decay = math.exp(-step / ratio)
        assert speed[0] == pytest.approx(decay, abs=1e-10)
        assert angle[0] == pytest.approx(tau * (1.0 - decay), rel=1e-9)
    assert taken == pytest.approx(0.5 * inertia * (1.0 - speed[0] ** 2), rel=1e-9)


@pytest.mark.parametrize("ratio", [1e2, 9.0, 3.0, 2.01])
def test_a_damper_that_takes_up_to_half_of_its_speed_is_left_to_the_runge_kutta_method(ratio: float) -> None:
    """omega = R(-z)^n with R(-z) = 1 - z + z^2 / 2 - z^3 / 6 + z^4 / 24, to rounding; the angle is what was lost times
    tau. From the exponential that is never further than 3e-4, n R^(n - 1) (R - exp(-z)) at z = 1/2 and n = 2."""
    tau, z = ratio * DT, 1.0 / ratio
    model = spinner(1e-4 / tau)
    speed, angle = model.view(at.F_V), model.view(at.F_Q)
    speed[0] = 1.0
    for step in range(1, 31):
        model.step(DT)
        assert speed[0] == pytest.approx((1.0 - z + z**2 / 2.0 - z**3 / 6.0 + z**4 / 24.0) ** step, abs=1e-13)
        assert speed[0] == pytest.approx(math.exp(-step * z), abs=3e-4)
        assert angle[0] == pytest.approx(tau * (1.0 - speed[0]), abs=1e-13)


def test_dampers_that_are_resolved_alone_are_held_where_they_are_too_fast_together() -> None:
    """Twenty followers turn with one wheel, each damper taking 0.2 of the speed in a step, all four times of it: beyond
    what the Runge-Kutta method bears, 2.78. Held they are the exponential."""
    followers, tau = 20, 5.0 * DT
    damping = 1e-4 * (followers + 1) / tau
    parts = [link("a", inertial=SMALL), joint("ja", "revolute", "world", "a")]
    for i in range(followers):
        follows = {"damping": damping, "mimic": mimic("ja", multiplier=(-1.0) ** i)}
        parts += [link(f"f{i}", inertial=SMALL), joint(f"j{i}", "revolute", "world", f"f{i}", axis=follows)]
    model = CompiledMechanism(build_mechanism(world(*parts)))
    model.view(at.F_V)[0] = 1.0
    for step in range(1, 6):
        model.step(DT)
        assert model.view(at.F_V)[0] == pytest.approx(math.exp(-4.0 * step), abs=1e-12)


def chain(damping: float) -> Mechanism:
    """Three links of 1e-4 kg m^2 on parallel damped hinges, 0.1 m apart; without gravity."""
    parts = []
    for i in range(3):
        parts += [
            link(f"l{i}", at=(0.1 * i, 0.0, 0.0), inertial=SMALL),
            joint(
                f"j{i}",
                "revolute",
                f"l{i - 1}" if i else "world",
                f"l{i}",
                at=(0.1 * i, 0.0, 0.0),
                axis={"damping": damping},
            ),
        ]
    return build_mechanism(replace(world(*parts), gravity=(0.0, 0.0, 0.0)))


def test_coupled_dampers_decay_as_the_matrix_exponential_says() -> None:
    """v = exp(-M^-1 D t) v_0 as long as the motion is small; the step is of second order in it: half of it, a quarter
    of the error."""
    start, damping, errors = np.array([1e-4, -2e-4, 3e-4]), 5e-3, []
    for dt in (4e-3, 2e-3, 1e-3):
        model = CompiledMechanism(chain(damping))
        exact = expm(-np.linalg.solve(model.mass_matrix(), np.diag([damping] * 3)) * 0.04) @ start
        model.view(at.F_V)[:] = start
        model.step(dt, round(0.04 / dt))
        errors.append(float(np.abs(model.view(at.F_V) - exact).max()))
    assert errors[0] < 0.05 * 3e-4
    assert errors[1] < errors[0] / 3.0
    assert errors[2] < errors[1] / 3.0


@pytest.mark.parametrize("damping", [1e1, 1e3, 1e6])
def test_stiffly_damped_chains_only_slow_down(damping: float) -> None:
    model = CompiledMechanism(chain(damping))
    model.view(at.F_V)[:] = (10.0, -20.0, 30.0)
    before = model.energies()[0]
    for _ in range(50):
        model.step(DT)
        now = model.energies()[0]
        assert now <= before
        before = now
    assert before < 1e-6
    assert np.isfinite(model.view(at.F_Q)).all()


def test_a_follower_feels_its_damper_through_the_coupling() -> None:
    """h = I_1 + r^2 I_2 and d = r^2 d_2 for a follower that turns r times as fast: an exponential again."""
    ratio, damping = -3.0, 50.0
    made = world(
        link("a", inertial=SMALL), link("b", inertial=SMALL), joint("ja", "revolute", "world", "a"),
        joint("jb", "revolute", "world", "b", axis={"damping": damping, "mimic": mimic("ja", multiplier=ratio)}),
    )  # fmt: skip
    model = CompiledMechanism(build_mechanism(made))
    model.view(at.F_V)[0] = 1.0
    model.step(DT)
    tau = 1e-4 * (1.0 + ratio**2) / (damping * ratio**2)
    assert model.view(at.F_V)[0] == pytest.approx(math.exp(-DT / tau), abs=1e-12)
    assert model.view(at.F_Q)[0] == pytest.approx(tau, rel=1e-9)


@pytest.mark.parametrize("stiffness", [1e2, 1e5, 1e9])
def test_a_spring_faster_than_the_step_comes_to_rest_where_it_balances(stiffness: float) -> None:
    """q = torque / k; with a damper so that there is a rest at all."""
    model = spinner(damping=1.0, stiffness=stiffness)
    model.set_efforts(np.array([2.0]))
    for _ in range(3000):
        model.step(DT)
    assert model.view(at.F_Q)[0] == pytest.approx(2.0 / stiffness, rel=1e-6)


def opened(write_document: Write, damping: float, elements: str = "") -> Opened:
    """An arm of 1 kg, 0.1 m from its hinge, in gravity."""
    body = (
        "<pose>0.1 0 0 0 0 0</pose><inertial><mass>1</mass><inertia><ixx>1e-5</ixx><iyy>1e-5</iyy>"
        "<izz>1e-5</izz></inertia></inertial>"
    )
    hinge = (
        '<joint name="j" type="revolute"><pose relative_to="__model__"/><parent>world</parent><child>arm</child>'
        f"<axis><xyz>0 1 0</xyz><dynamics><damping>{damping}</damping></dynamics></axis></joint>"
    )
    return open_document(
        write_document(documents.world(documents.model("m", f'<link name="arm">{body}</link>', hinge, elements)))
    )


@pytest.mark.parametrize("solver", ["rows", "reduced"])
def test_a_motor_turns_against_a_stiff_damper(solver: str, write_document: Write) -> None:
    """At 1 rad/s the motor gives what the damper takes, 100 N m, and what gravity asks for at that angle.

    The effort is chosen at the start of the step; over it the weight's moment changes by up to 0.98 N m times 1e-3 rad,
    a hundred thousandth of the damper's, half of which is there on average.
    """
    engine = make_engine(opened(write_document, 100.0), SessionSettings(solver=solver))
    engine.set_drive(0, Drive(DriveKind.VELOCITY, Constant(1.0)))
    make_steps(engine, 200)
    snapshot = engine.snapshot()
    assert snapshot.velocity[0] == pytest.approx(1.0, abs=5e-6)
    middle = snapshot.position[0] - 0.5 * DT
    weight = -9.8 * 0.1 * math.cos(middle)
    assert snapshot.effort[0] == pytest.approx(100.0 + weight, rel=1e-6)


@pytest.mark.parametrize("solver", ["rows", "reduced", "gear"])
def test_an_overdamped_pendulum_sinks_slowly(solver: str, write_document: Write) -> None:
    """Without inertia to speak of, d q' = m g l cos q from q = 0: tan(q/2 + pi/4) = exp(m g l t / d). The inertia
    delays that by less than h / d = 1e-4 s, the step by less than dt, times a speed of 0.1 rad/s."""
    engine = make_engine(opened(write_document, 10.0), SessionSettings(solver=solver))
    make_steps(engine, 1000)
    snapshot = engine.snapshot()
    angle = 2.0 * math.atan(math.exp(0.98 / 10.0)) - math.pi / 2.0
    assert snapshot.position[0] == pytest.approx(angle, abs=2e-4)
    assert abs(snapshot.energy.error) < 1e-3 * 0.98 * math.sin(angle) or solver == "gear"


@pytest.mark.parametrize("damping", [1e-2, 10.0, 1e5])
def test_a_chain_of_light_links_hangs_down_without_swinging(damping: float) -> None:
    """Five links of 1e-6 kg m^2 and 1 g, 0.1 m apart, that hang with a bend: gravity's torques are up to 5e-3 N m, so
    they come down at a rate of 5e-3 / d and no faster; the dampers are up to 1e11 times what a step can follow. The
    energy only falls."""
    light, parts = Inertial(1e-3, moments=(1e-6, 1e-6, 1e-6)), []
    for i in range(5):
        place = (0.0, 0.0, -0.1 * i)
        parts += [
            link(f"l{i}", at=(0.0, 0.0, -0.1 * (i + 1)), inertial=light),
            joint(f"j{i}", "revolute", f"l{i - 1}" if i else "world", f"l{i}", at=place, axes=[(0.0, 1.0, 0.0)],
                  axis={"damping": damping}),
        ]  # fmt: skip
    model = CompiledMechanism(build_mechanism(world(*parts)))
    model.view(at.F_Q)[:] = (0.5, -0.4, 0.3, -0.2, 0.1)
    before = sum(model.energies())
    for _ in range(200):
        model.step(DT)
        now = sum(model.energies())
        assert now <= before + 1e-15
        before = now
        if damping >= 10.0:
            assert np.abs(model.view(at.F_V)).max() < 1.01 * 5e-3 / damping


LEVEL = -math.pi / 6.0
"""The cranks of the parallelogram start that much above level."""


def parallelogram(damping: float, stiffness: float = 0.0, reference: float = 0.0) -> Mechanism:
    """Two weightless cranks of 0.2 m that carry a bar of 1 kg; the joint that closes the loop has the damper and the
    spring."""
    light = Inertial(1e-6, moments=(1e-9, 1e-9, 1e-9))
    turn: dict[str, object] = {"axes": [(0.0, 1.0, 0.0)]}
    x, z = 0.2 * math.cos(LEVEL), -0.2 * math.sin(LEVEL)
    passive = {"damping": damping, "spring_stiffness": stiffness, "spring_reference": reference}
    built = build_mechanism(
        world(
            link("left", inertial=light), link("bar", at=(x, 0.0, z)),
            link("right", at=(0.5, 0.0, 0.0), inertial=light),
            joint("a", "revolute", "world", "left", **turn),
            joint("b", "revolute", "left", "bar", at=(x, 0.0, z), **turn),
            joint("c", "revolute", "world", "right", at=(0.5, 0.0, 0.0), **turn),
            joint("d", "revolute", "right", "bar", at=(0.5 + x, 0.0, z), axis=passive, must_be_loop_joint=True, **turn),
        )
    )  # fmt: skip
    assert [loop.name for loop in built.loop_joints] == ["m::d"]
    return built


@pytest.mark.parametrize("damping", [10.0, 1e3, 1e5])
def test_a_damper_in_the_joint_that_closes_a_loop(damping: float) -> None:
    """The bar does not turn, so that joint turns back as the crank turns: d q' = m g l cos q, as a pendulum that only
    creeps (the bar's inertia, m l^2 = 0.04 kg m^2, delays it by 0.04 / d). What is added to the inertia is a bound for
    every coordinate by itself, three times three of what the one motion that the loop leaves needs: the speed is right,
    reached nine steps late."""
    model, load = CompiledMechanism(parallelogram(damping)), 9.8 * 0.2
    for _ in range(1000):
        model.step(DT)
    start = math.tan(0.5 * LEVEL + math.pi / 4.0)
    angle = 2.0 * math.atan(start * math.exp(load / damping)) - math.pi / 2.0 - LEVEL
    assert model.joint_state().position[0] == pytest.approx(angle, abs=load / damping * (0.04 / damping + 9.0 * DT))
    assert model.loop_residual() < 1e-12


@pytest.mark.parametrize("stiffness", [1e3, 1e5, 1e8])
def test_a_spring_in_the_joint_that_closes_a_loop(stiffness: float) -> None:
    """It comes to rest where k q = m g l cos(q - 30 degrees). Held, it swings by 2 / 3 of a radian a step, of which the
    Runge-Kutta method takes (2 / 3)^6 / 144 = 6e-4: e^-24 in 40 000 steps."""
    model, load = CompiledMechanism(parallelogram(30.0, stiffness)), 9.8 * 0.2
    model.step(DT, 40000)
    angle = float(model.joint_state().position[0])
    assert stiffness * angle == pytest.approx(load * math.cos(angle + LEVEL), rel=1e-6)


def test_a_stiff_damper_beside_a_stop_and_on_the_ground(write_document: Write) -> None:
    """The arm creeps down to its stop 1e-3 rad below and stays there: 0.98 N m / 100 N m s bring it there in 0.1 s."""
    opened_arm = opened(write_document, 100.0)
    limited = opened_arm.path.read_text().replace(
        "<dynamics>", "<limit><lower>-1</lower><upper>0.001</upper></limit><dynamics>"
    )
    engine = make_engine(open_document(write_document(limited, "limited.sdf")), SessionSettings())
    make_steps(engine, 100)
    assert engine.snapshot().position[0] == pytest.approx(100 * DT * 0.98 / 100.0, rel=1e-2)
    make_steps(engine, 100)
    assert engine.snapshot().position[0] == pytest.approx(1e-3, abs=1e-9)
    assert engine.snapshot().velocity[0] == pytest.approx(0.0, abs=1e-12)
