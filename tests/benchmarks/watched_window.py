"""The program with its window, watched from inside: what `scripts/bench gui` and `scripts/soak` start as a process.

python -m tests.benchmarks.watched_window TASK WORLD [--seconds S] [--speed X]; the last line it prints is JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import numpy as np
from PyQt6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PyQt6.QtWidgets import QApplication

from simulator.gui import application
from simulator.gui.main_window import MainWindow
from simulator.gui.viewport.gl_drawing import GLDrawing

SETTLED = 1.5
"""Seconds that a window runs before it is watched."""
KNOCK_EVERY = 0.02
"""Seconds between two events whose way through the queue is timed."""
SLIDES = 30
LONGEST = 5.0
"""Seconds after which a slider that shows nothing is given up."""
VIEW = (1000, 700)
"""Size of the view [pixels]."""
CURVES, SAMPLES = 20, 10_000


class Painting:
    """Frames that were drawn, and the processor time [s] of the window's thread in them; since the last `clear`."""

    def __init__(self) -> None:
        self.clear()
        draw = GLDrawing.draw_frame

        def counted(view: GLDrawing) -> None:
            began = time.thread_time()
            draw(view)
            self.spent += time.thread_time() - began
            self.frames += 1

        GLDrawing.draw_frame = counted  # type: ignore[method-assign]

    def clear(self) -> None:
        """Begin anew."""
        self.frames, self.spent = 0, 0.0


class Doorbell(QObject):
    """How long an event waits for the window's thread, as one of the mouse does [s]."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []
        self._ended = threading.Event()
        self._kind = QEvent.Type(QEvent.registerEventType())
        self._rung: list[float] = []
        threading.Thread(target=self._ring, daemon=True).start()

    def customEvent(self, _event: QEvent | None) -> None:
        """The event is there."""
        self.waits.append(time.perf_counter() - self._rung.pop(0))

    def stop(self) -> None:
        """No more events."""
        self._ended.set()

    def _ring(self) -> None:
        while not self._ended.wait(KNOCK_EVERY):
            self._rung.append(time.perf_counter())
            QCoreApplication.postEvent(self, QEvent(self._kind))


class Watched(MainWindow):
    """A window that begins its task as soon as time passes in it, and closes when that is done."""

    task: Callable[[Watched], None]
    painting: Painting

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.seen: list[tuple[float, float]] = []
        self._begun = False
        self.live.ticked.connect(self._look)

    def _look(self, snapshot: Any, _status: object) -> None:
        """Note (wall time, simulated time) of every new moment that is drawn."""
        if snapshot is None or (self.seen and self.seen[-1][1] == snapshot.time):
            return
        self.seen.append((time.perf_counter(), snapshot.time))
        if snapshot.time > 0.0 and not self._begun:
            self._begun = True
            QTimer.singleShot(0, lambda: type(self).task(self))

    def finish(self, **found: Any) -> None:
        """Print what was found, and end."""
        print(json.dumps(found), flush=True)
        QTimer.singleShot(0, self.close)


def run(window: Watched, seconds: float) -> None:
    """How fast time passes, how many pictures there are, and how busy the window's thread is."""
    window.resize(
        window.width() + VIEW[0] - window.viewport.width(), window.height() + VIEW[1] - window.viewport.height()
    )

    def begin() -> None:
        window.painting.clear()
        window.seen.clear()
        bell, spent, began = Doorbell(), time.thread_time(), time.perf_counter()
        QTimer.singleShot(round(1000 * seconds), lambda: end(bell, spent, began))

    def end(bell: Doorbell, spent: float, began: float) -> None:
        bell.stop()
        wall, painting, seen = time.perf_counter() - began, window.painting, window.seen
        busy = time.thread_time() - spent
        passed = (seen[-1][1] - seen[0][1]) / (seen[-1][0] - seen[0][0]) if len(seen) > 1 else 0.0
        window.finish(
            factor=passed,
            frames=painting.frames / wall,
            busy=(busy - painting.spent) / wall,
            painting=painting.spent / wall,
            wait_median=1000.0 * median(bell.waits),
            wait_p99=1000.0 * float(np.quantile(bell.waits, 0.99)),
            view=[window.viewport.width(), window.viewport.height()],
        )

    QTimer.singleShot(round(1000 * SETTLED), begin)


def slide(window: Watched) -> None:
    """From a move of a slider to the picture of it [ms]."""
    window.actions_["run"].trigger()
    window.joints_panel.bring_up()
    waits: list[float] = []
    for number in range(SLIDES):
        _process(0.25)
        waits.append(_moved_by_slider(window, 60 if number % 2 == 0 else -60))
    window.finish(slider=median(waits), slider_every=waits)


def _moved_by_slider(window: Watched, ticks: int) -> float:
    """Wall time [ms] until what a slider asks for is drawn."""
    index, card = next(iter(window.joints_panel.cards.items()))  # the cards may be made anew between two moves
    before, began = window.live.snapshot, time.perf_counter()
    assert before is not None
    card.slider.setValue(card.slider.value() + ticks)
    while time.perf_counter() - began < LONGEST:
        QApplication.processEvents()
        now = window.live.snapshot
        if now is not None and now.position[index] != before.position[index]:
            window.viewport.canvas.repaint()
            break
    return 1000.0 * (time.perf_counter() - began)


def _process(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        QApplication.processEvents()
        time.sleep(0.002)


def traces() -> dict[str, float]:
    """Refreshes of twenty curves of ten thousand samples in a second, each thinned, handed over and painted."""
    from simulator.gui.tokens import LIGHT
    from simulator.gui.traces.decimation import min_max
    from simulator.gui.traces.plan import Series
    from simulator.gui.traces.plots import PlotStack

    qt, stack = application.make_application(), PlotStack(LIGHT)
    times = np.linspace(0.0, 10.0, SAMPLES)
    values = np.sin(times[:, None] * np.linspace(2.0, 14.0, CURVES))
    stack.frame.resize(VIEW[0], 330)
    series = [Series(f"s{k}", f"s{k}", k, ("rad", "m")[k % 2], k % 8) for k in range(CURVES)]
    stack.show_series(series, {"rad": "rad", "m": "m"})
    stack.set_time_range(0.0, 10.0)
    stack.frame.show()
    qt.processEvents()
    spent = []
    for _ in range(60):
        began = time.perf_counter()
        values = np.roll(values, -40, axis=0)
        thin_times, thin = min_max(times, values, 10.0, stack.width_in_pixels())
        stack.set_data(thin_times, {f"s{k}": thin[:, k] for k in range(CURVES)})
        stack.show_values({f"s{k}": f"{thin[-1, k]:.3f}" for k in range(CURVES)})
        stack.frame.grab()
        spent.append(time.perf_counter() - began)
    return {"traces": 1.0 / median(spent)}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("task", choices=("run", "slide", "traces"))
    parser.add_argument("world", nargs="?", default="four_bar")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--speed", type=float, default=1.0)
    options = parser.parse_args(arguments)
    if options.task == "traces":
        print(json.dumps(traces()), flush=True)
        return 0
    tasks = {"slide": slide, "run": lambda window: run(window, options.seconds)}
    Watched.task, Watched.painting = staticmethod(tasks[options.task]), Painting()  # type: ignore[assignment]
    application.MainWindow = Watched  # type: ignore[misc]
    from simulator.cli.app import run_app

    return run_app(["view", options.world, "--speed", str(options.speed)])


if __name__ == "__main__":
    sys.exit(main())
