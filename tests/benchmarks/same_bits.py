"""scripts/same_bits: whether a change of the kernels leaves every bit of what they compute as it was.

`record FILE` runs the example worlds with each strategy, heaps of boxes and hulls, random machines and mechanisms, and
analyses, and writes a checksum of every row: of each step, or of a table. `compare FILE` runs them again and names the
first row of each run that differs. Libraries of mathematical functions may differ in their last digit, so both are for
one machine.

python -m tests.benchmarks.same_bits record|compare FILE [--only TEXT]
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import simulator
from simulator.engine.snapshot import Extremes
from simulator.errors import DocumentWarning, SimulationError, SimulatorError
from simulator.physics.compiled.model import METHODS, CompiledMechanism
from simulator.physics.layout import buffers as at
from simulator.session.commands.factory import make_engine
from simulator.session.open.examples import examples
from simulator.session.open.opening import open_document
from simulator.session.text.settings import SOLVERS, SessionSettings, demonstration_drives
from tests.benchmarks.piles import Cube, Scene, document, on_a_ball
from tests.helpers.cut_mechanisms import add_friction, add_rotors, random_machine
from tests.helpers.loads import with_every_kind_of_load
from tests.helpers.random_mechanisms import consistent_state, random_mechanism

Array = NDArray[np.float64]
Bits = NDArray[np.uint32]
Rows = Iterator[Array]

DURATION, HEAP_DURATION, MACHINE_DURATION = 2.0, 0.6, 0.5
"""Simulated time of a world, a heap and a random machine [s]."""
BLOCK = 50
"""Steps in one call."""
HEAPS, MACHINES, MECHANISMS = 40, 24, 12
STEPS = 100
"""Steps of a random mechanism with each integrator."""
POINTS, AXES = 61, 4
"""Positions of an analysis, and how many axes are moved."""


def world(path: Path, solver: str, duration: float, *, dt: float | None = None) -> Rows:
    """A row of each step of a document, with the drives of its demonstration; to the last of a block, the coordinates
    and their velocities."""
    opened = open_document(path)
    drives = demonstration_drives(opened.world, opened.mechanism)
    engine = make_engine(opened, SessionSettings(solver=solver, drives=drives, dt=dt))
    try:
        end = round(duration / engine.dt)
        engine.start_log()
        while engine.steps < end:
            block = min(BLOCK, end - engine.steps)
            _, rows = engine.advance(block, Extremes(), stride=1)
            yield rows[:-1]
            model = engine.model
            state = [] if model is None else [model.view(at.F_Q), model.view(at.F_V)]
            yield np.concatenate((rows[-1], *state))[None]
    finally:
        engine.close()


def heap(seed: int) -> Scene:
    """Boxes, or hulls of 8 to 24 corners, of unlike masses, dropped onto each other at random."""
    chance = random.Random(seed)
    corners = 2 * chance.randint(4, 12) if seed % 2 else 0

    def body(place: int) -> Cube:
        across = chance.uniform(-0.1, 0.1), chance.uniform(-0.1, 0.1)
        turned = chance.uniform(-1.5, 1.5), chance.uniform(-1.5, 1.5), chance.uniform(-1.5, 1.5)
        return Cube((*across, 0.08 + 0.12 * place), turned, on_a_ball(chance, corners), chance.uniform(0.2, 3.0))

    return tuple(map(body, range(chance.randint(3, 7))))


def written(write: Callable[[Path], str], duration: float) -> Rows:
    """Rows of the steps of a document that `write` makes, which may put meshes in the folder that it is given."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "world.sdf")
        path.write_text(write(Path(folder)), encoding="utf-8")
        yield from world(path, "rows", duration, dt=1e-3)


def machine(seed: int, _: Path) -> str:
    """A random machine with loops; every third one with friction, every fourth one with rotors."""
    draft = random_machine(seed)
    if seed % 3 == 0:
        add_friction(draft)
    if seed % 4 == 0:
        add_rotors(draft)
    return draft.text()


