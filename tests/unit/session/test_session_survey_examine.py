"""What a survey says of single documents, and what it makes of what their processes tell."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from simulator.engine.engine import Engine
from simulator.engine.snapshot import EnergyBalance, Snapshot
from simulator.errors import DivergedError
from simulator.formats.options import ReadingOptions
from simulator.session.open.opening import open_document
from simulator.session.survey.examine import PICTURE_SIZE, Task, examine
from simulator.session.survey.record import OUTCOMES, Record, judged, record_of
from simulator.session.survey.stability import FALL, StabilityWatch
from simulator.session.text.settings import SessionSettings
from tests.helpers.documents import joint, link, mimic, model, world
from tests.helpers.repository import ROOT

BOX = "<visual name='v'><geometry><box><size>1 1 1</size></box></geometry></visual>"
PLUGIN = "<plugin name='p' filename='libp.so'/>"
MESH = "<collision name='c'><geometry><mesh><uri>model://nowhere/part.stl</uri></mesh></geometry></collision>"
GRAVITY = 9.8
"""SDFormat's own [m/s²]."""


def examined(path: Path, **settings: Any) -> Record:
    parts: dict[str, Any] = {"file": str(path), "folder": str(path.parent)}
    task = Task(path, str(path.parent), **{"settings": SessionSettings(), "duration": 0.05, **settings})
    examine(task, parts.update)
    return judged(parts, "", "")


def test_a_clean_document(write_document: Callable[..., Path], tmp_path: Path) -> None:
    j = joint("j", "revolute", parent="world", child="a", axis="0 1 0")
    k = joint("k", "revolute", mimic("j"), parent="world", child="b", axis="0 1 0")
    path = write_document(world(model("m", link("a", BOX), link("b"), j, k)))
    record = examined(path, picture=tmp_path / "picture.jpg")
    assert (record.outcome, record.check, record.run, record.reason, record.found) == (
        "clean",
        "clean",
        "finished",
        "",
        0,
    )
    assert (record.bodies, record.joints, record.axes, record.couplings, record.loops) == (2, 2, 2, 1, 0)
    assert (record.dof, record.rank) == (1, 1)
    assert record.simulated_s == pytest.approx(0.05)
    assert min(record.check_s, record.run_s, record.picture_s, record.steps_per_s) > 0.0
    assert record.max_coupling_residual < 1e-12
    assert (record.picture, record.runaway, record.created_energy) == ("picture.jpg", "", 0.0)
    with Image.open(tmp_path / record.picture) as image:
        assert image.size == PICTURE_SIZE


def test_a_warned_document(write_document: Callable[..., Path]) -> None:
    record = examined(write_document(world(model("m", link("a"), PLUGIN), PLUGIN)))
    assert (record.outcome, record.run) == ("warned", "finished")
    assert (record.errors, record.warnings, record.found) == (0, len(record.findings), len(record.findings))
    assert record.reason.startswith(f"{record.findings[0]['code']}: ")


def test_a_refused_document_is_drawn_as_far_as_it_is_read(write_document: Callable[..., Path], tmp_path: Path) -> None:
    path = write_document(world(model("m", link("a", BOX, MESH))))
    options = ReadingOptions(strict=True)
    record = examined(path, options=options, picture=tmp_path / "picture.jpg")
    assert (record.outcome, record.check, record.run, record.code) == ("refused", "refused", "", "MESH_MISSING")
    assert (record.missing_files, record.simulated_s, record.picture) == (1, 0.0, "picture.jpg")
    assert "model://nowhere/part.stl" in record.reason


def test_what_is_no_document(write_document: Callable[..., Path], tmp_path: Path) -> None:
    record = examined(write_document("<sdf"), picture=tmp_path / "picture.jpg")
    assert (record.outcome, record.picture) == ("refused", "")


