"""The panel *Kinematics*, its switches in the view and its plots, in a window with OpenGL over a real mechanism."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QRect, Qt
from PyQt6.QtWidgets import QToolButton

import simulator
from simulator.engine.drives import Drive, DriveKind
from simulator.engine.snapshot import Snapshot
from simulator.gui import kinematic_watch
from simulator.model.profiles import Constant
from simulator.session.commands.commands import Pause, Run, SetDrive, SetPosition, StepOnce
from tests.gui.on_view import Hands
from tests.helpers.checkout import ROOT

pytestmark = pytest.mark.display
AT = 2.6
"""A position of the crank at which the coupler's instant centre is near."""
KINEMATICS = 8
"""The button of the traces."""


def settled(hands: Hands) -> None:
    """Until the panel knows what it shows."""
    panel = hands.window.kinematics_panel
    panel.show()
    panel.bring_up()

    def known() -> bool:
        hands.frame()
        return panel.watch.found is not None

    hands.qtbot.waitUntil(known, timeout=20_000)


def press(hands: Hands, key: str) -> None:
    """The switch of the panel."""
    button = hands.window.kinematics_panel.findChild(QToolButton, f"switch_{key}")
    assert button is not None
    hands.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert hands.window.actions_[key].isChecked() == button.isChecked()


def test_figures_are_those_of_the_api(open_world: Callable[[str], Hands]) -> None:
    hands = open_world("four_bar")
    settled(hands)
    hands.live.send(SetPosition(0, 1.1))
    hands.frame()
    panel, sim = hands.window.kinematics_panel, simulator.load(ROOT / "worlds" / "four_bar.sdf")
    sim.set(crank_joint=1.1)
    table = sim.analyse({"crank_joint": (1.1, 2.0)}, points=2).table
    snapshot = hands.live.snapshot
    assert snapshot is not None
    values = panel.watch.now(snapshot)
    assert values is not None
    assert panel.watch.found is not None
    for figure, value in zip(panel.watch.found.figures.figures, values.tolist(), strict=True):
        expected = sim.condition().sigma_min if figure.key == "sigma_min" else float(table[figure.key][0])
        assert value == pytest.approx(expected, abs=1e-9)
        shown = float(panel.tiles[figure.key].value.text().split()[0].replace("−", "-"))
        assert shown == pytest.approx(expected, rel=1e-4)
    assert "turns fully" in panel.ends.text()
    panel.setFixedHeight(145)  # as in a window of 1280 by 800 at a scale of 1.5: the switches give way to figures
    hands.qtbot.waitUntil(panel.drawn.isVisible)
    tile = next(iter(panel.tiles.values()))
    hands.qtbot.waitUntil(lambda: panel.rect().contains(QRect(tile.mapTo(panel, QPoint()), tile.size())))


def test_dead_points_of_the_driver_are_named(open_world: Callable[[str], Hands]) -> None:
    """The rocker as driver: both ends of its way are dead points, those at which its track ends in the panel Joints."""
    hands = open_world("four_bar")
    settled(hands)
    panel = hands.window.kinematics_panel
    index = panel.driver.findText("rocker_joint")
    panel.driver.setCurrentIndex(index)
    panel.driver.activated.emit(index)
    settled(hands)
    assert panel.ends.text().count("dead point at") == 2
    angle = next(key for key in panel.tiles if key.startswith("transmission_angle"))
    assert "poor" in panel.tiles[angle].remark.text() or float(panel.tiles[angle].value.text().split()[0]) > 0.0


