"""Cards show what the simulation does: what is under way first, what was refused with its reason, and what others have
set."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from simulator.engine.drives import DriveKind
from simulator.gui.panels.actuator_card import ActuatorCard
from simulator.gui.panels.axis_card import AxisCard
from simulator.gui.panels.drive_card import OVER_TIME
from simulator.gui.reload_memory import ReloadMemory
from simulator.model.profiles import Constant
from simulator.model.world import DemonstrationDrive
from simulator.session.commands.commands import Reset, SetDrive, SetPosition, SetSolver, SetSpeed
from simulator.session.open.opening import Opened
from tests.gui.conftest import Bench
from tests.gui.fakes import opened, with_motor
from tests.helpers.drives import drive, set_drive

PINION, MOTOR = "machine::pinion_joint", "actuator/machine::motor"


def cards_of(bench: Bench) -> tuple[AxisCard, ActuatorCard]:
    bench.open("motor.sdf")
    bench.client.sent.clear()
    rows = bench.window.joints_panel.actuators
    assert rows is not None
    return bench.window.joints_panel.cards[0], rows.cards[0]


def test_a_refused_drive_leaves_the_drive_that_acts(bench: Bench) -> None:
    card, _ = cards_of(bench)
    card.kind.setCurrentIndex(2)
    card.value.setValue(3.0)
    bench.live.poll()
    bench.client.locked = (PINION,)
    card.kind.setCurrentIndex(3)
    assert card.drive_kind() is DriveKind.EFFORT
    bench.live.poll()
    assert (card.drive_kind(), card.value.value(), card.drive) == (DriveKind.VELOCITY, 3.0, drive("velocity:3"))
    assert card.value.suffix() == " rad/s"
    assert card.message.text() == f"{PINION} cannot be driven"
    assert card.message.isVisible()
    card.value.setValue(4.0)
    bench.live.poll()
    assert (card.value.value(), card.message.text()) == (3.0, f"{PINION} cannot be driven")
    bench.client.locked = ()
    card.value.setValue(5.0)
    bench.live.poll()
    assert (card.value.value(), card.message.isVisible()) == (5.0, False)


def test_a_drive_that_cannot_be_let_go_is_still_shown(bench: Bench) -> None:
    card, motor = cards_of(bench)
    for each in (card, motor):
        each.kind.setCurrentIndex(2)
        bench.client.locked = (each.target,)
        each.kind.setCurrentIndex(0)
        bench.live.poll()
        assert each.drive_kind() is DriveKind.VELOCITY
        assert "cannot be driven" in each.message.text()


def test_a_refused_slider_goes_back(bench: Bench, qtbot: QtBot) -> None:
    card, _ = cards_of(bench)
    card.kind.setCurrentIndex(1)
    bench.live.poll()
    bench.client.locked = (PINION,)
    card.slider.moved.emit(0.7)
    qtbot.waitUntil(lambda: bench.client.sent[-1] == set_drive(f"{PINION}=position:0.7"))
    bench.live.poll()
    assert card.slider.position() == pytest.approx(0.0, abs=1e-3)
    assert card.message.isVisible()


def test_two_refusals_in_one_batch_go_to_their_cards(bench: Bench) -> None:
    """The message of the status is wiped by a command that works; each card still hears of its own."""
    card, motor = cards_of(bench)
    bench.client.locked, bench.client.deaf = (PINION, MOTOR), True
    card.kind.setCurrentIndex(2)
    motor.kind.setCurrentIndex(3)
    bench.live.send(SetSpeed(2.0))
    bench.live.poll()
    assert (card.drive_kind(), motor.drive_kind()) == (DriveKind.VELOCITY, DriveKind.EFFORT)
    bench.client.hear()
    bench.client.message = ""
    bench.live.poll()
    assert (card.drive_kind(), motor.drive_kind()) == (None, None)
    assert card.message.text() == f"{PINION} cannot be driven"
    assert motor.message.text() == f"{MOTOR} cannot be driven"


def test_what_is_under_way_is_not_taken_back(bench: Bench) -> None:
    """Statuses from before a command still tell of the drive before it."""
    card, _ = cards_of(bench)
    bench.client.deaf = True
    card.kind.setCurrentIndex(2)
    card.value.setValue(3.0)
    for _ in range(3):
        bench.live.poll()
        assert (card.drive_kind(), card.value.value()) == (DriveKind.VELOCITY, 3.0)
    bench.client.hear()
    bench.live.poll()
    assert (card.drive_kind(), card.value.value()) == (DriveKind.VELOCITY, 3.0)


def test_where_nobody_hears_the_card_goes_back(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process is gone or stopped: what it did last is what is shown."""
    card, motor = cards_of(bench)
    monkeypatch.setattr(bench.client, "send", lambda _command: 0)
    card.kind.setCurrentIndex(2)
    motor.kind.setCurrentIndex(2)
    bench.live.poll()
    assert (card.drive_kind(), motor.drive_kind()) == (None, None)


