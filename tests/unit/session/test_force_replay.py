"""Forces that are found from a recording against those that the engine knew of while it ran.

The recording holds neither friction nor stops nor contacts, so both ways have the balance of bodies in common and
differ in what acts: there the impulses of the step, here those of a step that is made again.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simulator.engine.snapshot import Extremes
from simulator.errors import UsageError
from simulator.recording.channels import channels_of
from simulator.recording.history import History
from simulator.recording.store import RowStore, StoreShape
from simulator.session.commands.commands import LetGo, Pull, SetCoupling, SetNumber, StepOnce
from simulator.session.commands.factory import make_engine
from simulator.session.forces.force_watch import ForceWatch
from simulator.session.forces.forces_now import ForceRecord, ForcesNow
from simulator.session.open.examples import find_file
from simulator.session.open.opening import Opened, open_document
from simulator.session.run import force_replay
from simulator.session.run.force_replay import NOT_RECORDED, TOO_FEW, replay_of
from simulator.session.run.runner import Listeners, Runner
from simulator.session.text.drive_text import parse_drive
from simulator.session.text.settings import SessionSettings

SAME = 1e-5
"""Of the largest force: in a step in which a motor changes its effort this is taken to change in a line."""


class Recorded:
    """What was recorded of a run, and the forces that were known in it."""

    def __init__(self, opened: Opened, settings: SessionSettings) -> None:
        self.opened, self.settings, self.watched = opened, settings, list[ForcesNow]()
        self.channels = channels_of(opened.mechanism, opened.actuators)
        self.store = RowStore(StoreShape.within(len(self.channels), 1 << 24))
        self.history = History(opened.mechanism, opened.actuators, self.store)
        self.engine = make_engine(opened, settings)
        self._watch = ForceWatch(self.engine, opened.world)
        self.store.extend(self.engine.row()[None])

    def run(self, seconds: float, every: int = 7) -> None:
        for step in range(round(seconds / self.engine.dt)):
            _, rows = self.engine.advance(1, Extremes(), stride=1)
            self.store.extend(rows)
            if step % every == 0:
                self.watched.append(self._watch.find(self.engine.snapshot()))

    def found(self) -> list[ForcesNow]:
        replay = replay_of(self.opened, self.settings, self.settings.solver, ())
        return [replay.at(self.history, forces.time) for forces in self.watched]


def recorded(document: str, *drives: str, solver: str = "rows", seconds: float = 0.6) -> Recorded:
    settings = SessionSettings(drives=tuple(parse_drive(drive) for drive in drives), solver=solver)
    made = Recorded(open_document(find_file(document)), settings)
    made.run(seconds)
    return made


@pytest.mark.parametrize(
    ("document", "drives", "solver"),
    [
        ("four_bar", (), "rows"),
        ("four_bar", ("crank_joint=effort:0.05",), "reduced"),
        ("four_bar", ("crank_joint=velocity:sine(3,1)",), "rows"),
        ("four_bar", ("crank_joint=position:sine(1,1)",), "rows"),
        ("slider_crank", (), "rows"),
        ("wrist", (), "rows"),
        ("stewart", (), "rows"),
        ("belt_arm", ("shoulder_joint=velocity:sine(1,1)",), "rows"),
        ("mecanum", ("front_left_joint=velocity:2",), "rows"),
        ("geneva", ("crank_joint=velocity:6",), "rows"),
    ],
)
def test_forces_are_those_that_were_known_while_it_ran(document: str, drives: tuple[str, ...], solver: str) -> None:
    """Loops, couplings, friction, stops, wheels on the ground and a Geneva drive, whose pin strikes its slots."""
    run = recorded(document, *drives, solver=solver, seconds=1.2 if document == "geneva" else 0.6)
    pairs = [(now, then) for now, then in zip(run.found(), run.watched, strict=True) if not now.problem]
    assert len(pairs) >= len(run.watched) - 3, "but for blows, of drives that begin and of stops"
    largest = max(np.abs(then.wrenches).max() for _, then in pairs)
    # What velocities may be wrong by, for the replay to count as the same step, over one step.
    velocities = [i for i, channel in enumerate(run.channels) if channel.group in ("velocity", "twist")]
    fastest = np.abs(run.history.rows()[:, velocities]).max()
    wrong = (force_replay.SAME * fastest + force_replay.AT_REST) / run.engine.dt
    assert largest > 0.1
    for now, then in pairs:
        np.testing.assert_allclose(now.wrenches, then.wrenches, rtol=0.0, atol=SAME * largest)
        np.testing.assert_allclose(now.accelerations, then.accelerations, rtol=0.0, atol=wrong)
        assert now.contacts.shape == then.contacts.shape
        np.testing.assert_allclose(now.contacts, then.contacts, rtol=0.0, atol=SAME * largest)
    if document in ("geneva", "mecanum"):
        assert any(len(now.contacts) for now, _ in pairs)


def test_dry_friction_acts_in_the_past_too(tmp_path: Path) -> None:
    """A block on a slide, m = 2 kg, with F = 3 N and dry friction R = 1 N: the slide carries F - R = 2 N along it
    while the block moves, and F - F = 0 while it is held by friction of up to R = 4 N."""
    for friction, along in ((1.0, 2.0), (4.0, 0.0)):
        path = tmp_path / f"slide_{friction:g}.sdf"
        path.write_text(SLIDE.format(friction=friction), encoding="utf-8")
        run = Recorded(open_document(path), SessionSettings(drives=(parse_drive("slide=effort:3"),)))
        run.run(0.1)
        for now in run.found():
            assert not now.problem
            np.testing.assert_allclose(now.wrenches[0, :3], [along, 0.0, 2.0 * 9.8], atol=1e-9)


SLIDE = """<sdf version="1.11"><world name="w"><gravity>0 0 -9.8</gravity><model name="m">
<link name="block"><inertial><mass>2</mass></inertial></link>
<joint name="slide" type="prismatic"><parent>world</parent><child>block</child><axis><xyz>1 0 0</xyz>
<dynamics><friction>{friction}</friction></dynamics></axis></joint></model></world></sdf>"""


def runner_of(run: Recorded) -> Runner:
    store = run.store
    store.clear()
    return Runner(
        run.engine, paused=True, listeners=Listeners(store.extend, store.clear, store.rewind), world=run.opened.world
    )


def test_a_hand_leaves_a_gap_with_a_reason() -> None:
    """Its force is in no channel: rather nothing than forces of another motion."""
    run = Recorded(open_document(find_file("four_bar")), SessionSettings())
    runner = runner_of(run)
    runner.execute(StepOnce(50))
    runner.hands.pull(Pull("four_bar::coupler", (0.1, 0.0, 0.0), (0.5, 0.0, 1.0), (0.0, 1.0, 0.0)), in_time=True)
    runner.execute(StepOnce(50))
    runner.execute(LetGo())
    runner.execute(StepOnce(50))
    replay = replay_of(run.opened, run.settings, "rows", ())
    problems = {time: replay.at(run.history, time).problem for time in (0.02, 0.04, 0.07, 0.09, 0.12, 0.14)}
    assert problems == {0.02: "", 0.04: "", 0.07: NOT_RECORDED, 0.09: NOT_RECORDED, 0.12: "", 0.14: ""}


def test_moments_before_a_change_are_those_of_the_numbers_then(tmp_path: Path) -> None:
    """A block that friction holds does not move when its mass is changed; its slide carries m g."""
    path = tmp_path / "slide.sdf"
    path.write_text(SLIDE.format(friction=4.0), encoding="utf-8")
    run = Recorded(open_document(path), SessionSettings())
    runner, heavier = runner_of(run), SetNumber("block.mass", 3.0)
    runner.execute(StepOnce(20))
    runner.execute(heavier)
    runner.execute(StepOnce(20))
    assert (runner.message, runner.numbers_since) == ("", pytest.approx(0.02))
    for time, changes, mass in ((0.01, (), 2.0), (0.03, (heavier,), 3.0)):
        now = replay_of(run.opened, run.settings, "rows", changes).at(run.history, time)
        assert now.wrenches[0, 2] == pytest.approx(mass * 9.8)


def test_another_law_is_found_out() -> None:
    run = Recorded(open_document(find_file("rack_and_pinion")), SessionSettings(drives=(PUSH,)))
    run.run(0.1)
    other = replay_of(run.opened, run.settings, "rows", (SetCoupling(0, 0.03, 0.0, 0.0),))
    assert replay_of(run.opened, run.settings, "rows", ()).at(run.history, 0.05).problem == ""
    assert other.at(run.history, 0.05).problem == NOT_RECORDED


PUSH = parse_drive("pinion_joint=velocity:1")


def test_a_thinned_recording_is_made_again_over_several_steps() -> None:
    """Of every fourth row the four steps between two of them; of every hundredth nothing is said."""
    whole = recorded("four_bar", seconds=0.4)
    rows = whole.history.rows()
    replay = replay_of(whole.opened, whole.settings, "rows", ())
    for stride, problem in ((4, ""), (100, TOO_FEW)):
        store = RowStore(StoreShape.within(rows.shape[1], 1 << 24))
        store.extend(rows[::stride])
        thinned = History(whole.opened.mechanism, whole.opened.actuators, store)
        time = float(rows[200, 0])
        now = replay.at(thinned, time)
        assert (now.time, now.problem) == (pytest.approx(time), problem)
        if not problem:
            same = replay.at(whole.history, time).wrenches
            np.testing.assert_allclose(now.wrenches, same, rtol=0.0, atol=SAME * np.abs(same).max())


def test_nothing_is_known_before_the_first_step() -> None:
    run = recorded("four_bar", seconds=0.01)
    first = replay_of(run.opened, run.settings, "rows", ()).at(run.history, 0.0)
    assert (first.problem, len(first.wrenches)) == ("", 0)


def test_a_strategy_that_does_not_say_what_acts_is_refused() -> None:
    pytest.importorskip("pybullet")
    with pytest.raises(UsageError, match="use rows or reduced"):
        replay_of(open_document(find_file("four_bar")), SessionSettings(), "gear", ())


def test_no_joint_has_a_largest_reaction_before_forces_are_known() -> None:
    assert ForceRecord().largest_by_joint(0.0, 1.0).shape == (0, 2)
