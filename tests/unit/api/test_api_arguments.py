"""What people try in the first ten minutes: it works, or a sentence says what was expected."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simulator
from simulator.errors import UnknownNameError, UsageError


@pytest.fixture
def sim() -> simulator.Simulation:
    return simulator.load("rack_and_pinion")


Case = Callable[[Any], object]
load: Any = simulator.load
velocity: Any = simulator.velocity


@pytest.mark.parametrize(
    ("attempt", "expected"),
    [
        (lambda s: load(3), "load takes a path, the name of an example world or the text of a document"),
        (lambda s: load(None), "load takes a path"),
        (lambda s: load(b"<sdf/>"), "load takes a path"),
        (lambda s: load("  "), "load takes a path"),
        (lambda s: load("four_bar", dt="0.001"), "a step .s. must be a number, not '0.001'"),
        (lambda s: s.set(pinion_joint="0.5"), "a position of 'pinion_joint' must be a number, not '0.5'"),
        (lambda s: s.set(pinion_joint=None), "must be a number, not None"),
        (lambda s: s.set(pinion_joint=np.array([1.0, 2.0])), "must be a number, not array"),
        (lambda s: s.set([0.5]), 'a position takes names and values, e.g. {"crank_joint": 0.5}, not'),
        (lambda s: s.set({0: 0.5}), "a position is given by its name, a string, not by 0"),
        (lambda s: s.set(s.moment), "`restore` goes to a moment"),
        (lambda s: s.set(velocity=2.0), 'a velocity takes names and values, e.g. {"crank_joint": 0.5}, not 2.0'),
        (lambda s: s.set(pose=np.eye(4)), "a pose takes names and values"),
        (lambda s: s.run("2"), "a duration .s. must be a number, not '2'"),
        (lambda s: s.run(0.01, every="x"), "the time between samples .s. must be a number"),
        (
            lambda s: s.run(0.01, every=1e-4),
            "samples cannot be 0.0001 s apart: the step is 0.001 s",
        ),
        (
            lambda s: s.run(0.01, every=0.0015),
            "samples cannot be 0.0015 s apart: that is not a multiple of the step",
        ),
        (lambda s: s.run(0.01, drives=simulator.velocity(1.0)), "a run with drives takes names and values"),
        (lambda s: s.run(0.01, drives={"pinion_joint": 1.0}), r"e.g. simulator.velocity\(1.0\), not 1.0"),
        (lambda s: s.run(0.01, drives={"pinion_joint": simulator.sine(1.0, 1.0)}), "'pinion_joint' takes a drive"),
        (lambda s: s.run(0.01, drives={"pinion_joint": "speed:1"}), "'pinion_joint=speed:1' is not a drive"),
        (lambda s: s.drive(0, simulator.velocity(1.0)), "a drive is given by its name, a string, not by 0"),
        (lambda s: velocity(np.array([1.0, 2.0])), "the command of a drive must be a number"),
        (lambda s: s.step(-1), "a number of steps must be a whole number, 0 or more, not -1"),
        (lambda s: s.step(2.5), "a number of steps must be a whole number, 0 or more, not 2.5"),
        (lambda s: s.varied(None) and s.varied({"rack.mass": "1"}), "the value of 'rack.mass' must be a number"),
        (lambda s: s.varied({1: 2.0}), "the value is given by its name"),
        (lambda s: s.inverse_dynamics(1.0), "an acceleration takes names and values"),
        (lambda s: s.forward_dynamics({"pinion_joint": "a"}), "an effort of 'pinion_joint' must be a number"),
        (lambda s: s.pose(1), "a link is given by its name"),
        (lambda s: s.picture(size=800), r"a picture needs its size in pixels, \(width, height\), not 800"),
        (
            lambda s: s.run(0.002)[0],
            "a channel .samples are the rows of `array`. is given by its name, a string, not by 0",
        ),
        (lambda s: s.run(0.002)["pinion_joint"], "'pinion_joint' has several channels: joint/.*pinion_joint/position"),
    ],
)
def test_it_is_said_what_was_expected(sim: simulator.Simulation, attempt: Case, expected: str) -> None:
    before = sim.positions.array
    with pytest.raises(UsageError, match=expected):
        attempt(sim)
    np.testing.assert_array_equal(sim.positions.array, before)


def test_numbers_of_all_kinds(sim: simulator.Simulation) -> None:
    values: list[Any] = [0.5, np.float32(0.5), np.float64(0.5), np.array(0.5)]
    for value in values:
        sim.set(pinion_joint=value)
        assert sim.positions["pinion_joint"] == 0.5
    sim.set(positions={"pinion_joint": 1}, velocity={"pinion_joint": np.int64(2)})
    assert sim.velocities["rack_joint"] == pytest.approx(0.04, abs=1e-15)
    sim.step(np.int64(3))
    assert sim.run(np.float32(0.25), every=np.float64(0.25)).time[-1] == pytest.approx(0.253, abs=1e-12)


def test_a_state_is_handed_from_one_simulation_to_another() -> None:
    """Positions and velocities of one set the other, those of axes that follow and of loop joints too."""
    a, b = simulator.load("four_bar"), simulator.load("four_bar")
    a.set(crank_joint=0.7, velocity={"crank_joint": 2.0})
    b.set(a.positions, velocity=a.velocities)
    np.testing.assert_allclose(b.positions, a.positions, atol=1e-12)
    np.testing.assert_allclose(b.velocities, a.velocities, atol=1e-11)


def test_names_and_numbers_go_over_into_dictionaries(sim: simulator.Simulation) -> None:
    assert dict(sim.positions) == dict(sim.positions.items())
    run = sim.run(0.01)
    assert list(dict(run)) == list(run.channels) == list(run)
    np.testing.assert_array_equal(np.asarray(run), run.array)
    assert 3 not in run
    assert "pinion_joint/position" in run


def test_one_folder_will_do(tmp_path: Path) -> None:
    """A single folder is a folder, not a sequence of letters."""
    assert simulator.load("rack_and_pinion", resource_paths=str(tmp_path)).name
    assert simulator.load("rack_and_pinion", resource_paths=tmp_path).name


def test_a_slip_of_an_attribute_does_not_pass_unnoticed(sim: simulator.Simulation) -> None:
    for name in ("position", "positions", "dt"):
        with pytest.raises(AttributeError, match=f"'{name}' of a simulation cannot be assigned to: set"):
            setattr(sim, name, 3.0)


def test_runs_count_their_own_steps(sim: simulator.Simulation) -> None:
    first, second = sim.run(0.01), sim.run(0.02)
    assert (first.summary.steps, second.summary.steps) == (10, 20)
    assert second.summary.simulated == pytest.approx(0.02, abs=1e-15)
    assert second.time[0] == pytest.approx(first.time[-1], abs=1e-15)
    assert repr(second) == "<Run: 21 samples of 16 channels, 0.01 to 0.03 s>"


def test_counts_are_in_the_singular_where_there_is_one() -> None:
    said = repr(simulator.load("four_bar"))
    assert said == "<Simulation of 'four_bar': 3 bodies, 4 axes, 1 loop, 0 couplings, mobility 1; at 0 s>"
    assert repr(simulator.load("rack_and_pinion").run(0.0)) == "<Run: 1 sample of 16 channels, 0 to 0 s>"


def test_a_condition_is_shown_in_one_line() -> None:
    said = repr(simulator.load("four_bar").condition())
    assert said.startswith("<Condition: mobility 1 by count, 1 by rank, 3 redundant rows, smallest singular value ")


def test_with_frees_what_is_held() -> None:
    with simulator.load("gripper", solver="gear") as sim:
        sim.step()
        time = sim.time
    assert sim.time == time


def test_copies_and_pickles_go_on_alike(sim: simulator.Simulation) -> None:
    sim.drive("pinion_joint", simulator.effort(0.01))
    sim.run(0.05)
    others = (sim.copy(), copy.copy(sim), copy.deepcopy(sim), pickle.loads(pickle.dumps(sim)))
    ends = [np.array(other.run(0.05)) for other in (*others, sim)]
    for end in ends:
        np.testing.assert_array_equal(end[:, [0, 1, 2, 4, 5]], ends[-1][:, [0, 1, 2, 4, 5]])


def test_names_that_do_not_exist_are_answered_with_those_that_do(sim: simulator.Simulation) -> None:
    guess = "did you mean 'mimic_rack_and_pinion::pinion_joint'"
    with pytest.raises(UnknownNameError, match=guess):
        sim.set(pinon_joint=1.0)
    with pytest.raises(UnknownNameError, match=guess):
        sim.drive("pinon_joint", simulator.velocity(1.0))


def test_a_drive_is_also_the_text_of_the_command_line(sim: simulator.Simulation) -> None:
    drive = simulator.velocity(simulator.sine(2.0, 0.5))
    expected = sim.copy().run(0.05, drives={"pinion_joint": drive})
    found = sim.copy().run(0.05, drives={"pinion_joint": "velocity:sine(2,0.5)"})
    np.testing.assert_array_equal(found.array, expected.array)
    sim.drive("pinion_joint", "velocity:sine(2,0.5)")
    np.testing.assert_array_equal(sim.copy().run(0.05).array, expected.array)
    sim.drive("pinion_joint", None)
