"""scripts/soak: a window at 10 × with recording, for an hour: memory, handles and threads of both processes, and what a
kill -9 of the physics process costs.

python -m tests.benchmarks.soak [--minutes 60] [--world NAME] [--speed 10] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QTimer

from simulator.gui import application
from simulator.gui.main_window import MainWindow
from simulator.session.run.client import RunState
from tests.benchmarks.report import markdown_row
from tests.benchmarks.speed import surroundings
from tests.helpers.own_display import start_own_display

SAMPLE_EVERY = 5.0
"""Seconds between two looks at the processes."""
WARM = 0.1
"""Part of the time after which nothing may grow any more: caches and the ring of the recording fill first."""
MEMORY = 0.05
"""Part by which memory may grow or shrink."""


@dataclass(frozen=True)
class Usage:
    """Of one process at one moment."""

    memory: int
    handles: int
    threads: int

    @staticmethod
    def of(pid: int) -> Usage:
        """As proc(5) says: resident memory [bytes]."""
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        handles = len(os.listdir(f"/proc/{pid}/fd"))
        return Usage(1024 * int(fields["VmRSS"].split()[0]), handles, int(fields["Threads"]))


class Soaked(MainWindow):
    """Runs, looks at both processes, kills the physics process at the end and counts the rows that are left."""

    minutes = 60.0

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.usages: list[tuple[float, Usage, Usage]] = []
        self._killed_at, self._factor = 0.0, 0.0
        self._look_timer = QTimer(self)
        self._look_timer.timeout.connect(self._look)
        self._look_timer.start(round(1000 * SAMPLE_EVERY))
        self._ends = QTimer(self)
        self._ends.setSingleShot(True)
        self.live.ticked.connect(self._begin)

    def physics(self) -> int:
        """The process behind the window."""
        return int(self.live.client.pid)  # type: ignore[union-attr]

    def _begin(self, snapshot: Any, _status: object) -> None:
        if snapshot is not None and snapshot.time > 0.0:
            self.live.ticked.disconnect(self._begin)
            self._ends.timeout.connect(self._kill)
            self._ends.start(round(60_000 * type(self).minutes))

    def _look(self) -> None:
        if self._ends.isActive() and self.live.snapshot is not None and self.live.status is not None:
            usage = Usage.of(os.getpid()), Usage.of(self.physics())
            self.usages.append((self.live.snapshot.time, *usage))

    def _kill(self) -> None:
        """When nothing is expected: the last moment that is on show then must be in the recording."""
        assert self.live.snapshot is not None
        self._look_timer.stop()
        self._killed_at = self.live.snapshot.time
        os.kill(self.physics(), signal.SIGKILL)
        self.live.ticked.connect(self._count)

    def _count(self, _snapshot: object, status: Any) -> None:
        if status.state is not RunState.DIED:
            return
        self.live.ticked.disconnect(self._count)
        history = self.live.client.history  # type: ignore[union-attr]
        rows = history.rows()
        rows = rows[rows[:, 0] >= history.whole_since]
        times, dt = rows[:, 0], status.dt
        steps = round((times[-1] - times[0]) / dt) + 1
        print(
            json.dumps(
                {
                    "usages": [(time, asdict(window), asdict(physics)) for time, window, physics in self.usages],
                    "rows": len(rows),
                    "missing": steps - len(rows),
                    "behind": max(0, round((self._killed_at - float(times[-1])) / dt)),
                    "simulated": self._killed_at,
                }
            ),
            flush=True,
        )
        QTimer.singleShot(0, self.close)


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    if options.inside:
        Soaked.minutes = options.minutes
        application.MainWindow = Soaked  # type: ignore[misc]
        from simulator.cli.app import run_app

        sys.exit(run_app(["view", options.world, "--speed", str(options.speed)]))
    stop = start_own_display()
    try:
        report = surroundings() | {"minutes": options.minutes, "world": options.world, "speed": options.speed}
        report |= watched(options)
    finally:
        stop()
    print(json.dumps(report, indent=1) if options.json else as_markdown(report))
    sys.exit(0 if all(reached for *_, reached in judged(report)) else 1)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/soak", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--minutes", type=float, default=60.0, help="how long (default: 60)")
    parser.add_argument("--world", default="rack_and_pinion", help="an example world (default: rack_and_pinion)")
    parser.add_argument("--speed", type=float, default=10.0, help="simulated seconds per second (default: 10)")
    parser.add_argument("--json", action="store_true", help="JSON with every look instead of the table")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    return parser


def watched(options: argparse.Namespace) -> dict[str, Any]:
    """What the window found of itself. Raises RuntimeError where it did not answer."""
    command = [sys.executable, "-m", "tests.benchmarks.soak", "--inside", "--minutes", str(options.minutes)]
    command += ["--world", options.world, "--speed", str(options.speed)]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_CONFIG_HOME": folder, "LIBGL_ALWAYS_SOFTWARE": "1"}
        limit = 60.0 * options.minutes + 300.0
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=limit, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise RuntimeError(f"the window ended without an answer: {done.stderr.strip()[-400:]}")
    found: dict[str, Any] = json.loads(lines[-1])
    return found


def judged(report: dict[str, Any]) -> list[tuple[str, str, str, bool]]:
    """(what, measured, wanted, whether it is so) of everything that is promised."""
    usages = report["usages"]
    settled = usages[int(WARM * len(usages)) :]
    rows: list[tuple[str, str, str, bool]] = []
    for place, process in ((1, "window"), (2, "physics")):
        memory = [usage[place]["memory"] for usage in settled]
        apart = max(abs(max(memory) / memory[0] - 1.0), abs(min(memory) / memory[0] - 1.0))
        text = f"{memory[0] / 2**20:.0f} MiB, changes by {apart:.1%} at most"
        rows.append((f"memory of the {process}", text, "± 5 %", apart <= MEMORY))
        for what in ("handles", "threads"):
            numbers = {usage[place][what] for usage in settled}
            text = " … ".join(str(number) for number in sorted({min(numbers), max(numbers)}))
            rows.append((f"{what} of the {process}", text, "constant", len(numbers) == 1))
    kept = (
        f"{report['rows']} rows kept, {report['missing']} missing between them, {report['behind']} behind the picture"
    )
    rows.append(("kill -9 of the physics process", kept, "0 lost", report["missing"] == report["behind"] == 0))
    return rows


def as_markdown(report: dict[str, Any]) -> str:
    """The table, and where it was taken."""
    heading = (
        f"{report['date']}; {report['machine']}. {report['world']} for {report['minutes']:g} minutes at "
        f"{report['speed']:g} ×, {report['simulated']:.0f} s of it simulated and recorded. What misses is bold."
    )
    lines = [markdown_row("", "measured", "wanted"), markdown_row("---", "---", "---")]
    for what, measured, wanted, reached in judged(report):
        lines.append(markdown_row(what, measured if reached else f"**{measured}**", wanted))
    return "\n".join([heading, "", *lines])


if __name__ == "__main__":
    main()