def test_drives_set_elsewhere_are_shown(bench: Bench) -> None:
    card, motor = cards_of(bench)
    bench.live.send(set_drive("pinion_joint=velocity:-2"))
    bench.live.send(set_drive("actuator/motor=position:ramp(0,1,2)"))
    bench.live.poll()
    assert (card.drive_kind(), card.value.value()) == (DriveKind.VELOCITY, -2.0)
    assert card.holds
    assert motor.over_time
    assert motor.profile is not None
    assert motor.profile.text == "position:ramp(from=0,to=1,duration=2)"
    for command in (Reset(), SetSolver("gear")):
        bench.live.send(command)
        bench.live.poll()
        assert (card.drive_kind(), motor.over_time) == (DriveKind.VELOCITY, True)
    bench.live.send(set_drive("pinion_joint="))
    bench.live.send(set_drive("actuator/motor="))
    bench.live.poll()
    assert (card.drive_kind(), motor.drive_kind(), motor.over_time) == (None, None, False)
    assert motor.profile.isHidden()


def test_an_editor_that_is_open_is_left_alone(bench: Bench) -> None:
    """Nothing has been sent: the drive stays in effect, and the choice of the user stays."""
    card, _ = cards_of(bench)
    card.kind.setCurrentIndex(2)
    bench.live.poll()
    card.kind.setCurrentIndex(OVER_TIME)
    bench.live.poll()
    assert card.over_time
    assert card.profile is not None
    assert card.profile.running == drive("velocity:1")


def test_a_position_that_cannot_be_is_told_at_the_card(bench: Bench, qtbot: QtBot) -> None:
    card, _ = cards_of(bench)
    bench.client.deaf = True
    card.slider.moved.emit(0.3)
    qtbot.waitUntil(lambda: bench.client.sent == [SetPosition(0, 0.3)])
    bench.client.answered = bench.client.number
    bench.client.waiting.clear()
    bench.client.refusals.append((bench.client.number, "it cannot be put there"))
    bench.live.poll()
    assert card.message.text() == "it cannot be put there"
    assert card.drive_kind() is None
    bench.client.deaf = True
    card.slider.moved.emit(0.2)
    qtbot.waitUntil(lambda: bench.client.sent[-1] == SetPosition(0, 0.2))
    bench.live.poll()
    assert card.message.isVisible()  # nothing jumps while the slider is dragged
    bench.client.hear()
    bench.live.poll()
    assert not card.message.isVisible()


# What a reload keeps


def test_a_drive_under_way_is_not_lost_by_a_reload(bench: Bench) -> None:
    card, _ = cards_of(bench)
    bench.client.deaf = True
    card.kind.setCurrentIndex(2)
    bench.live.reload()
    assert set_drive(f"{PINION}=velocity:1") in bench.client.sent
    assert bench.window.joints_panel.cards[0].drive_kind() is DriveKind.VELOCITY


def test_a_refused_drive_does_not_come_back(bench: Bench) -> None:
    card, _ = cards_of(bench)
    bench.client.locked = (PINION,)
    card.kind.setCurrentIndex(2)
    bench.live.reload()
    assert not any(isinstance(command, SetDrive) for command in bench.client.sent)


def test_a_new_version_may_ask_for_another_drive(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the document asks for is the document's, until the user changes it."""
    speed = 0.5

    def driven(path: Path) -> Opened:
        good = opened(path)
        wish = DemonstrationDrive("pinion_joint", "velocity", Constant(speed))
        return replace(good, world=replace(good.world, drives=(wish,)))

    monkeypatch.setattr(bench.live, "_opener", driven)
    bench.open()
    speed = 0.75
    bench.live.reload()
    card = bench.window.joints_panel.cards[0]
    assert card.value.value() == 0.75
    card.value.setValue(2.0)
    speed = 1.0
    bench.live.reload()
    assert bench.window.joints_panel.cards[0].value.value() == 2.0


def test_the_order_of_drives_is_kept() -> None:
    document, plain = with_motor(opened()), opened()
    memory = ReloadMemory()
    pinion, motor = (PINION, drive("position:sine(1,1)")), (MOTOR, drive("velocity:1"))
    assert (memory.solver_for(document.path), memory.begin(document, ())) == ("", ())
    memory.end((pinion, motor))
    assert memory.solver_for(document.path) == ""
    assert memory.begin(document, ()) == (SetDrive(*pinion), SetDrive(*motor))
    memory.end((motor, pinion))
    assert memory.begin(plain, ()) == (SetDrive(*pinion),)  # a version of the file without the motor
    memory.end(())
    assert memory.begin(document, (pinion,)) == (SetDrive(*motor),)
    memory.solver_for(Path("other.sdf"))
    assert memory.begin(document, ()) == ()
