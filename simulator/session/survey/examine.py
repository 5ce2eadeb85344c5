"""Examines one document: its findings, its run, and a picture of its start."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.diagnostics import Severity
from simulator.errors import SimulationError, SimulatorError
from simulator.formats.options import STANDARD, ReadingOptions
from simulator.formats.report import describe_diagnostic
from simulator.records import dataclass
from simulator.rendering.build import build_scene
from simulator.rendering.offscreen import render_picture
from simulator.rendering.options import RenderOptions
from simulator.rendering.sheet import write_jpeg
from simulator.session.batch.batch import ROUNDING, BlockSize, RunSummary, run_batch
from simulator.session.commands.factory import make_engine
from simulator.session.look.link_poses import LinkPoses
from simulator.session.open.opening import open_document
from simulator.session.survey.exercise import Exercise
from simulator.session.survey.stability import StabilityWatch

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from simulator.engine.engine import Engine
    from simulator.session.open.opening import Opened
    from simulator.session.text.settings import SessionSettings

    Send = Callable[[dict[str, object]], None]

PICTURE_SIZE = 480, 360
SMALL = RenderOptions(shadow_resolution=1024, samples=0, supersample=2)
"""Size of small pictures, drawn without a graphics processor."""
FILE_NOT_FOUND, LOOP_NOT_READ = "URI_LOOKUP", "LOOP_NOT_READ"
STRIDE, LOOKS_AT_LEAST = 10, 100
"""Steps between checks of energies and residuals, fewer in a short run; the engine checks at every step that all
values are finite."""
MOST_AXES = 200
"""Largest mechanism whose rank of constraints is computed."""


@dataclass(frozen=True)
class Task:
    """A document to be examined: `path`; `folder`: the group that it is counted in; `limit` [s]: its total
    time; `picture`: the file to draw, None for no picture. `exercise`: every independent axis
    is driven through its range. `is_included`: another document includes a file of that name."""

    path: Path
    folder: str
    settings: SessionSettings
    options: ReadingOptions = STANDARD
    duration: float = 2.0
    limit: float = 60.0
    picture: Path | None = None
    exercise: bool = False
    is_included: bool = False


class OutOfTimeError(SimulationError):
    """The run has used up its time."""


def examine(task: Task, send: Send) -> None:
    """Check, run and draw a document; every stage is sent as soon as it is known, by the names of a `Record`."""
    started = time.perf_counter()
    send({"stage": "while it was read"})
    opened = open_document(task.path, task.options)
    send({**_checked(opened), "check_s": time.perf_counter() - started, "stage": "while it was simulated"})
    poses = None if opened.has_errors else _simulate(opened, task, started, send)
    if task.picture is not None:
        send({"stage": "while it was drawn"})
        send(_drawn(opened, poses, task.picture))
    send({"stage": ""})


def _checked(opened: Opened) -> dict[str, object]:
    found, mechanism = opened.diagnostics, opened.mechanism
    number = {severity: sum(item.severity is severity for item in found) for severity in Severity}
    worst = next((severity for severity in (Severity.ERROR, Severity.WARNING) if number[severity]), None)
    first = next((item for item in found if item.severity is worst), None)
    return {
        "check": {Severity.ERROR: "refused", Severity.WARNING: "warned"}.get(worst, "clean") if worst else "clean",
        "errors": number[Severity.ERROR],
        "warnings": number[Severity.WARNING],
        "infos": number[Severity.INFO],
        "code": first.code if first else "",
        "message": " ".join(first.folded_message.split()) if first else "",
        "bodies": len(mechanism.bodies) - 1,
        "joints": len(mechanism.joints) + len(mechanism.loop_joints),
        "axes": len(mechanism.axes),
        "dof": mechanism.mobility.count,
        "couplings": len(mechanism.couplings),
        "loops": len(mechanism.loop_joints),
        "unread_loops": sum(item.count for item in found if item.code == LOOP_NOT_READ),
        "missing_files": sum(item.count for item in found if item.code == FILE_NOT_FOUND),
        "findings": [describe_diagnostic(item) for item in found],
    }


def _simulate(opened: Opened, task: Task, started: float, send: Send) -> NDArray[np.float64] | None:
    """Run; returns the body poses of the start, None if there is none."""
    try:
        engine = make_engine(opened, task.settings)
    except SimulatorError as error:
        send({"run": "unstable", "reason": str(error)})
        return None
    try:
        poses = engine.snapshot().body_poses
        rank = engine.rank_mobility() if len(engine.mechanism.axes) <= MOST_AXES else None
        send({"rank": rank})
        send(_run(engine, task, started))
    finally:
        engine.close()
    return poses


def _run(engine: Engine, task: Task, started: float) -> dict[str, object]:
    watch = StabilityWatch(engine.mechanism)
    exercise = Exercise(engine, task.duration) if task.exercise else None

    def look(simulated: float) -> None:
        now = engine.snapshot()
        watch.see(now)
        if exercise is not None:
            exercise.see(now)
        if time.perf_counter() - started > task.limit:
            reached = f"{simulated:.3g} of {task.duration:g} s simulated"
            raise OutOfTimeError(f"stopped after {task.limit:g} s, {reached}", simulated)

    stride = min(max(int(task.duration / engine.dt / LOOKS_AT_LEAST), 1), STRIDE)
    watch.see(engine.snapshot())
    summary = run_batch(engine, task.duration, sparse=True, progress=look, pace=BlockSize(stride))
    run, reason = _ending(summary, watch)
    given = max(watch.given, summary.max_kinetic)
    moved = given > ROUNDING * summary.max_potential
    return {
        "run": run,
        "reason": reason,
        "run_s": summary.wall,
        "simulated_s": summary.simulated,
        "steps_per_s": summary.steps / summary.wall if summary.wall > 0.0 else 0.0,
        "max_coupling_residual": summary.max_coupling_residual,
        "max_loop_residual_m": summary.max_loop_residual_m,
        "max_loop_residual_rad": summary.max_loop_residual_rad,
        "energy_error_relative": summary.relative_energy_error(),
        "energy_error_of_given": summary.max_energy_error / given if moved else 0.0,
        "created_energy": watch.created,
        "top_speed": watch.top_speed,
        "runaway": watch.runaway,
        **({} if exercise is None else exercise.report()),
    }


def _ending(summary: RunSummary, watch: StabilityWatch) -> tuple[str, str]:
    if isinstance(summary.failure, OutOfTimeError):
        return "slow", str(summary.failure)
    if summary.failure is not None:
        return "unstable", str(summary.failure)
    return ("finished", "") if watch.finite else ("unstable", "energies or speeds are not finite")


def _drawn(opened: Opened, poses: NDArray[np.float64] | None, path: Path) -> dict[str, object]:
    """Draw the start, or a document that cannot be simulated as it was read; an empty picture is not
    written."""
    started = time.perf_counter()
    scene = build_scene(opened.world)
    if not scene.drawables:
        return {}
    try:
        links = None if poses is None else LinkPoses(opened.mechanism, scene.links).at(poses)
        write_jpeg(path, render_picture(scene, links, size=PICTURE_SIZE, options=SMALL))
    except SimulatorError as error:
        return {"picture_failure": str(error)}
    return {"picture": path.name, "picture_s": time.perf_counter() - started}
