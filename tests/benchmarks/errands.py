"""The ways from a mechanism to its user that scripts/bench run times: command, `Simulation`, kernel, and a script
around `mj_step`."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Protocol
from xml.etree import ElementTree

import simulator
from simulator.engine.drives import Drive
from simulator.formats.writing.document import write_document
from simulator.physics.compiled.bounded import BoundedMechanism
from tests.benchmarks.contenders import Contender
from tests.benchmarks.peers import mujoco_peer
from tests.benchmarks.peers.mujoco_peer import DAMPING, STIFFNESS
from tests.benchmarks.rounds import cpu_clock
from tests.benchmarks.state_errands import STATE_ROWS, states_on
from tests.benchmarks.tasks import Task, gear_train
from tests.helpers.mjcf import FACTORY, TIGHT
from tests.helpers.repository import ROOT

KERNEL, COMMAND, CSV = "kernel, 100 steps a call", "`simulator run`", "`simulator run --csv`, every step"
BATCH, STEP = "`Simulation.run`, every step recorded", "`Simulation.step`"
LOOP = "`Simulation.step`, positions read"
MUJOCO = ("MuJoCo RK4 tight: `mj_step`, qpos and qvel read", "MuJoCo Euler default: `mj_step`, qpos and qvel read")
CONTROL = "a controller: `q` and `v` read, `control` written, `Simulation.step`"
CALLED = "the same as a function: `Simulation.run(control=…)`, every step recorded"
BY_NAME = "the same by names: `positions`, `velocities`, `drive`"
DERIVED = "`Simulation.sensitivities`, a parameter"
MUJOCO_CONTROL = (
    "MuJoCo RK4 tight: qpos and qvel read, qfrc_applied written, `mj_step`",
    "MuJoCo Euler default: the same",
)
ROWS = (
    KERNEL,
    COMMAND,
    CSV,
    BATCH,
    STEP,
    LOOP,
    *MUJOCO,
    CONTROL,
    CALLED,
    BY_NAME,
    *MUJOCO_CONTROL,
    DERIVED,
    *STATE_ROWS,
)
"""All of them, in the order of the table."""
START = "start of `simulator run`"
BLOCK = 100
TRAIN, GRIPPER = "train of 64 gears", "gripper without its box"
WORLDS: dict[str, tuple[str, ...]] = {
    "four_bar": (),
    "rack_and_pinion": ("pinion_joint=effort:0.01",),
    TRAIN: ("j0=effort:0.01",),
    "gear_train_1024": (),
    "planetary": ("sun_joint=velocity:-0.6", "carrier_joint=velocity:0.4"),
    "wrist": ("actuator/right_motor=position:1", "actuator/left_motor=position:0.5"),
    "stewart": (),
    GRIPPER: (),
}
"""What is simulated, and by which drives, in the words of the command line. Nothing touches the gripper, but here its
contacts are looked for and its stops hold; MuJoCo's has no shapes and no stops."""
SMALL = ("four_bar", "rack_and_pinion", "planetary", GRIPPER)
MOST = {STEP: 8.0, CONTROL: 15.0, BY_NAME: 25.0}
"""Most microseconds that a step of these worlds may take in the loop of a script."""
SMOOTH = ("four_bar", "rack_and_pinion", "planetary")
"""Runs of these are derived: nothing switches in them."""


class Errand(Protocol):
    """One way to be timed. `columns`: how many a recorded row has, 0 where nothing is recorded."""

    columns: int

    def steps_in(self, seconds: float) -> int:
        """How many steps take about that long."""

    def turn(self, steps: int) -> dict[str, float]:
        """So many steps from the start: processor time per step [µs] by name, and of a command its start [s]."""


