"""Who takes part in scripts/bench: one interface for this project and its peers, and those that cannot, with
reasons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.tasks import Task

Array = NDArray[np.float64]
MANY = 100
"""Steps in one call, where a contender is asked for many."""


class Contender:
    """One way to step a task: `call(*arguments)` is `steps_per_call` steps. Nothing is read or written between the
    calls."""

    name: str
    family: str
    call: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    steps_per_call: int = 1

    def run(self, calls: int) -> None:
        """That many calls from Python; the loop itself costs some 20 ns per call."""
        call, arguments = self.call, self.arguments
        for _ in repeat(None, calls):
            call(*arguments)

    def reset(self) -> None:
        """Back to the start pose, at rest."""
        raise NotImplementedError

    def state(self) -> tuple[Array, Array]:
        """Positions and velocities of the tree axes, in the order of `Task.tree_axes`."""
        raise NotImplementedError

    def close(self) -> None:
        """Free what a foreign engine holds."""


@dataclass(frozen=True)
class Way:
    """A way to be called, before it is built: `make(task)` gives a contender or raises, and the exception's text is the
    reason.

    Ways of one `family` move one description of the mechanism, at different settings.
    """

    name: str
    family: str
    make: Callable[[Task], Contender]


@dataclass(frozen=True)
class Field:
    """Who takes part in a task, and who does not, with a reason in a few words."""

    present: tuple[Contender, ...]
    absent: dict[str, str]


def assemble_field(task: Task, ways: list[Way]) -> Field:
    """Build everybody; who is not installed or refuses the mechanism is absent."""
    present: list[Contender] = []
    absent: dict[str, str] = {}
    for way in ways:
        try:
            contender = way.make(task)
        except ImportError as missing:
            absent[way.name] = f"not installed ({missing.name or missing})"
        except Exception as refused:  # whatever a foreign engine raises is its reason
            absent[way.name] = in_short(refused)
        else:
            contender.name, contender.family = way.name, way.family
            present.append(contender)
    return Field(tuple(present), absent)


def in_short(error: BaseException) -> str:
    """The first line of an exception, or its type where it says nothing."""
    lines = str(error).strip().splitlines()
    text = lines[0] if lines else type(error).__name__
    return text if len(text) <= 140 else f"{text[:137]}..."