def test_accelerations_are_arrows_where_the_api_says(open_world: Callable[[str], Hands]) -> None:
    hands = open_world("four_bar")
    settled(hands)
    plain = len(hands.pieces())
    press(hands, "accelerations")
    hands.live.send(SetDrive("crank_joint", Drive(DriveKind.VELOCITY, Constant(6.0))))
    hands.live.send(StepOnce(300))
    hands.frame()
    assert len(hands.pieces()) > plain + 6
    last = hands.live.forces.last
    assert last is not None
    sim = simulator.load(ROOT / "worlds" / "four_bar.sdf")
    sim.run(duration=300 * sim.dt, drives={"crank_joint": simulator.velocity(6.0)})
    motion = sim.reactions().motion
    texts = [label.text for label in hands.view.state.labels]
    for number, body in enumerate(sim.mechanism.bodies[1:], start=1):
        expected = motion.point(number, body.com)[2][0]
        np.testing.assert_allclose(last.accelerations[number, 3:], expected, atol=1e-9)
        assert any(text.startswith(f"{np.linalg.norm(expected):.3g} m/s²") for text in texts)
    press(hands, "accelerations")
    assert not any("m/s²" in label.text for label in hands.view.state.labels)


def test_polodes_are_drawn_and_touch_at_the_instant_centre(open_world: Callable[[str], Hands]) -> None:
    hands = open_world("four_bar")
    settled(hands)
    plain = len(hands.pieces())
    press(hands, "polodes")
    hands.live.send(SetPosition(0, AT))
    hands.frame()
    drawn = hands.pieces()[plain:]
    assert len(drawn) > 4
    sim = simulator.load(ROOT / "worlds" / "four_bar.sdf")
    sim.set(crank_joint=AT)
    centre = sim.analyse({"crank_joint": (AT, AT + 1.0)}, points=2).screw_axis("coupler").point[0]
    on_curve = [np.linalg.norm(line - centre, axis=1).min() for line in drawn]
    assert (
        sum(distance < 0.02 for distance in on_curve) >= 2
    )  # one is solid, one dashed; points are 2° of the crank apart
    press(hands, "polodes")
    assert len(hands.pieces()) == plain


def test_singular_value_and_angle_are_channels_of_the_plots(open_world: Callable[[str], Hands], tmp_path: Path) -> None:
    hands = open_world("four_bar")
    hands.window.traces_panel.set_plain(False)
    hands.window.traces_panel.bring_up()
    panel = hands.window.traces_panel
    panel._groups.button(KINEMATICS).click()
    hands.live.send(SetDrive("crank_joint", Drive(DriveKind.VELOCITY, Constant(6.0))))
    hands.live.send(StepOnce(500))

    def drawn() -> bool:
        hands.frame()
        over_time = hands.live.kinematics.over_time
        return over_time is not None and over_time.complete and len(panel.pages.kinematics.times) > 10

    hands.qtbot.waitUntil(drawn, timeout=20_000)
    page = panel.pages.kinematics
    page.figure.setCurrentText("Smallest singular value σ")
    page.logarithmic.click()
    hands.frame()
    columns = [key for key, _ in page.table().columns]
    at = len(page.times) // 2
    moment = hands.live.client.history.at(float(page.times[at]), 1e-3) if hands.live.client is not None else None
    assert moment is not None
    sim = simulator.load(ROOT / "worlds" / "four_bar.sdf")
    sim.set(crank_joint=float(moment.position[0]))
    assert page.values[at, columns.index("sigma_min")] == pytest.approx(sim.condition().sigma_min, abs=1e-9)
    target = tmp_path / "figures.csv"
    panel.tools.chosen.emit(target)
    with target.open() as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["time [s]", *(f"{key} [{unit or '1'}]" for key, unit in page.table().columns)]
    assert len(rows) == 1 + len(page.times)


