"""Parts of real couplings that cannot be, each with its line."""

from __future__ import annotations

import pytest

import simulator
from tests.helpers.real_couplings import wheels

THREAD = '<simulator:thread friction="0.1" mean_diameter="0.03" lead_angle="0.1"/>'


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        ('<simulator:compliance damping="1"/>', "<simulator:compliance> is not used: stiffness is missing"),
        (
            '<simulator:efficiency forward="0.9"/>\n<simulator:efficiency forward="0.8"/>',
            ":2: .*there is a <simulator:efficiency> already",
        ),
        (
            f'{THREAD}\n<simulator:efficiency forward="0.9"/>',
            ":2: .*<simulator:efficiency> and <simulator:thread> of one coupling: the first is not used",
        ),
        (
            '<simulator:backlash width="0.1"/>\n<simulator:compliance stiffness="9"/>',
            ":2: .*<simulator:backlash> and <simulator:compliance> of one coupling: the second is not used",
        ),
        ('<simulator:backlash width="0.1" damping="1"/>', "damping belongs to flanks with a stiffness"),
        ('<simulator:efficiency speeds="1 0" forward="0.9 0.8"/>', "speeds are not negative and ascend"),
        ('<simulator:clutch limit="2" force="3" friction="1"/>', "a force .* or a limit .*, one of both"),
    ],
)
def test_a_fault_of_a_real_coupling_is_named_with_its_line(inside: str, message: str) -> None:
    with pytest.raises(simulator.DocumentError, match=message):
        simulator.load(wheels([0.5, 2.0], -2.0, inside))


def test_a_bound_that_is_no_number_at_the_start_is_named() -> None:
    bound = '<simulator:constraint name="bound" within="3">sqrt(j0 - 1)</simulator:constraint>'
    with pytest.raises(simulator.DocumentError, match="the constraint 'bound' is nan at the start"):
        simulator.load(wheels([0.5, 2.0], -2.0, beside=bound))