def everybody_on(name: str, folder: Path) -> dict[str, Callable[[], Errand]]:
    """All errands on one world; `folder` takes the files that commands write."""
    written = {TRAIN: write_train, GRIPPER: write_gripper}
    document = written[name](folder) if name in written else name
    sim = simulator.load(document).copy
    drives = WORLDS[name]
    return {
        KERNEL: lambda: Calls(KERNEL, *kernel_of(sim())),
        COMMAND: lambda: Command(COMMAND, str(document), drives, sim().dt),
        CSV: lambda: Command(CSV, str(document), drives, sim().dt, folder / "rows.csv"),
        BATCH: lambda: batch(sim(), driven_as(drives)),
        STEP: lambda: stepping(sim(), driven_as(drives)),
        LOOP: lambda: loop(sim(), driven_as(drives)),
        CONTROL: lambda: controller(sim()),
        CALLED: lambda: called_controller(sim()),
        BY_NAME: lambda: controller_by_name(sim()),
        **{told: partial(peer, told, sim, settings) for told, settings in zip(MUJOCO, (TIGHT, FACTORY), strict=True)},
        **{
            told: partial(peer, told, sim, settings, mujoco_peer.Controlling)
            for told, settings in zip(MUJOCO_CONTROL, (TIGHT, FACTORY), strict=True)
        },
        DERIVED: lambda: derived(sim(), name),
        **states_on(sim, Calls),
    }


def write_train(folder: Path) -> Path:
    """The train of `scripts/bench` as a document."""
    path = folder / "train.sdf"
    path.write_text(write_document(gear_train(64).opened.document, folder).text, encoding="utf-8")
    return path


def write_gripper(folder: Path) -> Path:
    """The gripper of the examples without the model `box`."""
    path = folder / "gripper.sdf"
    tree = ElementTree.parse(ROOT / "worlds" / "gripper.sdf")
    world = tree.getroot()[0]
    world.remove(next(model for model in world.iter("model") if model.get("name") == "box"))
    tree.write(path, encoding="utf-8")
    return path


def driven_as(words: tuple[str, ...]) -> dict[str, Drive]:
    """The drives of a command as `Simulation` takes them."""
    split = [word.replace(":", "=").split("=") for word in words]
    return {axis: getattr(simulator, kind)(float(value)) for axis, kind, value in split}


