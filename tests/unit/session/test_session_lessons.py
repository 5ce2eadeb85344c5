"""The lessons that come along: their worlds and names exist, and what they claim is so."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from simulator.diagnostics import Severity
from simulator.engine.drives import Drive
from simulator.formats.lesson import read_lesson
from simulator.session.batch.batch import BlockSize, run_batch
from simulator.session.commands.commands import Pause, Reset, Run, SetDrive, SetPosition, SetSolver, StepOnce
from simulator.session.commands.factory import make_engine
from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
from simulator.session.run.lessons import check_lesson, lessons, step_commands
from simulator.session.text.drive_text import parse_drive
from simulator.session.text.settings import SessionSettings
from tests.helpers.local_client import LocalClient
from tests.helpers.repository import ROOT

SHIPPED = lessons()


def test_lessons_come_along_in_their_order() -> None:
    assert [int(one.path.name.split("_")[0]) for one in SHIPPED] == list(range(1, 13))


@pytest.mark.parametrize("name", [one.name for one in SHIPPED])
def test_a_lesson_has_no_fault(name: str) -> None:
    path = next(one.path for one in SHIPPED if one.name == name)
    lesson, findings = read_lesson(path)
    assert lesson is not None
    found = (*findings, *check_lesson(lesson, open_document))
    assert [str(finding) for finding in found if finding.severity is not Severity.INFO] == []


def test_names_that_do_not_exist_are_found(tmp_path: Path) -> None:
    path = tmp_path / "a.lesson.toml"
    world = ROOT / "worlds" / "rack_and_pinion.sdf"
    path.write_text(
        f'title = "A"\nworld = "{world}"\n[[step]]\ntitle = "1"\ndrives = {{ pinion = "velocity:1" }}\n'
        '[[step]]\ntitle = "2"\ntraces = ["rak_joint"]\n[[step]]\ntitle = "3"\nselect = "nothing"\n'
        '[[step]]\ntitle = "4"\nworld = "none.sdf"\n[[step]]\ntitle = "5"\npaths = [{ link = "x", at = [0, 0, 0] }]\n'
    )
    lesson, _ = read_lesson(path)
    assert lesson is not None
    found = check_lesson(lesson, open_document)
    assert [finding.line for finding in found] == [3, 6, 9, 12, 15]
    assert "did you mean" in found[1].message


def test_a_step_makes_the_same_of_every_state() -> None:
    opened = open_document(ROOT / "worlds" / "rack_and_pinion.sdf")
    lesson, _ = read_lesson(SHIPPED[0].path)
    assert lesson is not None
    pinion = "mimic_rack_and_pinion::pinion_joint"
    # Of the mechanism, its name alone counts.
    commands = step_commands(lesson.steps[0], opened, ((pinion, None),))  # type: ignore[arg-type]
    assert [type(one) for one in commands[:4]] == [Pause, SetSolver, SetDrive, Reset]
    assert any(isinstance(one, SetPosition) for one in commands)
    assert isinstance(commands[-1], Run)


def positions_after(name: str, step: int, seconds: float) -> dict[str, tuple[float, float]]:
    """(position, velocity) of the axes of a lesson's step, so long after its beginning."""
    lesson, _ = read_lesson(next(one.path for one in SHIPPED if one.name == name))
    assert lesson is not None
    opened = open_document(lesson.steps[step].world)
    client = LocalClient(opened, SessionSettings(paused=True))
    try:
        for command in step_commands(lesson.steps[step], opened, client.asked_drives):
            if not isinstance(command, Run):
                client.send(command)
        client.send(StepOnce(round(seconds / 1e-3)))
        snapshot = client.poll()[0]
        assert snapshot is not None
        axes = [axis.name.rpartition("::")[2] for axis in opened.mechanism.axes]
        return {
            axis: (float(q), float(v)) for axis, q, v in zip(axes, snapshot.position, snapshot.velocity, strict=True)
        }
    finally:
        client.close()


STEPS = [(one.name, step) for one in SHIPPED for step in range(one.steps)]
LONG = 60.0
"""How long [s] a step runs by itself, while a class talks about it."""


