"""Goals of a lesson in which a mechanism is drawn: whether it is as asked, in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.building.drawing.answers import Answers
    from simulator.building.drawing.plan import Sketch
    from simulator.model.lesson import Goals

SAME_RATIO = 1e-9
"""Ratios that differ by less of their size are one."""


class Judged(NamedTuple):
    """A goal in words, and whether it is met."""

    text: str
    met: bool


def judged(goals: Goals, plan: Sketch, answers: Answers) -> tuple[Judged, ...]:
    """The goals of a step, about what is on the sheet."""
    return tuple(JUDGES[name](value, plan, answers) for name, value in goals)


def _count(one: str, many: str, count: Callable[[Sketch, Answers], int | None]) -> Callable[..., Judged]:
    def judge(wanted: float, plan: Sketch, answers: Answers) -> Judged:
        now = count(plan, answers)
        text = f"{wanted:g} {one if wanted == 1 else many}"
        met = now == wanted
        return Judged(text if met or now is None else f"{text}, now {now}", met)

    return judge


def _mobility(wanted: float, plan: Sketch, answers: Answers) -> Judged:
    found = _count("freedom", "freedoms", lambda _plan, _answers: answers.rank)(wanted, plan, answers)
    return Judged(f"{found.text}: {answers.loose}" if answers.loose else found.text, found.met)


def _class(wanted: str, plan: Sketch, _answers: Answers) -> Judged:
    now = plan.grashof()
    met = now.startswith(wanted)
    return Judged(wanted if met or not now else f"{wanted}, now {now}", met)


def _full_turn(wanted: bool, _plan: Sketch, answers: Answers) -> Judged:
    now = answers.driver is not None and answers.driver.is_full
    return Judged("the driver turns fully" if wanted else "the driver does not turn fully", now == wanted)


def _ratio(wanted: float, _plan: Sketch, answers: Answers) -> Judged:
    """Of the speed of the driver over that of another joint."""
    driver = "" if answers.driver is None else answers.driver.joint
    found = [1.0 / speed for joint, speed in answers.speeds.items() if joint != driver and speed]
    met = any(math.isclose(ratio, wanted, rel_tol=SAME_RATIO) for ratio in found)
    text = f"ratio {wanted:g}"
    others = ", ".join(f"{ratio:.4g}" for ratio in found)
    return Judged((text if met or not found else f"{text}, now {others}").replace("-", "−"), met)


JUDGES: dict[str, Callable[..., Judged]] = {
    "links": _count("moving link", "moving links", lambda plan, _: len(plan.movers)),
    "joints": _count("joint", "joints", lambda plan, _: plan.joints),
    "wheels": _count("wheel", "wheels", lambda plan, _: sum(bool(link.radius) for link in plan.links)),
    "motors": _count("motor", "motors", lambda plan, _: len(plan.motors)),
    "names": _count("named length", "named lengths", lambda plan, _: sum(bool(p.name) for p in plan.parameters)),
    "mobility": _mobility,
    "class": _class,
    "full_turn": _full_turn,
    "ratio": _ratio,
}
"""By the names of `formats.lesson`."""
