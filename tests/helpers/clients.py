"""What a client of a session shows, waited for."""

from __future__ import annotations

import time
from collections.abc import Callable

from simulator.engine.snapshot import Snapshot
from simulator.session.run.client import RunState, SimulationClient, Status
from simulator.session.text.settings import SessionSettings

PAUSED = SessionSettings(paused=True)
DEADLINE = 60.0
"""Seconds after which a test gives up: a spawned process imports PyBullet, on a busy machine in several seconds."""
Make = Callable[..., SimulationClient]


def wait(client: SimulationClient, until: Callable[[Snapshot, Status], bool]) -> tuple[Snapshot, Status]:
    """Poll until a snapshot and status are as wanted."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        snapshot, status = client.poll()
        if snapshot is not None and until(snapshot, status):
            return snapshot, status
        time.sleep(0.002)
    raise AssertionError(f"not within {DEADLINE} s: {client.poll()}")


def wait_for_state(client: SimulationClient, state: RunState) -> tuple[Snapshot, Status]:
    """Poll until it is in that state."""
    return wait(client, lambda _, status: status.state is state)


def answered(client: SimulationClient, number: int) -> tuple[Snapshot, Status]:
    """Snapshot and status once that command has been answered."""
    return wait(client, lambda _, status: status.answered >= number and status.state is not RunState.STARTING)
