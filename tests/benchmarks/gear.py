"""scripts/bench gear: what a step of strategy gear costs on every way to its user, beside `stepSimulation` of the same
bodies.

python -m tests.benchmarks.gear [--rounds 7] [--seconds 0.2] [--json] [scene…]

Bullet is what this program built, with its constraints and motors; raw, it is stepped by a loop in Python that does
nothing else: nothing is read, and there are no efforts of the drives and dampers that the other rows have.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import simulator
from simulator.bullet.pybullet_import import pybullet
from simulator.engine.snapshot import Extremes
from simulator.errors import SimulatorError
from simulator.session.batch.batch import run_batch
from simulator.session.commands.factory import make_engine
from simulator.session.open.opening import open_document
from simulator.session.text.settings import typed_settings
from tests.benchmarks.contenders import in_short
from tests.benchmarks.errands import Calls, Errand, driven_as
from tests.benchmarks.options import FEWEST, Options
from tests.benchmarks.piles import SCENES, document
from tests.benchmarks.report import markdown_row
from tests.helpers.repository import ROOT

RAW = "`stepSimulation`"
RUN, MANY = "`simulator run`", "`Simulation.step(1000)`"
ONE, READ = "`Simulation.step()`", "`Simulation.step()`, positions read"
ROWS, WINDOW = "`Simulation.run`, every step recorded", "the window's steps"
WAYS = (RUN, MANY, ROWS, WINDOW, ONE, READ)
WANTED = 2.0
"""Times what Bullet itself takes."""
WORLDS: dict[str, tuple[str, ...]] = {
    "stack of 10": (),
    "floor of 100": (),
    "rack_and_pinion": (),
    "rack_and_pinion driven": ("pinion_joint=velocity:1",),
    "gear_train": (),
    "gear_train driven": ("gear_1_joint=velocity:2",),
    "gear_train_1024": (),
    "gripper": (),
    "four_bar": (),
}
"""By name of a scene or of an example world, and by which drives."""


def place_of(name: str, folder: Path) -> Path:
    """The document of a scene."""
    if name not in SCENES:
        return ROOT / "worlds" / f"{name.split(maxsplit=1)[0]}.sdf"
    path = folder / "scene.sdf"
    path.write_text(document(SCENES[name](), folder), encoding="utf-8")
    return path


def everybody_on(name: str, folder: Path) -> dict[str, Callable[[], Errand]]:
    """All ways on one scene."""
    path, drives = place_of(name, folder), WORLDS[name]
    return {
        RAW: partial(raw, path, drives),
        RUN: partial(batch, path, drives),
        WINDOW: partial(window, path, drives),
        MANY: partial(scripted, path, drives, MANY),
        ROWS: partial(scripted, path, drives, ROWS),
        ONE: partial(scripted, path, drives, ONE),
        READ: partial(scripted, path, drives, READ),
    }


def raw(path: Path, drives: tuple[str, ...]) -> Calls:
    """Bullet's steps alone, of the bodies that an engine has built and driven for a step."""
    engine = make_engine(open_document(path), typed_settings(drives, (), solver="gear"))
    client = engine.dynamics._client  # type: ignore[attr-defined]

    def call(steps: int) -> None:
        for _ in range(steps):
            pybullet.stepSimulation(client)

    def back() -> None:
        engine.reset()
        engine.step()

    return Calls(RAW, call, back)


def batch(path: Path, drives: tuple[str, ...]) -> Calls:
    """All that the command does between its start and its report."""
    engine = make_engine(open_document(path), typed_settings(drives, (), solver="gear"))
    return Calls(RUN, lambda steps: run_batch(engine, steps * engine.dt), engine.reset)


def window(path: Path, drives: tuple[str, ...]) -> Calls:
    """Steps as the window's physics process makes them, without keeping what it gets."""
    engine = make_engine(open_document(path), typed_settings(drives, (), solver="gear"))
    worst = Extremes()

    def call(steps: int) -> None:
        while steps > 0:
            steps -= engine.advance(min(steps, 200), worst, stride=1)[0]

    return Calls(WINDOW, call, engine.reset)


def scripted(path: Path, drives: tuple[str, ...], way: str) -> Calls:
    """What scripts call."""
    sim = simulator.load(path, solver="gear")
    for axis, drive in driven_as(drives).items():
        sim.drive(axis, drive)
    sim.step()  # builds the bodies, or says why not

    def one_by_one(steps: int) -> None:
        for _ in range(steps):
            sim.step()
            if way == READ:
                read = sim.positions  # noqa: F841 - what is timed is reading it

    def many(steps: int) -> None:
        while steps > 0:
            sim.step(min(steps, 1000))
            steps -= 1000

    calls: dict[str, Callable[[int], object]] = {
        MANY: many,
        ROWS: lambda steps: sim.run(steps * sim.dt),
        ONE: one_by_one,
        READ: one_by_one,
    }
    return Calls(way, calls[way], sim.reset)


def measure(makers: dict[str, Callable[[], Errand]], rounds: int, seconds: float) -> dict[str, Any]:
    """All ways in turns: microseconds per step in every round, or why there are none. Everybody makes the same steps
    from the start, as many as Bullet alone makes in `seconds`: what its solver takes differs from step to step."""
    try:
        ways = {name: make() for name, make in makers.items()}
    except SimulatorError as refused:
        return {"refused": in_short(refused)}
    steps = ways[RAW].steps_in(seconds)
    times: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds):
        for name in list(ways) if number % 2 == 0 else list(ways)[::-1]:
            times[name].append(ways[name].turn(steps)[name])
    return {"steps": steps, "times": times}


def as_text(report: dict[str, dict[str, Any]]) -> str:
    """A Markdown table: what Bullet takes, and how many times that each way; what misses its target is bold."""
    lines = [markdown_row("scene", f"{RAW} [µs]", *WAYS), markdown_row(*["---"] * (len(WAYS) + 2))]
    for scene, found in report.items():
        if "refused" in found:
            lines.append(markdown_row(scene, f"– ({found['refused']})", *[""] * len(WAYS)))
            continue
        times = found["times"]
        cells = [median(a / b for a, b in zip(times[way], times[RAW], strict=True)) for way in WAYS]
        marked = [f"{cell:.2f}" if cell <= WANTED else f"**{cell:.2f}**" for cell in cells]
        lines.append(markdown_row(scene, f"{median(times[RAW]):.3g}", *marked))
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    asked = Options("scripts/bench gear", __doc__, "scene", tuple(WORLDS), 7, 0.2, "how long each steps", FEWEST)
    options = asked.checked(asked.parser(), arguments)
    report = {}
    for name in options.names or WORLDS:
        print(f"{name} …", file=sys.stderr)
        with tempfile.TemporaryDirectory() as folder:
            report[name] = measure(everybody_on(name, Path(folder)), options.rounds, options.seconds)
    print(json.dumps(report, indent=1) if options.json else as_text(report))


if __name__ == "__main__":
    main()
