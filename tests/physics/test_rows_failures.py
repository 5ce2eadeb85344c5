"""The end of a simulation that cannot continue: a sentence that names the joint, the time and the cause, and the
recording so far."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simulator.engine.engine import Engine
from simulator.engine.strategies.reduced import ReducedDynamics
from simulator.errors import DivergedError, JammedError
from tests.helpers.command import called
from tests.physics.axes import without_visuals
from tests.physics.worlds import advance, example, joint, link, model, running, world

Write = Callable[..., Path]
STRATEGIES = pytest.mark.parametrize("solver", ["rows", "reduced"])


def steps_stay_finite(engine: Engine, steps: int) -> None:
    for _ in range(steps):
        engine.step()
        assert np.isfinite(engine.snapshot().position).all()


TRIANGLE = world(
    model(
        link("a"),
        link("b", pose="1 0 0 0 0 0"),
        joint("ja", "revolute", "a"),
        joint("jb", "revolute", "b"),
        '<joint name="jc" type="revolute"><parent>a</parent><child>b</child><pose>-0.5 0.5 0 0 0 0</pose>'
        "<axis><xyz>0 0 1</xyz></axis></joint>",
    )
)


@STRATEGIES
@pytest.mark.parametrize("drive", ["velocity:1", "position:1"])
def test_a_drive_of_a_mechanism_without_a_freedom(write_document: Write, solver: str, drive: str) -> None:
    with (
        running(write_document(TRIANGLE), drives=(f"ja={drive}",), solver=solver) as engine,
        pytest.raises(
            JammedError,
            match=r"jammed at 0\.001 s: 'm::ja' is driven, but its couplings and loops leave it no motion: "
            r"the loop closed by 'm::j.'$",
        ) as failure,
    ):
        engine.step()
    assert failure.value.time == pytest.approx(0.001)


@STRATEGIES
def test_an_effort_on_a_mechanism_without_a_freedom_is_carried(write_document: Write, solver: str) -> None:
    with running(write_document(TRIANGLE), drives=("ja=effort:100", "jb=velocity:0"), solver=solver) as engine:
        advance(engine, 0.1)
        assert np.abs(engine.snapshot().velocity).max() <= 1e-12


@STRATEGIES
def test_drives_that_contradict_each_other(solver: str) -> None:
    drives = ("crank_joint=velocity:1", "rocker_joint=velocity:5")
    with (
        running(example("four_bar"), drives=drives, solver=solver) as engine,
        pytest.raises(
            JammedError, match=r"at 0\.001 s: the drive of 'four_bar::\w+_joint' and those of other axes ask"
        ),
    ):
        advance(engine, 0.1)


@STRATEGIES
def test_drives_that_agree_may_be_redundant(solver: str) -> None:
    """Both hold still: nothing is wrong with that."""
    with running(
        example("four_bar"), drives=("crank_joint=velocity:0", "rocker_joint=velocity:0"), solver=solver
    ) as engine:
        advance(engine, 0.3)
        assert np.abs(engine.snapshot().velocity).max() <= 1e-12


@STRATEGIES
@pytest.mark.parametrize("drive", ["velocity:2", "velocity:-2", "position:3"])
def test_a_rocker_driven_past_what_its_links_reach(solver: str, drive: str) -> None:
    with (
        running(example("four_bar"), drives=(f"rocker_joint={drive}",), solver=solver) as engine,
        pytest.raises(
            JammedError,
            match=r"at 0\.\d+ s: the loop closed by 'four_bar::closing_joint' cannot be closed any more: .* reach",
        ),
    ):
        steps_stay_finite(engine, 2000)


LIGHT = world(model(link("a", mass=1e-6), joint("j", "prismatic", "a", axis="1 0 0")))
GREEDY = "j=position:1,pid(p=0.001,i=10,d=0)"
"""Its swing grows by e every 1 / 107 s: s^3 + W p s + W i has the roots 107 +- 188i and -214 / s for W = 1 / 1e-6
kg."""


@STRATEGIES
def test_a_loop_that_is_unstable_by_itself(write_document: Write, solver: str) -> None:
    """No step helps: the message says which gain is too much, not that the step is too long."""
    with (
        running(write_document(LIGHT), drives=(GREEDY,), solver=solver) as engine,
        pytest.raises(
            DivergedError,
            match=r"diverged at 0\.2\d* s: 'm::j' has run away; the cause is the loop of 'm::j', whose gains are "
            r"unstable at any step: "
            r"integral gain 10 is more than proportional times derivative gain over inertia, 0$",
        ) as failure,
    ):
        steps_stay_finite(engine, 300)
    assert 0.0 < failure.value.time <= 0.3


def four_bar_with(element: str) -> str:
    """The example with this element in the axis of the joint that closes its loop."""
    text = without_visuals(example("four_bar").read_text())
    begin = text.index("<axis>", text.index('name="closing_joint"')) + len("<axis>")
    return text[:begin] + element + text[begin:]


@STRATEGIES
def test_a_loop_that_comes_open_names_the_damper_that_is_too_fast(write_document: Write, solver: str) -> None:
    """Driven past its reach the loop comes open, and parts of a step show that it has jammed; the damper that no step
    of 1 ms follows is held, and named last."""
    document = write_document(four_bar_with("<dynamics><damping>200</damping></dynamics>"))
    with (
        running(document, drives=("rocker_joint=velocity:2",), solver=solver) as engine,
        pytest.raises(
            JammedError,
            match=r"jammed at 0\.\d+ s: the loop closed by 'four_bar::closing_joint' cannot be closed any more: the "
            r"motion ran against the end of what its links can reach, .* or else the cause is a step of "
            r"0\.001 s that is too long for the damper of 'four_bar::closing_joint' \(time constant \S+ s; a "
            r"step of \S+ s would",
        ),
    ):
        steps_stay_finite(engine, 2000)


@STRATEGIES
def test_what_was_recorded_before_a_failure_is_kept(write_document: Write, tmp_path: Path, solver: str) -> None:
    """`simulator run --csv`: the command fails with the sentence, the file has every step before it and no nan."""
    table = tmp_path / "table.csv"
    text = without_visuals(example("four_bar").read_text())
    arguments = ("--solver", solver, "--duration", "2", "--drive", "rocker_joint=velocity:2", "--csv", str(table))
    outcome = called("run", str(write_document(text)), *arguments)
    assert outcome.returncode == 3
    assert "closing_joint" in " ".join(outcome.stderr.split())
    assert_finite(table, at_least=300)
    spring = tmp_path / "spring.csv"
    outcome = called(
        "run",
        str(write_document(LIGHT, "light.sdf")),
        "--solver",
        solver,
        "--drive",
        GREEDY,
        "--duration",
        "1",
        "--csv",
        str(spring),
    )
    assert outcome.returncode == 3
    assert "diverged" in outcome.stderr
    assert_finite(spring, at_least=1)


def assert_finite(table: Path, *, at_least: int) -> None:
    rows = list(csv.reader(line for line in table.read_text().splitlines() if not line.startswith("#")))
    assert len(rows) - 1 >= at_least
    assert all(math.isfinite(float(value)) for row in rows[1:] for value in row)


def test_a_law_that_came_open_is_named(write_document: Write) -> None:
    """Where nothing closes a loop, rows are those of curves."""
    law = "<mimic joint='a'><simulator:polynomial>0 0.8 0.3</simulator:polynomial></mimic>"
    joints = joint("a", "revolute", "one", axis="1 0 0") + joint("b", "revolute", "two", axis="1 0 0", inside_axis=law)
    with running(write_document(world(model(link("one"), link("two"), joints)))) as engine:
        dynamics = engine.dynamics
        assert isinstance(dynamics, ReducedDynamics)
        assert not dynamics.opened_loop()
        dynamics._gap = math.inf
        assert dynamics.opened_loop() == "the coupling of 'm::b'"
        assert dynamics.trouble() == "the coupling of 'm::b' cannot be closed any more"
