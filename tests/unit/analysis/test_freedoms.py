"""As many axes as freedoms, and how far they go, against closed forms.

Ends are roots found to round-off; 1e-9 rad is what the rounded figures of the documents leave.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simulator.analysis.freedoms import Cause, Reach, free_axes, reach_of
from simulator.analysis.special import dead_point
from simulator.analysis.sweeps import Move, Route, Sweeper
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.start import placed, starting_pose
from simulator.kinematics.state import JointState
from simulator.mechanism.types import Mechanism
from simulator.session.look.freedoms import ends_text, free_axes_at_start
from simulator.session.open.opening import open_document
from tests.helpers.checkout import ROOT


def mechanism_of(name: str) -> Mechanism:
    return open_document(ROOT / "worlds" / f"{name}.sdf").mechanism


def start_of(mechanism: Mechanism) -> tuple[Kinematics, JointState]:
    kinematics = Kinematics(mechanism)
    return kinematics, starting_pose(kinematics, {}).state


def axis_of(mechanism: Mechanism, joint: str) -> int:
    return next(i for i, info in enumerate(mechanism.axes) if info.name.endswith(f"::{joint}"))


def reach(mechanism: Mechanism, joint: str, **at: float) -> Reach:
    kinematics, state = start_of(mechanism)
    for name, value in at.items():
        state = placed(kinematics, state, axis_of(mechanism, name), value)
    axis = axis_of(mechanism, joint)
    return reach_of(Sweeper(kinematics), state, mechanism, axis, free_axes(kinematics, state, (axis,)))


@pytest.mark.parametrize(
    ("name", "freedoms"),
    [
        ("four_bar", 1),
        ("slider_crank", 1),
        ("peaucellier", 1),
        ("bennett", 1),
        ("sarrus", 1),
        ("scissor_lift", 1),
        ("stewart", 6),
        ("differential", 2),
        ("rack_and_pinion", 1),
        ("gear_train", 1),
    ],
)
def test_there_are_as_many_axes_as_freedoms(name: str, freedoms: int) -> None:
    """The mobilities that the documents themselves state."""
    mechanism = mechanism_of(name)
    kinematics, state = start_of(mechanism)
    axes = free_axes_at_start(mechanism)
    assert len(axes) == freedoms == kinematics.rank_mobility(state)
    rows = [kinematics.axis_row(axis, state, kinematics.body_matrices(state)) for axis in axes]
    K = kinematics.constraint_matrix(state)
    held = np.vstack((K, *[row[None] for row in rows]))
    assert np.linalg.matrix_rank(held, tol=1e-6) == kinematics.layout.size


def test_the_crank_leads_the_legs_lead_and_what_is_preferred_leads_instead() -> None:
    four_bar, stewart = mechanism_of("four_bar"), mechanism_of("stewart")
    assert [four_bar.axes[axis].name for axis in free_axes_at_start(four_bar)] == ["four_bar::crank_joint"]
    assert all(stewart.axes[axis].name.endswith("_slide") for axis in free_axes_at_start(stewart))
    rocker = axis_of(four_bar, "rocker_joint")
    assert free_axes_at_start(four_bar, (rocker,)) == (rocker,)


def test_at_a_change_point_one_axis_leads_though_two_could_move(write_document: Callable[..., Path]) -> None:
    """A parallelogram with all bars in line: two motions of one freedom meet, and nothing but its crank is to be
    driven, which reaches all round."""
    bar = "<inertial><pose>0.1 0 0 0 0 0</pose><mass>1</mass></inertial>"
    parts = [
        f'<link name="{name}"><pose>{x} 0 0 0 0 0</pose>{bar}</link>'
        for name, x in zip("abc", (0, 0.2, 0.5), strict=True)
    ]
    for name, parent, child in (("j0", "world", "a"), ("j1", "a", "b"), ("j2", "world", "c")):
        ends = f"<parent>{parent}</parent><child>{child}</child>"
        parts.append(f'<joint name="{name}" type="revolute">{ends}<axis><xyz>0 0 1</xyz></axis></joint>')
    ends = "<parent>b</parent><child>c</child><pose>0.2 0 0 0 0 0</pose>"
    parts.append(f'<joint name="j3" type="revolute">{ends}<axis><xyz>0 0 1</xyz></axis></joint>')
    text = f'<sdf version="1.12"><model name="m">{"".join(parts)}</model></sdf>'
    mechanism = open_document(write_document(text)).mechanism
    kinematics, state = start_of(mechanism)
    assert kinematics.rank_mobility(state) == 2
    axes = free_axes_at_start(mechanism)
    assert [mechanism.axes[axis].name for axis in axes] == ["m::j0"]
    found = reach_of(Sweeper(kinematics), state, mechanism, axes[0], axes)
    assert (found.low.cause, found.high.cause) == (Cause.NONE, Cause.NONE)


def test_an_axis_at_its_dead_point_cannot_lead() -> None:
    """Crank and coupler in line, 0.35 - 0.1 m from pin to pin: cos = (0.25² - 0.4² - 0.3²) / (2 · 0.4 · 0.3)."""
    mechanism = mechanism_of("four_bar")
    kinematics, state = start_of(mechanism)
    rocker = axis_of(mechanism, "rocker_joint")
    state = placed(kinematics, state, rocker, math.acos(-0.78125) - 1.79577497339621 - 1e-9)
    assert rocker not in free_axes(kinematics, state, (rocker,))


def test_the_rocker_reaches_from_dead_point_to_dead_point_and_the_crank_goes_round() -> None:
    mechanism = mechanism_of("four_bar")
    rocker, crank = reach(mechanism, "rocker_joint"), reach(mechanism, "crank_joint")
    start = 1.79577497339621
    low, high = (math.acos((d * d - 0.25) / 0.24) - start for d in (0.45, 0.25))
    assert (rocker.low.position, rocker.high.position) == pytest.approx((low, high), abs=1e-9)
    assert {rocker.low.cause, rocker.high.cause} == {Cause.DEAD_POINT}
    assert {crank.low.cause, crank.high.cause} == {Cause.NONE}
    assert (crank.low.position, crank.high.position) == pytest.approx((-2 * math.pi, 2 * math.pi))
    assert ends_text(mechanism, axis_of(mechanism, "rocker_joint"), rocker) == ("dead point", "dead point")


@pytest.mark.parametrize("joint", ["lower_1_joint", "knee_1_joint", "top_1_joint", "lower_2_joint", "lower_3_joint"])
def test_a_folding_leg_goes_through_where_it_lies_flat_and_where_it_is_stretched(joint: str) -> None:
    """Leaves of 60 degrees from the floor are flat at 0 and stretched at 90: several motions meet there, as those of a
    parallelogram in one line, and knee = -2 lower, top = lower hold all round. No axis turns round, so none ends."""
    found = reach(mechanism_of("sarrus"), joint)
    assert {found.low.cause, found.high.cause} == {Cause.NONE}
    assert (found.low.position, found.high.position) == pytest.approx((-2 * math.pi, 2 * math.pi))


@pytest.mark.parametrize(("world", "joint"), [("sarrus", "lower_1_joint"), ("bennett", "rocker_joint")])
@pytest.mark.parametrize("end", [-2 * math.pi, 2 * math.pi])
@pytest.mark.parametrize("count", [181, 182, 361])
def test_no_dead_point_is_named_where_the_axis_goes_on(world: str, joint: str, end: float, count: int) -> None:
    """Steps of whole degrees have a point at the singular position, where the sweep ends; longer ones go over it."""
    mechanism = mechanism_of(world)
    kinematics, state = start_of(mechanism)
    axis = axis_of(mechanism, joint)
    route = Route((Move(axis, float(state.position[axis]), end),), count=count)
    assert dead_point(Sweeper(kinematics).along(state, route, loads=False)) is None


@pytest.mark.parametrize("joint", ["knee_1_joint", "top_1_joint", "lower_2_joint", "knee_2_joint", "knee_3_joint"])
def test_at_a_singular_position_rows_moves_and_locks_are_as_many_as_the_unknowns(joint: str) -> None:
    """The stretched leg moves more freely than the mechanism does. Kernels write each equation into a row of a square
    matrix without looking at its bounds: one more than the unknowns is written into foreign memory."""
    mechanism = mechanism_of("sarrus")
    kinematics, state = start_of(mechanism)
    swept = Sweeper(kinematics).swept
    swept.put(state)
    swept.travel(swept.prepare([axis_of(mechanism, "lower_1_joint")], [1.0]), np.array([math.pi / 6.0]))
    plan = swept.prepare([axis_of(mechanism, joint)], [1.0])
    assert swept.rank + len(plan.move) + len(plan.lock) == len(plan.x)


def test_the_leg_of_a_platform_ends_where_it_is_named() -> None:
    mechanism = mechanism_of("stewart")
    found = reach(mechanism, "leg_1_slide")
    for end, side in ((found.low, "low"), (found.high, "high")):
        assert end.cause in (Cause.LIMIT, Cause.DEAD_POINT), side
        assert 0 <= end.axis < len(mechanism.axes)
        info = mechanism.axes[end.axis].axis
        if end.cause is Cause.LIMIT and end.axis == axis_of(mechanism, "leg_1_slide"):
            assert end.position in (info.lower, info.upper)
    assert found.low.position < 0.0 < found.high.position


def test_a_pinion_ends_where_its_rack_does() -> None:
    """worlds/rack_and_pinion.sdf with limits of the rack: these over the multiplier of its mimic."""
    document = mechanism_of("rack_and_pinion")
    (coupling,) = document.couplings
    info = document.axes[coupling.follower]
    limited = replace(info, axis=replace(info.axis, lower=-0.2, upper=0.3))
    mechanism = replace(document, axes=tuple(limited if axis is info else axis for axis in document.axes))
    rack = mechanism.axes[coupling.follower].axis
    found = reach(mechanism, mechanism.axes[coupling.leader].name.rpartition("::")[2])
    if math.isfinite(rack.lower) and math.isfinite(rack.upper):
        ends = sorted(
            (end - coupling.offset) / coupling.multiplier + coupling.reference for end in (rack.lower, rack.upper)
        )
        assert (found.low.position, found.high.position) == pytest.approx(tuple(ends), abs=1e-12)
        assert found.low.axis == found.high.axis == coupling.follower
        assert "limit of" in ends_text(mechanism, coupling.leader, found)[0]
    else:
        assert found.high.cause is Cause.NONE
