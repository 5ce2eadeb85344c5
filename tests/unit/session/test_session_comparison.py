"""Strategies side by side: who refuses is an outcome with its reason, and differences are measured against the most
exact."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.bullet.striding import Strides
from simulator.engine.drives import Drive, DriveKind
from simulator.engine.engine import Engine
from simulator.engine.port import Seen
from simulator.errors import DocumentError, EngineDiedError, UnknownNameError, UsageError
from simulator.model.profiles import Constant
from simulator.session.batch import comparison
from simulator.session.batch.batch import RunSummary, run_batch
from simulator.session.batch.comparison import Comparison, Outcome, compare_strategies, most_exact
from simulator.session.open.opening import Opened, open_document
from simulator.session.text.settings import SOLVERS, SessionSettings
from tests.helpers.documents import gears, joint, link, mimic, model, world
from tests.helpers.repository import ROOT

PUSHED = SessionSettings(drives=(("pinion_joint", Drive(DriveKind.EFFORT, Constant(0.01))),))


@pytest.fixture
def rack() -> Opened:
    return open_document(ROOT / "worlds/rack_and_pinion.sdf")


@pytest.fixture
def long_train(write_document: Callable[..., Path]) -> Opened:
    """More joints than one multibody of Bullet can hold."""
    return open_document(write_document(gears(130)))


def outcome_of(compared: Comparison, solver: str) -> Outcome:
    return next(outcome for outcome in compared.outcomes if outcome.solver == solver)


def ran(solver: str, *, residual: float = 0.0, energy: float = 0.0, ignored: str = "") -> Outcome:
    summary = RunSummary(max_coupling_residual=residual, max_energy_error=energy, max_kinetic=1.0)
    return Outcome(solver, contacts=not ignored, contacts_ignored=ignored, summary=summary)


def test_every_strategy_runs_and_the_first_order_is_seen(rack: Opened) -> None:
    """Under a constant torque a semi-implicit step of dt is ahead by a/2 dt t after t: 20 rad/s² · 0.05 s · 0.5 ms =
    5e-4 rad."""
    compared = compare_strategies(rack, PUSHED, SOLVERS, 0.05)
    assert [outcome.solver for outcome in compared.outcomes] == list(SOLVERS)
    assert all(outcome.finished and outcome.reason == "" for outcome in compared.outcomes)
    assert compared.reference == SOLVERS[0]
    assert outcome_of(compared, SOLVERS[0]).difference_rad == 0.0
    gear = outcome_of(compared, "gear")
    assert gear.difference_rad == pytest.approx(5e-4, rel=1e-6)
    assert gear.difference_m == pytest.approx(1e-5, rel=1e-6)
    assert all(outcome.summary and outcome.summary.steps == 50 for outcome in compared.outcomes)


def test_who_cannot_hold_the_world_says_why(long_train: Opened) -> None:
    compared = compare_strategies(long_train, SessionSettings(), ("gear", "reduced"), 0.002)
    gear = outcome_of(compared, "gear")
    assert gear.summary is None
    assert "at most 120" in gear.reason
    assert compared.any_finished
    assert compared.reference == "reduced"
    told = compared.as_dict(long_train.mechanism)["solvers"][0]
    assert (told["solver"], told["finished"], told["reason"]) == ("gear", False, gear.reason)
    assert "max_coupling_residual" not in told


def test_who_runs_away_keeps_what_it_measured_and_is_no_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """No spring, damper or gain of a document makes one strategy alone run away any more: Bullet is made to show an
    infinite speed."""
    opened, see, steps = open_document(ROOT / "worlds/rack_and_pinion.sdf"), Strides.seen, [0]

    def runs_away(strides: Strides) -> Seen:
        seen = see(strides)
        at = np.linspace(steps[0], steps[0] + seen.made, len(seen.looks.velocity))
        steps[0] += seen.made
        shown = np.where(at > 100, np.inf, seen.looks.velocity.T).T
        return replace(seen, looks=replace(seen.looks, velocity=shown))

    monkeypatch.setattr(Strides, "seen", runs_away)
    compared = compare_strategies(opened, SessionSettings(), ("gear", "reduced"), 0.2)
    gear = outcome_of(compared, "gear")
    assert (gear.finished, gear.difference_rad, compared.reference) == (False, None, "reduced")
    assert gear.reason.startswith("the simulation diverged between ")
    assert gear.summary is not None
    assert 0 < gear.summary.steps < 200
    told = json.loads(json.dumps(compared.as_dict(opened.mechanism), allow_nan=False))["solvers"][0]
    assert told["steps"] == gear.summary.steps
    assert told["max_energy_error_relative"] >= 0.0


def test_a_start_that_nobody_can_assemble_is_everybodys(write_document: Callable[..., Path]) -> None:
    parts = [link("a"), link("b"), joint("j", "revolute", parent="world", child="a")]
    parts.append(joint("k", "revolute", mimic("j", multiplier=2.0), parent="world", child="b"))
    opened = open_document(write_document(world(model("m", *parts))))
    settings = SessionSettings(initial=(("j", 0.1), ("k", 0.1)))
    compared = compare_strategies(opened, settings, SOLVERS, 0.01)
    assert not compared.any_finished
    assert compared.reference == ""
    assert all(outcome.reason for outcome in compared.outcomes)
    json.dumps(compared.as_dict(opened.mechanism), allow_nan=False)


def test_the_object_is_json_with_all_that_was_measured() -> None:
    opened = open_document(ROOT / "worlds/four_bar.sdf")
    compared = compare_strategies(opened, SessionSettings(dt=0.002), ("gear",), 0.02)
    told = json.loads(json.dumps(compared.as_dict(opened.mechanism), allow_nan=False))
    assert (told["duration"], told["dt"], told["reference"]) == (0.02, 0.002, "gear")
    (row,) = told["solvers"]
    assert list(row) == [
        "solver", "finished", "reason", "contacts", "contacts_ignored", "steps", "simulated_s", "steps_per_s",
        "max_coupling_residual",
        "max_loop_residual_m", "max_loop_residual_rad", "max_energy_error_relative", "final_difference_rad",
        "final_difference_m", "final",
    ]  # fmt: skip
    assert row["steps"] == 10
    assert row["max_loop_residual_m"] > 0.0
    assert set(row["final"]) == {axis.name for axis in opened.mechanism.axes}


def test_names_are_checked_before_anything_runs(rack: Opened) -> None:
    begun: list[str] = []
    with pytest.raises(UnknownNameError, match="no solver is named 'magic'"):
        compare_strategies(rack, PUSHED, ("gear", "magic"), 1.0, begin=begun.append)
    with pytest.raises(UsageError, match="no strategy to compare"):
        compare_strategies(rack, PUSHED, (), 1.0, begin=begun.append)
    assert begun == []
    compare_strategies(rack, PUSHED, ("reduced", "gear", "reduced"), 0.0, begin=begun.append)
    assert begun == ["reduced", "gear"]


def test_a_document_with_errors_is_refused(write_document: Callable[..., Path]) -> None:
    opened = open_document(write_document(world(model("m", link("a"), joint("j", "revolute", parent="b", child="a")))))
    with pytest.raises(DocumentError):
        compare_strategies(opened, SessionSettings(), SOLVERS, 0.1)


def test_ctrl_c_keeps_what_there_is(rack: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    advance = Engine.advance

    def stop(engine: Engine, _: int, *others: Any, **more: Any) -> object:
        if engine.steps == 3:
            raise KeyboardInterrupt
        return advance(engine, 1, *others, **more)

    monkeypatch.setattr(Engine, "advance", stop)
    compared = compare_strategies(rack, PUSHED, SOLVERS, 1.0)
    assert compared.interrupted
    assert [(o.solver, o.finished, o.reason) for o in compared.outcomes] == [
        (SOLVERS[0], False, "interrupted at 0.003 s")
    ]


def test_an_engine_that_dies_is_an_outcome(rack: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(engine: object, duration: float) -> RunSummary:
        raise EngineDiedError("PyBullet stopped: no more")

    monkeypatch.setattr(comparison, "run_batch", die)
    compared = compare_strategies(rack, PUSHED, ("gear",), 1.0)
    assert compared.outcomes[0].reason == "PyBullet stopped: no more"


def test_steps_per_second_leave_out_snapshots_and_the_first_step(rack: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that the engine moves on: 1 ms a step, 5 s for the first, 1 s a snapshot."""
    now = [0.0]
    advance, snapshot = Engine.advance, Engine.snapshot

    def slow_advance(engine: Engine, steps: int, *others: Any, **more: Any) -> object:
        first = engine.steps == 0
        made, rows = advance(engine, steps, *others, **more)
        now[0] += 5.0 if first else 1e-3 * made
        return made, rows

    def slow_snapshot(engine: Engine) -> object:
        now[0] += 1.0
        return snapshot(engine)

    monkeypatch.setattr(Engine, "advance", slow_advance)
    monkeypatch.setattr(Engine, "snapshot", slow_snapshot)
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    engine = comparison.make_engine(rack, SessionSettings())
    assert run_batch(engine, 0.02).stepping_rate() == pytest.approx(1000.0)
    engine.close()


def test_the_reference_is_chosen_by_what_was_measured(rack: Opened) -> None:
    exact = "reduced"
    assert most_exact(rack, []) is None
    assert most_exact(rack, [Outcome("gear", contacts=True)]) is None
    chosen = most_exact(rack, [ran("gear", residual=1e-9), ran(exact, energy=1e-8)])
    assert chosen is not None
    assert chosen.solver == exact
    for worse in (ran(exact, energy=1e-3), ran(exact, residual=1e-3), ran(exact, ignored="a and b will pass")):
        chosen = most_exact(rack, [ran("gear", residual=1e-4), worse])
        assert chosen is not None
        assert chosen.solver == "gear"


def test_energy_that_impacts_take_does_not_count() -> None:
    gripper = open_document(ROOT / "worlds/gripper.sdf")
    chosen = most_exact(gripper, [ran("gear", residual=1e-3), ran("reduced", energy=0.5)])
    assert chosen is not None
    assert chosen.solver == "reduced"
