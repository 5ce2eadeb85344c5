"""The interface of a running simulation to a window or a script, wherever it runs."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.engine.drives import Drive
from simulator.engine.snapshot import Snapshot
from simulator.records import dataclass
from simulator.session.commands.commands import Command, SetCoupling
from simulator.session.commands.hands import HandStatus
from simulator.session.forces.forces_now import ForcesNow

if TYPE_CHECKING:
    from simulator.diagnostics import Diagnostic
    from simulator.recording.channels import Channel
    from simulator.recording.history import History
    from simulator.session.open.opening import Opened
    from simulator.session.text.settings import SessionSettings

Drives = tuple[tuple[str, Drive], ...]
"""By scoped name of an axis or `actuator/NAME`."""


class RunState(str, Enum):
    """STARTING until the first snapshot arrives; FAILED retains its last snapshot; DIED: the process has ended;
    STOPPED: it is suspended (SIGSTOP, a debugger), and may resume."""

    STARTING = "starting"
    PAUSED = "paused"
    RUNNING = "running"
    FAILED = "failed"
    DIED = "died"
    STOPPED = "stopped"


@dataclass(frozen=True)
class Status:
    """Contents of a status bar, and the results of commands.

    `real_time_factor`: simulated seconds per wall second, measured over the last second or so; `steps_per_second`;
    `dropped` [s] of simulated time that could not be caught up; `speed` as requested; `solver` name; `message`: why it
    failed or why the last command was refused, in a sentence, else "". `laws`: those of the couplings that were changed
    since the start; `laws_since`: the simulated time from which they all apply [s]. `making`: progress of compilation
    [%], while kernels run as Python. `drives`: the present drives. `answered`: the number
    of the last command that was carried out or refused; `refused`: (number, reason) of the last refusals, oldest first.
    `hand`: state of a hand on the mechanism. `numbers`: parameters of the mechanism that differ from the document, by
    name; `numbers_since`: the simulated time from which they do [s]. `forces`: forces of joints and contacts since
    the last poll, while they are watched. `findings`: findings about drives so far, see `drive_findings`.
    `step_time`: wall time of a step [s].
    """

    state: RunState
    solver: str
    dt: float
    speed: float = 1.0
    real_time_factor: float = 0.0
    steps_per_second: float = 0.0
    dropped: float = 0.0
    message: str = ""
    laws: tuple[SetCoupling, ...] = ()
    laws_since: float = 0.0
    making: int | None = None
    drives: Drives = ()
    answered: int = 0
    refused: tuple[tuple[int, str], ...] = ()
    hand: HandStatus | None = None
    forces: tuple[ForcesNow, ...] = ()
    numbers: tuple[tuple[str, float], ...] = ()
    numbers_since: float = 0.0
    findings: tuple[Diagnostic, ...] = ()
    step_time: float = 0.0

    def refusal(self, number: int) -> str:
        """Why the command of that number was refused; empty if it was not."""
        return next((reason for refused, reason in self.refused if refused == number), "")


class SimulationClient(Protocol):
    """Commands go down with `send`, states come up with `poll`; neither ever blocks."""

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The channels of `trace`; channel 0 is time."""
        ...

    @property
    def history(self) -> History:
        """Every moment of the recording."""
        ...

    @property
    def setup(self) -> tuple[Opened, SessionSettings]:
        """The document and the settings of the simulation."""
        ...

    @property
    def asked_drives(self) -> Drives:
        """The drives after all sent commands: those to continue with elsewhere."""
        ...

    def send(self, command: Command) -> int:
        """Send a command; it takes effect before the next step. Returns its number, from 1 up, see `Status`; 0 if
        no process receives it."""
        ...

    def poll(self) -> tuple[Snapshot | None, Status]:
        """The newest snapshot (None before the first one) and the status. In-process clients also advance time here."""
        ...

    def trace(self, columns: Sequence[int], since: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Recorded history from time `since` [s] on: times of shape (n,), values of shape (n, len(columns)), oldest
        first."""
        ...

    def restart(self) -> None:
        """Start again after the process died, from the last snapshot if possible, with the same drives."""
        ...

    def close(self) -> None:
        """End the simulation and free its process. Safe to call twice."""
        ...
