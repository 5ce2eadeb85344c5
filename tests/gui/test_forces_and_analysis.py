"""Forces in the view and over time, plots along a driver and modes, in a window over a real mechanism."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simulator.engine.drives import Drive, DriveKind
from simulator.gui.analysis.columns import curves_of
from simulator.gui.traces.saving import ShownTable
from simulator.gui.units import MINUS
from simulator.gui.viewport.force_view import ForceView, rounded
from simulator.model.profiles import Constant
from simulator.session.commands.commands import SetDrive, SetNumber, SetPosition, SetSolver, StepOnce
from simulator.session.forces.forces_now import ForceRecord, ForcesNow
from simulator.session.look.driver_analysis import look, modes_at, swing
from simulator.session.open.opening import open_document
from simulator.session.text.settings import SessionSettings
from simulator.spatial.rotation import matrix_from_quat
from tests.gui.fakes import FakeClient, opened
from tests.gui.on_view import Hands
from tests.helpers.checkout import ROOT
from tests.helpers.local_client import LocalClient

REACTION = 7
"""The button of the traces."""


def turning(hands: Hands) -> None:
    hands.live.send(SetDrive("crank_joint", Drive(DriveKind.VELOCITY, Constant(6.0))))
    hands.live.send(StepOnce(50))
    hands.frame()


def test_forces_are_arrows_with_a_scale_and_labels(painted: Callable[[str], Hands]) -> None:
    """Forces of the simulation itself; nothing is reported while no part of the window shows them."""
    hands = painted("four_bar")
    turning(hands)
    plain = len(hands.view.state.lines)
    assert hands.live.forces.last is None
    hands.window.actions_["forces"].trigger()
    hands.frame()
    last = hands.live.forces.last
    assert last is not None
    assert len(hands.view.state.lines) > plain
    size = float(np.linalg.norm(last.wrenches[0, :3]))
    assert any(label.text.startswith(f"crank_joint  {size:.3g} N") for label in hands.view.state.labels)
    assert hands.view.state.scale.startswith("longest arrow")
    hands.window.actions_["forces"].trigger()
    assert len(hands.view.state.lines) == plain
    assert hands.view.state.scale == ""


def test_arrows_are_scaled_by_the_last_seconds() -> None:
    """A blow at the start does not make all that follows small; a moment that was set back to is not scaled by later
    ones."""
    record = ForceRecord()
    view = ForceView(record)
    view.forces = True
    mechanism, still = opened().mechanism, FakeClient(opened()).poll()[0]
    assert still is not None

    def scale_after(time: float, force: float) -> str:
        wrenches = np.array([[force, 0.0, 0.0, 0.0, 0.0, 0.0]], dtype=np.float32)
        none = np.zeros((0, 6), dtype=np.float32)
        record.see(ForcesNow(time, wrenches, np.zeros((1, 3), dtype=np.float32), none))
        assert view.has_news()
        assert not view.has_news()
        view.look(mechanism, replace(still, time=time), 1.0)
        return view.scale(mechanism)

    assert scale_after(0.1, 90.0) == "longest arrow 100 N"
    assert scale_after(1.9, 3.0) == "longest arrow 100 N"
    assert scale_after(2.2, 4.0) == "longest arrow 5 N"
    assert scale_after(2.3, 30.0) == "longest arrow 50 N"
    assert scale_after(2.25, 4.0) == "longest arrow 5 N"
    assert scale_after(4.0, 90.0) == "longest arrow 100 N"
    view.look(mechanism, replace(still, time=2.2), 1.0)  # an earlier moment of the recording has the scale it had
    assert view.scale(mechanism) == "longest arrow 5 N"


def test_what_falls_freely_shows_no_forces(painted: Callable[[str], Hands], tmp_path: Path) -> None:
    """A double pendulum that nothing holds: gravity speeds all its bodies up alike, so that its joints carry nothing,
    by the principle of equivalence. What is left is round-off, far below 1e-12 of the weight."""
    path = tmp_path / "falling.sdf"
    path.write_text(FALLING, encoding="utf-8")
    hands = painted(str(path.with_suffix("")))
    hands.live.answer(hold=False)
    hands.window.actions_["forces"].trigger()
    hands.live.send(StepOnce(200))
    hands.frame()
    plain, last = len(hands.pieces()), hands.live.forces.last
    assert last is not None
    assert last.time == pytest.approx(0.2)
    weight = 3.0 * 9.8
    assert 0.0 < last.largest[0] < 1e-12 * weight
    assert hands.view.state.scale == "no forces at joints or contacts"
    assert not any(" N" in label.text for label in hands.view.state.labels)
    hands.window.actions_["forces"].trigger()
    assert len(hands.pieces()) == plain


FALLING = """<sdf version="1.11"><world name="w"><gravity>0 0 -9.8</gravity><model name="m">
<link name="a"><pose>0 0 5 0.1 0.2 0.3</pose><inertial><mass>1</mass></inertial></link>
<link name="b"><pose>0.3 0 5 0.4 0.2 0.3</pose><inertial><mass>1</mass></inertial></link>
<link name="c"><pose>0.5 0.1 5 0.4 0.2 0.6</pose><inertial><mass>1</mass></inertial></link>
<joint name="ab" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint>
<joint name="bc" type="revolute"><parent>b</parent><child>c</child><axis><xyz>0 0.6 0.8</xyz></axis></joint>
</model></world></sdf>"""


def test_the_strategy_that_knows_no_forces_says_so(painted: Callable[[str], Hands]) -> None:
    pytest.importorskip("pybullet")
    hands = painted("four_bar")
    hands.live.send(SetSolver("gear"))
    hands.window.actions_["forces"].trigger()
    turning(hands)
    assert "use rows or reduced" in hands.view.state.scale


def test_reactions_are_drawn_over_time(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    panel = hands.window.traces_panel
    panel.set_plain(False)
    panel._groups.button(REACTION).click()
    for _ in range(5):
        turning(hands)
    assert [panel.pages.reaction.joint.itemText(i) for i in range(4)] == [
        "crank_joint", "rocker_joint", "coupler_joint", "closing_joint",
    ]  # fmt: skip

    def drawn() -> bool:
        hands.frame()
        return len(panel.pages.reaction._curves[3].getData()[0]) >= 5

    hands.qtbot.waitUntil(drawn)
    _, size = panel.pages.reaction._curves[3].getData()
    box = panel.pages.reaction._plot.getViewBox()
    box.updateAutoRange()
    low, high = box.viewRange()[1]
    assert low < 0.0 < size.max() < high < 3.0 * size.max(), "the axis follows what is drawn"
    last = hands.live.forces.last
    assert last is not None
    assert size[-1] == pytest.approx(float(np.linalg.norm(last.wrenches[0, :3])), rel=1e-6)
    most = float(panel.pages.reaction.largest_in("crank_joint").removesuffix(" N"))
    assert most == pytest.approx(size.max(), rel=1e-3), "the list of joints has the largest of each"


def test_reactions_are_those_of_the_whole_recording(painted: Callable[[str], Hands]) -> None:
    """Whatever page was open: the same that is reported while the forces are watched."""
    hands = painted("four_bar")
    turning(hands)
    hands.window.actions_["forces"].trigger()
    turning(hands)
    watched = hands.live.forces.last
    hands.window.actions_["forces"].trigger()
    turning(hands)
    assert watched is not None
    assert watched.time == pytest.approx(0.1)
    hands.live.forces.clear()
    panel = hands.window.traces_panel
    panel.set_plain(False)
    panel._groups.button(REACTION).click()

    def table() -> ShownTable:
        hands.frame()
        return panel.pages.reaction.table()

    def is_whole() -> bool:
        return len(table().times) >= 14

    hands.qtbot.waitUntil(is_whole)
    times, wrenches = table().times, table().values
    assert times[0] > 0.0, "no step led to the first moment"
    assert np.isfinite(wrenches).all()
    place = int(np.argmin(np.abs(times - watched.time)))
    np.testing.assert_allclose(wrenches[place], watched.wrenches[0], rtol=0.0, atol=1e-5 * watched.largest[0])
    assert "largest" in panel.pages.reaction.figures.text()


def test_reactions_of_what_falls_freely_are_nothing(painted: Callable[[str], Hands], tmp_path: Path) -> None:
    """Not a curve of round-off that fills the plot; the axis is a whole newton to either side."""
    path = tmp_path / "falling.sdf"
    path.write_text(FALLING, encoding="utf-8")
    hands = painted(str(path.with_suffix("")))
    hands.live.answer(hold=False)
    panel = hands.window.traces_panel
    panel.set_plain(False)
    panel._groups.button(REACTION).click()
    for _ in range(4):
        hands.live.send(StepOnce(50))
        hands.frame()
    last, (times, size) = hands.live.forces.last, panel.pages.reaction._curves[3].getData()
    assert last is not None
    assert last.largest[0] > 0.0
    assert len(times) > 0
    assert not np.any(size)
    low, high = panel.pages.reaction._plot.getViewBox().viewRange()[1]
    assert low <= -1.0 < 1.0 <= high
    assert panel.pages.reaction.figures.text().startswith("now 0 N")


def test_the_selected_driver_is_analysed_and_the_pose_is_marked(painted: Callable[[str], Hands]) -> None:
    """A whole turn of the crank; the mechanism follows the marker without time."""
    hands = painted("four_bar")
    page = hands.window.analysis_panel.driver
    page.run()
    assert page.found is not None
    assert page.found["rocker_joint/position"].max() == pytest.approx(0.653, abs=0.05)
    for quantity in ("position", "velocity_ratio", "effort", "transmission_angle", "force"):
        page.quantity.setCurrentIndex(page.quantity.findData(quantity))
        assert [item.name() for item in page._special if hasattr(item, "name")]
    before = hands.live.snapshot
    assert before is not None
    page._go(1.0)
    hands.frame()
    now = hands.live.snapshot
    assert now is not None
    assert (now.time, now.position[0]) == (before.time, pytest.approx(1.0))
    page.refresh()
    assert page.marker.value() == pytest.approx(1.0)


def test_dry_friction_is_in_what_the_driver_needs(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    page = hands.window.analysis_panel.driver
    hands.live.send(SetNumber("crank_joint.friction", 100.0))
    hands.frame()
    page.run()
    assert page.figures.text().startswith("driver, with dry friction: peak 10")
    page.quantity.setCurrentIndex(page.quantity.findData("effort"))
    names = [item.name() for item in page._special if hasattr(item, "name")]
    assert "crank_joint with dry friction" in names


def test_an_analysis_is_there_as_soon_as_it_is_seen(painted: Callable[[str], Hands]) -> None:
    """It is found once for each driver and what is asked of it, and again where a law or a number changes."""
    hands = painted("four_bar")
    panel = hands.window.analysis_panel
    panel.bring_up()
    page = panel.driver
    hands.qtbot.waitUntil(lambda: page.found is not None)
    first, axis = page.found, page.axis
    assert axis is not None
    page.look_if_seen()
    assert page.found is first
    page.form.speed.setValue(6.0)
    page.form.edited.emit()
    hands.qtbot.waitUntil(lambda: page.found is not first)
    fast = page.found
    assert fast is not None
    assert fast.swept.velocity[0, axis] == pytest.approx(6.0)
    hands.live.send(SetNumber("crank_joint.friction", 1.0))
    hands.frame()
    hands.qtbot.waitUntil(lambda: page.found is not fast)
    assert page.form.speed.value() == 6.0


def test_a_report_is_written_from_the_panel(
    painted: Callable[[str], Hands], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is on show, with its speed and forces, as the page of `simulator analyse --report`."""
    hands, target = painted("four_bar"), tmp_path / "page.html"
    monkeypatch.setattr("PyQt6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(target), ""))
    page = hands.window.analysis_panel.driver
    hands.window.analysis_panel.bring_up()
    page.form.speed.setValue(3.0)
    page.form.force.setText("coupler@0.1,0,0=0,0,-5")
    page.run()
    assert page.found is not None
    page.report_button.click()
    hands.qtbot.waitUntil(page.report_button.isEnabled, timeout=30_000)
    text = target.read_text(encoding="utf-8")
    assert page.figures.text() == "page.html written"
    for part in ("3 rad/s, 0 rad/s²", "coupler@0.1,0,0=0,0,-5", "<h2>Motor</h2>", "<h2>Bearings</h2>"):
        assert part in text


def test_forces_and_accelerations_act_in_an_analysis(painted: Callable[[str], Hands]) -> None:
    """Holding 20 N that press on the piston of a slider-crank takes a torque by virtual power, τ dθ = F dx; the same
    as the file of `simulator analyse --force`. An acceleration is that of the driver."""
    hands = painted("slider_crank")
    page = hands.window.analysis_panel.driver
    page.run()
    assert page.found is not None
    bare, axis = page.found.swept, page.axis
    assert axis is not None
    page.form.force.setText("piston=-20,0,0")
    page.form.acceleration.setValue(3.0)
    page.run()
    assert page.found is not None
    loaded = page.found.swept
    np.testing.assert_allclose(loaded.acceleration[:, axis], 3.0)
    page.form.acceleration.setValue(0.0)
    page.run()
    assert page.found is not None
    held = page.found.swept
    piston = held.mechanism.axis_index("piston_joint")
    way = float(np.dot(held.mechanism.axes[piston].axis.xyz_world, (1.0, 0.0, 0.0)))
    wanted = 20.0 * way * held.ratio[:, piston]
    np.testing.assert_allclose(held.effort[:, axis] - bare.effort[:, axis], wanted, atol=1e-6)
    page.form.force.setText("piston=-20")
    page.run()
    assert page.found is None
    assert "1 components, not 3 or 6" in page.figures.text()


def test_what_is_asked_of_a_driver_is_kept_for_its_document(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    page = hands.window.analysis_panel.driver
    page.form.speed.setValue(4.0)
    page.run()
    page.show_mechanism(None)
    assert hands.live.opened is not None
    page.show_mechanism(hands.live.opened.mechanism)
    assert page.form.speed.value() == 4.0


def test_a_way_is_suggested_that_the_mechanism_can_go(painted: Callable[[str], Hands]) -> None:
    """A piston without limits goes as far as the crank lets it: the stroke of a whole turn, but for the millimetre that
    a field shows at each end."""
    hands = painted("slider_crank")
    page = hands.window.analysis_panel.driver
    page.run()
    assert page.found is not None
    stroke = float(np.ptp(page.found["piston_joint/position"]))
    mechanism = hands.live.opened.mechanism if hands.live.opened else None
    assert mechanism is not None
    piston = mechanism.axis_index("piston_joint")
    page._axes = (*page._axes, piston)
    page.driver.addItem("piston_joint")
    page.select(piston)
    asked = page.form.asked(1.0)
    page.run()
    assert page.found is not None, page.figures.text()
    assert stroke - 2e-3 <= asked.end - asked.begin <= stroke


def test_a_constant_curve_has_an_axis_of_its_size(painted: Callable[[str], Hands]) -> None:
    """Not that of the quantity before."""
    hands = painted("rack_and_pinion")
    page = hands.window.analysis_panel.driver
    page.run()
    page.quantity.setCurrentIndex(page.quantity.findData("velocity_ratio"))
    low, high = page.plot.getViewBox().viewRange()[1]
    assert low == pytest.approx(-5.0, abs=30.0)
    assert 0.0 < high < 200.0


def test_motion_along_the_driver_needs_no_time(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    page = hands.window.analysis_panel.driver
    page.along.setChecked(True)
    for _ in range(5):
        page._move_on()
        hands.frame()
    now = hands.live.snapshot
    assert now is not None
    assert now.time == 0.0
    assert now.position[0] > 0.1
    page.stop()
    assert not page._timer.isActive()


def test_a_dead_point_is_named(painted: Callable[[str], Hands]) -> None:
    """The rocker cannot go further than where crank and coupler are in line."""
    hands = painted("four_bar")
    page = hands.window.analysis_panel.driver
    page._axes = (hands.live.opened.mechanism.axis_index("rocker_joint"),) if hands.live.opened else ()
    page.driver.clear()
    page.driver.addItem("rocker_joint")
    page.form.end.setValue(1.0)
    page.run()
    assert "dead point at" in page._summary()


def test_the_mechanism_swings_in_its_mode(painted: Callable[[str], Hands]) -> None:
    """The view shows closed loops around the pose, the simulation stays where it is; it comes back when that is
    over."""
    hands = painted("four_bar")
    hands.window.analysis_panel.bring_up()
    page = hands.window.analysis_panel.modes
    hands.window.analysis_panel.tabs.setCurrentWidget(page)
    page.look()
    assert page.modes.count() > 0
    still = hands.view.state.poses.copy()
    page.show_mode(0)
    assert page.swinging
    assert page._swing is not None
    page.swung.emit(page._swing.frames[12])
    assert np.abs(hands.view.state.poses - still).max() > 1e-3
    page.stop()
    np.testing.assert_allclose(hands.view.state.poses, still, atol=1e-12)


def test_turns_that_were_made_before_are_not_in_the_curves(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    hands.live.send(SetPosition(0, 20.0 * math.pi))
    hands.frame()
    page = hands.window.analysis_panel.driver
    page.run()
    assert page.found is not None
    for curve in curves_of(page.found, "position"):
        assert abs(curve.values[0]) <= math.pi, curve.name


def test_a_low_page_has_room_for_its_curves(painted: Callable[[str], Hands]) -> None:
    """Below a low view the range stays, and a speed that is not zero."""
    hands = painted("four_bar")
    page = hands.window.analysis_panel.driver
    hands.window.analysis_panel.bring_up()

    def seen(height: int) -> list[bool]:
        page.setFixedHeight(height)
        hands.qtbot.waitUntil(lambda: page.height() == height)
        return [field.isVisibleTo(page) for field in (page.form.begin, page.form.speed, page.form.force)]

    assert seen(240) == [True, True, True]
    assert seen(140) == [True, False, False]
    page.form.speed.setValue(2.0)
    assert seen(141) == [True, True, False]
    page.form.speed.setValue(0.0)
    assert seen(117) == [True, False, False]  # of a window of 1280 by 800 at a scale of 1.5
    hands.qtbot.waitUntil(lambda: page.plot.height() == 117)
    assert page.plot.width() > 0.5 * page.width()


def test_the_joint_that_carries_most_is_named(painted: Callable[[str], Hands]) -> None:
    page = painted("four_bar").window.analysis_panel.driver
    page.run()
    assert page.found is not None
    assert page.figures.text().startswith("driver: peak")
    page.quantity.setCurrentIndex(page.quantity.findData("force"))
    swept = page.found.swept
    sizes = np.linalg.norm(swept.wrenches[..., :3], axis=2).max(axis=0)
    name = swept.sweeper.joints.names[int(sizes.argmax())].rpartition("::")[2]
    assert page.figures.text().startswith(f"largest: {sizes.max():.4g} N, {name}")


def test_modes_of_a_pose_that_is_held_say_so(painted: Callable[[str], Hands]) -> None:
    """Two pendulums of 1 kg that share an angle lie level, their centres 0.5 and 0.25 m out: 9.8 N times 0.75 m holds
    them (their document is level to 4e-6 rad, which changes the cosine by less than a digit)."""
    hands = painted("fast_slow_pendulums")
    page = hands.window.analysis_panel.modes
    page.look()
    text = page.figures.text()
    assert "held there" in text
    assert text.endswith(f"joint by {MINUS}7.35 N·m")
    assert page._seen is not None
    axes = page._seen.mechanism.axes
    nothing = np.zeros(len(axes))
    assert page._with_holding("stable", axes, ("",) * len(axes), nothing) == "stable", "where they hang"


def test_frames_of_a_swing_keep_loops_closed() -> None:
    """Both sides of the closing joint are in one place in every picture; 1e-10, as assembled positions are."""
    opened = open_document(ROOT / "worlds" / "four_bar.sdf")
    client = LocalClient(opened, SessionSettings(paused=True))
    snapshot = client.poll()[0]
    client.close()
    assert snapshot is not None
    seen = look(opened, opened.mechanism, snapshot)
    modes, stable, _ = modes_at(seen)
    assert not stable  # the coupler stands upright on the crank
    loop = opened.mechanism.loop_joints[0]
    for frame in swing(seen, modes[0]).frames:
        near, far = (
            frame[body, :3] + matrix_from_quat(tuple(frame[body, 3:].tolist())) @ np.array(X.position)
            for body, X in ((loop.parent, loop.X_PJ), (loop.child, loop.X_CJ))
        )
        np.testing.assert_allclose(near, far, atol=1e-10)


@pytest.mark.parametrize(
    ("value", "figure"), [(0.0, 0.0), (-1.0, 0.0), (0.7, 1.0), (1.0, 1.0), (1.2, 2.0), (34.0, 50.0), (0.06, 0.1)]
)
def test_a_scale_of_forces_is_a_round_figure(value: float, figure: float) -> None:
    assert rounded(value) == pytest.approx(figure, rel=1e-12)