def mechanism(seed: int) -> Rows:
    """A random mechanism with loops, couplings, balls and loads: matrices, accelerations, energies, and steps of each
    integrator."""
    model = CompiledMechanism(with_every_kind_of_load(random_mechanism(seed, loops=seed % 3)))
    state = consistent_state(CompiledMechanism(random_mechanism(seed, loops=seed % 3)), np.random.default_rng(seed))
    model.set_state(state)
    yield model.mass_matrix()
    yield model.constraint_matrix()
    yield model.acceleration()[None]
    for method in METHODS:
        model.set_state(state)
        for _ in range(STEPS):
            residual = model.step(1e-3, 1, method)
            yield np.concatenate((model.view(at.F_Q), model.view(at.F_V), [residual]))[None]
        yield np.array([[*model.energies()]])


def analyses(name: str) -> Rows:
    """What the program says of an example at its start, and along the motion of each of its axes."""
    with simulator.load(name) as sim:
        reactions = sim.reactions()
        yield reactions.wrenches.array
        yield np.concatenate((sim.inverse_dynamics().array, reactions.couplings.array))[None]
        for info, here in list(zip(sim.mechanism.axes, sim.q.tolist(), strict=True))[:AXES]:
            with suppress(SimulatorError):
                yield sim.analyse({info.name: (here, here + 0.3)}, points=POINTS, velocity=1.0).table.array


def runs() -> Iterator[tuple[str, Callable[[], Rows]]]:
    """All that is run, by name."""
    for example in examples():
        for solver in SOLVERS:
            yield f"{example.name}, {solver}", partial(world, example.path, solver, DURATION)
    for seed in range(HEAPS):
        yield f"heap {seed}", partial(written, partial(document, heap(seed)), HEAP_DURATION)
    for seed in range(MACHINES):
        yield f"machine {seed}", partial(written, partial(machine, seed), MACHINE_DURATION)
    for seed in range(MECHANISMS):
        yield f"mechanism {seed}", partial(mechanism, seed)
    for example in examples():
        yield f"{example.name}, analyses", partial(analyses, example.name)


def bits_of(rows: Rows) -> Bits:
    """A checksum of each row; a run that fails has one more, of how."""
    found: list[int] = []
    try:
        for block in rows:
            found += [zlib.crc32(row.tobytes()) for row in np.ascontiguousarray(block, dtype=float)]
    except (SimulatorError, SimulationError) as failure:
        found.append(zlib.crc32(type(failure).__name__.encode()))
    return np.array(found, dtype=np.uint32)


def difference(before: Bits | None, now: Bits) -> str:
    """What is other than before; empty where nothing is."""
    if before is None:
        return "was not recorded"
    both = min(len(before), len(now))
    unlike = np.flatnonzero(before[:both] != now[:both])
    if len(unlike):
        return f"differs from row {int(unlike[0]) + 1} of {len(before)} on, in {len(unlike)} of them"
    return "" if len(before) == len(now) else f"has {len(now)} rows instead of {len(before)}"


def main() -> int:
    """Record or compare; returns the exit code: 1 where anything differs."""
    parser = argparse.ArgumentParser(prog="scripts/same_bits", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", default="", metavar="TEXT", help="runs whose name contains it")
    parser.add_argument("--times", action="store_true", help="print how long each run takes")
    given = parser.parse_args()
    before = dict(np.load(given.file)) if given.what == "compare" else {}
    warnings.simplefilter("ignore", DocumentWarning)
    found, unlike, begun = dict[str, Bits](), 0, time.perf_counter()
    for name, rows in runs():
        if given.only not in name:
            continue
        started = time.perf_counter()
        found[name] = bits_of(rows())
        if given.times:
            print(f"{time.perf_counter() - started:6.2f} s  {name}: {len(found[name])} rows", flush=True)
        if given.what == "compare" and (said := difference(before.get(name), found[name])):
            print(f"{name}: {said}", flush=True)
            unlike += 1
    if given.what == "record":
        with open(given.file, "wb") as file:  # by a path numpy would write to FILE.npz
            np.savez_compressed(file, **found)  # type: ignore[arg-type]
    count, took = sum(map(len, found.values())), time.perf_counter() - begun
    verdict = "" if given.what == "record" else f", {unlike} of them differ" if unlike else ", all the same bits"
    print(f"{len(found)} runs, {count} rows in {took:.0f} s{verdict}")
    return 1 if unlike else 0


if __name__ == "__main__":
    sys.exit(main())
