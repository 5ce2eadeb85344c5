"""The same drives on two or three mechanisms or strategies, from the start: the motion of each, sample by sample, and
how far they drift apart."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import field, replace
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from simulator.engine.snapshot import Extremes
from simulator.errors import SimulationError, SimulatorError, UsageError
from simulator.mechanism.residuals import coupling_slack
from simulator.records import dataclass
from simulator.session.batch.batch import RunSummary
from simulator.session.commands.driving import full_name
from simulator.session.commands.factory import make_engine
from simulator.session.forces.force_watch import ForceWatch
from simulator.session.forces.forces_now import MOST, watched_joints
from simulator.session.text.settings import SessionSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from simulator.engine.drives import Drive
    from simulator.engine.engine import Engine
    from simulator.engine.snapshot import Snapshot
    from simulator.session.open.opening import Opened
    from simulator.spatial.arrays import Array


SAMPLES = 50.0
"""Approximate number of samples for each second: a step may be longer."""
MOST_SAMPLES = 6000


@dataclass(frozen=True)
class Contender:
    """A document under a strategy. `label`: its name beside the others, `drives` by scoped name; `settings`:
    its start and its step."""

    label: str
    opened: Opened
    solver: str
    drives: tuple[tuple[str, Drive], ...] = ()
    settings: SessionSettings = field(default_factory=SessionSettings)

    def left_out(self) -> tuple[str, ...]:
        """Drives of axes that this document does not have."""
        return tuple(name for name, _ in self.drives if not self._name(name))

    def own_drives(self) -> tuple[tuple[str, Drive], ...]:
        """The other drives, by the names that this document has for them."""
        return tuple((own, drive) for name, drive in self.drives if (own := self._name(name)))

    def _name(self, name: str) -> str:
        """Another document may have the joint in a model of another name."""
        mechanism, actuators = self.opened.mechanism, self.opened.actuators
        head, slash, tail = name.rpartition("/")
        return full_name(mechanism, actuators, name) or full_name(
            mechanism, actuators, f"{head}{slash}{tail.rpartition('::')[2]}"
        )


@dataclass(frozen=True, eq=False)
class Lane:
    """The motion of a contender. `times` (n,) [s]; `position`, `velocity` and `effort` of drives (n, n_axes) by the
    names in `axes`; `wrenches` (n, n_joints, 6), reactions of the first joints (`watched_joints`), by the names in
    `joints`, empty if unknown; `body_poses` (n, n_bodies, 7); `residual` (n, 3): couplings, loops [m, rad];
    `energy_error` (n,) [J]. `reason`: why it did not run to the end.
    """

    contender: Contender
    axes: tuple[str, ...] = ()
    times: Array = field(default_factory=lambda: np.zeros(0))
    position: Array = field(default_factory=lambda: np.zeros((0, 0)))
    velocity: Array = field(default_factory=lambda: np.zeros((0, 0)))
    effort: Array = field(default_factory=lambda: np.zeros((0, 0)))
    joints: tuple[str, ...] = ()
    wrenches: Array = field(default_factory=lambda: np.zeros((0, 0, 6)))
    body_poses: Array = field(default_factory=lambda: np.zeros((0, 0, 7)))
    residual: Array = field(default_factory=lambda: np.zeros((0, 3)))
    energy_error: Array = field(default_factory=lambda: np.zeros(0))
    summary: RunSummary = field(default_factory=RunSummary)
    reason: str = ""

    def rate(self) -> float:
        """Steps for each second of wall time, the first block left out; 0 if none was timed."""
        return self.summary.stepping_rate()

    def moment(self, time: float) -> int:
        """The newest sample at a time [s]; the first if there is none before."""
        return max(int(np.searchsorted(self.times, time + 1e-9, side="right")) - 1, 0)


@dataclass(frozen=True)
class Drift:
    """The largest differences of a lane to the first one, over all samples and axes that both have [rad, m], and the
    axis with the largest of each; None for the first itself and if there is nothing to compare."""

    rad: float | None = None
    m: float | None = None
    axis: str = ""


def run_side_by_side(
    contenders: Sequence[Contender],
    duration: float,
    *,
    apart: bool = True,
    begin: Callable[[str], None] = lambda _: None,
) -> tuple[Lane, ...]:
    """Every contender from its start for `duration` [s], one after the other; `begin` is called with each label.
    `apart`: in a separate process, whose crash does not affect this one.

    Raises UsageError for an impossible duration; other errors are the reason of a lane.
    """
    if not 0.0 < duration < np.inf:
        raise UsageError(f"a duration of {duration:g} s cannot be simulated")
    lanes: list[Lane] = []
    if not apart:
        for contender in contenders:
            begin(contender.label)
            lanes.append(run_lane(contender, duration))
    while len(lanes) < len(contenders):  # the remaining ones, in a new process if one has crashed
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            lanes += _run_apart(pool, contenders[len(lanes) :], duration, begin)
    return tuple(lanes)


def _run_apart(
    pool: ProcessPoolExecutor, contenders: Sequence[Contender], duration: float, begin: Callable[[str], None]
) -> Iterator[Lane]:
    """Lanes up to the first that crashes the process."""
    for contender in contenders:
        begin(contender.label)
        try:
            yield pool.submit(run_lane, contender, duration).result()
        except BrokenProcessPool:
            yield Lane(contender, reason="the physics process crashed")
            return


def run_lane(contender: Contender, duration: float) -> Lane:
    """One contender from its start."""
    opened = contender.opened
    axes = tuple(info.name for info in opened.mechanism.axes)
    try:
        settings = replace(contender.settings, solver=contender.solver, drives=contender.own_drives())
        engine = make_engine(opened, settings)
    except SimulatorError as refused:
        return Lane(contender, axes, reason=str(refused))
    steps = max(round(duration / engine.dt), 1)
    stride = max(1, round(1.0 / (SAMPLES * engine.dt)), -(-steps // MOST_SAMPLES))
    extremes = Extremes(slack=coupling_slack(engine.mechanism))
    summary = RunSummary()
    reason = ""
    carried = _Carried(engine, opened)
    seen: list[Snapshot] = [carried.see(engine.snapshot())]
    engine.start_log()
    extremes.see(engine.row(), engine.places)
    try:
        while engine.steps < steps:
            wanted = min(stride, steps - engine.steps)
            _advance(engine, wanted, extremes, summary)
            seen.append(carried.see(engine.snapshot()))
    except SimulationError as failure:
        reason = str(failure)
    summary.take(extremes, engine, engine.steps)
    engine.close()
    return Lane(
        contender,
        axes,
        np.array([one.time for one in seen]),
        np.array([one.position for one in seen]).reshape(len(seen), -1),
        np.array([one.velocity for one in seen]).reshape(len(seen), -1),
        np.array([one.effort for one in seen]).reshape(len(seen), -1),
        carried.joints,
        np.array(carried.wrenches).reshape(len(carried.wrenches), len(carried.joints), 6),
        np.array([one.body_poses for one in seen]),
        np.array([(one.worst_coupling_residual(), *one.worst_loop_residual()) for one in seen]),
        np.array([one.energy.error for one in seen]),
        replace(summary, last=None),
        reason,
    )


class _Carried:
    """Reactions of joints at the samples of a run; no `joints` if the strategy does not report what acts, and for so
    many bodies that computing it takes longer than the run."""

    def __init__(self, engine: Engine, opened: Opened) -> None:
        known = engine.core.integrated is not None and len(engine.mechanism.bodies) <= MOST
        self._watch = ForceWatch(engine, opened.world) if known else None
        self.joints = watched_joints(opened.mechanism) if known else ()
        self.wrenches: list[Array] = []

    def see(self, snapshot: Snapshot) -> Snapshot:
        """Compute the reactions at the engine's present state."""
        if self._watch is not None:
            self.wrenches.append(self._watch.find(snapshot).wrenches)
        return snapshot


