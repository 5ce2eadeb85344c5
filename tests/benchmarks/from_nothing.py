"""scripts/bench start: how long a new user waits, as a Markdown table.

python -m tests.benchmarks.from_nothing [--page] [--json]

Packages come from a folder that is filled first, so that the network does not count; homes and environments are new.
The window opens on the virtual screen that `scripts/bench` brings.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks.options import offer_page
from tests.benchmarks.report import markdown_row, write_between_markers
from tests.benchmarks.speed import PAGE, surroundings
from tests.helpers.own_display import start_own_display
from tests.helpers.repository import ROOT

MARKERS = ("<!-- start -->", "<!-- end of start -->")
RACK, GRIPPER, FOUR_BAR = "worlds/rack_and_pinion.sdf", "gripper", "four_bar"
LEAF, ROOT_KERNEL = "physics/narrow/boxes.py", "physics/layout/buffers.py"
"""A file of kernels that few others use, and the one that all use: one constant more in each of their functions."""
STEPS = """
import time, simulator
sim = simulator.load("four_bar")
sim.step(10)
best = 1.0
for _ in range(30):
    began = time.perf_counter()
    for _ in range(200):
        sim.step()
    best = min(best, (time.perf_counter() - began) / 200)
print(1e6 * best)
"""
CALL = """
import time
from simulator.physics.compiled.model import CompiledMechanism
from simulator.physics.tree.tree import kinetic_energy
from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
model = CompiledMechanism(open_document(find_file("four_bar")).mechanism)
best = 1.0
for _ in range(30):
    began = time.perf_counter()
    for _ in range(1000):
        kinetic_energy(model.F, model.N)
    best = min(best, (time.perf_counter() - began) / 1000)
print(1e6 * best)
"""
MUJOCO = "import mujoco; m = mujoco.MjModel.from_xml_string('<mujoco/>'); mujoco.mj_step(m, mujoco.MjData(m))"


class Measured:
    """Rows of the table: what was done, how long it took [s], what is wanted."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, str]] = []

    def add(self, what: str, value: float, wanted: float | None = None, unit: str = "s") -> None:
        """One row; what is more than wanted is bold."""
        text = f"{value:.3g} {unit}"
        missed = wanted is not None and value > wanted
        self.rows.append((what, f"**{text}**" if missed else text, "" if wanted is None else f"{wanted:g} {unit}"))
        print(f"{what}: {text}", file=sys.stderr, flush=True)


