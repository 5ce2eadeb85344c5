"""The field for a law that is not a straight line: shown, changed, refused, restored, and saved into the document."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot

from simulator.errors import UsageError
from simulator.gui.inspector.curve_editor import CurveEditor
from simulator.gui.laws import kind_text, law_text, short_names
from simulator.mechanism.coupling_law import with_coupling_law, with_law
from simulator.mechanism.types import Mechanism
from simulator.session.commands.commands import SetCoupling
from simulator.session.open.opening import open_document
from simulator.session.save.saving import save_laws
from tests.physics.test_constraints import slider_crank
from tests.physics.test_laws import law, pendulums, polynomial

Write = Callable[..., Path]
TABLE = law("0 0 1\n1 1 1\n2 3 0.5", kind="table")


def mechanism_of(path: Path) -> Mechanism:
    opened = open_document(path)
    assert not opened.has_errors
    return opened.mechanism


def editor_for(mechanism: Mechanism, qtbot: QtBot) -> tuple[CurveEditor, list[SetCoupling]]:
    editor, sent = CurveEditor(0, mechanism.couplings[0], mechanism.axes), list[SetCoupling]()
    editor.commanded.connect(sent.append)
    qtbot.addWidget(editor)
    editor.show()
    return editor, sent


def test_a_text_is_sent_and_restored(write_document: Write, qtbot: QtBot) -> None:
    mechanism = mechanism_of(write_document(pendulums("", law("0.5*q + sin(q)"))))
    editor, sent = editor_for(mechanism, qtbot)
    assert editor.text.toPlainText() == "0.5*q + sin(q)"
    assert not editor.apply.isEnabled()
    assert not editor.restore.isEnabled()
    editor.text.selectAll()
    qtbot.keyClicks(editor.text, "cos(q)")
    qtbot.mouseClick(editor.apply, Qt.MouseButton.LeftButton)
    assert sent == [SetCoupling(0, 1.0, 0.0, 0.0, text="cos(q)")]
    editor.show_law(with_coupling_law(mechanism.couplings[0], sent[0].law, mechanism.axes))
    assert not editor.apply.isEnabled()
    qtbot.mouseClick(editor.restore, Qt.MouseButton.LeftButton)
    assert sent[-1].text == "0.5*q + sin(q)"


def test_rows_of_a_table_are_lines(write_document: Write, qtbot: QtBot) -> None:
    mechanism = mechanism_of(write_document(pendulums("", TABLE)))
    editor, _ = editor_for(mechanism, qtbot)
    assert editor.text.toPlainText() == "0 0 1\n1 1 1\n2 3 0.5"


@pytest.mark.parametrize(
    ("inside", "text", "kind"),
    [
        (polynomial((0.1, 0.5, 0.0, -2.0)), "jb = 0.1 + 0.5·ja − 2·ja³", "polynomial"),
        (polynomial((0.0, 0.0, 1.0)), "jb = ja²", "polynomial"),
        (law("sin(q)*q + sqrt(1 + q**2)"), "jb = sin(ja)*ja + sqrt(1 + ja**2)", "expression"),
        (TABLE, "jb = table of ja (3 rows, hermite)", "table"),
    ],
)
def test_how_a_law_reads(write_document: Write, inside: str, text: str, kind: str) -> None:
    mechanism = mechanism_of(write_document(pendulums("", inside)))
    (coupling,) = mechanism.couplings
    assert law_text(coupling, short_names(mechanism.axes)) == text
    assert kind_text(coupling) == kind


@pytest.mark.parametrize(
    ("inside", "new"),
    [
        (polynomial((0.1, 0.5)), "0.2 0.4 0.1"),
        (law("0.5*q"), "0.5*q if q < 1 else sin(q)"),
        (TABLE, "0 0 1; 2 3 0.5"),
    ],
)
def test_a_law_is_saved_where_it_is_written(write_document: Write, inside: str, new: str) -> None:
    path = write_document(pendulums("", inside))
    opened = open_document(path)
    before = path.read_text()
    edit = save_laws(opened, with_law(opened.mechanism, 0, new))
    again = mechanism_of(path)
    assert again.couplings == with_law(opened.mechanism, 0, new).couplings
    edit.take_back()
    assert path.read_text() == before
    with pytest.raises(UsageError, match="another kind of law than in the document"):
        save_laws(opened, with_law(opened.mechanism, 0, (2.0, 0.0, 0.0)))


def test_a_constraint_is_changed_and_saved(write_document: Write) -> None:
    path = write_document(slider_crank(as_constraint=True))
    opened = open_document(path)
    longer = "hypot(piston_joint + 0.4 - 0.1*cos(crank_joint), 0.1*sin(crank_joint)) - 0.35"
    save_laws(opened, with_law(opened.mechanism, 0, longer))
    again = open_document(path)
    assert again.mechanism.couplings[0].residual([0.0, 0.05]) == pytest.approx(0.0, abs=1e-15)
    with pytest.raises(UsageError, match="'rod' is none of the constraint's joints"):
        with_law(opened.mechanism, 0, "rod - 1")
    with pytest.raises(UsageError, match="has no multiplier"):
        with_law(opened.mechanism, 0, (1.0, 0.0, 0.0))
