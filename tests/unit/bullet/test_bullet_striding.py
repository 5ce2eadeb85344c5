"""Steps of Bullet without reading: the same motion to the last bit as when every step is read, and the same account
of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.bullet import striding
from simulator.engine.drives import Drive, DriveKind
from simulator.engine.efforts import HeldEfforts
from simulator.engine.engine import Engine
from simulator.engine.series import UNREAD, WATCHED, UnreadSeries
from simulator.engine.snapshot import Extremes
from simulator.errors import DivergedError
from simulator.model.profiles import Constant
from simulator.physics.layout.watched_row import RowPlaces
from simulator.session.commands.factory import make_engine
from simulator.session.open.opening import open_document
from simulator.session.text.drive_text import parse_drive
from simulator.session.text.settings import SessionSettings
from tests.benchmarks.piles import SCENES, document
from tests.helpers.documents import joint, link, model, world
from tests.helpers.repository import ROOT

Array = NDArray[np.float64]

STEPS, ONE = 250, {"sparse": True, "at_once": 1}
WORLDS = {
    "rack_and_pinion": ("pinion_joint=velocity:sine(3, 2)",),
    "gear_train": ("gear_1_joint=velocity:2",),
    "gripper": ("left_finger_joint=effort:2", "lift_joint=velocity:0.1"),
    "screw_press": (),
    "geneva": ("crank_joint=velocity:10",),
    "telescope": ("drum_joint=effort:sine(3, 4)",),
    "belt_arm": (),
    "fast_slow_pendulums": (),
    "four_bar": ("crank_joint=velocity:20",),
    "scissor_lift": (),
    "stack of 3": (),
}
"""With motors that follow profiles, dampers, springs, friction, a free body, undriven actuators, contacts."""


@contextmanager
def engine_of(path: Path, drives: tuple[str, ...] = (), **settings: object) -> Iterator[Engine]:
    texts = tuple(parse_drive(text) for text in drives)
    engine = make_engine(open_document(path), SessionSettings(drives=texts, solver="gear", **settings))  # type: ignore[arg-type]
    try:
        yield engine
    finally:
        engine.close()


def place_of(name: str, folder: Path) -> Path:
    if name not in SCENES:
        return ROOT / f"worlds/{name}.sdf"
    path = folder / "scene.sdf"
    path.write_text(document(SCENES[name](), folder), encoding="utf-8")
    return path


def in_strides(engine: Engine, steps: int, *, at_once: int = 70, **asked: bool | int) -> tuple[Array, Extremes]:
    extremes, rows, done = Extremes(), [np.zeros((0, engine.places.width))], 0
    while done < steps:
        made, found = engine.advance(min(at_once, steps - done), extremes, phase=done, **asked)  # type: ignore[arg-type]
        done += made
        rows.append(found)
    return np.concatenate(rows), extremes


def tree_of(engine: Engine) -> list[int]:
    """Axes that are coordinates of Bullet's; those of loop joints are measured from poses."""
    return [i for i, axis in enumerate(engine.mechanism.axes) if axis.in_tree]


def state_of(engine: Engine) -> list[list[float]]:
    snapshot, tree = engine.snapshot(), tree_of(engine)
    parts = (
        snapshot.position[tree],
        snapshot.velocity[tree],
        snapshot.body_poses.ravel(),
        snapshot.body_velocities.ravel(),
    )
    return [part.tolist() for part in parts]


def scale_of(rows: Array, places: RowPlaces) -> Array:
    """What round-off is relative to, by columns: residuals and the error of the balance are differences."""
    scale: Array = np.abs(rows).max(axis=0) + 1e-12
    scale[places.coupling : places.energy] = 1.0
    scale[places.energy : places.actuator] = scale[places.energy : places.actuator].max()
    return scale


