"""A run can continue from any moment of a recording, which is the state of that time; checkpoints come back to the last
bit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from simulator.engine.drives import Drive, DriveKind
from simulator.engine.snapshot import Snapshot
from simulator.model.profiles import Constant
from simulator.session.commands.commands import (
    Pause,
    Reset,
    RestoreCheckpoint,
    Resume,
    SaveCheckpoint,
    SetCoupling,
    SetDrive,
    SetPosition,
    StepOnce,
)
from simulator.session.open.opening import open_document
from simulator.session.text.settings import SessionSettings
from tests.helpers.local_client import LocalClient
from tests.helpers.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

WORLDS = ROOT / "worlds"
FREE = """<sdf version="1.11"><world name="w">
  <model name="top"><link name="body"><inertial><mass>1</mass></inertial></link></model>
</world></sdf>"""
"""One body that falls."""
CHAIN = """<sdf version="1.11"><world name="w"><model name="m">
  <link name="body"><inertial><pose>0.02 0 0.01 0 0 0</pose><mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.02</iyy>
    <izz>0.015</izz></inertia></inertial></link>
  <link name="arm"><pose>0.3 0 0 0 0.4 0</pose><inertial><pose>0.1 0 0 0 0 0</pose><mass>0.5</mass><inertia>
    <ixx>0.004</ixx><iyy>0.006</iyy><izz>0.005</izz></inertia></inertial></link>
  <link name="bob"><pose>0.6 0 0 0.2 0 0</pose><inertial><pose>0 0.05 0 0 0 0</pose><mass>0.2</mass><inertia>
    <ixx>0.002</ixx><iyy>0.002</iyy><izz>0.002</izz></inertia></inertial></link>
  <joint name="ball" type="ball"><parent>body</parent><child>arm</child></joint>
  <joint name="hinge" type="revolute"><parent>arm</parent><child>bob</child><axis><xyz>0 1 0</xyz></axis></joint>
