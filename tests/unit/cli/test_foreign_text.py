"""Names of a document cannot talk to the terminal, nor print lines that look like ours."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.cli.app import run_app
from simulator.diagnostics import printable
from simulator.formats.document import read_document
from tests.helpers import documents

Write = Callable[..., Path]
EVIL = "j\x9b31m\x9d0;title\x07\u202eevil\nw.sdf:1: error[FORGED]: all is lost"
REFERENCES = "".join(letter if letter.isascii() and letter.isprintable() else f"&#{ord(letter)};" for letter in EVIL)
NAME = REFERENCES.replace("&#7;", "")
"""As it is written in a document; XML has no bell."""

TITLE = EVIL.replace("\x07", "").replace("\n", " ")


@pytest.fixture
def evil(write_document: Write) -> Path:
    parts = documents.link("base"), documents.link("arm"), documents.joint(NAME, "revolute", parent="base", child="arm")
    model = documents.model("m", *parts, f"<joint name='k' type='{NAME}'/>")
    return write_document(f"<!-- {TITLE} -->\n" + documents.world(model))


@pytest.fixture
def evil_but_fine(write_document: Write) -> Path:
    law = f"<mimic joint='{NAME}'><multiplier>2</multiplier></mimic></axis>"
    follower = documents.joint("k", "revolute", parent="base", child="leg").replace("</axis>", law)
    parts = documents.link("base"), documents.link("arm"), documents.link("leg"), follower
    model = documents.model("m", *parts, documents.joint(NAME, "revolute", parent="base", child="arm"))
    return write_document(f"<!-- {TITLE} -->\n" + documents.world(model), "fine.sdf")


def is_harmless(text: str) -> bool:
    return all(line.isprintable() and not line.startswith("w.sdf") for line in text.split("\n"))


def test_what_a_terminal_would_obey_is_escaped() -> None:
    assert printable("a\x1b[31m\n\x9b\x9d\u202e\u2028\ud800b") == r"a\x1b[31m\n\x9b\x9d\u202e\u2028\ud800b"
    assert printable("Gelenk é 関節 مفصل 🙂\u00a0m²") == "Gelenk é 関節 مفصل 🙂\u00a0m²"


@pytest.mark.parametrize("command", [["check"], ["describe"], ["run", "--duration", "0.01"], ["convert"]])
def test_names_reach_no_terminal(
    evil: Path, evil_but_fine: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    for path in (evil, evil_but_fine):
        run_app([command[0], str(path), *command[1:]])
        said = capsys.readouterr()
        assert is_harmless(said.err)
        assert is_harmless(said.out)


def test_a_file_name_reaches_no_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a\x1b]0;x\n.sdf"
    path.write_text(documents.document(documents.model("m", documents.link("a"))))
    for command in ("check", "describe"):
        run_app([command, str(path)])
        said = capsys.readouterr()
        assert is_harmless(said.out + said.err)
    run_app(["check", str(path) + "\x1b"])
    assert is_harmless(capsys.readouterr().err)


def test_json_is_escaped_once(evil_but_fine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_app(["describe", "--json", str(evil_but_fine)])
    (line,) = capsys.readouterr().out.splitlines()
    assert line.isascii()
    names = [joint["name"] for joint in json.loads(line)["worlds"][0]["models"][0]["joints"]]
    assert "m::" + EVIL.replace("\x07", "") in names


def test_headings_of_a_recording_are_one_line(evil_but_fine: Path, tmp_path: Path) -> None:
    run_app(["run", str(evil_but_fine), "--duration", "0.002", "--csv", str(tmp_path / "out.csv")])
    text = (tmp_path / "out.csv").read_text(encoding="utf-8")
    assert is_harmless(text)
    heading, *rows = csv.reader(text.splitlines())
    assert any(r"\x9b31m" in name and r"\u202e" in name for name in heading)
    assert {len(row) for row in rows} == {len(heading)}


def test_a_conversion_means_the_same_names(
    evil_but_fine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_app(["convert", str(evil_but_fine)])
    (tmp_path / "again.sdf").write_text(capsys.readouterr().out, encoding="utf-8")
    names = [
        [joint.name for joint in read_document(path).worlds[0].models[0].joints]
        for path in (evil_but_fine, tmp_path / "again.sdf")
    ]
    assert names[0] == names[1]


@pytest.mark.parametrize("name", ["9" * 300, "a\0b", "/" + "x/" * 5000])
def test_a_name_that_no_file_can_have_is_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["check", name]) in (1, 2)
    assert is_harmless(capsys.readouterr().err)
