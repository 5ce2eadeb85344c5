"""Play and elasticity of couplings against closed forms and an independent integration."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import simulator
from simulator.errors import AssemblyError, UsageError
from tests.helpers.real_couplings import arm, wheels

J1, J2, M = 0.5, 2.0, -2.0
RESIDUAL = "coupling/m::j1/residual"


def hit(restitution: float, rate: float = 3.0) -> tuple[float, float]:
    """Rates after the flank of the first wheel, which has that rate, hits that of the second, at rest: along the play
    ż = q̇2 - m q̇1, both inertias feel the impulse, and ż is -e times what it was."""
    mobility = 1.0 / J2 + M * M / J1
    impulse = (1.0 + restitution) * M * rate / mobility
    return rate - M * impulse / J1, impulse / J2


@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
def test_rigid_flanks_hit_with_both_inertias(restitution):
    """1e-9: the flank is met within the step in which it is hit, where impulses act at its start."""
    sim = simulator.load(wheels((J1, J2), M, f'<simulator:backlash width="0.05" restitution="{restitution}"/>'))
    run = thrown(sim, 0.02)
    one, two = hit(restitution)
    assert run["j0/velocity"][-1] == pytest.approx(one, rel=1e-9)
    assert run["j1/velocity"][-1] == pytest.approx(two, rel=1e-9)


def thrown(sim: simulator.Simulation, duration: float) -> simulator.Run:
    """A run in which the first wheel is brought to 3 rad/s within the play, by an effort over the first millisecond."""
    sim.drive("j0", simulator.effort(simulator.step(3.0 * J1 / 0.001, 0.0, 0.001)))
    return sim.run(duration)


def test_the_residual_is_where_the_follower_is_in_its_play():
    sim = simulator.load(wheels((J1, J2), M, '<simulator:backlash width="0.05" restitution="0.5"/>'))
    sim.drive("j0", simulator.effort(simulator.sine(4.0, 2.0)))
    run = sim.run(2.0)
    play = run[RESIDUAL]
    assert play == pytest.approx(run["j1/position"] - M * run["j0/position"], abs=1e-12)
    assert (
        np.abs(play).max() <= 0.025 + 1e-9
    )  # a flank that is hit is met to the second order of what is left of a step
    assert play.max() > 0.0249
    assert play.min() < -0.0249
    assert run.summary.max_coupling_residual < 1e-9  # but for the play


@pytest.mark.parametrize(
    "inside",
    [
        '<simulator:backlash width="0.05" restitution="0.5"/>',
        '<simulator:backlash width="0.05" stiffness="2e3" damping="3"/>',
        '<simulator:compliance stiffness="500" damping="0.4"/>',
        '<simulator:backlash width="0.05"/><simulator:efficiency forward="0.9" backward="0.8"/>',
        '<simulator:compliance stiffness="500" damping="0.4"/><simulator:efficiency forward="0.9" backward="0.8"/>',
    ],
)
def test_the_ledger_closes(inside):
    """1e-9 of the energy that is converted."""
    sim = simulator.load(wheels((J1, J2), M, inside))
    sim.drive("j0", simulator.effort(simulator.sine(4.0, 2.0)))
    run = sim.run(2.0)
    assert np.abs(run["energy/error"]).max() < 1e-9 * np.abs(run["energy/work"]).max()
    assert run["energy/dissipated"][-1] > 0.0


def test_elastic_flanks_push_as_modelicas_law_and_never_pull():
    """Against an integration of the law to 1e-10 in continuous time: 1e-4 of the rate, for the effort is one of second
    order in the step, and a contact takes 300 of them."""
    stiffness, damping, half = 2000.0, 3.0, 0.025

    def rates(_time: float, y: np.ndarray) -> list[float]:
        z, dz = y[1] - M * y[0], y[3] - M * y[2]
        pressed = abs(z) - half
        side = math.copysign(1.0, z)
        push = max(stiffness * pressed + damping * side * dz, 0.0) if pressed > 0.0 else 0.0
        force = -side * push
        return [y[2], y[3], -M * force / J1, force / J2]

    # The effort of the first step begins the motion half a step late.
    exact = solve_ivp(rates, (0.0, 0.1 - 0.5e-4), [0.0, 0.0, 3.0, 0.0], rtol=1e-10, atol=1e-12, max_step=1e-4)
    sim = simulator.load(
        wheels((J1, J2), M, f'<simulator:backlash width="0.05" stiffness="{stiffness}" damping="{damping}"/>'), dt=1e-4
    )
    sim.drive("j0", simulator.effort(simulator.step(3.0 * J1 / 1e-4, 0.0, 1e-4)))
    run = sim.run(0.1)
    assert run["j0/velocity"][-1] == pytest.approx(exact.y[2, -1], abs=3e-4)
    assert run["j1/velocity"][-1] == pytest.approx(exact.y[3, -1], abs=3e-4)


def test_an_elastic_coupling_swings_with_the_frequency_of_both_inertias():
    """Reduced inertia 1 / (1/J2 + m²/J1), without damping: 12 periods to 1e-3 of one, with 60 steps a period."""
    stiffness = 500.0
    sim = simulator.load(wheels((J1, J2), M, f'<simulator:compliance stiffness="{stiffness}"/>'))
    run = thrown(sim, 1.0)
    play = run[RESIDUAL]
    up = np.flatnonzero((play[:-1] < 0.0) & (play[1:] >= 0.0))
    crossings = run.time[up] - play[up] * 0.001 / (play[up + 1] - play[up])
    omega = math.sqrt(stiffness * (1.0 / J2 + M * M / J1))
    assert np.diff(crossings) == pytest.approx(2.0 * math.pi / omega, rel=1e-3)


def test_a_stiff_coupling_moves_as_the_ideal_one():
    """It gives way by the effort over the stiffness, 1e-6 rad."""
    motions = []
    for inside in ("", '<simulator:compliance stiffness="1e7" damping="1e3"/>'):
        sim = simulator.load(wheels((J1, J2), M, inside))
        sim.drive("j0", simulator.effort(simulator.sine(4.0, 1.0)))
        motions.append(sim.run(1.0)["j0/position"])
    assert motions[1] == pytest.approx(motions[0], abs=2e-6)


def test_the_width_can_be_varied():
    sim = simulator.load(wheels((J1, J2), M, '<simulator:backlash width="0.05"/>')).varied({"j1.backlash.width": 0.1})
    sim.drive("j0", simulator.effort(simulator.sine(4.0, 2.0)))
    assert np.abs(sim.run(1.0)[RESIDUAL]).max() == pytest.approx(0.05, abs=1e-9)
    with pytest.raises(UsageError, match="must be"):
        sim.varied({"j1.backlash.width": -1.0})


@pytest.mark.parametrize("inside", ['width="0.05"', 'width="0.05" stiffness="1e3"'])
def test_a_start_states_where_the_follower_is_in_its_play(inside):
    """Both sides stated stay there; one stated takes the other along, as its law says."""
    sim = simulator.load(wheels((J1, J2), M, f"<simulator:backlash {inside}/>"))
    sim.set({"j0": 0.1, "j1": -0.18}, velocity={"j0": 1.0, "j1": -1.5})
    assert sim.sample[RESIDUAL] == pytest.approx(0.02, abs=1e-15)
    assert sim.velocities["j1"] == -1.5
    sim.set(j0=0.1)
    assert sim.positions["j1"] == pytest.approx(-0.2, abs=1e-15)


def test_rigid_flanks_bound_the_start():
    sim = simulator.load(wheels((J1, J2), M, '<simulator:backlash width="0.05"/>'))
    with pytest.raises(AssemblyError, match=r"its play is 0\.025 rad to each side"):
        sim.set(j0=0.0, j1=0.03)


def test_a_document_states_where_the_follower_is_in_its_play():
    state = "".join(
        f'<joint_state name="{name}"><axis_state><position>{value}</position></axis_state></joint_state>'
        for name, value in (("j0", 0.0), ("j1", 0.02))
    )
    document = wheels(
        (J1, J2), M, '<simulator:backlash width="0.05"/>', beside=f'<model_state name="m">{state}</model_state>'
    )
    assert simulator.load(document).positions["j1"] == 0.02


def test_modelicas_backlash_example_begins_pressed_in():
    """Modelica.Mechanics.Rotational.Examples.Backlash: 5 kg m² on flanks of 20 kN m/rad with 50 N m s/rad and π/4 of
    play, at rest a right angle off the middle: pressed in by 3π/8, so that the damper is held back from pulling as it
    swings out. Against an integration of the law to 1e-10, to 1e-3 of the first rate, for the effort is of second order
    and a contact takes 500 steps of 0.1 ms."""
    inertia, stiffness, damping, half = 5.0, 2e4, 50.0, math.pi / 8.0
    inside = f'<simulator:backlash width="{2.0 * half!r}" stiffness="{stiffness}" damping="{damping}"/>'
    sim = simulator.load(wheels((1.0, inertia), 1.0, inside), dt=1e-4)
    sim.set(j0=0.0, j1=0.5 * math.pi)
    sim.drive("j0", simulator.velocity(0.0))
    run = sim.run(0.5)

    def rates(_time: float, y: np.ndarray) -> list[float]:
        pressed, side = abs(y[0]) - half, math.copysign(1.0, y[0])
        push = max(stiffness * pressed + damping * side * y[1], 0.0) if pressed > 0.0 else 0.0
        return [y[1], -side * push / inertia]

    exact = solve_ivp(rates, (0.0, 0.5), [0.5 * math.pi, 0.0], rtol=1e-10, atol=1e-12, t_eval=run.time, max_step=1e-4)
    scale = np.abs(exact.y[1]).max()
    assert np.abs(run["j1/velocity"] - exact.y[1]).max() < 1e-3 * scale
    assert np.abs(run["j1/position"] - exact.y[0]).max() < 1e-3
    assert run["energy/potential"][0] == pytest.approx(0.5 * stiffness * (3.0 * half) ** 2, rel=1e-12)


def test_a_wheel_between_its_flanks_feels_nothing_of_the_teeth_of_others():
    """Teeth without play, here of an arm that falls, are brought to one rate after each step. A wheel that hangs on
    them by a play carries nothing meanwhile, and neither does a slack cable: it rests to the last bit."""
    wheel = """<link name="loose"><inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia>
      </inertial></link><joint name="w" type="revolute"><parent>base</parent><child>loose</child><axis><xyz>0 1 0</xyz>
      <mimic joint="r"><multiplier>1</multiplier><simulator:backlash width="100"/></mimic></axis></joint></model>"""
    losses = '<simulator:efficiency forward="0.9" backward="0.8"/>'
    sim = simulator.load(arm(losses).replace("</model>", wheel))
    run = sim.run(0.3)
    assert abs(run["r/velocity"]).max() > 1.0
    assert abs(run["w/velocity"]).max() == 0.0


def test_a_train_passes_blows_on_from_flank_to_flank():
    """Of 24 wheels at rest in the middle of their plays each hits the next. The momentum along them, Σ ±J q̇, is what
    the torque gave, and no flank is passed, both to rounding; the last wheel is reached after the first has taken up
    all plays, each of 1 mrad from the middle, and moves with the others."""
    count, torque = 24, 0.5
    sim = simulator.load(wheels([0.01] * count, -1.0, '<simulator:backlash width="0.002"/>'))
    run = sim.run(0.2, drives={"j0": simulator.effort(torque)})
    gaps = np.array([run[f"coupling/m::j{i}/residual"] for i in range(1, count)])
    assert abs(gaps).max() < 0.001 + 1e-12
    momentum = sum((-1.0) ** i * 0.01 * run[f"j{i}/velocity"] for i in range(count))
    np.testing.assert_allclose(momentum, torque * run["time"], rtol=0, atol=1e-12)
    first_moved = [int(np.argmax(run[f"j{i}/velocity"] != 0.0)) for i in range(count)]
    assert first_moved == sorted(first_moved)
    assert abs(run["j23/velocity"][-1]) == pytest.approx(run["j0/velocity"][-1], rel=1e-9)
