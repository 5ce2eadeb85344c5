"""`scripts/faults`: recordings that are killed, ended, left without room, without a home, or whose compiled code is
damaged.

Each is a `simulator run --csv` to which one thing happens at a random moment; then the promises of the README are
checked: rows are whole and follow each other, none older than a second is missing, the exit code and the one
line on standard error are right."""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from simulator.native import library
from tests.helpers.command import executable, surroundings
from tests.helpers.repository import ROOT

WORLD = "four_bar"
OLDEST = 1.0
"""Seconds after which a row is on disk: of processor time, so that a busy machine loses nothing."""
ENDLESS = 1e6
DEADLINE = 1200.0
"""Seconds by the clock until a recording counts as one that hangs: damaged code is compiled again, in two minutes of a
processor that may be shared by ten."""
SIGNALS = {"TERM": signal.SIGTERM, "HUP": signal.SIGHUP, "INT": signal.SIGINT}
TOLD_EVERY = 10
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Trial:
    """Where one recording is made, what is drawn at random in it, and what a recording of 0.2 s holds where nothing
    happens."""

    folder: Path
    random: random.Random
    expected: bytes = b""
    started: list[subprocess.Popen[str]] = field(default_factory=list)
    """The processes of this recording: none of them outlives it."""

    @property
    def out(self) -> Path:
        """The recording."""
        return self.folder / "out.csv"


Lost = list[str]
"""Broken promises, a sentence each."""


