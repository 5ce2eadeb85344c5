"""`python -m simulator.native.build`: make the libraries of this checkout, or those of a wheel."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from simulator.native import library
from simulator.native.build import link
from simulator.native.build.tidy import tidy
from simulator.native.build.turns import taking_turns
from simulator.native.build.work import Build, Order, run
from simulator.native.whole import read_whole

if sys.platform == "linux":
    CORES = len(os.sched_getaffinity(0))
else:
    CORES = os.cpu_count() or 1


def main() -> None:
    """Build what the command line asks for."""
    parser = argparse.ArgumentParser(prog="build_kernels", description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=(*library.PARTS, *library.HOSTED), default=library.PARTS)
    parser.add_argument("--target", choices=sorted(link.TARGETS), help="for a system, and all processors of it")
    parser.add_argument("--output", type=Path, help="folder; the user's cache where it is left out")
    parser.add_argument("--processes", type=int, default=CORES)
    parser.add_argument("--nice", type=int, default=0, help="how far other programs go first")
    parser.add_argument("--progress", action="store_true", help="a line of JSON whenever something is done")
    given = parser.parse_args()
    if hasattr(os, "nice"):
        os.nice(given.nice)
    target = link.TARGETS[given.target] if given.target else link.here()
    levels = target.levels if given.target else (link.level_here(target),)
    folder: Path = given.output or library.home()
    folder.mkdir(parents=True, exist_ok=True)
    in_cache = given.output is None

    def name(part: str) -> Path:
        named = f"{part}-{target.name}" if part == library.FMU else part
        return folder / library.file_name(named, target.suffix)

    report = _as_json if given.progress else _in_words(time.perf_counter())
    try:
        with taking_turns(folder, report) as tell:
            missing = tuple(part for part in given.parts if not in_cache or read_whole(name(part)) is None)
            if missing:
                build = Build(library.home() / "functions", bounds=library.mode() == "bounds")
                run(build, Order(missing, target, levels, name, in_cache), tell, processes=given.processes)
            for part in given.parts:
                tell(part, 1.0)
            tidy(library.home(), time.time())
    except OSError as error:
        sys.exit(f"{parser.prog}: {error}")


def _as_json(part: str, percent: int) -> None:
    print(json.dumps({"part": part, "percent": percent}), flush=True)


def _in_words(started: float) -> Callable[[str, int], None]:
    def report(part: str, percent: int) -> None:
        if percent % 10 == 0:
            print(f"{time.perf_counter() - started:5.1f} s  {part} {percent} %", flush=True)

    return report


main()