@pytest.mark.parametrize("name", WORLDS)
def test_steps_that_are_not_read_are_steps(name: str, tmp_path: Path) -> None:
    """States to the last bit, however often they are read. What is summed or measured of them, in another order, to
    1e-12 of the largest number in its column, of the largest energy, or of one unit of a follower."""
    path, drives = place_of(name, tmp_path), WORLDS[name]
    with engine_of(path, drives) as engine:
        rows = []
        engine.start_log()
        for _ in range(STEPS):
            engine.step()
            rows.append(engine.row())
        expected, state, tally = np.array(rows), state_of(engine), engine.efforts_log.tally.copy()
        contacts = len(engine.contacts())
        scale = scale_of(expected, engine.places)
    for asked in ({"stride": 1}, {"stride": 5, "sparse": True}, {"sparse": True}, {"sparse": False}, ONE):
        with engine_of(path, drives) as engine:
            engine.start_log()
            found, extremes = in_strides(engine, STEPS, **asked)
            assert state_of(engine) == state, asked
            assert engine.snapshot().step == STEPS
            assert len(engine.contacts()) == contacts
            stride = int(asked.get("stride", 0))
            if stride:
                wanted = expected[stride - 1 :: stride]
                axes = engine.places.coupling
                for part in (found[:, 1:axes:3], wanted[:, 1:axes:3]), (found[:, 2:axes:3], wanted[:, 2:axes:3]):
                    np.testing.assert_array_equal(*(values[:, tree_of(engine)] for values in part))
                np.testing.assert_allclose(found / scale, wanted / scale, rtol=0.0, atol=1e-12)
            np.testing.assert_allclose(engine.row() / scale, expected[-1] / scale, rtol=0.0, atol=1e-12)
            np.testing.assert_allclose(engine.efforts_log.tally, tally, rtol=1e-9, atol=1e-12)
            watched, every = Extremes(), Extremes()
            every.see(expected, engine.places)
            if stride or not asked["sparse"]:
                watched.see(expected[(stride or WATCHED) - 1 :: stride or WATCHED], engine.places)
            assert np.all(extremes.values >= watched.values * (1.0 - 1e-9) - 1e-12), asked
            assert np.all(extremes.values <= every.values * (1.0 + 1e-9) + 1e-12), asked


@pytest.mark.parametrize("name", ["gear_train", "four_bar"])
def test_who_looks_between_steps_that_are_made_one_by_one_sees_the_same(name: str, tmp_path: Path) -> None:
    """They are booked on demand: at a look at everything, at the log or at the axes, and at another drive."""
    path, other = place_of(name, tmp_path), Drive(DriveKind.VELOCITY, Constant(-1.0))
    with engine_of(path, WORLDS[name]) as engine, engine_of(path, WORLDS[name]) as unread:
        for k in range(150):
            engine.step()
            unread.advance(1, Extremes(), sparse=True)
            if k == 40:
                engine.set_drive(0, other)
                unread.set_drive(0, other)
            if k % 30 == 7:
                for part, expected in zip(unread.axis_states(), engine.axis_states(), strict=True):
                    assert part[tree_of(engine)].tolist() == expected[tree_of(engine)].tolist()
                    np.testing.assert_allclose(part, expected, rtol=1e-12, atol=1e-11)
            if k % 30 == 11:
                assert state_of(unread) == state_of(engine)
                np.testing.assert_allclose(unread.row(), engine.row(), rtol=1e-9, atol=1e-11)
            if k % 30 == 19:
                np.testing.assert_allclose(unread.efforts_log.tally, engine.efforts_log.tally, rtol=1e-9, atol=1e-12)
        assert (unread.steps, state_of(unread)) == (engine.steps, state_of(engine))
        assert [replace(one, impulse=0.0) for one in unread.efforts_log.impulses] == [
            replace(one, impulse=0.0) for one in engine.efforts_log.impulses
        ]


def pushed(folder: Path) -> Path:
    """A mass on a rail, and one that is loose, without gravity."""
    path = folder / "pushed.sdf"
    rail = joint("rail", "prismatic", parent="world", child="a", axis="1 0 0")
    gravity = "<gravity>0 0 0</gravity>"
    path.write_text(world(gravity, model("m", link("a"), rail), model("n", link("b", pose="9 9 9"))), encoding="utf-8")
    return path


def falling(folder: Path) -> Path:
    """A loose mass that falls by 1e9 m/s each step."""
    path = folder / "falling.sdf"
    path.write_text(world("<gravity>0 0 -1e12</gravity>", model("n", link("b"))), encoding="utf-8")
    return path


