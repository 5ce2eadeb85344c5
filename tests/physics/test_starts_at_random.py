"""Random limits, laws and starts: a mechanism starts within its limits or is refused, and nothing jumps in the first
steps.

An axis may go |v| dt in a step, and what its acceleration adds: below 300 rad/s² for these bodies, 3e-4 rad in a step
of a millisecond. Limits are tenths of a radian, so that a jump into them would be far above that.

`SIMULATOR_EXAMPLES=2000 scripts/test --timeout 0 tests/physics/test_starts_at_random.py` tries that many of each,
always the same ones."""

from __future__ import annotations

import cmath
import math
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from simulator.engine.engine import Engine
from simulator.errors import AssemblyError, DocumentError, UsageError
from simulator.kinematics.assembly import assemble, free_columns
from simulator.kinematics.coupled_axes import coupled_axes
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.start import starting_pose
from simulator.kinematics.state import rest_state
from simulator.session.open.opening import open_document
from tests.helpers.documents import mimic
from tests.physics.axes import limit
from tests.physics.worlds import joint, link, make_steps, model, running, world

Write = Callable[..., Path]
PROPERTY = settings(
    max_examples=int(os.environ.get("SIMULATOR_EXAMPLES", "10")),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
ADDED = 3e-4
WITHIN = 1e-8
"""Limits are met to what is left of loops, 1e-12 m, over what the loops' equations feel of the axes, which is above
1e-4 m away from …"""
DEAD = 1e-4
"""… a dead point, where all bars are in one line and the smaller singular value s of the two equations of a four-bar is
below this [m]."""
WITHIN_AT_DEAD_POINT = math.sqrt(1e-12 / 0.1)
"""There the equations read s d + c d² = r in the way d [rad] that they do not hold at first order, with r <= 1e-12 m
left open and c half of a length of these bars, 0.1 m or more: d <= sqrt(r / c), however small s is."""

Limits = tuple[tuple[float, float] | None, ...]
tenths = st.integers(-20, 20).map(lambda n: n / 10)
strategies = st.sampled_from(["rows", "reduced"])
ranges = st.one_of(st.none(), st.tuples(tenths, st.integers(1, 15).map(lambda n: n / 10)))


def stops(within: tuple[float, float] | None) -> str:
    """Limits from a lower end and a width."""
    return "" if within is None else limit(within[0], within[0] + within[1])


def start_of(names: str, values: tuple[float, ...]) -> str:
    """The state of a model whose joints have these names, a letter each."""
    inside = "".join(
        f'<joint_state name="{name}"><axis_state><position>{value}</position></axis_state></joint_state>'
        for name, value in zip(names, values, strict=True)
    )
    return f"<model_state>{inside}</model_state>"


def outside(engine: Engine) -> float:
    """How far the axis that is furthest outside is outside of its limits."""
    position, axes = engine.snapshot().position, [info.axis for info in engine.mechanism.axes]
    return max(max(axis.lower - q, q - axis.upper) for axis, q in zip(axes, position, strict=True))


def allowed_outside(engine: Engine) -> float:
    """How far an axis may be outside of its limits where the mechanism is now."""
    kinematics, state = Kinematics(engine.mechanism), engine.joint_state()
    if not engine.mechanism.loop_joints:
        return WITHIN
    columns = free_columns(kinematics, coupled_axes(engine.mechanism, {}), {})
    sizes = np.linalg.svd(kinematics.constraint_matrix(state) @ columns, compute_uv=False)
    return WITHIN if sizes[1] > DEAD else WITHIN_AT_DEAD_POINT


def starts_without_a_jump(path: Path, solver: str, initial: tuple[str, ...] = ()) -> None:
    """Or is refused, by the findings of the document or because of what the user asks for."""
    refused: set[str] = set()
    try:
        with running(path, solver=solver, initial=initial) as engine:
            goes_on(engine)
    except DocumentError as error:
        refused = {item.code for item in error.diagnostics if item.is_error}
    except (UsageError, AssemblyError):
        told = {item.code for item in open_document(path).start_diagnostics}
        refused = {"what the user asks for"} if initial else told & {"LOOP_OPEN"} or {"nothing that was told"}
    assert refused <= {"LIMITS_CONTRADICTORY", "LOOP_OPEN", "what the user asks for"}


@PROPERTY
@given(
    solver=strategies,
    limits=st.tuples(ranges, ranges, ranges),
    multiplier=st.sampled_from([-2.0, -0.5, 0.5, 1.0, 3.0]),
    offset=tenths,
    start=st.tuples(tenths, tenths),
    asked=st.one_of(st.none(), tenths),
)
def test_a_tree_with_a_mimic(
    write_document: Write,
    solver: str,
    limits: Limits,
    multiplier: float,
    offset: float,
    start: tuple[float, float],
    asked: float | None,
) -> None:
    text = three_arms(limits, (multiplier, offset), start)
    starts_without_a_jump(write_document(text), solver, () if asked is None else (f"m::a={asked}",))


def three_arms(limits: Limits, law: tuple[float, float], start: tuple[float, float]) -> str:
    """Three hinges in a row, the second of which follows the first."""
    arm = {"inertia": "0.1 0.1 0.1", "com": "0.2 0 0"}
    return world(
        model(
            link("x", **arm),
            link("y", pose="0.4 0 0 0 0 0", **arm),
            link("z", pose="0.8 0 0 0 0 0", **arm),
            joint("a", "revolute", "x", axis="0 1 0", inside_axis=stops(limits[0])),
            joint("b", "revolute", "y", parent="x", axis="0 1 0", inside_axis=stops(limits[1]) + mimic("a", *law)),
            joint("c", "revolute", "z", parent="y", axis="0 1 0", inside_axis=stops(limits[2])),
            start_of("ac", start),
        )
    )


@PROPERTY
@given(
    solver=strategies,
    limits=st.tuples(ranges, ranges, ranges),
    multiplier=st.sampled_from([-3.0, -1.0, 0.25, 2.0]),
    offset=tenths,
    start=st.tuples(tenths, tenths),
)
def test_a_law_that_changes_in_motion(
    write_document: Write,
    solver: str,
    limits: Limits,
    multiplier: float,
    offset: float,
    start: tuple[float, float],
) -> None:
    """It leaves everything within its limits and moving on, or is refused with the joint's name, and then nothing has
    changed."""
    opened = open_document(write_document(three_arms(limits, (1.0, 0.0), start)))
    if opened.has_errors:
        return
    with running(opened.path, solver=solver) as engine:
        make_steps(engine, 5)
        before = engine.snapshot().position.copy()
        refusal = ""
        try:
            engine.change_coupling(0, multiplier, offset, 0.0)
        except AssemblyError as error:
            refusal = str(error)
        if refusal:
            assert "m::" in refusal
            assert np.array_equal(engine.snapshot().position, before)
        goes_on(engine)


def goes_on(engine: Engine) -> None:
    """Five steps within the limits, none of which leads further than the velocities and accelerations say."""
    before = engine.snapshot()
    assert outside(engine) <= allowed_outside(engine)
    for _ in range(5):
        engine.step()
        after = engine.snapshot()
        fastest = np.maximum(np.abs(before.velocity), np.abs(after.velocity))
        assert (np.abs(after.position - before.position) <= fastest * engine.dt + ADDED).all()
        assert outside(engine) <= allowed_outside(engine)
        before = after


def four_bar(limits: Limits) -> str:
    """Bars of 0.2, 0.45, 0.35 and 0.5 m: a crank-rocker; crank at a right angle, the coupler ends at (0.4272…,
    0.3423…)."""
    end = (0.42723, 0.34234)
    far = 0.2 + np.sqrt(0.45**2 - end[0] ** 2)
    at = f"{end[0]} {far} 0 0 0 0"
    return world(
        model(
            link("x", inertia="0.1 0.1 0.1"),
            link("y", pose="0 0.2 0 0 0 0", inertia="0.1 0.1 0.1"),
            link("z", pose="0.5 0 0 0 0 0", inertia="0.1 0.1 0.1"),
            joint("a", "revolute", "x", inside_axis=stops(limits[0])),
            joint("b", "revolute", "y", parent="x", inside_axis=stops(limits[1])),
            joint("c", "revolute", "z", inside_axis=stops(limits[2])),
            f'<joint name="d" type="revolute"><pose relative_to="__model__">{at}</pose><parent>y</parent>'
            "<child>z</child><axis><xyz>0 0 "
            "1</xyz></axis><physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics></joint>",
        ),
        gravity="0 -9.8 0",
    )


@PROPERTY
@given(solver=strategies, limits=st.tuples(ranges, ranges, ranges), asked=st.one_of(st.none(), tenths))
def test_a_four_bar(write_document: Write, solver: str, limits: Limits, asked: float | None) -> None:
    starts_without_a_jump(write_document(four_bar(limits)), solver, () if asked is None else (f"m::a={asked}",))


BARS = {
    "crank-rocker": (0.2, 0.45, 0.35, 0.5),
    "drag link": (0.45, 0.4, 0.5, 0.2),
    "double rocker": (0.4, 0.2, 0.45, 0.5),
    "triple rocker": (0.3, 0.35, 0.35, 0.5),
    "parallelogram": (0.3, 0.5, 0.3, 0.5),
    "kite": (0.3, 0.3, 0.5, 0.5),
}
"""Crank, coupler, rocker and ground [m]: one of each kind of Grashof's, one that no bar goes round in, two with change
points."""
turns = st.integers(-31, 31).map(lambda n: n / 10)


def closed_bars(name: str, crank: float, side: int) -> tuple[complex, complex] | None:
    """Where crank and coupler meet and where coupler and rocker do, with the crank at that angle; None where the others
    do not reach."""
    first, second, third, ground = BARS[name]
    tip = cmath.rect(first, crank)
    way = ground - tip
    along = (abs(way) ** 2 + second**2 - third**2) / (2.0 * abs(way))
    if abs(along) > second * math.cos(0.02):
        return None
    return tip, tip + way / abs(way) * complex(along, side * math.sqrt(second**2 - along**2))


def bars_with_an_arm(
    name: str, ends: tuple[complex, complex], limits: Limits, start: tuple[float, float], law: tuple[float, float]
) -> str:
    """Four bars whose rocker turns an arm beside them by a law; the state asks for turns of the crank and of the arm's
    own tip."""
    tip, end = ends
    body, ground = {"inertia": "0.1 0.1 0.1", "com": "0.1 0 0"}, BARS[name][3]
    cut = "<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics>"
    return world(
        model(
            link("x", **body),
            link("y", pose=f"{tip.real!r} {tip.imag!r} 0 0 0 0", **body),
            link("z", pose=f"{ground!r} 0 0 0 0 0", **body),
            link("arm", pose="0 -1 0 0 0 0", **body),
            link("tip", pose="0.3 -1 0 0 0 0", **body),
            joint("a", "revolute", "x", inside_axis=stops(limits[0])),
            joint("b", "revolute", "y", parent="x", inside_axis=stops(limits[1])),
            joint("c", "revolute", "z", inside_axis=stops(limits[2])),
            f'<joint name="d" type="revolute"><pose relative_to="__model__">{end.real!r} {end.imag!r} 0 0 0 '
            f"0</pose><parent>y</parent><child>z</child><axis><xyz>0 0 1</xyz></axis>{cut}</joint>",
            joint("e", "revolute", "arm", inside_axis=stops(limits[3]) + mimic("c", *law)),
            joint("f", "revolute", "tip", parent="arm", inside_axis=stops(limits[4])),
            start_of("af", start),
        ),
        gravity="0 -9.8 0",
    )


@PROPERTY
@given(
    solver=strategies,
    name=st.sampled_from(sorted(BARS)),
    crank=turns,
    side=st.sampled_from([-1, 1]),
    limits=st.tuples(ranges, ranges, ranges, ranges, ranges),
    start=st.tuples(tenths, tenths),
    multiplier=st.sampled_from([-2.0, -0.5, 0.5, 1.0, 3.0]),
    offset=tenths,
    asked=st.one_of(st.none(), tenths),
)
def test_four_bars_of_all_kinds_with_an_arm_that_follows(
    write_document: Write,
    solver: str,
    name: str,
    crank: float,
    side: int,
    limits: Limits,
    start: tuple[float, float],
    multiplier: float,
    offset: float,
    asked: float | None,
) -> None:
    ends = closed_bars(name, crank, side)
    if ends is None:
        return
    text = bars_with_an_arm(name, ends, limits, start, (multiplier, offset))
    starts_without_a_jump(write_document(text), solver, () if asked is None else (f"m::c={asked}",))


@pytest.fixture(scope="module")
def branch(tmp_path_factory: pytest.TempPathFactory) -> NDArray[np.float64]:
    """Positions of a, b and c all along the branch that the four-bar starts on, a turn to either side, shape (n, 3)."""
    path = tmp_path_factory.mktemp("branch") / "four_bar.sdf"
    path.write_text(four_bar((None, None, None)), encoding="utf-8")
    mechanism = open_document(path).mechanism
    kinematics, found = Kinematics(mechanism), [np.zeros(3)]
    for way in (0.02, -0.02):
        state = rest_state(mechanism)
        for i in range(1, 200):
            state = assemble(kinematics, state, {0: way * i}).state
            found.append(state.position[:3])
    return np.array(found)


@PROPERTY
@given(limits=st.tuples(ranges, ranges, ranges))
@example(limits=((-1.4, 0.5), None, (-0.3, 0.1)))  # the rocker swings out of its limits and back on the way there
def test_nothing_on_the_branch_is_nearer(write_document: Write, branch: NDArray[np.float64], limits: Limits) -> None:
    """What is refused has no allowed position on the branch, and what is found is as near as the nearest of all that
    are; the branch is known in steps of 0.02 rad of the crank, of which the others make at most 0.05."""
    low = np.array([-np.inf if ends is None else ends[0] for ends in limits])
    high = np.array([np.inf if ends is None else ends[0] + ends[1] for ends in limits])
    allowed = branch[((branch >= low - 1e-9) & (branch <= high + 1e-9)).all(axis=1)]
    opened = open_document(write_document(four_bar(limits)))
    if opened.has_errors:
        assert not len(allowed)
    elif len(allowed):
        found = starting_pose(Kinematics(opened.mechanism), {}).state.position[:3]
        assert np.linalg.norm(found) <= np.linalg.norm(allowed, axis=1).min() + 0.05
