"""Equilibria and linear models of mechanisms whose couplings give way, against closed forms.

A linear model has an error of h⁴ of its differences, 1e-12, times the fifth derivative; what is linear is exact but for
rounding over h, 1e-12 of the largest term.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import simulator
from simulator.errors import UsageError
from tests.helpers.real_couplings import arm, wheels

J1, J2, M = 0.5, 2.0, -2.0
K, D = 300.0, 0.4
ELASTIC = f'<simulator:compliance stiffness="{K}" damping="{D}"/>'
FLANKS = f'<simulator:backlash width="0.02" stiffness="{K}" damping="{D}"/>'


def test_two_wheels_on_an_elastic_shaft_swing_against_each_other() -> None:
    """z = q2 - m q1: μ z̈ = -k z - d ż with 1/μ = 1/J2 + m²/J1, and the whole turns freely."""
    model = simulator.load(wheels((J1, J2), M, ELASTIC)).linearise()
    inverse = 1.0 / J2 + M * M / J1
    decay, square = 0.5 * D * inverse, K * inverse
    wanted = complex(-decay, math.sqrt(square - decay * decay))
    swings = [mode for mode in model.modes if mode.frequency > 0.0]
    assert len(model.A.rows) == 4
    assert [mode.eigenvalue for mode in swings] == [pytest.approx(wanted, rel=1e-9)]
    # J1 q1'' = -m Λ and J2 q2'' = Λ.
    shape = swings[0].shape
    assert shape[1] / shape[0] == pytest.approx(-J1 / (J2 * M), rel=1e-9)
    assert np.sort(np.abs(model.eigenvalues))[:2] == pytest.approx([0.0, 0.0], abs=1e-4), "√1e-9 of a double zero"


def test_inside_of_its_play_a_wheel_is_free_and_on_a_flank_it_is_held_by_its_stiffness() -> None:
    sim = simulator.load(wheels((J1, J2), M, FLANKS))
    assert all(mode.frequency == 0.0 for mode in sim.linearise().modes)
    sim.drive("j0", simulator.effort(5.0))
    sim.run(0.2)
    assert sim.q[1] - M * sim.q[0] > 0.02, "well beyond half of the play"
    inverse = 1.0 / J2 + M * M / J1
    decay, square = 0.5 * D * inverse, K * inverse
    (swing,) = [mode for mode in sim.linearise().modes if mode.frequency > 0.0]
    assert swing.eigenvalue == pytest.approx(complex(-decay, math.sqrt(square - decay * decay)), rel=1e-8)


def test_an_arm_on_an_elastic_gear_sags() -> None:
    """The rotor is held by its spring at 0; the arm of 2 kg, 0.5 m out, comes to rest where k z is its moment: with
    q_a = -0.2 q_r + z and the rotor's spring c, 0.2 k z = c q_r."""
    c, k, weight = 20.0, 500.0, 2.0 * 9.8 * 0.5
    document = arm(f'<simulator:compliance stiffness="{k}"/>').replace(
        "<child>rotor</child><axis><xyz>0 1 0</xyz>",
        f"<child>rotor</child><axis><xyz>0 1 0</xyz><dynamics><spring_stiffness>{c}</spring_stiffness>"
        "<spring_reference>0</spring_reference></dynamics>",
    )
    pose = simulator.load(document).equilibria()[0]
    rotor, bar = pose.position
    given_way = bar + 0.2 * rotor
    assert k * given_way == pytest.approx(weight * math.cos(bar), rel=1e-9)
    assert c * rotor == pytest.approx(-0.2 * k * given_way, rel=1e-9)
    assert pose.axes == ("m::r", "m::a")
    # The same from the motion: damped, it comes to rest there.
    damped = document.replace(f'stiffness="{k}"', f'stiffness="{k}" damping="20"').replace(
        "<dynamics><spring", "<dynamics><damping>0.5</damping><spring"
    )
    run = simulator.load(damped).run(10.0)
    assert [run["r/position"][-1], run["a/position"][-1]] == pytest.approx([rotor, bar], abs=1e-8)


@pytest.mark.parametrize(
    ("inside", "reason"),
    [
        ('<simulator:efficiency forward="0.9"/>', "loses power"),
        ('<simulator:bearing_friction forward="0.1"/>', "loses power"),
        (f'<simulator:efficiency forward="0.9"/>{ELASTIC}', "loses power"),
        ('<simulator:backlash width="0.02"/>', "rigid flanks"),
    ],
)
def test_what_is_not_smooth_is_refused_by_name(inside: str, reason: str) -> None:
    sim = simulator.load(arm(inside))
    with pytest.raises(UsageError, match=f"'m::a' .*{reason}"):
        sim.equilibria()
    with pytest.raises(UsageError, match=f"'m::a' .*{reason}"):
        sim.linearise()


def test_full_efficiency_is_none_to_refuse() -> None:
    sim = simulator.load(wheels((J1, J2), M, '<simulator:efficiency forward="1"/>'))
    assert len(sim.linearise().A.rows) == 2
