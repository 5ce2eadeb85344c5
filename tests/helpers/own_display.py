"""An X display for each of several processes that run tests: focus, pointer and clipboard belong to a display."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable

SCREEN = "1600x1000x24"


def start_own_display() -> Callable[[], None]:
    """Start an Xvfb on a free display, which becomes that of this process; returns what ends it."""
    reading, writing = os.pipe()
    command = [
        "Xvfb",
        "-displayfd",
        str(writing),
        "-screen",
        "0",
        SCREEN,
        "+extension",
        "GLX",
        "-nolisten",
        "tcp",
        "-noreset",
    ]
    server = subprocess.Popen(command, pass_fds=[writing], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading, encoding="ascii") as answer:
        number = answer.readline().strip()
    if not number:
        raise RuntimeError(f"Xvfb ended with {server.wait()} before it told its display")
    os.environ["DISPLAY"] = f":{number}"

    def stop() -> None:
        server.terminate()
        server.wait()

    return stop
