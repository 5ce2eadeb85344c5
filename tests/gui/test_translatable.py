"""No text of the window lacks tr(): in a language in which every translation is in brackets, nothing is outside of
them.

The method is pseudo-localisation, as in the guidelines of Qt, Android and Windows for software that is to be
translated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from PyQt6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt, QTranslator
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QTextBrowser,
    QWidget,
)
from pytestqt.qtbot import QtBot

from simulator.gui.main_window import MainWindow
from simulator.gui.panels.panel import Panel
from simulator.mechanism.varied import parameters_of
from simulator.recording.channels import channels_of
from simulator.session.commands.commands import StepOnce
from simulator.session.open.examples import examples
from simulator.session.run.lessons import lessons
from tests.gui.real import real_window

__all__ = ["real_window"]
BRACKETED = re.compile(r"⟦[^⟦⟧]*⟧")
WORD = re.compile(r"[A-Za-z]{3,}")
SAME = frozenset({"rad", "deg", "RMS", "Ctrl", "Shift", "Alt", "Left", "Right", "rows", "reduced", "gear"})
"""Units, keys and the names of the strategies, which are what one types, are the same in every language."""


class Brackets(QTranslator):
    """Every text in brackets."""

    def translate(self, context: str, source: str, disambiguation: str | None = None, n: int = -1) -> str:
        return f"⟦{source}⟧"

    def isEmpty(self) -> bool:
        return False


@pytest.fixture
def brackets(qapp: QApplication) -> Iterator[None]:
    translator = Brackets()
    qapp.installTranslator(translator)
    yield
    qapp.removeTranslator(translator)


def outside(text: str) -> str:
    """What of a text is in no brackets; they may be inside of each other."""
    before = ""
    while before != text:
        before, text = text, BRACKETED.sub("", text)
    return text


def texts_of(widget: QWidget) -> Iterator[str]:
    yield widget.toolTip()
    yield widget.accessibleName()
    yield widget.windowTitle()
    if isinstance(widget, QAbstractButton | QLabel):
        yield widget.text()
    if isinstance(widget, QLineEdit):
        yield widget.placeholderText()
    if isinstance(widget, QComboBox):
        yield from (widget.itemText(row) for row in range(widget.count()))
    if isinstance(widget, QTextBrowser):
        yield widget.toPlainText()
    if isinstance(widget, QAbstractItemView):
        yield from items_of(widget.model())
    if isinstance(widget, QMenu):
        yield widget.title()


def items_of(model: QAbstractItemModel | None, parent: QModelIndex | None = None) -> Iterator[str]:
    if model is None:
        return
    at = parent or QModelIndex()
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(at)  # a list's own count is private
    for column in range(columns):
        yield str(model.headerData(column, Qt.Orientation.Horizontal) or "")
    for row in range(model.rowCount(at)):
        for column in range(columns):
            index = model.index(row, column, at)
            yield str(model.data(index) or "")
        yield from items_of(model, model.index(row, 0, at))


def names_of(window: MainWindow) -> set[str]:
    """Words that come from the document; names of numbers and channels are what one types."""
    opened = window.live.opened
    assert opened is not None
    known = [opened.path.name, str(opened.path), opened.world.name, opened.mechanism.name]
    known += [axis.name for axis in opened.mechanism.axes] + [body.name for body in opened.mechanism.bodies]
    for model in opened.world.models:
        known += [model.name, *(link.name for link in model.links), *(joint.name for joint in model.joints)]
    known += [number.name for number in parameters_of(opened.mechanism, opened.world)]
    known += [channel.name for channel in channels_of(opened.mechanism)]
    return {word for name in known for word in WORD.findall(name)}


def unknown(text: str, known: set[str]) -> list[str]:
    """Words in no brackets that are not of the document; case does not matter, for texts begin with a capital."""
    return [word for word in WORD.findall(outside(text)) if word.lower() not in known]


@pytest.mark.parametrize("world", ["rack_and_pinion", "four_bar"])
def test_no_text_of_the_window_lacks_a_translation(
    brackets: None, real_window: Callable[..., MainWindow], qtbot: QtBot, world: str
) -> None:
    window = real_window(world)
    window.live.send(StepOnce(20))
    for panel in window.workbench.panels:
        panel.bring_up()
        qtbot.wait(20)
        window.tick()
    known = names_of(window) | SAME | {"simulator"}
    known |= {word for example in examples() for word in WORD.findall(f"{example.title} {example.path}")}
    known |= {word for lesson in lessons() for word in WORD.findall(f"{lesson.title} {lesson.path}")}
    known = {word.lower() for word in known}
    bare: dict[str, str] = {}
    foreign = (window.mechanism_panel.sentences, window.viewport.canvas)
    for widget in (window, *window.findChildren(QWidget)):
        if widget in foreign:  # the sentences of `simulator describe`, and why this test has no OpenGL
            continue
        for text in texts_of(widget):
            left = unknown(text, known)
            if left:
                bare[text] = f"{left} in {type(widget).__name__} of {panel_of(widget)}"
    for action in window.findChildren(QAction):
        left = unknown(action.text(), known)
        if left:
            bare[action.text()] = f"action {action.objectName()}"
    assert bare == {}


def parents(widget: QWidget) -> Iterator[QWidget]:
    parent: QWidget | None = widget
    while parent is not None:
        yield parent
        parent = parent.parentWidget()


def panel_of(widget: QWidget) -> str:
    return next((p.objectName() for p in parents(widget) if isinstance(p, Panel)), "the window")
