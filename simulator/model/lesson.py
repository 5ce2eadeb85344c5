"""A lesson: steps, each with a mechanism as it is to be shown, and words beside it."""

from __future__ import annotations

from pathlib import Path

from simulator.records import dataclass
from simulator.spatial.rotation import Vec3

Goals = tuple[tuple[str, float | str | bool], ...]
"""What a drawn mechanism is to be, by name: its mobility, its ratio and so on."""


@dataclass(frozen=True)
class FollowedPoint:
    """A point whose path is drawn: `at` in the frame of `link` [m]."""

    link: str
    at: Vec3


@dataclass(frozen=True)
class LessonStep:
    """What one step shows. Everything that is not mentioned is as in a document that was just opened.

    `notes`: paragraphs, lists, tables, pictures and formulas between `$`; `question`, and its `answer`, which is shown
    when it is asked for; `drives` and `initial`: by name of an axis, drives as `--drive`
    has them behind the `=`, positions in rad or m; `solver`: strategy; `camera`: iso, front, right or top; `panels`:
    those that are open; `traces`: axes that are plotted, of the quantity `quantity`; `show`: what the view shows;
    `paths`: points that are followed; `select`: the joint or link that is marked; `run`: whether time passes at once.
    `draw`: the user draws on a sheet that is empty at first and the same in all steps that have this, instead of
    `world`; with `run`, too, what was drawn runs. `goal`: what the mechanism on the sheet is to be. `line` is where the
    step begins in its file.
    """

    title: str
    notes: str
    world: Path
    question: str = ""
    answer: str = ""
    solver: str = "rows"
    drives: tuple[tuple[str, str], ...] = ()
    initial: tuple[tuple[str, float], ...] = ()
    camera: str = "iso"
    orthographic: bool = False
    panels: tuple[str, ...] = ()
    traces: tuple[str, ...] = ()
    quantity: str = "position"
    show: tuple[str, ...] = ()
    paths: tuple[FollowedPoint, ...] = ()
    select: str = ""
    speed: float = 1.0
    run: bool = False
    draw: bool = False
    goal: Goals = ()
    line: int = 0


@dataclass(frozen=True)
class Lesson:
    """`path` is the file that it was read from."""

    title: str
    path: Path
    steps: tuple[LessonStep, ...]
