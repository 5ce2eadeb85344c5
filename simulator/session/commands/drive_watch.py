"""Findings about drives during a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.session.commands.drive_summary import axis_findings, driven_or_held

if TYPE_CHECKING:
    from simulator.diagnostics import Diagnostic
    from simulator.engine.engine import Engine

OFTEN = 0.25
"""Simulated time [s] between two checks of drives."""


class DriveWatch:
    """Findings about drives so far, see `axis_findings`: for each drive the first of a kind."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._since = engine.time
        self._found: dict[tuple[int, str], Diagnostic] = {}

    def clear(self) -> None:
        """Begin anew."""
        self._since = self._engine.time
        self._found.clear()

    def findings(self, *, at_once: bool) -> tuple[Diagnostic, ...]:
        """Findings up to now, or up to the last check if that was recent, unless `at_once`."""
        passed = self._engine.time - self._since
        if passed < 0.0 or passed > (0.0 if at_once else OFTEN):
            for axis in driven_or_held(self._engine):
                for finding in axis_findings(self._engine, axis, max(passed, 0.0)):
                    self._found.setdefault((axis, finding.code), finding)
            self._since = self._engine.time
        return tuple(self._found.values())
