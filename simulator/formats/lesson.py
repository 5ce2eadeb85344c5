"""Lesson files (`NAME.lesson.toml`): TOML to `Lesson`, with the line of everything that is wrong.

title = "Rack and pinion"
world = "../worlds/rack_and_pinion.sdf"    # from the folder of this file; a step may name another one

[[step]]
title = "The law"
notes = '''The rack goes along as $x = r\\,\\theta$.'''
drives = { pinion_joint = "velocity:0.5" }
initial = { pinion_joint = 0.0 }
camera = "front"
panels = ["traces"]
traces = ["pinion_joint", "rack_joint"]
run = true
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from simulator.diagnostics import DiagnosticLog, Source
from simulator.errors import closest
from simulator.formats.files import read_regular
from simulator.model.lesson import FollowedPoint, Lesson, LessonStep

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from simulator.diagnostics import Diagnostic
    from simulator.model.lesson import Goals

    Value = TypeVar("Value", str, float)

SUFFIX = ".lesson.toml"
LARGEST = 1_000_000
"""Bytes of the largest file that is read."""
CODE = "LESSON_INVALID"
CAMERAS = ("iso", "front", "right", "top")
QUANTITIES = ("position", "velocity", "acceleration", "effort", "power", "energy")
PANELS = ("joints", "model", "traces", "relations", "kinematics", "analysis", "mechanism", "diagnostics")
SHOW = ("axes", "frames", "grid", "labels", "velocities", "accelerations", "centres", "polodes", "masses")
STRATEGIES = ("rows", "reduced", "gear")
GOALS: dict[str, type[float | str | bool]] = {
    **dict.fromkeys(("links", "joints", "wheels", "motors", "names", "mobility", "ratio"), float),
    "class": str,
    "full_turn": bool,
}
"""What a goal can be about, and its kind of value."""
GOAL_VALUES = {float: "a number", str: "a text", bool: "true or false"}
_STEP = re.compile(r"^[ \t]*\[\[\s*step\s*\]\]", re.MULTILINE)
_LINE = re.compile(r"at line (\d+)")
Table = dict[str, Any]


def is_lesson(path: str | Path) -> bool:
    """Whether a file is a lesson, by its name."""
    return str(path).lower().endswith(SUFFIX)


def read_lesson(path: str | Path) -> tuple[Lesson | None, tuple[Diagnostic, ...]]:
    """The lesson of a file and what is wrong with it; None where it cannot be shown.

    Nothing of what the file says raises. Worlds are not opened, so that names in them are not checked here.
    """
    path = Path(path)
    log = DiagnosticLog()
    try:
        text = read_regular(path, LARGEST).decode("utf-8")
        data = tomllib.loads(text)
    except OSError as error:
        log.error(CODE, Source(str(path), 0), f"the lesson cannot be read: {error.strerror or error}")
        return None, log.as_tuple()
    except (UnicodeDecodeError, ValueError) as error:
        found = _LINE.search(str(error))
        log.error(CODE, Source(str(path), int(found[1]) if found else 0), f"this is not TOML: {error}")
        return None, log.as_tuple()
    lesson = _Reader(path, text, log).lesson(data)
    return (None if log.has_errors else lesson), log.as_tuple()


class _Reader:
    """Reads tables into values; what does not fit is an error with the line where its key is."""

    def __init__(self, path: Path, text: str, log: DiagnosticLog) -> None:
        self._path, self._lines, self._log = path, text.split("\n"), log
        self._starts = [text.count("\n", 0, match.start()) + 1 for match in _STEP.finditer(text)]
        self._span = (1, self._starts[0] if self._starts else len(self._lines) + 1)

    def lesson(self, data: Table) -> Lesson:
        self._only(data, ("title", "world", "step"), "a lesson")
        title = self._text(data, "title")
        world = self._text(data, "world", "")
        tables = data.get("step", [])
        if not isinstance(tables, list) or not tables or not all(isinstance(one, dict) for one in tables):
            self._error("step", "a lesson has steps: write [[step]] before each")
            tables = []
        steps = []
        for index, table in enumerate(tables):
            start = self._starts[index] if index < len(self._starts) else 1
            after = self._starts[index + 1] if index + 1 < len(self._starts) else len(self._lines) + 1
            self._span = (start, after)
            steps.append(self._step(table, world, start))
        return Lesson(title, self._path, tuple(steps))

    def _step(self, table: Table, world: str, line: int) -> LessonStep:
        known = tuple(LessonStep.__dataclass_fields__)
        self._only(table, tuple(name for name in known if name != "line"), "a step")
        name = self._text(table, "world", world)
        if not name:
            self._error("title", "no world is named, neither by the lesson nor by this step")
        return LessonStep(
            title=self._text(table, "title"),
            notes=self._text(table, "notes", "").strip(),
            world=(self._path.parent / name).resolve(),
            question=self._text(table, "question", "").strip(),
            answer=self._answer(table),
            solver=self._choice(table, "solver", STRATEGIES),
            drives=self._pairs(table, "drives", str),
            initial=self._pairs(table, "initial", float),
            camera=self._choice(table, "camera", CAMERAS),
            orthographic=self._flag(table, "orthographic"),
            panels=self._choices(table, "panels", PANELS),
            traces=self._choices(table, "traces", ()),
            quantity=self._choice(table, "quantity", QUANTITIES),
            show=self._choices(table, "show", SHOW),
            paths=self._paths(table),
            select=self._text(table, "select", ""),
            speed=self._speed(table),
            run=self._flag(table, "run"),
            draw=self._flag(table, "draw"),
            goal=self._goal(table),
            line=line,
        )

    def _error(self, key: str, message: str, hint: str = "") -> None:
        begin, end = self._span
        pattern = re.compile(rf"^\s*{re.escape(key)}\s*=")
        at = next((n for n in range(begin, end) if pattern.match(self._lines[n - 1])), begin)
        self._log.error(CODE, Source(str(self._path), at), message, hint)

    def _only(self, table: Table, known: tuple[str, ...], what: str) -> None:
        for key in table:
            if key not in known:
                close = closest(key, known)
                self._error(key, f"{what} has no '{key}'", f"did you mean '{close}'?" if close else "")

    def _text(self, table: Table, key: str, default: str | None = None) -> str:
        value = table.get(key, default)
        if isinstance(value, str):
            return value
        self._error(key, f"'{key}' is missing" if value is None else f"'{key}' is a text in quotes")
        return ""

    def _flag(self, table: Table, key: str) -> bool:
        value = table.get(key, False)
        if not isinstance(value, bool):
            self._error(key, f"'{key}' is true or false")
        return value is True

    def _choice(self, table: Table, key: str, known: tuple[str, ...]) -> str:
        value = table.get(key, known[0])
        if value not in known:
            self._error(key, f"'{key}' is one of {', '.join(known)}, not {value!r}")
            return known[0]
        return str(value)

    def _choices(self, table: Table, key: str, known: tuple[str, ...]) -> tuple[str, ...]:
        value = table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            self._error(key, f"'{key}' is a list of texts")
            return ()
        wrong = [one for one in value if known and one not in known]
        if wrong:
            self._error(key, f"'{key}' has no '{wrong[0]}'; there are {', '.join(known)}")
        return tuple(value)

    def _pairs(self, table: Table, key: str, kind: type[Value]) -> tuple[tuple[str, Value], ...]:
        value = table.get(key, {})
        kinds = (int, float) if kind is float else (kind,)
        if not isinstance(value, dict) or not all(
            isinstance(one, kinds) and not isinstance(one, bool) for one in value.values()
        ):
            what = "numbers" if kind is float else "texts"
            self._error(key, f"'{key}' gives {what} to names: {key} = {{ NAME = … }}")
            return ()
        return tuple((name, kind(one)) for name, one in value.items())

    def _goal(self, table: Table) -> Goals:
        value = table.get("goal", {})
        if not isinstance(value, dict):
            self._error("goal", "'goal' gives values to names: goal = { mobility = 1 }")
            return ()
        if value and table.get("draw") is not True:
            self._error("goal", "a goal is about what is drawn: write draw = true, too")
        found: list[tuple[str, float | str | bool]] = []
        for name, one in value.items():
            kind = GOALS.get(name)
            if kind is None:
                close = closest(name, tuple(GOALS))
                hint = f"did you mean '{close}'?" if close else ""
                self._error("goal", f"no goal is named '{name}'; there are {', '.join(GOALS)}", hint)
            elif isinstance(one, bool) != (kind is bool) or not isinstance(
                one, (int, float) if kind is float else kind
            ):
                self._error("goal", f"'{name}' of a goal is {GOAL_VALUES[kind]}")
            else:
                found.append((name, one))
        return tuple(found)

    def _answer(self, table: Table) -> str:
        answer = self._text(table, "answer", "").strip()
        if answer and not self._text(table, "question", "").strip():
            self._error("answer", "an answer without a question")
        return answer

    def _speed(self, table: Table) -> float:
        value = table.get("speed", 1.0)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value < 1e6:
            self._error("speed", "'speed' is a positive number, simulated seconds per second")
            return 1.0
        return float(value)

    def _paths(self, table: Table) -> tuple[FollowedPoint, ...]:
        value = table.get("paths", [])
        found = []
        for one in value if isinstance(value, list) else [value]:
            at = one.get("at") if isinstance(one, dict) else None
            numbers = isinstance(at, list) and len(at) == 3 and all(isinstance(x, int | float) for x in at)
            if not numbers or not isinstance(one.get("link"), str) or at is None:
                self._error("paths", 'a path is { link = "NAME", at = [x, y, z] }, in the frame of the link [m]')
                continue
            found.append(FollowedPoint(one["link"], (float(at[0]), float(at[1]), float(at[2]))))
        return tuple(found)