def _advance(engine: Engine, steps: int, extremes: Extremes, summary: RunSummary) -> None:
    """Make so many steps, and time all but the first, which may load something."""
    made = 0
    while made < steps:
        first = engine.steps == 0
        began = perf_counter()
        more = engine.advance(1 if first else steps - made, extremes, stride=0)[0]
        if not first:
            summary.clock(more, perf_counter() - began)
        made += more


def shared_axes(lanes: Sequence[Lane]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Axes that all lanes have, by the names of the first, with their index in each. Documents are matched by scoped
    names, else by the last part of the name if that is unique."""
    return shared_names([lane.axes for lane in lanes])


def shared_names(names: Sequence[tuple[str, ...]]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Common names of any kind, with their index in each lane."""
    if not names:
        return ()
    found = []
    for number, name in enumerate(names[0]):
        places = [number, *(_place(others, name) for others in names[1:])]
        if min(places) >= 0:
            found.append((name, tuple(places)))
    return tuple(found)


def _place(axes: Sequence[str], name: str) -> int:
    if name in axes:
        return axes.index(name)
    tail = name.rpartition("::")[2]
    same = [i for i, other in enumerate(axes) if other.rpartition("::")[2] == tail]
    return same[0] if len(same) == 1 else -1


def difference(first: Lane, lane: Lane, places: tuple[int, int]) -> Array:
    """How far an axis of a lane is from that of the first, as `apart`."""
    return apart((first.times, first.position[:, places[0]]), (lane.times, lane.position[:, places[1]]))


def apart(first: tuple[Array, Array], other: tuple[Array, Array]) -> Array:
    """Distance of a curve, times and values of shape (n,), from a first one, at its own times; nan after the end of
    the first. The first is interpolated linearly."""
    (times, values), (own_times, own) = first, other
    if np.array_equal(own_times, times):
        return np.asarray(own - values)
    return np.asarray(own - np.interp(own_times, times, values, right=np.nan))


def drifts(lanes: Sequence[Lane]) -> tuple[Drift, ...]:
    """The residuals of every lane."""
    result = [Drift()]
    for lane in lanes[1:]:
        if not lanes[0].times.size or not lane.times.size:
            result.append(Drift())
            continue
        rad = 0.0
        m = 0.0
        worst = 0.0
        where = ""
        shared = shared_axes((lanes[0], lane))
        for name, (a, b) in shared:
            unit = lanes[0].contender.opened.mechanism.axes[a].unit
            most = float(np.nanmax(np.abs(difference(lanes[0], lane, (a, b)))))
            rad, m = (max(rad, most), m) if unit == "rad" else (rad, max(m, most))
            if most > worst:
                worst, where = most, name
        result.append(Drift(rad, m, where) if shared else Drift())
    return tuple(result)
