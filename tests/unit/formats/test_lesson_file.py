"""Lesson files: what they say, and the line of everything that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.formats.lesson import is_lesson, read_lesson

GOOD = """title = "A lesson"
world = "rack.sdf"

[[step]]
title = "One"
notes = '''
The law $x = r\\\\theta$.
'''
drives = { pinion_joint = "velocity:0.5" }
initial = { pinion_joint = 1 }
paths = [{ link = "rack", at = [0.1, 0, 0] }]
run = true

[[step]]
title = "Two"
world = "other.sdf"
camera = "front"
show = ["grid", "velocities"]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "a.lesson.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_lesson_is_read(tmp_path: Path) -> None:
    lesson, findings = read_lesson(written(tmp_path, GOOD))
    assert findings == ()
    assert lesson is not None
    one, two = lesson.steps
    assert (lesson.title, one.title, two.title) == ("A lesson", "One", "Two")
    assert (one.world, two.world) == (tmp_path / "rack.sdf", tmp_path / "other.sdf")
    assert one.drives == (("pinion_joint", "velocity:0.5"),)
    assert one.initial == (("pinion_joint", 1.0),)
    assert one.paths[0].at == (0.1, 0.0, 0.0)
    assert (one.run, two.run, two.camera, two.show) == (True, False, "front", ("grid", "velocities"))
    assert (one.line, two.line) == (4, 14)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('camera = "front"', 'camera = "left"', 17, "'camera' is one of iso, front, right, top"),
        ('camera = "front"', 'camra = "front"', 17, "a step has no 'camra'"),
        ("run = true", "run = 1", 12, "'run' is true or false"),
        ("run = true", "speed = 0", 12, "'speed' is a positive number"),
        ("initial = { pinion_joint = 1 }", 'initial = { pinion_joint = "1" }', 10, "gives numbers to names"),
        ("at = [0.1, 0, 0]", "at = [0.1, 0]", 11, "in the frame of the link"),
        ('show = ["grid", "velocities"]', 'show = ["speed"]', 18, "has no 'speed'"),
        ('title = "Two"', "title = 2", 15, "'title' is a text in quotes"),
        ('title = "Two"', 'title = "Two', 15, "this is not TOML"),
    ],
)
def test_each_fault_has_its_line(tmp_path: Path, old: str, new: str, line: int, words: str) -> None:
    assert old in GOOD
    lesson, findings = read_lesson(written(tmp_path, GOOD.replace(old, new)))
    assert lesson is None
    (finding,) = findings
    assert (finding.code, finding.line) == ("LESSON_INVALID", line)
    assert words in finding.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('title = "x"\nworld = "y"\n', "a lesson has steps"),
        ('title = "x"\n[[step]]\ntitle = "y"\n', "no world is named"),
        ("", "'title' is missing"),
    ],
)
def test_what_a_lesson_must_have(tmp_path: Path, text: str, words: str) -> None:
    lesson, findings = read_lesson(written(tmp_path, text))
    assert lesson is None
    assert any(words in finding.message for finding in findings)


def test_files_that_cannot_be_read_are_findings(tmp_path: Path) -> None:
    assert "cannot be read" in read_lesson(tmp_path / "none.lesson.toml")[1][0].message
    (tmp_path / "b.lesson.toml").write_bytes(b"\xff\xfe")
    assert "not TOML" in read_lesson(tmp_path / "b.lesson.toml")[1][0].message


DRAWN = """title = "A lesson"
world = "rack.sdf"

[[step]]
title = "One"
draw = true
goal = { mobility = 1, ratio = -3.5, class = "crank-rocker", full_turn = true }
"""


def test_a_step_in_which_is_drawn_has_goals(tmp_path: Path) -> None:
    lesson, findings = read_lesson(written(tmp_path, DRAWN))
    assert findings == ()
    assert lesson is not None
    assert lesson.steps[0].draw
    assert lesson.steps[0].goal == (("mobility", 1), ("ratio", -3.5), ("class", "crank-rocker"), ("full_turn", True))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("mobility = 1", "mobilty = 1", "no goal is named 'mobilty'"),
        ("mobility = 1", "mobility = true", "'mobility' of a goal is a number"),
        ("full_turn = true", "full_turn = 1", "'full_turn' of a goal is true or false"),
        ('"crank-rocker"', "3", "'class' of a goal is a text"),
        ("draw = true\n", "\n", "a goal is about what is drawn"),
        (
            '{ mobility = 1, ratio = -3.5, class = "crank-rocker", full_turn = true }',
            "1",
            "'goal' gives values to names",
        ),
    ],
)
def test_a_goal_that_cannot_be_is_found(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in DRAWN
    lesson, findings = read_lesson(written(tmp_path, DRAWN.replace(old, new)))
    assert lesson is None
    assert [item.line for item in findings] == [7]
    assert words in findings[0].message


def test_lessons_are_known_by_their_names() -> None:
    assert is_lesson("A.LESSON.TOML")
    assert not is_lesson("pyproject.toml")
