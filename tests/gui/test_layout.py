"""The view comes first: how much of the window it has, how narrow the window can be, and how panels come and go."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QPoint, QRect, QSettings, Qt
from PyQt6.QtGui import QContextMenuEvent
from PyQt6.QtWidgets import QApplication, QDialog, QMenu, QScrollArea, QToolButton
from pytestqt.qtbot import QtBot

from simulator.engine.drives import DriveKind
from simulator.gui.live import LiveSession
from simulator.gui.main_window import MainWindow
from simulator.gui.panels.drive_card import KINDS
from simulator.gui.preferences import Preferences
from simulator.gui.selection import Item, ItemKind
from simulator.gui.theme import Theme, ThemeChoice
from simulator.gui.viewport import views
from simulator.gui.workbench import Arrangement
from simulator.session.commands.commands import StepOnce
from tests.gui.conftest import Bench, open_fake
from tests.gui.fakes import FakeClient
from tests.gui.on_view import START, Hands
from tests.gui.real import real_window
from tests.gui.test_hands import on_rocker

__all__ = ["real_window"]
Make = Callable[..., MainWindow]
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def first_window(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[int, int], MainWindow]]:
    """A window at the first start of the program."""
    monkeypatch.setattr(views, "opengl_problem", lambda *_: "not asked for in this test")
    made: list[MainWindow] = []

    def make(width: int, height: int) -> MainWindow:
        preferences = Preferences(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
        live = LiveSession(open_fake, FakeClient, paused=True, speed=1.0)
        window = MainWindow(live, Theme(qapp, ThemeChoice.LIGHT), preferences)
        window.resize(width, height)
        qtbot.addWidget(window)
        window.show()
        path = tmp_path / "rack.sdf"
        path.write_text("<sdf version='1.11'/>")
        live.open(path)
        made.append(window)
        qtbot.waitExposed(window)
        return window

    yield make
    for window in made:
        window.close()


@pytest.mark.parametrize(
    ("size", "open_panels"),
    [
        ((1280, 800), {"joints", "traces"}),
        ((853, 533), set()),
        ((1600, 1000), {"joints", "traces"}),
        ((1920, 1080), {"joints", "traces"}),
    ],
)
def test_panels_leave_the_view_room(
    first_window: Callable[[int, int], MainWindow], qtbot: QtBot, size: tuple[int, int], open_panels: set[str]
) -> None:
    window = first_window(*size)
    assert window.workbench.shown() == open_panels
    qtbot.waitUntil(lambda: part_of_view(window) >= 0.55)


def part_of_view(window: MainWindow) -> float:
    view = window.viewport
    return view.width() * view.height() / (window.width() * window.height())


def test_a_banner_takes_its_room_from_the_view(first_window: Callable[[int, int], MainWindow], qtbot: QtBot) -> None:
    """The controls beside the plots are not cut."""
    window = first_window(1280, 800)
    qtbot.waitUntil(lambda: window.workbench.work.height() > 100)
    before = window.workbench.work.height()
    window.announcements.say_changed(Path("rack.sdf"))
    qtbot.waitUntil(lambda: window.announcements.height() > 30)
    qtbot.wait(20)
    assert abs(window.workbench.work.height() - before) <= 2, "a splitter rounds"
    assert window.traces_panel.tools.isVisible()


def test_the_view_keeps_nearly_half_of_a_small_window(
    first_window: Callable[[int, int], MainWindow], qtbot: QtBot
) -> None:
    """1280×800 pixels at a scale of 1.5, with a column at the right and plots below."""
    window = first_window(853, 533)
    window.workbench.show_all()
    qtbot.waitUntil(lambda: part_of_view(window) >= 0.45)
    (card,) = window.joints_panel.cards.values()
    column = card.parentWidget()
    assert column is not None
    seen = column.visibleRegion().boundingRect()
    card.kind.setCurrentIndex(KINDS.index(DriveKind.VELOCITY))
    qtbot.waitUntil(card.value.isVisible)
    QApplication.processEvents()
    for field in (card, card.value, card._hint, card.slider):
        left = field.mapTo(column, QPoint()).x()
        assert left >= seen.left()
        assert left + field.width() <= seen.right() + 1, "nothing of it is cut"


def test_plots_go_below_the_view_beside_it_and_in_its_place(
    first_window: Callable[[int, int], MainWindow], qtbot: QtBot
) -> None:
    window = first_window(1280, 800)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    view, work = window.viewport, window.workbench.work
    qtbot.waitUntil(lambda: view.width() == work.width())
    qtbot.keyClick(view.canvas, Qt.Key.Key_T)
    qtbot.waitUntil(lambda: view.height() == work.height() and abs(view.width() - work.width()) <= 2)
    qtbot.keyClick(view.canvas, Qt.Key.Key_T)
    qtbot.waitUntil(lambda: not view.isVisible() and work.isVisible())
    qtbot.keyClick(window, Qt.Key.Key_T)
    qtbot.waitUntil(lambda: view.isVisible() and not work.isVisible())
    qtbot.keyClick(view.canvas, Qt.Key.Key_T)
    qtbot.waitUntil(lambda: view.width() == work.width())
    qtbot.mouseClick(window.workbench.modes[Arrangement.HALF], LEFT)
    qtbot.waitUntil(lambda: view.height() == work.height())


def test_sizes_that_were_set_by_hand_stay(first_window: Callable[[int, int], MainWindow], qtbot: QtBot) -> None:
    window = first_window(1280, 800)
    frame = window.workbench
    qtbot.waitUntil(frame.work.isVisible)
    handle = frame._bench.handle(1)
    assert handle is not None
    start = handle.rect().center()
    qtbot.mousePress(handle, LEFT, pos=start)
    qtbot.mouseMove(handle, start - QPoint(0, 120))
    qtbot.mouseRelease(handle, LEFT, pos=start - QPoint(0, 120))
    height = frame.work.height()
    window.resize(1300, 820)
    qtbot.wait(30)
    assert abs(frame.work.height() - height) <= 20, "it was dragged"
    state = frame.state()
    frame.reset()
    qtbot.waitUntil(lambda: frame.work.height() < height - 60)
    frame.restore(state)
    qtbot.waitUntil(lambda: abs(frame.work.height() - height) <= 20)


def test_the_window_fits_800_pixels_with_every_panel_open(
    first_window: Callable[[int, int], MainWindow], qtbot: QtBot
) -> None:
    window = first_window(1280, 800)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, Qt.Key.Key_F9)
    qtbot.waitUntil(lambda: window.workbench.shown() == {"joints", "traces"})
    window.resize(600, 600)
    qtbot.waitUntil(lambda: window.width() <= 800)
    qtbot.keyClick(window, Qt.Key.Key_F9, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: window.workbench.shown() == set())


def test_a_tab_brings_a_panel_forward_and_its_key_closes_it(
    first_window: Callable[[int, int], MainWindow], qtbot: QtBot
) -> None:
    window = first_window(1280, 800)
    frame = window.workbench
    joints, model = (frame.side.buttons[name] for name in ("joints", "model"))
    qtbot.waitUntil(lambda: joints.isChecked() and not model.isChecked())
    qtbot.mouseClick(model, LEFT)
    qtbot.waitUntil(lambda: model.isChecked() and not joints.isChecked())
    assert window.model_panel.isVisible()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    alt = Qt.KeyboardModifier.AltModifier
    qtbot.keyClick(window, Qt.Key.Key_2, alt)
    qtbot.waitUntil(lambda: frame.shown() == {"traces"})
    qtbot.keyClick(window, Qt.Key.Key_5, alt)
    qtbot.waitUntil(lambda: frame.shown() == {"kinematics"})
    qtbot.keyClick(window, Qt.Key.Key_J)
    qtbot.waitUntil(lambda: frame.shown() == {"kinematics", "model"})
    qtbot.mouseClick(frame.side.close_button, LEFT)
    qtbot.waitUntil(lambda: frame.shown() == {"kinematics"})
    assert not window.actions_["side"].isChecked()


def test_reset_suits_the_size_that_the_window_has_now(
    first_window: Callable[[int, int], MainWindow], qtbot: QtBot
) -> None:
    window = first_window(1280, 800)
    window.mechanism_panel.bring_up()
    window.workbench.arrange(Arrangement.FULL)
    window.actions_["reset_layout"].trigger()
    assert window.workbench.shown() == {"joints", "traces"}
    assert window.workbench.arrangement is Arrangement.STRIP
    window.resize(800, 600)
    window.actions_["reset_layout"].trigger()
    assert window.workbench.shown() == set()


def labels(menu: QMenu) -> list[str]:
    return [action.text().replace("&", "") for action in menu.actions() if action.text()]


def pick(menu: QMenu, text: str) -> None:
    next(action for action in menu.actions() if action.text().replace("&", "") == text).trigger()


def test_a_right_click_on_a_body_offers_what_can_be_done_with_it(painted: Callable[[str], Hands], qtbot: QtBot) -> None:
    hands = painted("four_bar")
    window, canvas = hands.window, hands.view.canvas
    at = hands.pixel(on_rocker(START))
    qtbot.mouseClick(canvas, Qt.MouseButton.RightButton, pos=at.toPoint())
    menu = window.context_menus.menu
    qtbot.waitUntil(menu.isVisible)
    assert window.selection.item == Item(ItemKind.LINK, "four_bar::rocker")
    assert "Fit rocker into the view" in labels(menu)
    pick(menu, "Plot")
    assert {s.label for s in window.traces_panel.legend.visible_series() if not s.residual} == {
        "rocker_joint",
        "closing_joint",
    }
    pick(menu, "Copy name")
    clipboard = QApplication.clipboard()
    assert clipboard is not None
    assert clipboard.text() == "four_bar::rocker"
    pick(menu, "Follow this point")
    (path,) = window.viewport.motion.paths
    assert path.link == "four_bar::rocker"
    menu.close()


def test_the_menu_key_asks_for_the_selected_thing(painted: Callable[[str], Hands], qtbot: QtBot) -> None:
    hands = painted("four_bar")
    hands.window.selection.select(Item(ItemKind.JOINT, "four_bar::rocker_joint"))
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(5, 5), QPoint(5, 5))
    QApplication.sendEvent(hands.view.canvas, event)
    menu = hands.window.context_menus.menu
    assert "Show in Joints" in labels(menu)
    pick(menu, "Show in Joints")
    assert hands.window.joints_panel.fold.isChecked(), "the rocker moves along: its row is unfolded"
    menu.close()


def test_tree_and_traces_have_menus(painted: Callable[[str], Hands], qtbot: QtBot) -> None:
    window = painted("four_bar").window
    tree = window.model_panel.tree
    entry = window.model_panel._items[Item(ItemKind.JOINT, "four_bar::crank_joint")]
    tree.customContextMenuRequested.emit(tree.visualItemRect(entry).center())
    assert "Plot" in labels(window.context_menus.menu)
    window.traces_panel.legend.customContextMenuRequested.emit(QPoint(5, 5))
    menu = window.context_menus.menu
    pick(menu, "Show none")
    assert window.traces_panel.legend.visible_series() == ()
    pick(menu, "Two cursors")
    assert window.traces_panel.tools.cursors.isChecked()
    menu.close()


def test_a_past_moment_is_not_called_paused(painted: Callable[[str], Hands]) -> None:
    hands = painted("four_bar")
    hands.live.send(StepOnce(50))
    hands.frame()
    hands.live.playback.show(0.01)
    hands.window._due[100] = 0
    hands.frame()
    assert hands.window.status.state.text() == "Past moment"


def test_what_a_bar_has_no_room_for_is_behind_a_button_that_is_seen(bench: Bench, qtbot: QtBot) -> None:
    """Its picture is as wide as what the style leaves of the button."""
    bench.window.resize(780, 420)
    qtbot.wait(30)
    bar = bench.window.transport
    more = bar.findChild(QToolButton, "qt_toolbar_ext_button")
    assert more is not None
    assert more.isVisible()
    picture = more.grab().toImage()
    colours = {picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height())}
    assert len(colours) > 2, "an arrow before a plain ground"


def test_every_entry_of_the_menus_has_a_letter_of_its_own(
    first_window: Callable[[int, int], MainWindow],
) -> None:
    bar = first_window(1280, 800).menuBar()
    assert bar is not None
    for menu in (action.menu() for action in bar.actions()):
        assert menu is not None
        texts = [action.text() for action in menu.actions() if not action.isSeparator()]
        letters = [text[text.index("&") + 1].lower() for text in texts]
        assert len(set(letters)) == len(letters), texts


def test_switches_with_an_icon_have_a_check_mark_in_the_menu(
    first_window: Callable[[int, int], MainWindow], qtbot: QtBot
) -> None:
    """Where it is, the picture of the entry changes when it is switched."""
    window = first_window(1280, 800)
    bar = window.menuBar()
    assert bar is not None
    view = next(action.menu() for action in bar.actions() if action.text() == "&View")
    assert view is not None
    view.popup(window.mapToGlobal(QPoint()))
    qtbot.waitUntil(view.isVisible)
    grid = window.actions_["grid"]
    place = view.actionGeometry(grid)
    on = view.grab(place).toImage()
    grid.trigger()
    assert view.grab(place).toImage() != on
    view.close()


def test_the_list_of_keys_fits_the_screen_and_can_be_closed(
    first_window: Callable[[int, int], MainWindow], qtbot: QtBot
) -> None:
    window = first_window(853, 533)
    window.actions_["keys"].trigger()
    page = window.findChild(QDialog)
    assert page is not None
    qtbot.waitExposed(page)
    screen = window.screen()
    assert screen is not None
    assert screen.availableSize().boundedTo(page.frameGeometry().size()) == page.frameGeometry().size()
    area = page.findChild(QScrollArea)
    assert area is not None
    scroll = area.verticalScrollBar()
    assert scroll is not None
    assert scroll.maximum() > 0
    before = scroll.value()
    qtbot.keyClick(area, Qt.Key.Key_PageDown)
    assert scroll.value() > before
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.findChild(QDialog) is None)


def test_the_bar_of_traces_is_whole_beside_an_open_panel(
    first_window: Callable[[int, int], MainWindow], qtbot: QtBot
) -> None:
    """1280 pixels at a scale of 1.5: the controls are one line, or a column, and none is cut; what has no place is in
    the menu of the plots."""
    window = first_window(853, 533)
    window.workbench.show_all()
    traces = window.traces_panel
    qtbot.waitUntil(lambda: traces.isVisible() and window.joints_panel.isVisible())
    qtbot.wait(50)
    bar = traces.bar
    controls = [traces.span, traces.follow, bar.quantity]
    assert all(control.isVisible() for control in controls)
    controls += [traces.tools] if traces.tools.isVisible() else []
    places = [bar.rect().contains(QRect(c.mapTo(bar, QPoint()), c.size())) for c in controls]
    assert all(places)


def test_residuals_are_never_cut_in_the_middle_of_a_number(bench: Bench) -> None:
    bench.open()
    residual = bench.window.status.residual
    residual.show_text("loop |r| 1.2e−16 m, 3e−17 rad", "|r| 1.2e−16 m", "")
    room = residual.fontMetrics().horizontalAdvance
    texts = ("loop |r| 1.2e−16 m, 3e−17 rad", "|r| 1.2e−16 m", "")
    for width, text in zip((room(texts[0]) + 2, room(texts[0]) - 2, room(texts[1]) - 2), texts, strict=True):
        residual.resize(width, residual.height())
        assert residual.fitting() == text


def test_the_list_of_joints_is_as_high_as_its_rows_have_become(real_window: Make, qtbot: QtBot) -> None:
    """A card gets a line when its limits are known, long after it was made."""
    window = real_window("four_bar", (1280, 800))
    window.tick()
    card = next(iter(window.joints_panel.cards.values()))
    scroll = window.joints_panel._scroll
    card.setMinimumHeight(card.height() + 60)
    qtbot.waitUntil(lambda: scroll.viewport().height() >= scroll.widget().sizeHint().height())


def test_names_of_followers_are_whole_in_a_column_of_the_usual_width(real_window: Make) -> None:
    """gear_2_joint and gear_3_joint differ in what an ellipsis in their middle would hide."""
    window = real_window("gear_train", (1280, 800))
    window.tick()
    rows = window.joints_panel.followers.values()
    assert len(rows) == 7
    for row in rows:
        assert row._name.width() >= row._name.fontMetrics().horizontalAdvance(row._name.text())