class Calls:
    """Something that this process computes: `call(steps)` after `back()`."""

    def __init__(self, name: str, call: Callable[[int], object], back: Callable[[], object], columns: int = 0) -> None:
        self.name, self.call, self.back, self.columns = name, call, back, columns

    def steps_in(self, seconds: float) -> int:
        self._timed(BLOCK)  # compiles what is not yet
        steps = BLOCK
        while (took := self._timed(steps)) < 0.1 * seconds:
            steps *= 2
        return max(BLOCK, int(steps * seconds / took) // BLOCK * BLOCK)

    def turn(self, steps: int) -> dict[str, float]:
        return {self.name: 1e6 * self._timed(steps) / steps}

    def _timed(self, steps: int) -> float:
        self.back()
        started = cpu_clock()
        self.call(steps)
        return cpu_clock() - started


def kernel_of(sim: simulator.Simulation) -> tuple[Callable[[int], object], Callable[[], object]]:
    """The compiled step of strategy `rows`, without drives, ledger and records."""
    model, start, dt = BoundedMechanism(sim.mechanism).model, sim.moment.state, sim.dt

    def call(steps: int) -> None:
        for _ in range(steps // BLOCK):
            model.step(dt, BLOCK)

    return call, lambda: model.set_state(start)


def batch(sim: simulator.Simulation, drives: dict[str, Drive]) -> Calls:
    """A whole run, all channels of every step kept."""
    columns = len(sim.run(sim.dt, drives=drives).channels)
    return Calls(BATCH, lambda steps: sim.run(steps * sim.dt, drives=drives), sim.reset, columns)


def stepping(sim: simulator.Simulation, drives: dict[str, Drive]) -> Calls:
    """Steps alone, one a call."""
    for name, drive in drives.items():
        sim.drive(name, drive)

    def call(steps: int) -> None:
        for _ in range(steps):
            sim.step()

    return Calls(STEP, call, sim.reset)


def loop(sim: simulator.Simulation, drives: dict[str, Drive]) -> Calls:
    """The loop that a script writes."""
    for name, drive in drives.items():
        sim.drive(name, drive)

    def call(steps: int) -> None:
        for _ in range(steps):
            sim.step()
            read = sim.positions  # noqa: F841 - what is timed is reading it

    return Calls(LOOP, call, sim.reset)


def controller(sim: simulator.Simulation) -> Calls:
    """A law for one axis, without any other drive."""
    name = first_that_leads(sim)
    sim.drive(name, simulator.effort(0.0))
    u, q, v, axis = sim.control, sim.q, sim.v, sim.positions.names.index(name)

    def call(steps: int) -> None:
        for _ in range(steps):
            u[0] = -STIFFNESS * q[axis] - DAMPING * v[axis]
            sim.step()

    return Calls(CONTROL, call, sim.reset)


def called_controller(sim: simulator.Simulation) -> Calls:
    """The same law, called by a run."""
    name = first_that_leads(sim)
    sim.drive(name, simulator.effort(0.0))
    axis = sim.positions.names.index(name)

    def law(sim: simulator.Simulation) -> None:
        sim.control[0] = -STIFFNESS * sim.q[axis] - DAMPING * sim.v[axis]

    return Calls(CALLED, lambda steps: sim.run(steps * sim.dt, control=law), sim.reset)


def derived(sim: simulator.Simulation, name: str) -> Calls:
    """Derivatives of a run by the first masses and centres of mass of moving links, at most ten, as time per
    parameter."""
    if name not in SMOOTH:
        raise RuntimeError("not timed")
    moving = [link for link, (body, _) in sim.mechanism.placed_links().items() if body > 0]
    every = [f"{link}.{number}" for link in moving for number in ("mass", "com.x", "com.y", "com.z")]
    names = every[:10]

    def call(steps: int) -> None:
        sim.sensitivities(steps * sim.dt / len(names), names, points=11)

    return Calls(DERIVED, call, lambda: None)


def first_that_leads(sim: simulator.Simulation) -> str:
    """The first axis that may be driven: no follower."""
    followers = {coupling.follower for coupling in sim.mechanism.couplings}
    return next(name for axis, name in enumerate(sim.positions.names) if axis not in followers)


def controller_by_name(sim: simulator.Simulation) -> Calls:
    """The same law."""
    name = first_that_leads(sim)

    def call(steps: int) -> None:
        for _ in range(steps):
            sim.drive(name, simulator.effort(-STIFFNESS * sim.positions[name] - DAMPING * sim.velocities[name]))
            sim.step()

    return Calls(BY_NAME, call, sim.reset)


def peer(
    name: str,
    sim: Callable[[], simulator.Simulation],
    settings: object,
    way: Callable[..., Contender] = mujoco_peer.Reading,
) -> Calls:
    """`mj_step` and what a script does beside it; refused where MuJoCo cannot hold the mechanism."""
    made = sim()
    task = Task(made.name, made._core.opened)
    made_way = way(task, settings)
    return Calls(name, made_way.run, made_way.reset)


class Command:
    """`simulator run` in a process of its own: a short run is its start, and the rest of a long one is its steps."""

    SHORT = 10
    LONGER = 6
    """Than other errands: what starting takes differs by some hundredths of a second from time to time."""
    FEW = 10_000
    """Steps with which the search for their number begins."""

    def __init__(self, name: str, world: str, drives: tuple[str, ...], dt: float, csv: Path | None = None) -> None:
        self.name, self.dt, self.csv = name, dt, csv
        asked = [word for drive in drives for word in ("--drive", drive)]
        recorded = ["--csv", str(csv)] if csv else []
        self.command = [sys.executable, "-m", "simulator", "run", world, *asked, *recorded, "--json"]
        self.start = self.seconds(self.SHORT)
        self.columns = len(csv.read_text(encoding="utf-8").split("\n", 1)[0].split(",")) if csv else 0

    def steps_in(self, seconds: float) -> int:
        wanted, steps = self.LONGER * seconds, self.FEW
        while (took := self.seconds(steps) - self.start) < 0.25 * wanted:
            steps *= 4
        return int(steps * wanted / took)

    def turn(self, steps: int) -> dict[str, float]:
        start = self.seconds(self.SHORT)
        told = {self.name: 1e6 * (self.seconds(steps) - start) / (steps - self.SHORT)}
        return told if self.csv else told | {START: start}

    def seconds(self, steps: int) -> float:
        """Processor time of one command that makes so many steps."""
        if self.csv:
            self.csv.unlink(missing_ok=True)
        before = _children()
        duration = f"{steps * self.dt:.9g}"
        command = [*self.command, "--duration", duration]
        done = subprocess.run(command, cwd=ROOT, env=_surroundings(), capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        return _children() - before


@cache
def _surroundings() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


def _children() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime
