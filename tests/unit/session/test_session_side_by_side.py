"""Runs beside each other: the same samples as one run alone, and the drift between them in closed form."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.engine.drives import Drive, DriveKind
from simulator.errors import UsageError
from simulator.mechanism.varied import varied
from simulator.model.profiles import Constant
from simulator.session.batch import side_by_side
from simulator.session.batch.side_by_side import Contender, Lane, drifts, run_lane, run_side_by_side, shared_axes
from simulator.session.open.opening import Opened, open_document
from tests.helpers.repository import ROOT

RACK = ROOT / "worlds" / "rack_and_pinion.sdf"
PINION = "mimic_rack_and_pinion::pinion_joint"
TURNS = (PINION, Drive(DriveKind.VELOCITY, Constant(2.0)))


def test_a_lane_is_the_run_of_a_script() -> None:
    """The same engine called another way: to the last bit."""
    lane = run_lane(Contender("rows", open_document(ROOT / "worlds" / "four_bar.sdf"), "rows"), 0.5)
    run = simulator.load("four_bar").run(0.5, every=0.02)
    assert np.array_equal(lane.times, run.time)
    for number, name in enumerate(lane.axes):
        assert np.array_equal(lane.position[:, number], run[f"{name}/position"])
    assert lane.reason == ""
    assert lane.summary.max_loop_residual_m <= 1e-12


def test_the_drift_of_another_multiplier_is_its_difference_times_the_angle() -> None:
    opened = open_document(RACK)
    other = replace(opened, mechanism=varied(opened.mechanism, opened.world, {"rack_joint.multiplier": 0.03}))
    lanes = run_side_by_side(
        [Contender("before", opened, "rows", (TURNS,)), Contender("after", other, "rows", (TURNS,))], 1.0, apart=False
    )
    angle = lanes[0].position[-1, lanes[0].axes.index(PINION)]
    assert angle == pytest.approx(2.0, rel=1e-9)
    first, drift = drifts(lanes)
    assert first.m is None
    assert drift.m == pytest.approx((0.03 - 0.02) * angle, rel=1e-9)
    assert drift.rad == pytest.approx(0.0, abs=1e-9)
    assert drift.axis.endswith("rack_joint")


def test_strategies_that_are_exact_do_not_drift_and_one_that_refuses_says_why() -> None:
    opened = open_document(ROOT / "worlds" / "four_bar.sdf")
    solvers = ("rows", "reduced", "nonsense")
    rows, reduced, refused = run_side_by_side([Contender(name, opened, name) for name in solvers], 0.3, apart=False)
    assert "nonsense" in refused.reason
    drift = drifts((rows, reduced, refused))
    assert drift[1].rad == pytest.approx(0.0, abs=1e-12)
    assert drift[2].rad is None


def test_documents_are_matched_by_the_last_part_of_names(tmp_path: Path) -> None:
    text = RACK.read_text(encoding="utf-8").replace('name="mimic_rack_and_pinion"', 'name="other"')
    (tmp_path / "other.sdf").write_text(text.replace("../assets", f"{ROOT}/assets"), encoding="utf-8")
    first, second = open_document(RACK), open_document(tmp_path / "other.sdf")
    two = (Contender("one", first, "rows", (TURNS,)), Contender("two", second, "rows", (TURNS,)))
    assert two[1].own_drives() == (("other::pinion_joint", TURNS[1]),)
    lanes = run_side_by_side(two, 0.2, apart=False)
    assert shared_axes(lanes) == ((PINION, (0, 0)), (PINION.replace("pinion_joint", "rack_joint"), (1, 1)))
    assert drifts(lanes)[1].rad == 0.0
    strange = Contender("three", open_document(ROOT / "worlds" / "four_bar.sdf"), "rows", (TURNS,))
    assert strange.left_out() == (PINION,)


def test_steps_of_other_length_are_compared_in_time() -> None:
    opened = open_document(RACK)
    coarse = replace(opened.world, physics=replace(opened.world.physics, max_step_size=0.004))
    lanes = run_side_by_side(
        [
            Contender("fine", opened, "rows", (TURNS,)),
            Contender("coarse", replace(opened, world=coarse), "rows", (TURNS,)),
        ],
        0.4,
        apart=False,
    )
    assert drifts(lanes)[1].rad == pytest.approx(0.0, abs=1e-9), "2 rad/s in both"


def _dies(contender: Contender, duration: float) -> Lane:
    if contender.label == "dies":
        os._exit(3)
    return Lane(contender, reason=f"{duration:g}")


def test_a_process_that_ends_takes_one_lane_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: Opened = open_document(RACK)
    monkeypatch.setattr(side_by_side, "run_lane", _dies)
    labels = []
    lanes = run_side_by_side([Contender(name, opened, "rows") for name in ("a", "dies", "b")], 2.0, begin=labels.append)
    assert [lane.reason for lane in lanes] == ["2", "the physics process crashed", "2"]
    assert labels == ["a", "dies", "b"]


def test_no_time_is_refused() -> None:
    with pytest.raises(UsageError, match="duration"):
        run_side_by_side([], float("nan"))