def test_figures_are_shown_some_times_a_second_while_it_runs_and_at_once_when_it_is_paused(
    open_world: Callable[[str], Hands],
) -> None:
    """No event loop runs between these frames, so the panel's pause does not end."""
    hands = open_world("four_bar")
    settled(hands)
    panel = hands.window.kinematics_panel
    asked: list[float] = []
    now = panel.watch.now

    def count(snapshot: Snapshot) -> np.ndarray | None:
        asked.append(snapshot.time)
        return now(snapshot)

    panel.watch.now = count
    hands.live.send(Run())
    for _ in range(10):
        hands.live.poll()
        assert hands.live.snapshot is not None
        panel.show_snapshot(hands.live.snapshot)
    assert len(asked) == 1
    panel._pause.stop()
    panel._show_newest()
    assert len(asked) == 2
    hands.live.send(Pause())
    hands.live.poll()
    hands.live.send(SetPosition(0, 1.1))
    hands.live.poll()
    assert hands.live.snapshot is not None
    panel.show_snapshot(hands.live.snapshot)
    values, found = now(hands.live.snapshot), panel.watch.found
    assert len(asked) > 2
    assert values is not None
    assert found is not None
    for figure, value in zip(found.figures.figures, values.tolist(), strict=True):
        assert float(panel.tiles[figure.key].value.text().split()[0].replace("−", "-")) == pytest.approx(
            value, rel=1e-4
        )


def test_what_a_large_mechanism_leaves_out_is_named(painted: Callable[[str], Hands]) -> None:
    """1024 gears: more figures than rows, more bodies than the simulation reports accelerations of."""
    hands = painted("gear_train_1024")
    settled(hands)
    panel = hands.window.kinematics_panel
    assert "The first 24 of 2047 figures" in panel.left_out.text()
    assert len(panel.tiles) == 24
    press(hands, "accelerations")
    hands.live.send(StepOnce(1))
    hands.frame()
    assert "accelerations of the first 200 of 1024 bodies" in panel.left_out.text()
    assert "accelerations of the first 200 of 1024 bodies" in hands.view.state.scale
    press(hands, "accelerations")
    assert "accelerations" not in panel.left_out.text() + hands.view.state.scale


def test_of_a_large_mechanism_the_smallest_singular_value_comes_after_the_other_figures(
    open_world: Callable[[str], Hands], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As that of smaller ones, which is there at once."""
    hands = open_world("gear_train")
    settled(hands)
    watch, snapshot = hands.window.kinematics_panel.watch, hands.live.snapshot
    assert watch.found is not None
    assert watch.found.complete
    assert snapshot is not None
    expected = watch.now(snapshot)
    assert expected is not None
    seen: list[tuple[bool, float]] = []

    def note() -> None:
        values = watch.now(snapshot)
        if watch.found is not None and values is not None:
            seen.append((watch.found.complete, float(values[-1])))
            np.testing.assert_array_equal(values[:-1], expected[:-1])

    monkeypatch.setattr(kinematic_watch, "LARGE", 1)
    watch.changed.connect(note)
    watch.forget()
    hands.qtbot.waitUntil(lambda: watch.found is not None and watch.found.complete)
    assert [complete for complete, _ in seen] == [False, True]
    assert np.isnan(seen[0][1])
    assert seen[1][1] == expected[-1] > 0.0
    assert watch.over_time is not None
    assert watch.over_time.figures is watch.found.figures


def test_legs_that_are_held_are_not_listed(open_world: Callable[[str], Hands]) -> None:
    """Of a platform of six freedoms: five legs keep their lengths while one drives."""
    hands = open_world("stewart")
    settled(hands)
    panel = hands.window.kinematics_panel
    assert not any("_slide" in key and key.startswith("velocity_ratio") for key in panel.tiles)  # legs that are held


def test_accelerations_are_drawn_beside_forces(open_world: Callable[[str], Hands]) -> None:
    """Both hear of the same report: the arrows of each have their own scale."""
    hands = open_world("four_bar")
    settled(hands)
    for key in ("forces", "accelerations"):
        press(hands, key)
    hands.live.send(SetDrive("crank_joint", Drive(DriveKind.VELOCITY, Constant(6.0))))
    hands.live.send(StepOnce(300))
    hands.frame()
    scene = hands.view.state.scene
    assert scene is not None
    assert any("m/s²" in label.text for label in hands.view.state.labels)
    assert all(np.ptp(piece, axis=0).max() < 3.0 * scene.radius for piece in hands.pieces())