def test_a_run_that_ends_in_an_error_is_unstable(
    write_document: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_away(engine: Engine, *_: object, **__: object) -> None:
        raise DivergedError("'a' has run away", engine.time)

    monkeypatch.setattr(Engine, "advance", run_away)
    record = examined(write_document(world(model("m", link("a", BOX)))), picture=tmp_path / "picture.jpg")
    assert (record.outcome, record.run, record.reason) == ("unstable", "unstable", "'a' has run away")
    assert (record.check, record.picture) == ("clean", "picture.jpg")


def test_a_run_that_cannot_be_started_is_unstable(write_document: Callable[..., Path]) -> None:
    record = examined(write_document(world(model("m", link("a")))), settings=SessionSettings(dt=2.0))
    assert (record.outcome, record.check, record.simulated_s) == ("unstable", "clean", 0.0)
    assert record.reason.startswith("a step of 2 s cannot be simulated")


def test_a_run_stops_at_its_limit_of_time(write_document: Callable[..., Path], tmp_path: Path) -> None:
    path = write_document(world(model("m", link("a", BOX))))
    record = examined(path, duration=1e6, limit=1e-9, picture=tmp_path / "picture.jpg")
    assert (record.outcome, record.run, record.picture) == ("slow", "slow", "picture.jpg")
    assert "of 1e+06 s simulated" in record.reason


def falling_ball(write_document: Callable[..., Path], *, mass: float = 2.0) -> StabilityWatch:
    return StabilityWatch(open_document(write_document(world(model("m", link("a", mass=mass))))).mechanism)


def state(
    time: float, kinetic: float, potential: float, *, speed: float = 0.0, spin: float = 0.0, **flown: float
) -> Snapshot:
    """`flown` [J]: work, loads and overlap."""
    none = np.zeros(0)
    bodies = np.zeros((2, 6))
    bodies[1] = (spin, 0.0, 0.0, 0.0, 0.0, -speed)
    energy = EnergyBalance(kinetic, potential, **{"work": 0.0, "dissipated": 0.0, "error": 0.0, **flown})
    return Snapshot(0, time, none, none, none, none, np.zeros((0, 2)), energy, np.zeros((2, 7)), body_velocities=bodies)


def seen(watch: StabilityWatch, *snapshots: Snapshot) -> StabilityWatch:
    for snapshot in snapshots:
        watch.see(snapshot)
    return watch


def test_a_fall_creates_no_energy(write_document: Callable[..., Path]) -> None:
    """v = g t, K = m v² / 2, and gravity's potential falls by as much."""
    falls = [state(t, GRAVITY**2 * t**2, -(GRAVITY**2) * t**2, speed=GRAVITY * t) for t in np.linspace(0.0, 2.0, 50)]
    watch = seen(falling_ball(write_document), *falls)
    assert (watch.finite, watch.runaway, watch.created) == (True, "", 0.0)
    assert watch.top_speed == pytest.approx(2.0 * GRAVITY)


def test_work_of_drives_and_losses_are_no_energy_from_nowhere(write_document: Callable[..., Path]) -> None:
    for giver in ("work", "loads", "overlap"):
        watch = seen(falling_ball(write_document), state(0.0, 0.0, 5.0), state(1.0, 30.0, 5.0, **{giver: 40.0}))
        assert (watch.runaway, watch.given) == ("", 40.0)


def test_what_is_given_is_what_starts_falls_and_is_driven(write_document: Callable[..., Path]) -> None:
    watch = falling_ball(write_document)
    seen(watch, state(0.0, 1.0, 5.0), state(1.0, 3.0, 2.0, work=-1.0))
    assert watch.given == 4.0
    seen(watch, state(2.0, 6.0, 4.0, work=4.0))
    assert watch.given == 9.0


def test_energy_from_nowhere_is_told_once_with_the_most_of_it(write_document: Callable[..., Path]) -> None:
    watch = seen(falling_ball(write_document), state(0.0, 0.0, 5.0), state(0.1, 30.0, 5.0), state(0.2, 80.0, 5.0))
    assert watch.runaway == "at 0.1 s 30 J of 30 J of kinetic energy come from nowhere"
    assert (watch.created, watch.finite) == (80.0, True)


def test_a_push_out_of_a_small_overlap_does_not_count(write_document: Callable[..., Path]) -> None:
    """Less than a fall of `FALL` gives to all bodies: m g h."""
    most = 2.0 * GRAVITY * FALL
    assert seen(falling_ball(write_document), state(0.0, 0.0, 0.0), state(0.1, 0.99 * most, 0.0)).runaway == ""
    assert seen(falling_ball(write_document), state(0.0, 0.0, 0.0), state(0.1, 1.01 * most, 0.0)).runaway != ""


def test_a_push_that_lifts_without_speed_does_not_count_in_a_later_fall(write_document: Callable[..., Path]) -> None:
    lifted = [state(0.0, 0.0, 0.0), state(0.1, 0.0, 40.0), state(0.2, 10.0, 30.0), state(0.3, 40.0, 0.0)]
    assert seen(falling_ball(write_document), *lifted).runaway == ""
    assert seen(falling_ball(write_document), *lifted, state(0.4, 90.0, 0.0)).created == 50.0


@pytest.mark.parametrize("too_fast", [{"speed": 1.01e4}, {"spin": 1.01e5}])
def test_speeds_that_run_away(write_document: Callable[..., Path], too_fast: dict[str, float]) -> None:
    watch = seen(falling_ball(write_document), state(0.0, 0.0, 0.0), state(0.5, 0.0, 0.0, **too_fast))
    assert watch.runaway.startswith("at 0.5 s speeds run away, up to 1.01e+0")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_finite(write_document: Callable[..., Path], value: float) -> None:
    assert not seen(falling_ball(write_document), state(0.0, 0.0, 0.0), state(0.1, value, 0.0)).finite
    assert not seen(falling_ball(write_document), state(0.0, 0.0, 0.0), state(0.1, 0.0, 0.0, spin=value)).finite


@pytest.mark.parametrize(
    ("parts", "how", "outcome", "reason"),
    [
        ({"check": "clean", "run": "finished"}, "", "clean", ""),
        ({"check": "warned", "run": "finished", "code": "C", "message": "m"}, "", "warned", "C: m"),
        ({"check": "refused", "code": "C", "message": "m", "picture_failure": "no"}, "", "refused", "C: m"),
        ({"check": "clean", "run": "unstable", "reason": "it\n jams"}, "", "unstable", "it jams"),
        ({"check": "clean", "run": "finished", "runaway": "too fast"}, "", "unstable", "too fast"),
        ({"check": "clean", "run": "finished", "picture_failure": "no GL"}, "", "picture failed", "no GL"),
        ({"check": "clean", "stage": "while it was simulated"}, "slow", "slow", "because, while it was simulated"),
        ({"stage": "while it was read"}, "crashed", "crashed", "because, while it was read"),
        ({"check": "refused", "code": "C"}, "memory", "memory", "because"),
    ],
)
def test_the_worst_that_is_true_is_the_outcome(parts: dict[str, Any], how: str, outcome: str, reason: str) -> None:
    record = judged({"file": "f", "folder": "d", **parts}, how, "because")
    assert (record.outcome, record.reason) == (outcome, reason)
    assert outcome in OUTCOMES


def test_a_record_survives_json() -> None:
    record = Record("f", "d", dof=None, rank=3, top_speed=float("inf"), findings=({"code": "C", "line": 3},))
    assert record_of(json.loads(json.dumps(record.as_json()))) == record


@pytest.mark.parametrize("macro", ['<xacro:property name="x" value="1"/><material name="red"/>', "<gazebo/>", ""])
def test_what_is_left_without_a_link_is_a_part_of_a_document(write_document: Callable[..., Path], macro: str) -> None:
    head = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    record = examined(write_document(f"{head}{macro}</robot>", "colours.xacro"))
    assert (record.outcome, record.code) == ("part", "XACRO_EMPTY")


@pytest.mark.parametrize(("included", "outcome"), [(True, "part"), (False, "refused")])
def test_what_only_expands_where_it_is_included_is_a_part(included: bool, outcome: str) -> None:
    parts = {"file": "f", "folder": "d", "check": "refused", "code": "XACRO_FAILED", "message": "'PI' is not defined"}
    record = judged(parts, "", "", is_included=included)
    assert (record.outcome, record.reason) == (outcome, "XACRO_FAILED: 'PI' is not defined")


def test_every_independent_axis_is_exercised(write_document: Callable[..., Path]) -> None:
    """A leader with a limit, whose follower is limited more, and a wheel without one: both go their way. A hinge with
    more friction than effort does not."""
    limit = "<limit><lower>-1</lower><upper>{}</upper>{}</limit>"
    parts = [
        joint("j", "revolute", limit.format(2, ""), parent="world", child="a"),
        joint("k", "revolute", mimic("j", multiplier=2.0) + limit.format(1, ""), parent="a", child="b"),
        joint("wheel", "continuous", parent="b", child="c"),
        joint(
            "rusty",
            "revolute",
            limit.format(1, "<effort>1</effort>") + "<dynamics><friction>5</friction></dynamics>",
            parent="world",
            child="d",
        ),
    ]
    path = write_document(world(model("m", *map(link, "abcd"), *parts)))
    record = examined(path, duration=2.0, exercise=True)
    assert (record.exercised, record.stuck) == (3, "m::rusty")
    assert record.stuck_at_limit == "m::rusty"
    assert (record.outcome, record.reason) == ("stuck", "did not move: m::rusty (effort limit reached)")


def test_a_wheel_with_limits_that_are_none_is_turned_by_half_turns(write_document: Callable[..., Path]) -> None:
    """Limits of 1e12 rad in documents of Gazebo: a motor cannot be there and back in 2 s."""
    limit = "<limit><lower>-1e12</lower><upper>1e12</upper></limit>"
    wheel = joint("j", "revolute", parent="world", child="a", axis="0 1 0").replace("</axis>", f"{limit}</axis>")
    record = examined(write_document(world(model("m", link("a"), wheel))), duration=2.0, exercise=True)
    assert (record.run, record.exercised, record.stuck) == ("finished", 1, "")


def test_an_axis_that_its_limits_hold_is_said_and_not_stuck(write_document: Callable[..., Path]) -> None:
    """Exporters write limits of 0 and 0 where none were entered."""
    limit = "<limit><lower>0</lower><upper>0</upper></limit>"
    hinges = [joint(name, "revolute", limit, parent="world", child=name * 2) for name in "jk"]
    path = write_document(world(model("m", link("jj"), link("kk"), *hinges)))
    (finding,) = (item for item in open_document(path).diagnostics if item.code == "LIMITS_HOLD")
    assert (finding.message, finding.count) == ("'m::j' cannot move: both of its limits are 0 rad", 2)
    assert examined(path, duration=0.1, exercise=True).stuck == ""


def test_axes_of_one_loop_are_exercised_in_turns() -> None:
    record = examined(ROOT / "worlds" / "stewart.sdf", duration=2.0, exercise=True)
    assert (record.run, record.exercised, record.stuck) == ("finished", 6, "")