class Place:
    """An environment and a home of its own, in a folder."""

    def __init__(self, folder: Path, packages: Path) -> None:
        self.folder, self.packages = folder, packages
        self.kernels, self.python = folder / "kernels", folder / "venv" / "bin" / "python"
        home = folder / "home"
        home.mkdir(parents=True)
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SIMULATOR"))},
            "HOME": str(home),
            "XDG_CACHE_HOME": str(home / "cache"),
            "XDG_CONFIG_HOME": str(home / "config"),
            "SIMULATOR_KERNELS_FOLDER": str(self.kernels),
            "LIBGL_ALWAYS_SOFTWARE": "1",
        }

    def install(self, *what: str, cwd: Path = ROOT) -> float:
        """Make the environment with these packages; seconds that it took."""
        began = time.perf_counter()
        self.run(sys.executable, "-m", "venv", str(self.folder / "venv"))
        offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.packages)}
        self.run(str(self.python), "-m", "pip", "install", "-q", *what, cwd=cwd, **offline)
        return time.perf_counter() - began

    def run(self, *command: str, cwd: Path | None = None, **environment: str) -> str:
        """What a command prints. Raises RuntimeError where it fails."""
        inside, around = cwd or self.folder, {**self.environment, **environment}
        done = subprocess.run(command, cwd=inside, env=around, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr[-2000:]}")
        return done.stdout

    def timed(self, *command: str, cwd: Path | None = None, **environment: str) -> tuple[float, float]:
        """Seconds of wall and processor that a command takes."""
        began, before = time.perf_counter(), _processor()
        self.run(*command, cwd=cwd, **environment)
        return time.perf_counter() - began, _processor() - before

    def until_it_moves(self, world: str, cwd: Path | None = None, **environment: str) -> float:
        """Seconds from the command to the first picture of something that has moved."""
        watched = self.folder / "watched_start.py"
        shutil.copy(ROOT / "tests/benchmarks/watched_start.py", watched)
        began = time.time()
        said = self.run(str(self.python), str(watched), world, cwd=cwd, **environment)
        moving: float = json.loads(next(line for line in said.splitlines() if line.startswith("{")))["moving"]
        return moving - began


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure everything and print the table."""
    parser = argparse.ArgumentParser(prog="scripts/bench start", description=__doc__)
    parser.add_argument("--json", action="store_true")
    offer_page(parser, PAGE.name)
    options = parser.parse_args(arguments)
    measured, stop = Measured(), start_own_display()
    atexit.register(stop)
    with tempfile.TemporaryDirectory(prefix="simulator-start-") as name:
        folder = Path(name)
        packages = _packages(folder / "packages")
        with _checkout(folder / "checkout") as sources:
            measure_checkout(measured, Place(folder / "one", packages), sources)
            measure_wheel(measured, Place(folder / "two", packages), sources, folder / "dist")
        measure_mujoco(measured, Place(folder / "three", packages))
    text = as_markdown(measured)
    print(json.dumps(measured.rows) if options.json else text)
    if options.page:
        write_between_markers(PAGE, text, MARKERS)


def _packages(folder: Path) -> Path:
    """Wheels of everything that is installed here."""
    command = [sys.executable, "-m", "pip", "download", "-q", "-d", str(folder), "-c", str(ROOT / "constraints.txt")]
    subprocess.run([*command, f"{ROOT}[compile,xacro]", "mujoco", "hatchling", "wheel", "editables"], check=True)
    for own in folder.glob("simulator-*"):
        own.unlink()
    return folder


@contextmanager
def _checkout(folder: Path) -> Iterator[Path]:
    """A clone without anything that was made in this one."""
    subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], check=True)
    yield folder


def measure_checkout(measured: Measured, place: Place, sources: Path) -> None:
    """From a clone: packages, the window while kernels are made, the libraries, changes of kernels."""
    packages = place.install("-e", f"{sources}[compile,xacro]")
    measured.add("checkout: packages, from a folder", packages)
    inside = {"PYTHONPATH": str(sources)}
    moving = place.until_it_moves(RACK, cwd=sources, **inside)
    measured.add("checkout: command to moving rack, kernels as Python", packages + moving, 90.0)
    _forget(place)
    build = (str(place.python), "-m", "simulator.native.build")
    motion, used = place.timed(*build, "--parts", "motion", cwd=sources)
    measured.add("libraries: motion, from nothing", motion)
    contacts, more = place.timed(*build, "--parts", "contacts", cwd=sources)
    measured.add("libraries: contacts after it", contacts)
    sweeps, rest = place.timed(*build, cwd=sources)
    measured.add("libraries: sweeps after both", sweeps)
    measured.add("libraries: processor for all", used + more + rest)
    measured.add("checkout: packages, motion, contacts: gripper as machine code", packages + motion + contacts, 120.0)
    for what, file, wanted in (("a leaf of contacts", LEAF, 15.0), ("a file that all use", ROOT_KERNEL, 60.0)):
        _change(sources / "simulator" / file)
        measured.add(f"a change of {what}", place.timed(*build, cwd=sources)[0], wanted)


def _forget(place: Place) -> None:
    shutil.rmtree(place.kernels, ignore_errors=True)


def _change(path: Path) -> None:
    """Change the byte code of every kernel of a file."""
    text = path.read_text(encoding="utf-8")
    changed = re.sub(r"^    return (.+)$", r"    _changed = 1\n    return \1", text, flags=re.MULTILINE)
    path.write_text(changed, encoding="utf-8")


def measure_wheel(measured: Measured, place: Place, sources: Path, dist: Path) -> None:
    """From a wheel with its libraries: first starts, and what a command, an import, a step and a call cost."""
    target = {"SIMULATOR_TARGET": f"linux-{platform.machine()}", "PYTHONPATH": str(sources)}
    subprocess.run(["git", "checkout", "-q", "."], cwd=sources, check=True)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(dist), str(sources)]
    subprocess.run(command, env={**os.environ, **target}, capture_output=True, check=True)
    (wheel,) = dist.glob("*.whl")
    measured.add("wheel: packages, from a folder", place.install(f"{wheel}[xacro]"))
    simulator, python = str(place.python.with_name("simulator")), str(place.python)
    first, _ = place.timed(simulator, "run", GRIPPER, "--duration", "0.1")
    measured.add("wheel: first command, run gripper", first, 1.0)
    measured.add("wheel: first window, gripper moves", place.until_it_moves(GRIPPER), 3.0)
    measured.add("window of four_bar, command to motion", min(place.until_it_moves(FOUR_BAR) for _ in range(3)), 1.2)
    run = [place.timed(simulator, "run", FOUR_BAR, "--duration", "0.1")[1] for _ in range(7)]
    measured.add("run four_bar, processor", min(run), 0.45)
    load = [place.timed(python, "-c", "import simulator; simulator.load('four_bar')")[0] for _ in range(7)]
    measured.add("import simulator, load four_bar", min(load), 0.35)
    measured.add("Simulation.step()", float(place.run(python, "-c", STEPS)), 8.0, "µs")
    measured.add("call of a kernel", float(place.run(python, "-c", CALL)), 1.0, "µs")


def measure_mujoco(measured: Measured, place: Place) -> None:
    """A peer that ships what it has compiled."""
    measured.add("MuJoCo: pip install, from a folder", place.install("mujoco"))
    measured.add("MuJoCo: first step", place.timed(str(place.python), "-c", MUJOCO)[0])


def as_markdown(measured: Measured) -> str:
    """The table, under where and when."""
    about = surroundings()
    lines = [f"{about['date']}; {about['machine']}.", ""]
    lines += [markdown_row("", "measured", "wanted"), markdown_row("---", "---", "---")]
    return "\n".join([*lines, *(markdown_row(*row) for row in measured.rows)])


if __name__ == "__main__":
    main()
