"""`scripts/fuzz`: thousands of broken documents, none of which may raise, hang or kill the process.

The documents are read in a process of their own, each with a limit of time, all with one of memory. The parent notices
what kills that process, says which document it was, and continues with the next.
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from simulator.formats.options import ReadingOptions
from simulator.formats.report import describe_document
from simulator.session.open.opening import open_document
from tests.helpers.mutants import Seed, grown, mutants, seeds
from tests.helpers.repository import ROOT
from tests.helpers.strangers import Case, judged_case, strangers

SECONDS = 2.0
"""Processor time that one document may take."""
SECONDS_OF_A_RUN = 10.0
"""The same for a command, which may have to compile before it runs."""
MEMORY = 4 * 2**30
"""Bytes of address space of the reading process."""
CORPUS = ROOT.parent / "shared" / "corpus"
CURRENT = "current.sdf"


class TooSlowError(BaseException):
    """Not an Exception, so that nothing that is tested catches it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TooSlowError after that much processor time, or ten times as much by the clock (something waits)."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlowError

    before = [(kind, signal.signal(kind, stop)) for kind in (signal.SIGPROF, signal.SIGALRM)]
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 10.0 * seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        for kind, handler in before:
            signal.signal(kind, handler)


def judged(document: Seed | Case, folder: Path) -> str:
    """Read a document and find its mechanism: "accepted", "refused", or what went wrong in one line."""
    judge = judged_case if isinstance(document, Case) else _judged_document
    seconds = SECONDS if isinstance(document, Seed) else SECONDS_OF_A_RUN
    try:
        with time_limit(seconds), warnings.catch_warnings():
            warnings.simplefilter("error")
            return judge(document, folder)  # type: ignore[arg-type]  # by its class
    except TooSlowError:
        return f"slower than {seconds} s\n{traceback.format_exc(limit=-3)}"
    except Exception as error:  # whatever it is, it should have been a diagnostic
        return f"{type(error).__name__}: {error}\n{traceback.format_exc(limit=-3)}"


def _judged_document(document: Seed, folder: Path) -> str:
    path = folder / CURRENT
    path.write_bytes(document.data)
    opened = open_document(path, ReadingOptions((document.path.parent,)))
    json.dumps(describe_document(opened.document), allow_nan=False)
    return "refused" if opened.has_errors else "accepted"


def population(options: argparse.Namespace) -> Iterator[Seed | Case]:
    """All documents of a run, in order."""
    corpus = None if options.corpus is None or not options.corpus.is_dir() else options.corpus
    yield from mutants(seeds(corpus), options.mutants, options.seed)
    yield from (Seed(ROOT / "worlds" / "grown.sdf", data) for data in grown(options.grown, options.seed))
    yield from strangers(options.strangers, options.seed)


def read_all(options: argparse.Namespace, folder: Path) -> None:
    """The child: one line of JSON a document."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for number, document in enumerate(population(options)):
        if number >= options.start:
            print(json.dumps([number, judged(document, folder)]), flush=True)


def watch(options: argparse.Namespace, folder: Path) -> int:
    """The parent: counts, and what went wrong; the exit code is 1 where anything did."""
    total, counts, faults, began = (
        options.mutants + options.grown + options.strangers,
        Counter[str](),
        0,
        time.monotonic(),
    )
    while options.start < total:
        arguments = [
            f"--{name}={value}" for name, value in vars(options).items() if name != "child" and value is not None
        ]
        command = [sys.executable, "-m", "tests.helpers.fuzzing", *arguments, f"--child={folder}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as child:
            assert child.stdout is not None
            for line in child.stdout:
                number, verdict = json.loads(line)
                options.start = number + 1
                counts[verdict if verdict in ("accepted", "refused") else "wrong"] += 1
                if verdict not in ("accepted", "refused"):
                    faults += 1
                    _say(number, verdict)
        if options.start < total:
            faults += 1
            counts["wrong"] += 1
            _say(options.start, f"the process died with {child.returncode}")
            options.start += 1
    seconds = time.monotonic() - began
    tally = ", ".join(f"{counts[kind]} {kind}" for kind in ("accepted", "refused", "wrong"))
    print(
        f"{total} documents ({options.mutants} mutants, {options.grown} grown, {options.strangers} others) in "
        f"{seconds:.0f} s: {tally}"
    )
    return 1 if faults else 0


def _say(number: int, verdict: str) -> None:
    print(f"document {number} (scripts/fuzz --show {number} prints it): {verdict}", flush=True)


def main() -> int:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(prog="scripts/fuzz", description=__doc__)
    parser.add_argument("--mutants", type=int, default=10_000, help="byte-level mutants of good documents")
    parser.add_argument("--grown", type=int, default=2_000, help="documents grown at random from the vocabulary")
    parser.add_argument("--strangers", type=int, default=3_000, help="meshes, motions, drives, actuators, commands")
    parser.add_argument("--seed", type=int, default=1, help="another number, other documents")
    parser.add_argument("--start", type=int, default=0, help="continue at this document of the run")
    parser.add_argument(
        "--corpus", type=Path, default=CORPUS, help="folder with good documents; ours where it is missing"
    )
    parser.add_argument("--show", type=int, help="write this document of the run to standard output, and nothing else")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.show is not None:
        wanted = next(item for number, item in enumerate(population(options)) if number == options.show)
        sys.stdout.buffer.write(wanted.data)
        if isinstance(wanted, Case):
            print(wanted.kind, *wanted.extra, file=sys.stderr)
        return 0
    if options.child is not None:
        read_all(options, options.child)
        return 0
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        return watch(options, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