</model></world></sdf>"""
"""A pendulum on a ball on a body that falls."""


@pytest.fixture
def start() -> Iterator[object]:
    clients = []

    def make(path: Path) -> LocalClient:
        clients.append(LocalClient(open_document(path), SessionSettings(paused=True)))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


def same(a: Snapshot, b: Snapshot, *, but: tuple[str, ...] = ()) -> None:
    names = [name for name in vars(a) if name not in but]
    for name in names:
        one, other = getattr(a, name), getattr(b, name)
        assert np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other, name


@pytest.mark.parametrize("name", ["rack_and_pinion", "four_bar", "stewart"])
def test_every_step_of_the_recording_is_the_state_that_was_there(start: object, name: str) -> None:
    """Rows hold positions and velocities to the last bit; poses follow from them by kinematics in another order of
    operations, some ten products of matrices with entries near one: a hundred roundings."""
    client = start(WORLDS / f"{name}.sdf")  # type: ignore[operator]
    seen = [client.poll()[0]]
    for _ in range(20):
        client.send(StepOnce())
        seen.append(client.poll()[0])
    dt = client.poll()[1].dt
    for snapshot in seen:
        found = client.history.at(snapshot.time, dt)
        same(snapshot, found, but=("body_poses", "body_velocities"))
        assert found.body_poses[:, :3] == pytest.approx(snapshot.body_poses[:, :3], abs=1e-14)
        turned = np.abs(np.sum(found.body_poses[:, 3:] * snapshot.body_poses[:, 3:], axis=1))
        assert turned == pytest.approx(np.ones(len(turned)), abs=1e-14)
        scale = 1.0 + np.abs(snapshot.body_velocities).max()
        assert found.body_velocities == pytest.approx(snapshot.body_velocities, abs=1e-11 * scale)
    assert client.history.span() == (0.0, seen[-1].time)


def test_every_step_of_a_free_body_is_found(start: object, tmp_path: Path) -> None:
    """Its pose to the last bit. Velocities are those of its centre of mass, which lies in its origin."""
    path = tmp_path / "free.sdf"
    path.write_text(FREE)
    client = start(path)  # type: ignore[operator]
    seen = []
    for _ in range(5):
        client.send(StepOnce(10))
        seen.append(client.poll()[0])
    for snapshot in seen:
        same(snapshot, client.history.at(snapshot.time, 0.001))
    assert client.history.at(0.0234, 0.001).step == 23
    client.send(Resume(seen[1]))
    assert client.poll()[0].body_poses[1, 2] == pytest.approx(seen[1].body_poses[1, 2], abs=1e-15)
    assert client.history.span()[1] == seen[1].time


def test_what_hangs_on_a_free_body_is_found(start: object, tmp_path: Path) -> None:
    """A pendulum on a ball on a body that spins and falls: poses and velocities as at the time, within the rounding of
    some ten products."""
    path = tmp_path / "chain.sdf"
    path.write_text(CHAIN)
    client = start(path)  # type: ignore[operator]
    client.send(SetDrive("hinge", Drive(DriveKind.EFFORT, Constant(0.3))))
    for _ in range(4):
        client.send(StepOnce(25))
        snapshot = client.poll()[0]
        found = client.history.at(snapshot.time, 0.001)
        assert found.body_poses[:, :3] == pytest.approx(snapshot.body_poses[:, :3], abs=1e-13)
        turned = np.abs(np.sum(found.body_poses[:, 3:] * snapshot.body_poses[:, 3:], axis=1))
        assert turned == pytest.approx(np.ones(len(turned)), abs=1e-13)
        assert found.body_velocities == pytest.approx(snapshot.body_velocities, abs=1e-11)
    assert np.abs(snapshot.body_velocities[1:, :3]).max(axis=0).min() > 1e-2, "it turns about all axes"


def test_a_reset_forgets_where_a_free_body_was(start: object, tmp_path: Path) -> None:
    """Of the run before nothing is found any more, neither what was later nor what was earlier than the new one is
    now."""
    path = tmp_path / "free.sdf"
    path.write_text(FREE)
    client = start(path)  # type: ignore[operator]
    for _ in range(5):
        client.send(StepOnce(10))
        client.poll()
    assert client.history.span() == pytest.approx((0.0, 0.05))
    client.send(Reset())
    client.send(StepOnce(30))
    again = client.poll()[0]
    assert client.history.span() == pytest.approx((0.0, 0.03))
    same(again, client.history.at(0.04, 0.001))


def test_going_on_from_a_moment_repeats_what_came_then(start: object) -> None:
    """The four-bar closes to round-off, which the motion of 0.1 s carries on: 1e-9 is a millionth of how far it
    moves."""
    client = start(WORLDS / "four_bar.sdf")  # type: ignore[operator]
    client.send(StepOnce(200))
    end = client.poll()[0]
    moment = client.history.at(0.1, client.poll()[1].dt)
    client.send(Resume(moment))
    assert client.history.span()[1] == moment.time
    client.send(StepOnce(end.step - moment.step))
    again = client.poll()[0]
    assert again.step == end.step
    assert again.position == pytest.approx(end.position, abs=1e-9)
    assert again.energy.error == pytest.approx(end.energy.error, abs=1e-9)


@pytest.mark.parametrize(
    "name", ["rack_and_pinion", "four_bar", "sarrus", "stewart", "crane", "belt_drive", "worm_hoist", "cam_valve"]
)
def test_a_checkpoint_comes_back_to_the_last_bit(start: object, name: str) -> None:
    client = start(WORLDS / f"{name}.sdf")  # type: ignore[operator]
    client.send(StepOnce(50))
    before = client.poll()[0]
    client.send(SaveCheckpoint(7))
    axis = client._opened.mechanism.independent_axes()[0]
    client.send(SetPosition(axis, float(before.position[axis]) + 0.01))
    assert not np.array_equal(client.poll()[0].position, before.position)
    client.send(RestoreCheckpoint(7))
    same(before, client.poll()[0])
    client.send(StepOnce(30))
    onward = client.poll()[0]
    client.send(RestoreCheckpoint(7))
    client.send(StepOnce(30))
    same(onward, client.poll()[0])


def test_a_change_of_a_law_goes_back_with_the_state_in_place(start: object) -> None:
    client = start(WORLDS / "rack_and_pinion.sdf")  # type: ignore[operator]
    client.send(SetPosition(0, 0.5))
    client.send(StepOnce(50))
    before, law = client.poll()[0], client._opened.mechanism.couplings[0]
    old = SetCoupling(0, law.multiplier, law.offset, law.reference)
    client.send(old)
    first = client.poll()[0]
    client.send(SaveCheckpoint(1))
    client.send(SetCoupling(0, 2.0 * law.multiplier, law.offset, law.reference))
    assert not np.array_equal(client.poll()[0].position, before.position)
    client.send(old)
    client.send(RestoreCheckpoint(1, in_place=True))
    same(first, client.poll()[0])
    client.send(StepOnce())
    after = client.poll()[0]
    client.send(RestoreCheckpoint(1, in_place=True))
    same(after, client.poll()[0])


def test_a_moment_that_is_not_known_is_refused(start: object) -> None:
    client = start(WORLDS / "rack_and_pinion.sdf")  # type: ignore[operator]
    number = client.send(RestoreCheckpoint(3))
    assert "no longer known" in client.poll()[1].refusal(number)


def test_a_record_goes_on_where_another_left_off(start: object) -> None:
    first, second = start(WORLDS / "four_bar.sdf"), start(WORLDS / "four_bar.sdf")  # type: ignore[operator]
    first.send(StepOnce(100))
    last, dt = first.poll()
    second.history.take_over(first.history.copy())
    second.send(Resume(last, fresh=True))
    second.send(StepOnce(10))
    second.send(Pause())
    times, values = second.trace([1], 0.0)
    assert len(times) == len(values) == 111
    assert np.all(np.diff(times) > 0.0)
    same(first.history.at(0.05, dt.dt), second.history.at(0.05, dt.dt))
    second.send(Resume(second.history.at(0.05, dt.dt)))
    assert second.history.span() == (0.0, pytest.approx(0.05))
    second.send(Reset())
    assert second.history.span() == (0.0, 0.0)
