"""Whole turns of the axes of loop joints: told by hinges of the tree, or counted from state to state."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.bullet.loop_turns import loop_turns
from simulator.mechanism.types import Mechanism, MotionKind
from simulator.physics.step.shown import Show
from simulator.session.open.opening import open_document
from tests.helpers.repository import ROOT

Array = NDArray[np.float64]


def opened(name: str) -> Mechanism:
    return open_document(ROOT / "worlds" / f"{name}.sdf").mechanism


def axes_at(show: Show, places: list[Array]) -> Array:
    """Positions of the axes of loop joints where tree axes are so, one state after the other."""
    position = np.array(places)
    return show.at(position, np.zeros_like(position), np.zeros((len(places), 0, 13))).axes[:, :, 0]


def started(show: Show, place: Array, axes: Array) -> Show:
    show.start(place[None], np.zeros((1, len(place))), np.zeros((1, 0, 13)), axes)
    return show


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "hoeken", "peaucellier", "scissor_lift"])
def test_hinges_that_are_parallel_tell_them(name: str) -> None:
    """Tree axes go most of a turn from one state to the next, and many turns in all, one way and back; whether the loop
    is closed does not matter. The same as when turns are counted over forty states between each two. 1e-9: angles of
    100 rad, off by 1e-14 of themselves."""
    built, chance = opened(name), np.random.default_rng(5)
    told = loop_turns(built)
    assert all(signs is not None for signs in told.values())
    turning = [axis for axis, info in enumerate(built.axes) if info.in_tree and info.kind is MotionKind.ROTATION]
    places = [np.zeros(len(built.axes))]
    for k in range(1, 41):
        places.append(places[-1].copy())
        places[-1][turning] += (3.0 if k <= 30 else -5.0) * chance.normal(1.0, 0.2, size=len(turning))
    none = np.zeros(len(Show(built, told).loop_axes))
    found = axes_at(started(Show(built, told), places[0], none), places[1:])
    fine = [a + (b - a) * part for a, b in pairwise(places) for part in np.linspace(0.0, 1.0, 41)[1:]]
    show = Show(built, dict.fromkeys(told))
    assert show.counts
    followed = axes_at(started(show, places[0], none), fine)
    np.testing.assert_allclose(found, followed[39::40], rtol=0.0, atol=1e-9)
    assert np.abs(found).max() > 20.0


def test_the_joint_of_a_four_bar_counts_the_turns_of_its_rocker() -> None:
    """The rocker turns by 4 pi against the coupler, which stands still: so does the joint between them."""
    built = opened("four_bar")
    show = Show(built, loop_turns(built))
    rocker = built.axis_index("rocker_joint")
    assert rocker is not None
    turned = np.zeros((1, len(built.axes)))
    turned[0, rocker] = 4.0 * np.pi
    found = show.at(turned, turned, np.zeros((1, 0, 13))).axes[0, 0]
    np.testing.assert_allclose(np.abs(found), 4.0 * np.pi, rtol=1e-14)


@pytest.mark.parametrize("hint", [-7.0, 0.1, 6.0, 40.0])
@pytest.mark.parametrize("counted", [False, True])
def test_they_begin_nearest_to_what_is_known(hint: float, counted: bool) -> None:
    """A state that was saved after some turns continues from there."""
    built = opened("four_bar")
    told = dict.fromkeys(loop_turns(built)) if counted else loop_turns(built)
    place = np.full(len(built.axes), 0.3)
    plain = axes_at(Show(built, told), [place])[0, 0]
    found = axes_at(started(Show(built, told), place, np.array([hint])), [place])[0, 0]
    assert abs(found - hint) <= np.pi
    assert (found - plain) / (2.0 * np.pi) == pytest.approx(round((found - plain) / (2.0 * np.pi)), abs=1e-12)


@pytest.mark.parametrize("name", ["sarrus", "stewart", "bennett"])
def test_hinges_in_space_do_not_tell_them(name: str) -> None:
    built = opened(name)
    told = loop_turns(built)
    assert Show(built, told).counts or not told
