"""An unreachable display: Qt ends the whole process and blames libraries that are installed. Our own message says
more."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from PyQt6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

from simulator.gui.system_libraries import missing_libraries, why_not_loaded

WRONG_USAGE = 2
UNREACHABLE = re.compile(r"(?:could not connect to display|[Ff]ailed to create wl_display)\s*(?P<name>[^\s(]*)")
UNLOADABLE = re.compile(r'Could not load the Qt platform plugin "(?P<platform>\w+)"')
INSTEAD = "`simulator run FILE --duration 1` simulates and `simulator render FILE -o out.png` draws without one"


def why_no_window(said: list[str]) -> str:
    """What is wrong, of what Qt said before it gave up; of other faults than a display its own words are the best there
    is."""
    for text in said:
        found = UNREACHABLE.search(text)
        if found:
            name = found["name"] or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or ""
            return (
                f"the display '{name}' cannot be reached: it does not answer, or it does not accept this user; "
                f"{INSTEAD}"
            )
        found = UNLOADABLE.search(text)
        if found and (missing := missing_libraries(platform=found["platform"])):
            return why_not_loaded(missing)
    first = next(
        (text for text in said if "needed to load" in text or "Could not find" in text), said[0] if said else ""
    )
    return f"no window can be opened: {' '.join(first.split()).rstrip('.')}; {INSTEAD}"


@contextmanager
def window_system_reported() -> Iterator[None]:
    """While the application object is made. Qt aborts after its last word, so the process ends with that word, before
    there is anything to save."""
    said: list[str] = []

    def on_message(kind: QtMsgType, _context: QMessageLogContext, text: str | None) -> None:
        if kind is QtMsgType.QtFatalMsg:
            with suppress(OSError):
                print(f"simulator: {why_no_window([*said, text or ''])}", file=sys.stderr, flush=True)
            os._exit(WRONG_USAGE)
        said.append(text or "")

    before = qInstallMessageHandler(on_message)
    try:
        yield
    finally:
        qInstallMessageHandler(before)
    for text in said:  # Qt started; pass its other messages to the handler before
        if text:
            _pass_on(text)


def _pass_on(text: str) -> None:
    with suppress(OSError):
        print(text, file=sys.stderr)