def test_an_axis_that_runs_away_is_named_with_its_time(tmp_path: Path) -> None:
    """1 kg under 9e8 N from a speed of 1e12 - 3.1e7 m/s: 9e5 m/s a step, so the 34th is the last one below 1e12 m/s.
    The mass is not read in between, but the axis has a drive: its state is known."""
    path, speed = pushed(tmp_path), 1e12 - 3.1e7
    with engine_of(path, ("rail=effort:9e8",), initial_velocity=(("rail", speed),)) as engine:
        with pytest.raises(DivergedError, match=r"diverged at 0\.035 s: 'm::rail' has run away"):
            in_strides(engine, 1000, at_once=1000, sparse=True)
        assert engine.steps == 0
        assert engine.axis_states()[1][0] == speed
    with engine_of(path, ("rail=effort:9e8",), initial_velocity=(("rail", speed),)) as engine:
        made, rows = engine.advance(1000, Extremes(), stride=1)
        assert made == len(rows) == engine.steps == 34
        assert engine.axis_states()[1][0] == rows[-1, 2] < 1e12
        with pytest.raises(DivergedError, match=r"diverged at 0\.035 s: 'm::rail' has run away"):
            engine.advance(1000, Extremes(), stride=1)
        assert engine.steps == 34


def test_a_body_that_runs_away_unseen_is_found_at_the_next_look(tmp_path: Path) -> None:
    """It is at 1e12 m/s after 1000 steps; the message says between which times, and the state is that of the first."""
    with engine_of(falling(tmp_path)) as engine:
        with pytest.raises(DivergedError, match=r"diverged between 0\.9 s and 1 s: a free body has run away"):
            in_strides(engine, 3000, at_once=770, sparse=True)
        assert engine.steps == 1000 - UNREAD
        assert engine.snapshot().body_velocities[1, 5] == pytest.approx(-1e9 * engine.steps, rel=1e-9)
        engine.reset()
        in_strides(engine, 800, sparse=True)
        assert engine.steps == 800


def test_steps_one_by_one_find_it_too(tmp_path: Path) -> None:
    """Whether or not the state is read after each."""
    for reads in (False, True):
        with engine_of(falling(tmp_path)) as engine:

            def run(engine: Engine, reads: bool) -> None:
                for _ in range(1100):
                    engine.advance(1, Extremes(), sparse=True)
                    if reads:
                        engine.snapshot()

            with pytest.raises(DivergedError, match="a free body has run away"):
                run(engine, reads)
            assert engine.steps == (999 if reads else 1000 - UNREAD)


def test_who_breaks_a_run_off_has_the_state_of_the_last_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C comes between two of Bullet's steps: the engine goes back to what it knows."""
    with engine_of(place_of("rack_and_pinion", tmp_path), ("pinion_joint=effort:0.01",)) as engine:
        in_strides(engine, 130, sparse=True)
        before = engine.snapshot()
        calls = iter(range(1000))
        step = striding.pybullet.stepSimulation

        def interrupted(client: int) -> None:
            if next(calls) == 5:
                raise KeyboardInterrupt
            step(client)

        monkeypatch.setattr(striding.pybullet, "stepSimulation", interrupted)
        with pytest.raises(KeyboardInterrupt):
            engine.advance(50, Extremes(), sparse=True)
        monkeypatch.undo()
        after = engine.snapshot()
        assert after.step == before.step
        assert after.energy == before.energy
        engine.advance(1, Extremes(), stride=1)
        assert engine.snapshot().energy.error == pytest.approx(before.energy.error, abs=1e-9)


def test_who_looks_before_a_step_sees_the_turns_of_loops_in_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The joint that closes this loop turns by 5 rad in 50 steps, and turns are counted from step to step. They are
    known to a reader on the way, as at how stiff dampers are, and continue from there."""
    seen, prepare = list[tuple[int, list[float]]](), UnreadSeries._prepare_step

    def look(series: UnreadSeries, efforts: HeldEfforts, first: int, k: int) -> bool:
        if (first + k) % 50 == 48:
            seen.append((first + k, series._core.dynamics.read().position.tolist()))
        return prepare(series, efforts, first, k)

    monkeypatch.setattr(UnreadSeries, "_prepare_step", look)
    with engine_of(place_of("bennett", tmp_path), ("crank_joint=velocity:sine(0.01, 1, offset=100)",)) as engine:
        rows, _ = in_strides(engine, 200, stride=1)
        positions = rows[:, 1 : engine.places.coupling : 3]
    assert [step for step, _ in seen] == [48, 98, 148, 198]
    for step, position in seen:
        assert positions[step - 1].tolist() == position
    assert np.abs(np.diff(positions, axis=0)).max() < 0.5, "no jump by a whole turn"
