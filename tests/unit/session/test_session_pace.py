"""How fast simulated time passes, on a clock of the test's own."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from simulator.session.commands.commands import Reset, RestoreCheckpoint, Run, SaveCheckpoint, StepOnce
from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
from simulator.session.run import pace as pace_module
from simulator.session.run.pace import Pace
from simulator.session.text.settings import SessionSettings
from tests.helpers import local_client as local
from tests.helpers.local_client import LocalClient


@dataclass
class Clock:
    now: float = 5.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    for module in (local, pace_module):
        monkeypatch.setattr(module, "time", found)
    return found


def test_pace_needs_two_marks_and_starts_again_after_a_pause(clock: Clock) -> None:
    """Ten steps of a millisecond in every hundredth of a second are real time; half of that is spent in steps."""
    pace = Pace()
    assert pace.rates() == (0.0, 0.0, 0.0)
    for number in range(200):
        clock.now += 0.01
        pace.mark(10, 1e-3, 0.005 * number)
    assert pace.rates() == pytest.approx((1.0, 1000.0, 5e-4))
    pace.stop()
    assert pace.rates() == (0.0, 0.0, 0.0)


def test_pace_counts_what_was_made_and_not_where_time_was_taken_to(clock: Clock) -> None:
    """Undoing a reset goes forward by seconds in an instant; the rate was 16 times real time for a second then."""
    client = LocalClient(open_document(find_file("four_bar")), SessionSettings(paused=True))
    client.send(StepOnce(4000))
    client.send(SaveCheckpoint(1))
    client.send(Reset())
    client.send(Run())
    clock.now += 0.02
    client.poll()
    client.send(RestoreCheckpoint(1))
    clock.now += 0.02
    snapshot, status = client.poll()
    assert snapshot is not None
    assert snapshot.time >= 4.0
    assert status.real_time_factor == pytest.approx(1.0, abs=0.1)
    client.close()