def different() -> list[tuple[str, int]]:
    """Steps that move in another way than all before: many only show something else of the same motion."""
    found = dict[tuple[object, ...], tuple[str, int]]()
    for name, number in STEPS:
        lesson, _ = read_lesson(next(one.path for one in SHIPPED if one.name == name))
        assert lesson is not None
        step = lesson.steps[number]
        found.setdefault((step.world, step.solver, step.initial, step.drives, step.run), (name, number))
    return [*found.values()]


@pytest.mark.parametrize(("name", "number"), different())
def test_a_step_goes_on_by_itself(name: str, number: int) -> None:
    """No failure within a minute, and no body's origin farther off than twice the ball around those at the start and
    0.1 m, the size of a gear: what the camera has in sight."""
    lesson, _ = read_lesson(next(one.path for one in SHIPPED if one.name == name))
    assert lesson is not None
    step = lesson.steps[number]
    opened = open_document(step.world)
    settings = SessionSettings(solver=step.solver, initial=step.initial, drives=tuple(map(_driven, step.drives)))
    engine = make_engine(opened, settings)
    places = engine.snapshot().body_poses[1:, :3]
    centre = places.mean(axis=0)
    wide = 0.1 + 2.0 * float(np.linalg.norm(places - centre, axis=1).max())
    seen: list[float] = []

    def look(_: float) -> None:
        seen.append(float(np.linalg.norm(engine.snapshot().body_poses[1:, :3] - centre, axis=1).max()))

    summary = run_batch(engine, LONG if step.run else 0.0, progress=look, pace=BlockSize(100), sparse=True)
    engine.close()
    assert summary.failure is None
    assert [str(finding) for finding in summary.findings if finding.severity is not Severity.INFO] == []
    assert max(seen, default=0.0) < wide


def _driven(pair: tuple[str, str]) -> tuple[str, Drive]:
    return parse_drive("=".join(pair))


def test_the_ring_stands_still_as_willis_says() -> None:
    """(w_r - w_c) / (w_s - w_c) = -z_s / z_r: sun 3 and carrier 1 rad/s hold the ring, sun 3 and carrier 2 turn it by
    1.5 rad/s. Velocities are constant from the start, so only rounding remains."""
    speeds = positions_after("planetary", 0, 0.5)
    assert speeds["ring_joint"][1] == pytest.approx(0.0, abs=1e-9)
    assert positions_after("planetary", 4, 0.5)["ring_joint"][1] == pytest.approx(1.5, abs=1e-9)


def test_the_moment_gives_the_acceleration_of_the_lesson() -> None:
    """T / (J + m r^2) = 0.01 / (1e-4 + 1 * 0.02^2) = 20 rad/s^2, see worlds/README.md: a moment of T cos(w t) leads to
    20 / w sin(w t) and 20 / w^2 (1 - cos(w t)). A step takes its middle, which is wrong by (w dt)^2 / 24 = 4e-7."""
    position, speed = positions_after("rack_and_pinion", 3, 0.2)["pinion_joint"]
    assert speed == pytest.approx(20.0 / math.pi * math.sin(0.2 * math.pi), rel=1e-6)
    assert position == pytest.approx(20.0 / math.pi**2 * (1.0 - math.cos(0.2 * math.pi)), rel=1e-6)


def test_hoeken_goes_straight() -> None:
    """By construction A + 2 (B - A), B at 2.5 a from the crank's pin A and the rocker's pivot: within 0.25 % of 4 a."""
    a = 0.08
    heights = []
    for turn in np.linspace(0.5 * math.pi, 1.5 * math.pi, 721):
        pin = a * np.array([math.cos(turn), math.sin(turn)])
        away = np.array([2.0 * a, 0.0]) - pin
        length = float(np.hypot(*away))
        rise = math.sqrt((2.5 * a) ** 2 - length**2 / 4.0)
        end = pin + away / 2.0 + rise / length * np.array([-away[1], away[0]])
        heights.append(float((2.0 * end - pin)[1]))
    assert max(abs(height / (4.0 * a) - 1.0) for height in heights) < 0.0025


def test_lessons_are_found_by_name() -> None:
    assert find_file("grashof").name == "5_grashof.lesson.toml"
    assert find_file("planetary").name == "planetary.sdf", "a world of that name comes first"
    assert find_file("planetary.lesson").name == "3_planetary.lesson.toml"
