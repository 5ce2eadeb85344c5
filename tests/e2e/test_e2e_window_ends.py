"""The window and its physics process, told to end and told to stop; and displays that are none."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from ctypes.util import find_library
from pathlib import Path

import pytest

from tests.helpers.command import HEEDING, executable, simulator
from tests.helpers.repository import ROOT

DEADLINE = 60.0


WITHOUT_WAYLAND = (
    "the display 'wayland-47' cannot be reached"
    if find_library("wayland-cursor")
    else "libraries that this system does not have: libwayland-cursor.so.0"
)
"""What is wrong where Qt's part for Wayland cannot be loaded, for Qt does not bring all of its libraries along."""


@pytest.mark.parametrize(("variables", "says"), [
    ({"DISPLAY": ":4711"}, "the display ':4711' cannot be reached"),
    ({"QT_QPA_PLATFORM": "wayland", "WAYLAND_DISPLAY": "wayland-47"}, WITHOUT_WAYLAND),
    ({"QT_QPA_PLATFORM": "magic"}, "no window can be opened: Could not find the Qt platform plugin \"magic\""),
])  # fmt: skip
def test_a_display_that_cannot_be_reached_is_2(variables: dict[str, str], says: str) -> None:
    done = simulator("four_bar", **{"QT_QPA_PLATFORM": "xcb", **variables})
    assert done.returncode == 2, done.stderr
    assert re.fullmatch(r"simulator: [^\n]*\n", done.stderr)
    assert says in done.stderr
    assert "`simulator render" in done.stderr or "`simulator run" in done.stderr, "what works without a window"


@pytest.fixture
def window(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """The program with a world on show, as a shell starts it: in a process group of its own, of which nothing is left
    afterwards."""
    process = subprocess.Popen(
        [*HEEDING, *executable(), "four_bar"], cwd=ROOT, env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    yield process
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=DEADLINE)


def physics_of(window: subprocess.Popen[str], has: str = "/memfd:simulator") -> list[int]:
    """Processes of the window that were started to compute and have `has` in their memory: what they share with the
    window once they simulate. (Any other child looks like the window itself for a moment, before it becomes another
    program.)"""
    children = Path(f"/proc/{window.pid}/task").glob("*/children")
    pids = {int(pid) for path in children for pid in path.read_text(encoding="ascii").split()}
    return [
        pid
        for pid in pids
        if "spawn_main" in read(Path(f"/proc/{pid}/cmdline")) and has in read(Path(f"/proc/{pid}/maps"))
    ]


def read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def physics_process(window: subprocess.Popen[str], has: str = "/memfd:simulator") -> int:
    """The engine's process, once there is one: it takes a moment to load."""
    found: list[int] = []
    wait(lambda: found.extend(physics_of(window, has)) or found)
    return found[0]


def wait(condition: Callable[[], object]) -> None:
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.display
@pytest.mark.parametrize(("number", "stopped"), [(signal.SIGTERM, True), (signal.SIGHUP, False)])
def test_a_window_that_is_told_to_end_takes_its_physics_along(
    window: subprocess.Popen[str], number: signal.Signals, stopped: bool
) -> None:
    physics = physics_process(window)
    time.sleep(1.0)
    if stopped:
        os.kill(physics, signal.SIGSTOP)
    window.send_signal(number)
    stderr = window.communicate(timeout=DEADLINE)[1]
    assert (window.returncode, stderr) == (0, "")
    wait(lambda: not Path(f"/proc/{physics}").exists())  # its new parent has to reap it first


@pytest.mark.display
def test_a_window_that_is_killed_leaves_nothing_behind(window: subprocess.Popen[str]) -> None:
    before = set(Path("/dev/shm").iterdir())
    physics = physics_process(window)
    time.sleep(1.0)
    assert not {path for path in set(Path("/dev/shm").iterdir()) - before if path.name.startswith("psm_")}
    window.kill()
    assert window.communicate(timeout=DEADLINE)[1] == "", "no word of leaked memory"
    wait(lambda: not Path(f"/proc/{physics}").exists())


@pytest.mark.display
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_a_window_that_ends_while_it_starts_leaves_no_process(
    window: subprocess.Popen[str], number: signal.Signals
) -> None:
    """Physics is there before the window, and waits for something to simulate."""
    physics = physics_process(window, "numpy")
    window.send_signal(number)
    assert window.communicate(timeout=DEADLINE)[1] == ""
    wait(lambda: not Path(f"/proc/{physics}").exists())
