"""What efforts a replayed recording needs, against those under which it was recorded.

A four-bar under an effort of at most 0.3 N·m turns its crank with up to 42 rad/s and 1200 rad/s²: inertia times
acceleration is 3.6 times the effort (rms), so that 1 % of an acceleration is 4 % of the effort, and 10 ms are half a
radian of the crank.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import simulator

SLIDER = (
    '<sdf version="1.12"><world name="w"><gravity>0 0 0</gravity><model name="m"><link name="a"><inertial>'
    '<mass>2</mass></inertial></link><joint name="slide" type="prismatic"><parent>world</parent><child>a</child>'
    "<axis><xyz>1 0 0</xyz></axis></joint></model></world></sdf>"
)
CRANK = "crank_joint"
EVERY = 0.01


def relative(wrong: np.ndarray, right: np.ndarray) -> float:
    """Root mean square of the difference, relative to that of what is right."""
    return float(np.sqrt(np.mean((wrong - right) ** 2) / np.mean(right**2)))


@pytest.fixture(scope="module")
def recorded() -> simulator.Run:
    drives = {CRANK: simulator.effort(simulator.sine(0.3, 1.0))}
    return simulator.load("four_bar", dt=2.5e-4).run(1.0, drives=drives)


def samples(run: simulator.Run) -> slice:
    return slice(None, None, round(EVERY / (run.time[1] - run.time[0])))


def replayed(profile: simulator.Profile) -> np.ndarray:
    sim = simulator.load("four_bar", dt=2.5e-4)
    return sim.run(1.0, drives={CRANK: simulator.position(profile)})[f"{CRANK}/effort"]


def test_positions_and_velocities_give_the_efforts_back(recorded: simulator.Run) -> None:
    """From samples of 10 ms to 2.2 % rms. The spline's accelerations at the samples are within 0.6 % of the largest,
    which is as much of the effort as 3.6 times that; the rest is between the samples."""
    at = samples(recorded)
    q, v = recorded[f"{CRANK}/position"][at], recorded[f"{CRANK}/velocity"][at]
    found = replayed(simulator.spline(recorded.time[at], q, v))
    assert relative(found, recorded[f"{CRANK}/effort"]) < 0.025


def test_positions_of_every_step_give_the_efforts_back(recorded: simulator.Run) -> None:
    """A position drive is of third order in the step: 0.015 % at 0.25 ms, where a step of 1 ms gives 1.1 %; samples of
    every fourth step leave some between them."""
    found = replayed(simulator.spline(recorded.time[::4], recorded[f"{CRANK}/position"][::4]))
    assert relative(found, recorded[f"{CRANK}/effort"]) < 0.004


def test_a_position_drive_is_of_third_order() -> None:
    """Half of the step leaves an eighth of the error, of efforts and of the position, where samples of every step leave
    none between them: 8 within a tenth, for the next term of the error is of fourth order."""
    wrong, off = [], []
    for dt in (5e-4, 2.5e-4):
        run = simulator.load("four_bar", dt=dt).run(1.0, drives={CRANK: simulator.effort(simulator.sine(0.3, 1.0))})
        q, v = run[f"{CRANK}/position"], run[f"{CRANK}/velocity"]
        held = {CRANK: simulator.position(simulator.spline(run.time, q, v))}
        again = simulator.load("four_bar", dt=dt).run(1.0, drives=held)
        inside = slice(round(0.05 / dt), round(0.95 / dt))  # the first step of a drive takes the crank to its velocity
        wrong.append(relative(again[f"{CRANK}/effort"][inside], run[f"{CRANK}/effort"][inside]))
        off.append(np.abs(again[f"{CRANK}/position"] - q).max())
    assert wrong[0] / wrong[1] == pytest.approx(8.0, rel=0.1)
    assert off[0] / off[1] == pytest.approx(8.0, rel=0.1)


def test_straight_lines_do_not(recorded: simulator.Run) -> None:
    """A corner at every sample: 25 times the efforts, where positions alone on a spline are off by half of them, for
    they say too little of what happens in 10 ms."""
    at = samples(recorded)
    t, q, right = recorded.time[at], recorded[f"{CRANK}/position"][at], recorded[f"{CRANK}/effort"]
    assert relative(replayed(simulator.table(t, q)), right) > 20.0
    assert 0.3 < relative(replayed(simulator.spline(t, q)), right) < 0.6


def test_the_velocity_stays_until_the_last_sample(recorded: simulator.Run) -> None:
    """Beyond it the drive stops the crank, by an impulse that a finding names."""
    t, q, v = (recorded[name][::40] for name in ("time", f"{CRANK}/position", f"{CRANK}/velocity"))
    sim = simulator.load("four_bar")
    for profile in (simulator.spline(t, q, v), simulator.table(t, q)):
        sim.reset()
        run = sim.run(1.01, drives={CRANK: simulator.position(profile)})
        arrived, after = run[f"{CRANK}/velocity"][1000], run[f"{CRANK}/velocity"][1001]
        assert arrived == pytest.approx(v[-1], rel=0.08)
        assert abs(after) < 0.02 * arrived
        assert run.impulses[-1].time == pytest.approx(1.0)


@pytest.mark.parametrize(("every", "most"), [(0.02, 1.5e-3), (0.01, 4e-4), (0.005, 1e-4), (0.001, 1e-5)])
def test_inverse_dynamics_gives_the_efforts_of_a_recording(every: float, most: float) -> None:
    """A straight line meets the mean and the first moment of s = sin(ω t) with ends that are off by (ω h)² s / 12, of
    which 20 ms make 1.3e-3; at 1 ms what steps of 0.25 ms are worth counts, too."""
    sim = simulator.load("four_bar", dt=2.5e-4)
    run = sim.run(1.0, drives={CRANK: simulator.effort(simulator.sine(0.3, 1.0))}, every=every)
    found = sim.inverse_dynamics(run)
    assert found.columns == ("four_bar::crank_joint",)
    assert relative(found[:, CRANK].array, run[f"{CRANK}/effort"]) < most


def test_efforts_that_were_found_replay_the_recording(recorded: simulator.Run) -> None:
    """From samples of 10 ms, on a spline: the motion is that of the recording to what 3e-4 of the effort does in a
    second, in which the crank makes three turns."""
    at = samples(recorded)
    sim = simulator.load("four_bar", dt=2.5e-4)
    every = simulator.load("four_bar", dt=2.5e-4).run(
        1.0, drives={CRANK: simulator.effort(simulator.sine(0.3, 1.0))}, every=EVERY
    )
    torque = sim.inverse_dynamics(every)[:, CRANK].array
    again = sim.run(1.0, drives={CRANK: simulator.effort(simulator.spline(every.time, torque))})
    assert again[f"{CRANK}/position"][at] == pytest.approx(recorded[f"{CRANK}/position"][at], abs=0.02)


def test_efforts_of_another_axis_do_the_same_work(recorded: simulator.Run) -> None:
    """Power is the same wherever the motor is: effort times velocity of the crank, or of the rocker, to 1e-9 of the
    largest, but near the dead points of the rocker, where its effort has no bound."""
    sim = simulator.load("four_bar")
    crank = sim.inverse_dynamics(recorded)[:, CRANK].array * recorded[f"{CRANK}/velocity"]
    rocker = sim.inverse_dynamics(recorded, axes=["rocker_joint"]).array[:, 0] * recorded["rocker_joint/velocity"]
    moving = np.abs(recorded["rocker_joint/velocity"]) > 0.05 * np.abs(recorded[f"{CRANK}/velocity"])
    # The second derivative of the rocker is that of its own samples.
    assert relative(rocker[moving], crank[moving]) < 0.01


def test_efforts_of_a_hexapod() -> None:
    """Six legs that push with efforts of their own, and a platform on a ball joint: they come back to what samples of
    5 ms of a smooth motion are worth."""
    sim = simulator.load("stewart", dt=5e-4)
    legs = [axis.name for axis in sim.mechanism.axes if axis.name.endswith("_slide")]
    hold = sim.inverse_dynamics(sim.run(0.0), axes=legs).array[0]
    drives = {
        leg: simulator.effort(simulator.sine(1.0, 2.0, f, 0.5 * i))
        for i, (leg, f) in enumerate(zip(legs, hold, strict=True))
    }
    run = sim.run(0.2, drives=drives, every=0.005)
    found = sim.inverse_dynamics(run, axes=legs)
    for i, leg in enumerate(legs):
        assert found.array[:, i] == pytest.approx(run[f"{leg}/effort"], abs=1e-3)


def test_axes_that_do_not_lead_a_recording() -> None:
    sim = simulator.load("wrist")
    run = sim.run(0.01)
    with pytest.raises(simulator.UsageError, match="1 of 2 freedoms are led"):
        sim.inverse_dynamics(run, axes=["pitch_joint"])
    with pytest.raises(simulator.UsageError, match="no axis is named 'pitch'"):
        sim.inverse_dynamics(run, axes=["pitch"])


def test_a_column_of_a_file_is_replayed_on_a_spline(recorded: simulator.Run, tmp_path: Path) -> None:
    """`@FILE#COLUMN,spline` takes the velocities beside the positions."""
    from simulator.session.text.drive_text import parse_drive

    file = tmp_path / "run.csv"
    with file.open("w") as out:
        out.write(f"time,{CRANK}/position,{CRANK}/velocity\n")
        columns = [recorded[name][samples(recorded)] for name in ("time", f"{CRANK}/position", f"{CRANK}/velocity")]
        out.writelines(f"{t:.17g},{q:.17g},{v:.17g}\n" for t, q, v in zip(*columns, strict=True))
    _, drive = parse_drive(f"{CRANK}=position:@{file}#{CRANK}/position,spline")
    assert drive.profile == simulator.spline(*columns)


def test_a_document_names_a_spline(tmp_path: Path) -> None:
    """A load and the demonstration of a world, from a file beside it, which counts as one of the document's."""
    (tmp_path / "push.csv").write_text("time,f\n0,0\n0.1,0.6\n0.2,1.2\n0.3,1.8\n")
    curve = "@push.csv#f,spline"
    more = (
        f'<simulator:load link="a" force="{curve} 0 0"/><simulator:drive axis="slide" kind="effort" value="{curve}"/>'
    )
    (tmp_path / "slider.sdf").write_text(SLIDER.replace("</model>", f"</model>{more}"))
    sim = simulator.load(tmp_path / "slider.sdf")
    assert sim.diagnostics == ()
    assert sim.run(0.3)["slide/position"][-1] == pytest.approx(0.5 * 0.3**3, abs=1e-6)
    opened = simulator.open_document(tmp_path / "slider.sdf")
    assert str(tmp_path / "push.csv") in opened.document.files
    assert opened.world.drives[0].profile == simulator.spline((0.0, 0.1, 0.2, 0.3), (0.0, 0.6, 1.2, 1.8))


def test_a_load_follows_a_spline() -> None:
    """F = 6 t N on 2 kg, from samples every 0.1 s: x = t³ / 2, to the 1e-6 of a step at which forces are read inside
    of it."""
    sim = simulator.load(SLIDER)
    times = np.arange(0.0, 1.01, 0.1)
    force = simulator.force("a", (simulator.spline(times, 6.0 * times), 0.0, 0.0))
    run = sim.run(1.0, forces=[force])
    assert run["slide/position"] == pytest.approx(0.5 * run.time**3, abs=1e-6)
    times = np.arange(0.0, 1.01, 0.05)  # where (6 h)⁶ / 46080, the error of a piece of fifth degree, is 2e-8
    bent = simulator.spline(times, np.sin(6.0 * times), 6.0 * np.cos(6.0 * times))
    sim.reset()
    run = sim.run(1.0, forces=[simulator.force("a", (bent, 0.0, 0.0))])
    assert run["slide/velocity"] == pytest.approx((1.0 - np.cos(6.0 * run.time)) / 12.0, abs=1e-7)
