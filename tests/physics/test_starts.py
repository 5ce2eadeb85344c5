"""Where mechanisms start when limits exclude the pose of the document: the nearest allowed pose, closed, with a finding
that says so.

Positions are exact for axes that no loop moves, and closed to 1e-11 in loops, as assembly leaves them. A stop that is
not violated moves nothing: without gravity what starts at rest stays to round-off.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulator.engine.engine import Engine
from simulator.errors import DocumentError, LimitsError, UsageError
from simulator.formats.options import ReadingOptions
from simulator.session.commands.factory import make_engine
from simulator.session.open.opening import open_document
from simulator.session.text.description import describe
from simulator.session.text.settings import SessionSettings
from tests.helpers.documents import mimic
from tests.physics.axes import limit
from tests.physics.worlds import joint, link, model, running, world

Write = Callable[..., Path]
STRATEGIES = pytest.mark.parametrize("solver", ["rows", "reduced", "gear"])
CLOSED = 1e-11


def pair(lead: str, follow: str, law: str) -> str:
    """A leader and a follower, each a line of its own; limits stand on lines 2 and 3."""
    return world(
        model(
            link("a"),
            link("b"),
            "\n" + joint("lead", "revolute", "a", inside_axis=lead),
            "\n" + joint("follow", "revolute", "b", inside_axis=follow + law),
        ),
        gravity="0 0 0",
    )


def four_bar(crank: str = "", rocker: str = "", *, length: float = 0.2) -> str:
    """A parallelogram in the x-y plane: crank and rocker of `length` stand along y, the coupler of 0.5 m lies along
    x."""
    tip = f"0 {length} 0 0 0 0"
    return world(
        model(
            link("c"),
            link("b", pose=tip),
            link("r", pose="0.5 0 0 0 0 0"),
            joint("crank", "revolute", "c", inside_axis=crank),
            joint("coupler", "revolute", "b", parent="c"),
            joint("rocker", "revolute", "r", inside_axis=rocker),
            joint("close", "revolute", "r", parent="b", pose=tip,
                  extra="<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics>"),
        ),
        gravity="0 0 0",
    )  # fmt: skip


def flat(crank: str, rocker: str) -> str:
    """The same with all bars along x: a change point."""
    return world(
        model(
            link("c"),
            link("b", pose="0.2 0 0 0 0 0"),
            link("r", pose="0.5 0 0 0 0 0"),
            joint("crank", "revolute", "c", inside_axis=crank),
            joint("coupler", "revolute", "b", parent="c"),
            joint("rocker", "revolute", "r", inside_axis=rocker),
            joint("close", "ball", "r", parent="b", pose="0.2 0 0 0 0 0",
                  extra="<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics>"),
        ),
        gravity="0 0 0",
    )  # fmt: skip


def positions(engine: Engine) -> dict[str, float]:
    """Position of every axis by the name of its joint."""
    names = [axis.name.removeprefix("m::") for axis in engine.mechanism.axes]
    return dict(zip(names, engine.snapshot().position.tolist(), strict=True))


def stays(engine: Engine, start: dict[str, float], within: float = 1e-9) -> None:
    """Nothing jumps, and without gravity nothing moves."""
    for _ in range(5):
        engine.step()
        assert positions(engine) == pytest.approx(start, abs=within)


def told(path: Path, *, strict: bool = False) -> list[tuple[str, str, int, str]]:
    """Severity, code, line and message of what is said about the start."""
    found = open_document(path, ReadingOptions(strict=strict)).start_diagnostics
    return [(item.severity.value, item.code, item.line, item.folded_message) for item in found]


# --- one joint, and couplings -----------------------------------------------------------------------------------------


@STRATEGIES
@pytest.mark.parametrize(("lower", "upper", "start"), [(0.2, 1.0, 0.2), (-1.0, -0.3, -0.3), (-1.0, 1.0, 0.0)])
def test_a_joint_starts_at_its_nearest_limit(
    write_document: Write, solver: str, lower: float, upper: float, start: float
) -> None:
    path = write_document(
        world(model(link("a"), joint("j", "revolute", "a", inside_axis=limit(lower, upper))), gravity="0 0 0")
    )
    with running(path, solver=solver) as engine:
        assert positions(engine) == {"j": start}
        stays(engine, {"j": start})
        engine.reset()
        assert positions(engine) == {"j": start}


@pytest.mark.parametrize("strict", [False, True])
def test_it_is_said_which_joint_starts_where(write_document: Write, strict: bool) -> None:
    text = pair(limit(0.25, 1.0), "", mimic("lead", 2.0, 0.1))
    ((severity, code, line, message),) = told(write_document(text), strict=strict)
    assert (severity, code, line) == ("warning", "START_OUTSIDE_LIMITS", 2)
    assert message == (
        "'m::lead' would start at 0 rad, outside of its limits from 0.25 to 1 rad; it starts at 0.25, which moves "
        "'m::follow' from 0.1 to 0.6"
    )


@STRATEGIES
def test_the_limit_of_a_follower_moves_its_leader(write_document: Write, solver: str) -> None:
    """follow = 2 lead + 0.1 >= 0.3 puts lead at 0.1."""
    with running(write_document(pair("", limit(0.3, 1.0), mimic("lead", 2.0, 0.1))), solver=solver) as engine:
        start = positions(engine)
        assert start == pytest.approx({"lead": 0.1, "follow": 0.3}, abs=1e-15)
        stays(engine, start)


def test_plain_joints_are_told_together(write_document: Write) -> None:
    parts = [link(name) + joint(f"j{name}", "revolute", name, inside_axis=limit(0.2, 1.0)) for name in "abc"]
    ((_, code, _, message),) = told(write_document(world(model(*parts))))
    assert code == "START_OUTSIDE_LIMITS"
    assert message.endswith("it starts at 0.2 (and 2 more like it)")


def test_pairs_that_are_coupled_are_told_together_by_their_names(write_document: Write) -> None:
    """As the two feet of a robot."""
    parts = [
        link(f"{side}{end}") + joint(f"j{side}{end}", "revolute", f"{side}{end}", inside_axis=inside)
        for side in "lr"
        for end, inside in (("a", limit(0.25, 1.0)), ("b", mimic(f"j{side}a", 2.0)))
    ]
    ((_, code, _, message),) = told(write_document(world(model(*parts))))
    assert code == "START_OUTSIDE_LIMITS"
    assert message.endswith("which moves 'm::jlb' from 0 to 0.5 (and 1 more like it: 'm::jra')")


def test_a_start_of_the_document_outside_of_the_limits_is_told_where_it_stands(write_document: Write) -> None:
    state = (
        '<model_state><joint_state name="j">\n<axis_state><position>5</position></axis_state></joint_state>'
        "</model_state>"
    )
    path = write_document(world(model(link("a"), joint("j", "revolute", "a", inside_axis=limit(-1.0, 1.0)), state)))
    ((_, code, line, message),) = told(path)
    assert (code, line) == ("START_OUTSIDE_LIMITS", 2)
    assert message == "'m::j' would start at 5 rad, outside of its limits from -1 to 1 rad; it starts at 1"
    with running(path) as engine:
        assert positions(engine) == {"j": 1.0}


CONTRADICTION = (
    "no position is allowed: 'm::lead' is limited to 0.2 to 1 rad, with which 'm::follow' is from 0.2 to 1 rad by "
    "their coupling, and that one is limited to -1 to 0.1 rad"
)


@pytest.mark.parametrize("strict", [False, True])
def test_limits_that_exclude_each_other_are_an_error_that_names_both(write_document: Write, strict: bool) -> None:
    path = write_document(pair(limit(0.2, 1.0), limit(-1.0, 0.1), mimic("lead", 1.0)))
    assert told(path, strict=strict) == [("error", "LIMITS_CONTRADICTORY", 3, CONTRADICTION)]
    opened = open_document(path)
    with pytest.raises(DocumentError):
        make_engine(opened, SessionSettings())
    assert describe(opened)["mechanism"]["condition"]["message"] == CONTRADICTION


def test_limits_that_agree_up_to_round_off_are_none_that_exclude_each_other(write_document: Write) -> None:
    """0.1 · 3 is not 0.3 in floating point."""
    path = write_document(pair(limit(0.1, 0.1), limit(0.3, 0.3), mimic("lead", 3.0)))
    assert [item[1] for item in told(path)] == ["LIMITS_HOLD", "START_OUTSIDE_LIMITS"]
    with running(path) as engine:
        assert positions(engine) == pytest.approx({"lead": 0.1, "follow": 0.3}, abs=1e-15)


def test_limits_the_wrong_way_round_are_swapped_or_refused(write_document: Write) -> None:
    path = write_document(world(model(link("a"), joint("j", "revolute", "a", inside_axis=limit(1.0, 0.5)))))
    assert [item[1] for item in told(path)] == ["START_OUTSIDE_LIMITS"]
    with running(path) as engine:
        assert positions(engine) == {"j": 0.5}
    message = "no position is allowed: 'm::j' is limited to 1 to 0.5 rad, the wrong way round"
    assert told(path, strict=True) == [("error", "LIMITS_CONTRADICTORY", 1, message)]


@pytest.mark.parametrize(
    ("lower", "upper", "says"),
    [(np.inf, np.inf, "inf to inf"), (1e300, np.inf, "inf to inf"), (-np.inf, -1e16, "-inf to -inf")],
)
def test_limits_where_nothing_can_be_are_refused(write_document: Write, lower: float, upper: float, says: str) -> None:
    """1e16 stands for no limit in SDFormat, which as a lower one leaves nothing."""
    path = write_document(world(model(link("a"), joint("j", "revolute", "a", inside_axis=limit(lower, upper)))))
    message = f"no position is allowed: 'm::j' is limited to {says} rad, where nothing can be"
    assert [item for item in told(path) if item[0] == "error"] == [("error", "LIMITS_CONTRADICTORY", 1, message)]


# --- loops ------------------------------------------------------------------------------------------------------------


@STRATEGIES
def test_a_four_bar_is_assembled_within_its_limits(write_document: Write, solver: str) -> None:
    """Of a parallelogram: crank and rocker turn alike, the coupler turns back."""
    with running(write_document(four_bar(crank=limit(0.7, 2.0))), solver=solver) as engine:
        start = positions(engine)
        assert start["crank"] == pytest.approx(0.7, abs=CLOSED)
        assert start["rocker"] == pytest.approx(0.7, abs=CLOSED)
        assert start["coupler"] == pytest.approx(-0.7, abs=CLOSED)
        assert engine.snapshot().worst_loop_residual()[0] < CLOSED
        stays(engine, start, 1e-8)


def test_the_limit_of_a_loop_joint_counts(write_document: Write) -> None:
    """The closing hinge turns as the crank does."""
    text = four_bar().replace("</axis><physics>", f"{limit(0.4, 1.0)}</axis><physics>")
    path = write_document(text)
    with running(path) as engine:
        start = positions(engine)
        assert start == pytest.approx({"crank": 0.4, "coupler": -0.4, "rocker": 0.4, "close": 0.4}, abs=CLOSED)
        stays(engine, start)


@STRATEGIES
def test_a_parallelogram_that_is_flat_at_the_start(write_document: Write, solver: str) -> None:
    """Both branches meet in the pose of the document; limits of both cranks leave the parallelogram."""
    stops = limit(-2.0, -0.6)
    path = write_document(flat(stops, stops))
    ((_, code, _, message),) = told(path)
    assert code == "START_OUTSIDE_LIMITS"
    assert "it starts at -0.6, which moves 'm::rocker' from 0 to -0.6, 'm::coupler' from 0 to 0.6" in message
    with running(path, solver=solver) as engine:
        start = positions(engine)
        assert start == pytest.approx({"crank": -0.6, "coupler": 0.6, "rocker": -0.6}, abs=1e-9)
        assert engine.snapshot().worst_loop_residual()[0] < CLOSED


def test_limits_that_loops_do_not_allow_together_name_the_joints(write_document: Write) -> None:
    path = write_document(four_bar(crank=limit(0.2, 1.0), rocker=limit(-1.0, 0.1)))
    ((severity, code, _, message),) = told(path)
    assert (severity, code) == ("error", "LIMITS_CONTRADICTORY")
    assert "'m::crank' (0.2 to 1 rad)" in message
    assert "'m::rocker' (-1 to 0.1 rad)" in message


# --- what the user asks for -------------------------------------------------------------------------------------------


@STRATEGIES
def test_an_initial_position_outside_of_the_limits_is_refused(write_document: Write, solver: str) -> None:
    path = write_document(pair(limit(0.2, 1.0), "", mimic("lead", 1.0)))
    with (
        pytest.raises(UsageError, match=r"'m::lead' cannot be put at 1.5 rad: its limits are 0.2 to 1 rad"),
        running(path, initial=("lead=1.5",), solver=solver),
    ):
        pass


def test_an_initial_position_that_puts_a_follower_outside_is_refused(write_document: Write) -> None:
    path = write_document(pair("", limit(-0.5, 0.5), mimic("lead", 2.0)))
    wanted = r"limits of 'm::follow' \(-0.5 to 0.5 rad\) is found .* with 'm::lead' at 0.4"
    with pytest.raises(LimitsError, match=wanted), running(path, initial=("lead=0.4",)):
        pass


def test_an_initial_position_stays_and_the_others_go_to_their_limits(write_document: Write) -> None:
    parts = [link(name) + joint(f"j{name}", "revolute", name, inside_axis=limit(0.2, 1.0)) for name in "ab"]
    with running(write_document(world(model(*parts))), initial=("ja=0.7",)) as engine:
        assert positions(engine) == {"ja": 0.7, "jb": 0.2}


def test_what_is_placed_stays_within_the_limits(write_document: Write) -> None:
    """In the window, too: a joint is put within its limits, and those that move along stay within theirs."""
    with running(write_document(pair("", limit(-0.5, 0.5), mimic("lead", 2.0)))) as engine:
        engine.place(0, 0.2)
        assert positions(engine) == {"lead": 0.2, "follow": 0.4}
        with pytest.raises(UsageError, match=r"cannot be put at 0\.6"):
            engine.place(1, 0.6)
        with pytest.raises(LimitsError, match="m::follow"):
            engine.place(0, 0.4)
        assert positions(engine) == {"lead": 0.2, "follow": 0.4}