def start(trial: Trial, *more: str, under: tuple[str, ...] = (), **environment: str) -> subprocess.Popen[str]:
    """Begin a recording."""
    command = [*under, *executable(), "run", WORLD, "--csv", str(trial.out), *more]
    process = subprocess.Popen(
        command, cwd=ROOT, env=surroundings(**environment), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    trial.started.append(process)
    return process


def sent(trial: Trial, number: signal.Signals) -> tuple[int, str, float]:
    """Exit code and words of an endless recording that gets a signal, and the processor time since the last row came to
    the disk [s]."""
    # samples of 0.001 to 0.3 s of processor time: much less than a second, so that what is late is late on its way
    every = trial.random.choice(["0.001", "0.1", "1"])
    process = start(trial, "--duration", str(ENDLESS), "--every", every)
    watched = trial.random.random() < 0.8  # else it may well come before there is anything to save
    if not watched:
        time.sleep(trial.random.uniform(0.0, 3.0))
    size, grown, until = 0, used(process.pid), time.monotonic() + DEADLINE
    left = trial.random.uniform(0.0, 2.5)
    while watched and process.poll() is None and time.monotonic() < until:
        now = trial.out.stat().st_size if trial.out.exists() else 0
        if now and not size:
            until = time.monotonic() + left
        if now != size:
            size, grown = now, used(process.pid)
        time.sleep(0.01)
    seen = trial.out.stat().st_size if size else 0  # an observer that had to wait may have missed much
    stale = used(process.pid) - grown if seen == size > 0 else 0.0
    process.send_signal(number)
    words = process.communicate(timeout=DEADLINE)[1]
    return process.returncode, words, stale


def used(pid: int) -> float:
    """Processor time of a process so far [s]."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS


def rows_lost(trial: Trial, *, cut_allowed: bool = False) -> tuple[Lost, float]:
    """What is wrong with the rows that are there, and the time of the last of them [s], below zero where there is
    none."""
    if not trial.out.exists() or not trial.out.stat().st_size:
        return [], -1.0
    text = trial.out.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    lost = [] if whole == text or cut_allowed else ["the last row is cut"]
    header, *rows = [line.split(",") for line in whole.splitlines()] or [[]]
    if any(len(row) != len(header) for row in rows):
        lost.append("a row has too few columns")
    times = [float(row[0]) for row in rows]
    step = times[1] if len(times) > 1 else 0.0
    if any(abs(found - step * i) > 1e-6 * max(1.0, found) for i, found in enumerate(times)):
        lost.append("rows in between are missing")
    return lost, times[-1] if times else -1.0


def killed(trial: Trial) -> Lost:
    """kill -9: rows of the last second may be missing, and the last one may be cut."""
    code, _, stale = sent(trial, signal.SIGKILL)
    lost, _ = rows_lost(trial, cut_allowed=True)
    lost += [f"exit code {code}"] if code != -signal.SIGKILL else []
    return lost + ([f"no row came to the disk for {stale:.1f} s"] if stale > OLDEST else [])


def ended(name: str) -> Callable[[Trial], Lost]:
    """A signal that a command can answer: nothing may be missing."""
    number = SIGNALS[name]

    def act(trial: Trial) -> Lost:
        code, words, stale = sent(trial, number)
        lost, last = rows_lost(trial)
        early = last < 0.0 and code in (-number, 128 + number)
        if not early:
            said = re.search(
                r"(?:interrupted|ended by \w+) at ([0-9.e+]+) s; everything up to there is recorded\n$", words
            )
            lost += [] if code == 128 + number else [f"exit code {code}"]
            if said is None or words.count("\n") != 1:
                lost.append(f"it said {words!r}")
            elif float(said[1]) - last > 1.0 + 1e-3:
                lost.append(f"rows up to {said[1]} s were promised, the last is of {last:g} s")
        elif words:
            lost.append(f"it said {words!r}")
        return lost + ([f"no row came to the disk for {stale:.1f} s"] if stale > OLDEST else [])

    return act


def full(trial: Trial) -> Lost:
    """No room for more than some bytes, or for none at all (/dev/full)."""
    room = trial.random.choice([0, trial.random.randrange(1, 200_000)])
    if room == 0:
        trial.out.symlink_to("/dev/full")
    process = start(trial, "--duration", str(ENDLESS), under=("prlimit", f"--fsize={room}") if room else ())
    words = process.communicate(timeout=DEADLINE)[1]
    lost = [] if process.returncode == 2 else [f"exit code {process.returncode}"]
    if words.count("\n") != 1 or f"cannot write {trial.out}" not in words:
        lost.append(f"it said {words!r}")
    if room:
        longest = 1000  # bytes of a row at most
        lost += rows_lost(trial)[0]
        lost += ["there was room for more rows"] if trial.out.stat().st_size < room - longest else []
    return lost


def homeless(trial: Trial) -> Lost:
    """Nothing can be written below the home folder; compiled code is at hand."""
    nowhere = {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null/a", "XDG_CONFIG_HOME": "/dev/null/b"}
    process = start(trial, "--duration", "0.2", **nowhere, SIMULATOR_KERNELS_FOLDER=str(library.home()))
    words = process.communicate(timeout=DEADLINE)[1]
    lost = differs(trial)
    return lost + ([] if (process.returncode, words.count("\n")) == (0, 1) else [f"{process.returncode}: {words!r}"])


def damaged(trial: Trial) -> Lost:
    """Some files of compiled code are empty, cut, full of zeros, or have another bit."""
    home = trial.folder / "kernels"
    shutil.copytree(library.home(), home)
    files = sorted(path for path in home.rglob("*") if path.suffix in {".ir", ".o", library.SUFFIX})
    for path in trial.random.sample(files, min(len(files), trial.random.choice([1, 5, 20]))):
        content = bytearray(path.read_bytes())
        at = trial.random.randrange(len(content))
        content[at] ^= 1 << trial.random.randrange(8)
        kept = bytes(content[:at])
        path.write_bytes(trial.random.choice([b"", kept, kept + bytes(len(content) - at), bytes(content)]))
    lost: Lost = []
    for _ in range(2):  # the second start finds all whole again
        process = start(trial, "--duration", "0.2", SIMULATOR_KERNELS_FOLDER=str(home))
        words = process.communicate(timeout=DEADLINE)[1]
        lost += differs(trial)
        lost += [] if process.returncode == 0 else [f"{process.returncode}: {words!r}"]
    return lost + ([] if words.count("\n") == 1 else [f"the second start said {words!r}"])


def differs(trial: Trial) -> Lost:
    """Of a recording of 0.2 s, whether it is another one than it should be."""
    return [] if trial.out.exists() and trial.out.read_bytes() == trial.expected else ["the recording is another one"]


FAULTS: dict[str, Callable[[Trial], Lost]] = {
    "KILL": killed, **{name: ended(name) for name in SIGNALS}, "full disk": full, "no home": homeless,
    "damaged cache": damaged,
}  # fmt: skip


def undisturbed() -> bytes:
    """A recording of 0.2 s; it also compiles what is not on disk yet."""
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        trial = Trial(Path(folder), random.Random(0))
        start(trial, "--duration", "0.2").communicate()
        return trial.out.read_bytes()


def main() -> int:
    """Read the arguments and run; 1 where something was lost."""
    parser = argparse.ArgumentParser(prog="scripts/faults", description=__doc__)
    parser.add_argument("number", type=int, nargs="?", default=20, help="recordings in all (20)")
    parser.add_argument("--seed", type=int, default=None, help="the same number, the same faults")
    parser.add_argument("--only", choices=FAULTS, help="this fault and no other")
    options = parser.parse_args()
    for number in SIGNALS.values():  # under nohup or behind `&`, recordings would inherit that they are deaf to it
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    seed = options.seed if options.seed is not None else random.randrange(10**6)
    wanted = [options.only] if options.only else list(FAULTS)
    counts: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    with suppress(KeyboardInterrupt):  # what there is until then is counted
        record(options.number, seed, wanted, counts, broken)
    for name in wanted:
        print(f"{name:14} {counts[name]:4} recordings, {broken[name]} that lost something")
    print(f"{counts.total()} recordings, seed {seed}: {broken.total()} lost something of what was promised")
    return 1 if broken.total() else 0


def judged(name: str, trial: Trial) -> Lost:
    """What one recording lost. One that does not end lost everything, and is counted like the others."""
    try:
        return FAULTS[name](trial)
    except subprocess.TimeoutExpired:
        return [f"it did not end within {DEADLINE:g} s"]
    finally:
        for process in trial.started:
            if process.poll() is None:
                process.kill()
                process.communicate()


def record(number: int, seed: int, wanted: list[str], counts: Counter[str], broken: Counter[str]) -> None:
    """Make that many recordings, one fault after the other, and count them."""
    expected = undisturbed()
    for i in range(number):
        with tempfile.TemporaryDirectory(prefix="faults-") as folder:
            name = wanted[i % len(wanted)]
            lost = judged(name, Trial(Path(folder), random.Random(f"{seed}/{i}"), expected))
        counts[name] += 1
        broken[name] += bool(lost)
        if (i + 1) % TOLD_EVERY == 0:
            print(f"{i + 1} of {number}, {broken.total()} of them lost something", file=sys.stderr, flush=True)
        for what in lost:
            print(f"recording {i} ({name}, --seed {seed}): {what}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
