"""Loads as lines."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.mechanism.loads import BodyForce, BodyLoads, BodySpring
from simulator.model.loads import NOTHING
from simulator.model.profiles import Chirp, Constant, Profile, Ramp, Sine, Step, Table
from simulator.rendering.load_arrows import LONGEST, largest_of, load_lines

POSES = np.array([[0, 0, 0, 0, 0, 0, 1.0], [1, 2, 3, 0, 0, 0, 1.0]])


def force(z: Profile) -> BodyForce:
    return BodyForce(1, (0.5, 0.0, 0.0), (NOTHING, NOTHING, z), (NOTHING,) * 3)


def test_the_largest_force_has_the_longest_arrow_and_others_are_in_proportion() -> None:
    lines = load_lines(BodyLoads(forces=(force(Constant(10.0)), force(Constant(-5.0)))), POSES, 0.0, 2.0)
    pieces = [piece for line in lines for piece in line.pieces()]
    shafts = [piece for piece in pieces if len(piece) == 2 and np.allclose(piece[0], (1.5, 2.0, 3.0))]
    assert [shaft[1, 2] - 3.0 for shaft in shafts] == pytest.approx([2.0 * LONGEST, -LONGEST])


def test_an_arrow_grows_with_a_ramp_and_none_is_drawn_of_nothing() -> None:
    loads = BodyLoads(forces=(force(Ramp(0.0, 8.0, 2.0)),))
    assert load_lines(loads, POSES, 0.0, 1.0) == ()
    shaft = load_lines(loads, POSES, 1.0, 1.0)[0].points
    assert shaft[1, 2] - shaft[0, 2] == pytest.approx(LONGEST / 2)


def test_a_spring_is_a_line_from_end_to_end() -> None:
    spring = BodySpring((0, 1), ((0.0, 0.0, 1.0), (0.0, 0.0, 0.0)), 1.0, 0.0, 0.0)
    (line,) = load_lines(BodyLoads(springs=(spring,)), POSES, 0.0, 1.0)
    assert line.points[0] == pytest.approx([0, 0, 1])
    assert line.points[-1] == pytest.approx([1, 2, 3])


@pytest.mark.parametrize(
    ("profile", "largest"),
    [
        (Constant(-3.0), 3.0),
        (Sine(2.0, 1.0, -1.0), 3.0),
        (Chirp(2.0, 1.0, 2.0, 1.0), 2.0),
        (Ramp(1.0, -4.0, 1.0), 4.0),
        (Step(5.0, 1.0), 5.0),
        (Table((0.0, 1.0), (-6.0, 2.0)), 6.0),
    ],
)
def test_the_largest_value_of_a_profile(profile: Profile, largest: float) -> None:
    assert largest_of(profile) == largest
