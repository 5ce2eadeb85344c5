"""Faults of a URDF: each is reported where it is met, reading continues to find the next, and the robot is not
simulated."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.nodes import Node


class UrdfError(Exception):
    """Something cannot be understood; `node` is the place."""

    def __init__(self, node: Node, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.node = node
        self.hint = hint


class Faults:
    """Turns every UrdfError into a diagnostic; `places` are where they were."""

    def __init__(self, log: DiagnosticLog) -> None:
        self._log = log
        self.places: list[Node] = []

    @contextmanager
    def noted(self) -> Iterator[None]:
        """What raises in here is reported, and left out."""
        try:
            yield
        except UrdfError as error:
            self._log.error("PARSING_ERROR", error.node.source, str(error), error.hint)
            self.places.append(error.node)
