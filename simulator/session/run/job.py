"""What goes to the physics process at its start, and what it reports."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.engine.snapshot import Snapshot
from simulator.recording.record_file import RecordShape
from simulator.session.open.opening import Opened
from simulator.session.run.client import Status
from simulator.session.run.shared import SharedShape
from simulator.session.text.settings import SessionSettings


@dataclass(frozen=True)
class Job:
    """Everything that the physics process needs. `resume`: the snapshot to continue from; `answered`: the number of the
    last command that needs no answer any more."""

    opened: Opened
    settings: SessionSettings
    memory: SharedShape
    record: RecordShape
    parent: int
    resume: Snapshot | None = None
    answered: int = 0


Message = tuple[Status, tuple[tuple[str, int], ...] | None]
"""What is reported of a run: a status without its drives, and instead of them what is driven by which command
(`Runner.drive_numbers`; None where nothing runs yet). The window knows what it has sent, and a motion out of a file
would fill the pipe."""
