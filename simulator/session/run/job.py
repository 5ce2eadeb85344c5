"""Messages to the physics process at its start, and its reports."""

from __future__ import annotations

from simulator.engine.snapshot import Snapshot
from simulator.recording.record_file import RecordShape
from simulator.records import dataclass
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
"""Report of a run: a status without its drives, with the number of the command of each drive instead
(`Runner.drive_numbers`; None if nothing runs yet). The window knows what it has sent, and a motion from a file
would fill the pipe."""
