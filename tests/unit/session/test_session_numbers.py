"""Numbers that are changed while it runs: the mechanism then moves as that of a document with these numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simulator.mechanism.varied import number_of, varied
from simulator.session.commands.commands import (
    Command,
    Reset,
    RestoreCheckpoint,
    SaveCheckpoint,
    SetNumber,
    StepOnce,
)
from simulator.session.open.opening import Opened, open_document
from simulator.session.run.client import RunState
from simulator.session.save.saving_numbers import save_numbers
from simulator.session.text.settings import SessionSettings
from tests.helpers.local_client import LocalClient
from tests.helpers.repository import ROOT

LEDGER = 1e-9
"""Energy that the ledger may miss [J], over 0.2 s at steps of 1 ms of a linkage that holds some joules."""


def client_of(opened: Opened, solver: str = "rows") -> LocalClient:
    return LocalClient(opened, SessionSettings(paused=True, solver=solver, initial=(("crank_joint", 0.4),)))


def sent(client: LocalClient, *commands: Command) -> None:
    for command in commands:
        client.send(command)
        assert client.poll()[1].message == ""


@pytest.mark.parametrize("solver", ["rows", "reduced"])
@pytest.mark.parametrize(
    "numbers",
    [{"four_bar::coupler.mass": 2.5}, {"four_bar::crank_joint.damping": 0.5}, {"four_bar::coupler.com.x": 0.1}],
)
def test_it_moves_as_the_document_with_that_number(tmp_path: Path, solver: str, numbers: dict[str, float]) -> None:
    """Two ways to the same equations of motion: another number in the running engine, and in the file that is read.
    They differ by the round-off of assembling the loop once more."""
    path = tmp_path / "four_bar.sdf"
    path.write_bytes((ROOT / "worlds" / "four_bar.sdf").read_bytes())
    opened = open_document(path)
    live = client_of(opened, solver)
    sent(live, *(SetNumber(name, value) for name, value in numbers.items()), StepOnce(200))
    save_numbers(opened, numbers)
    read = client_of(open_document(path), solver)
    sent(read, StepOnce(200))
    one, other = live.poll()[0], read.poll()[0]
    assert one is not None
    assert other is not None
    assert np.abs(other.position).max() > 0.05, "it moves"
    assert one.position == pytest.approx(other.position, abs=1e-11)
    assert one.velocity == pytest.approx(other.velocity, abs=1e-10)


def test_the_ledger_holds_when_a_length_changes_in_motion() -> None:
    client = client_of(open_document(ROOT / "worlds" / "four_bar.sdf"))
    sent(client, StepOnce(100))
    before = client.poll()[0]
    joint = client._opened.mechanism.loop_joints[0].name
    written = number_of(client._opened.mechanism, client._opened.world, f"{joint}.pose.z")
    sent(client, SetNumber(f"{joint}.pose.z", written - 0.02))
    changed = client.poll()[0]
    sent(client, StepOnce(100))
    after, status = client.poll()
    assert before is not None
    assert changed is not None
    assert after is not None
    assert changed.worst_loop_residual()[0] <= 1e-12
    assert changed.energy.work != before.energy.work
    assert abs(changed.energy.error - before.energy.error) <= 1e-12
    assert abs(after.energy.error) <= max(LEDGER, 10.0 * abs(before.energy.error))
    assert status.numbers == ((f"{joint}.pose.z", written - 0.02),)


def test_lengths_and_places_count_from_the_document() -> None:
    """What was in between does not matter: the mechanism is that of the document with the numbers that are changed."""
    opened = open_document(ROOT / "worlds" / "four_bar.sdf")
    client = client_of(opened)
    place, length = "closing_joint.child_pose.z", "rocker.length"
    written = number_of(opened.mechanism, opened.world, place)
    sent(client, SetNumber(place, 0.05), SetNumber(length, 0.31), SetNumber(place, written))
    status = client.poll()[1]
    assert status.numbers == ((length, 0.31),)
    wanted = varied(opened.mechanism, opened.world, {length: 0.31})
    assert client._runner.engine.mechanism.loop_joints == wanted.loop_joints
    sent(client, SetNumber(length, number_of(opened.mechanism, opened.world, length)))
    assert client.poll()[1].numbers == ()


def test_a_limit_that_comes_nearer_takes_the_joint_along() -> None:
    client = client_of(open_document(ROOT / "worlds" / "four_bar.sdf"))
    sent(client, SetNumber("crank_joint.upper", 0.25))
    snapshot = client.poll()[0]
    assert snapshot is not None
    axes = [info.name for info in client._opened.mechanism.axes]
    assert snapshot.position[axes.index("four_bar::crank_joint")] <= 0.25 + 1e-9


def test_a_start_counts_from_the_next_reset() -> None:
    client = LocalClient(open_document(ROOT / "worlds" / "rack_and_pinion.sdf"), SessionSettings(paused=True))
    before = client.poll()[0]
    sent(client, SetNumber("pinion_joint.initial_position", 0.5))
    now = client.poll()[0]
    assert before is not None
    assert now is not None
    assert np.array_equal(now.position, before.position)
    sent(client, Reset())
    again = client.poll()[0]
    assert again is not None
    assert again.position == pytest.approx([0.5, 0.01], abs=1e-12)


def test_back_to_a_moment_before_to_the_last_bit() -> None:
    client = client_of(open_document(ROOT / "worlds" / "four_bar.sdf"))
    sent(client, StepOnce(50), SaveCheckpoint(1))
    before = client.poll()[0]
    assert before is not None
    mass = number_of(client._opened.mechanism, client._opened.world, "coupler.mass")
    sent(client, SetNumber("coupler.mass", 9.0), SetNumber("coupler.mass", mass), RestoreCheckpoint(1, in_place=True))
    now, status = client.poll()
    assert now is not None
    assert status.numbers == ()
    assert now.energy == before.energy
    assert np.array_equal(now.body_velocities, before.body_velocities)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("coupler.mass", -1.0, "0 kg or more"),
        ("coupler.colour", 1.0, "not a parameter"),
        ("nobody.mass", 1.0, "nobody"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_changes(name: str, value: float, reason: str) -> None:
    client = client_of(open_document(ROOT / "worlds" / "four_bar.sdf"))
    before = client.poll()[0]
    number = client.send(SetNumber(name, value))
    now, status = client.poll()
    assert reason in status.refusal(number)
    assert status.state is RunState.PAUSED
    assert status.numbers == ()
    assert before is not None
    assert now is not None
    assert np.array_equal(now.position, before.position)
