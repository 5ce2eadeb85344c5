"""Lessons in the window: begun, stepped through with the mouse and the keyboard, refused, left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from simulator.formats.lesson import read_lesson
from simulator.gui.main_window import MainWindow
from simulator.session.run.lessons import lessons
from simulator.session.text.notes import FormulaError, display_html, formula_html, notes_html
from tests.gui.real import real_window
from tests.helpers.repository import ROOT

__all__ = ["real_window"]
Make = Callable[..., MainWindow]
LEFT = Qt.MouseButton.LeftButton


def drives(window: MainWindow) -> dict[str, float]:
    assert window.live.status is not None
    return {name.rpartition("::")[2]: drive.profile.value(0.0) for name, drive in window.live.status.drives}


def test_a_lesson_goes_from_step_to_step(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("rack_and_pinion", (1280, 800))
    panel = window.lesson_panel
    assert not panel.isVisible()
    window.open_path(ROOT / "lessons" / "3_planetary.lesson.toml")
    qtbot.waitUntil(panel.isVisible)
    window.tick()
    assert window.live.path is not None
    assert window.live.path.name == "planetary.sdf"
    assert panel.title.text() == "Three shafts, two freedoms"
    assert window.workbench.shown() == {"traces"}
    assert {s.label for s in window.traces_panel.legend.visible_series() if not s.residual} >= {
        "sun_joint",
        "ring_joint",
    }
    assert window.live.running
    assert drives(window) == {"sun_joint": 3.0, "carrier_joint": 1.0}
    qtbot.mouseClick(panel.next, LEFT)
    window.tick()
    assert panel.title.text() == "Sit down on the carrier"
    assert window.workbench.shown() == {"relations"}
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: panel.title.text() == "Three shafts, two freedoms")
    assert not panel.back.isEnabled()


def test_a_step_may_have_a_world_of_its_own_and_follow_points(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("rack_and_pinion", (1280, 800))
    window.open_path(ROOT / "lessons" / "6_straight_lines.lesson.toml")
    window.tick()
    assert len(window.viewport.motion.paths) == 2
    window.lessons.go_to(1)
    window.tick()
    assert window.live.path is not None
    assert window.live.path.name == "hoeken.sdf"
    (path,) = window.viewport.motion.paths
    assert path.link == "hoeken::coupler"
    window.lessons.go_to(2)
    assert window.lesson_panel.next.text() == "Done"
    qtbot.mouseClick(window.lesson_panel.next, LEFT)
    assert not window.lesson_panel.isVisible()
    assert window.live.opened is not None, "the world stays"


def test_another_document_ends_the_lesson_and_a_wrong_one_is_explained(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("rack_and_pinion", (1280, 800))
    window.open_path(ROOT / "lessons" / "1_rack_and_pinion.lesson.toml")
    assert window.lesson_panel.isVisible()
    window.open_path(ROOT / "worlds" / "four_bar.sdf")
    assert not window.lesson_panel.isVisible()
    wrong = ROOT / "lessons" / "none.lesson.toml"
    window.open_path(wrong)
    assert window.gallery.isVisible()
    assert "none.lesson.toml" in window.gallery.title.text()
    assert window.live.diagnostics[0].code == "LESSON_INVALID"


def test_the_start_page_has_lessons_groups_and_a_search(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("rack_and_pinion", (1280, 800))
    window.live.close_document()
    gallery = window.gallery

    def on_show() -> list[QPushButton]:
        return [card for card in gallery.cards if card.isVisible()]

    qtbot.waitUntil(lambda: len(on_show()) == len(gallery.cards))
    gallery.search.setFocus()
    qtbot.keyClicks(gallery.search, "grashof")
    (card,) = on_show()
    qtbot.mouseClick(card, LEFT)
    qtbot.waitUntil(window.lesson_panel.isVisible)
    assert window.lesson_panel.title.text() == "One bar goes round"


def test_the_start_page_opens_what_the_keyboard_chooses(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("rack_and_pinion", (1280, 800))
    window.live.close_document()
    gallery = window.gallery
    qtbot.waitUntil(lambda: all(card.isVisible() for card in gallery.cards))
    chosen: list[Path] = []
    gallery.chosen.disconnect()
    gallery.chosen.connect(chosen.append)
    gallery.search.setFocus()
    qtbot.keyClick(gallery.search, Qt.Key.Key_Return)
    assert window.focusWidget() is gallery.cards[0], "of several, Return goes to the first"
    qtbot.keyClick(gallery.cards[0], Qt.Key.Key_Return)
    assert len(chosen) == 1
    gallery.search.setFocus()
    qtbot.keyClick(gallery.search, Qt.Key.Key_Tab)
    assert window.focusWidget() is gallery.cards[0], "the cards follow the search"
    qtbot.keyClicks(gallery.search, "grashof")
    qtbot.keyClick(gallery.search, Qt.Key.Key_Return)
    assert "grashof" in chosen[1].name, "one that is found is opened"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"x = r\,\theta", "<i>x</i> = <i>r</i> <i>θ</i>"),
        (r"\dot{x} = -2", "<i>x\u0307</i> = −2"),
        (r"\frac{a}{b + c}", "<i>a</i>\u2009/\u2009(<i>b</i> + <i>c</i>)"),
        (r"\sqrt{l^2 - r^2}", "√(<i>l</i><sup>2</sup> − <i>r</i><sup>2</sup>)"),
        (r"\omega_1 < 3", "<i>ω</i><sub>1</sub> &lt; 3"),
        (r"2\ \text{rad}", "2 rad"),
        (r"r\cos\theta", "<i>r</i>\u2009cos\u2009<i>θ</i>"),
        (r"1 - \sin^2\theta", "1 − sin<sup>2</sup>\u2009<i>θ</i>"),
    ],
)
def test_formulas_are_set(text: str, expected: str) -> None:
    assert formula_html(text) == expected


def test_a_formula_by_itself_has_bars(qtbot: QtBot) -> None:
    html = display_html(r"\frac{\omega_2}{\omega_1} = -\frac{z_1}{z_2}")
    assert html.count("border-bottom") == 2
    assert "<table" in notes_html("So\n\n$\\frac{a}{b}$\n\nit is.")
    assert (
        notes_html("- one\n- two $x$")
        == '<ul><li>one</li><li>two <span style="white-space:nowrap"><i>x</i></span></li></ul>'
    )


def test_notes_set_bold_and_italic() -> None:
    assert notes_html("The *panel* of **all** 2 * 3 * 4") == "<p>The <i>panel</i> of <b>all</b> 2 * 3 * 4</p>"


@pytest.mark.parametrize("text", [r"\unknown", "{a", "a}", "x_"])
def test_wrong_formulas_show_their_source(text: str) -> None:
    with pytest.raises(FormulaError):
        formula_html(text)
    assert "<code" in notes_html(f"see ${text}$ there")


@pytest.mark.parametrize("name", [one.name for one in lessons()])
def test_every_formula_of_the_lessons_is_understood(name: str) -> None:
    lesson, _ = read_lesson(next(one.path for one in lessons() if one.name == name))
    assert lesson is not None
    for step in lesson.steps:
        assert "$" not in notes_html(step.notes)
        for index, part in enumerate(step.notes.split("$")):
            if index % 2:
                formula_html(part)


def test_a_question_keeps_its_answer_until_it_is_asked_for(real_window: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = real_window("rack_and_pinion", (1280, 800))
    world = ROOT / "worlds" / "rack_and_pinion.sdf"
    path = tmp_path / "a.lesson.toml"
    path.write_text(
        f'title = "A"\nworld = "{world}"\n[[step]]\ntitle = "1"\nnotes = "Look."\nquestion = "How far?"\n'
        'answer = "$x = r$ metres."\n[[step]]\ntitle = "2"\nquestion = "And then?"\n'
    )
    window.open_path(path)
    window.tick()
    panel = window.lesson_panel
    assert "How far?" in panel.notes.toPlainText()
    assert "metres" not in panel.notes.toPlainText()
    qtbot.mouseClick(panel.reveal, LEFT)
    assert "metres" in panel.notes.toPlainText()
    assert panel.reveal.isHidden()
    qtbot.mouseClick(panel.next, LEFT)
    window.tick()
    assert "And then?" in panel.notes.toPlainText()
    assert panel.reveal.isHidden(), "a question may be left to the class"
    qtbot.mouseClick(panel.back, LEFT)
    window.tick()
    assert "metres" not in panel.notes.toPlainText()
    assert not panel.reveal.isHidden()


def test_a_lesson_begins_with_a_step(real_window: Make) -> None:
    window = real_window("rack_and_pinion", (1280, 800))
    window.open_path(ROOT / "lessons" / "3_planetary.lesson.toml", 4)
    window.tick()
    assert window.lesson_panel.title.text() == "Carrier held: it goes backwards"


def test_a_lesson_from_the_start_page_shows_the_panels_of_its_step(real_window: Make, qtbot: QtBot) -> None:
    window = real_window("rack_and_pinion", (1280, 800))
    window.workbench.show_all()
    window.workbench.stow()
    window.open_path(ROOT / "lessons" / "1_rack_and_pinion.lesson.toml")
    window.tick()
    window.workbench.unstow()
    assert window.workbench.shown() == set()


def test_matrices_stand_by_themselves() -> None:
    html = display_html(r"\mathbf{A} = \begin{pmatrix} a & -b \\ 0 & \frac{1}{2} \\ c_1 & \mathbb{R} \end{pmatrix}")
    assert html.count("<tr>") == 4, "the line, and three rows"
    assert (html.count("border-left"), html.count("border-right")) == (3, 3)
    assert (html.count("border-top"), html.count("border-bottom")) == (2, 2), "hooks of the brackets"
    assert "<b>A</b>" in html
    assert "ℝ" in html
    assert formula_html(r"x \in \mathbb{N}, \|v\|") == "<i>x</i> ∈ ℕ,‖<i>v</i>‖"


@pytest.mark.parametrize(
    "formula", [r"\begin{pmatrix} a & b", r"\begin{cases} a \end{cases}", r"\begin{pmatrix} a \end{bmatrix}"]
)
def test_a_matrix_that_is_none_shows_its_source(formula: str) -> None:
    with pytest.raises(FormulaError):
        display_html(formula)
    assert "begin" in notes_html(f"${formula}$")


def test_notes_have_tables_pictures_and_links() -> None:
    html = notes_html(
        "| gear | teeth |\n| --- | ---: |\n| sun | $z_s$ |\n\n![a train](train.png) and [its page](https://example.org/a?b=1&c=2)"
    )
    assert '<th align="left">gear</th>' in html
    assert "<i>z</i><sub><i>s</i></sub>" in html
    assert '<img src="train.png" alt="a train">' in html
    assert '<a href="https://example.org/a?b=1&amp;c=2">its page</a>' in html
    assert "<script>" not in notes_html("[x](javascript:alert) <script>")
