"""`simulator share`: what it writes and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.native.ready import wasm
from tests.helpers.command import called

LESSON = Path(__file__).parents[2] / "lessons" / "8_drift.lesson.toml"


def test_a_document_becomes_a_page(tmp_path: Path) -> None:
    out = called(
        "share", "slider_crank", "-o", tmp_path / "a.html", "--duration", "1", "--title", "A & B", "--notes", "x"
    )
    assert out.returncode == 0, out.stderr
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<title>A &amp; B</title>" in text
    assert "http" not in text.replace("http://www.w3.org/", "")
    assert out.stderr.splitlines()[-1].startswith("simulator: wrote")


def test_the_page_is_named_after_the_document(tmp_path: Path) -> None:
    assert called("share", "gearbox", "--duration", "0.5", cwd=tmp_path).returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["gearbox.html"]


def test_a_lesson_becomes_a_page(tmp_path: Path) -> None:
    out = called("share", LESSON, "-o", tmp_path / "drift.html", "--duration", "0.5")
    assert out.returncode == 0, out.stderr
    assert (tmp_path / "drift.html").stat().st_size > 10_000


def test_the_same_document_makes_the_same_page(tmp_path: Path) -> None:
    for name in ("a.html", "b.html"):
        assert called("share", "four_bar", "-o", tmp_path / name, "--duration", "0.5").returncode == 0
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-o", "a.txt"), "'a.txt' is no .html file"),
        (("-o", "nowhere/a.html"), "there is no folder 'nowhere'"),
        (("-o", "a.html", "--duration", "0"), "a recording of 0 s"),
        (("-o", "a.html", "--notes", "nowhere.md"), "'nowhere.md' cannot be read"),
    ],
)
def test_what_cannot_be_written_is_said(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    out = called("share", "gearbox", *arguments, cwd=tmp_path)
    assert out.returncode == 2
    assert said in out.stderr
    assert [*tmp_path.iterdir()] == []


def test_strategy_gear_is_played_from_a_recording(tmp_path: Path) -> None:
    pytest.importorskip("pybullet")
    if wasm() is None:
        pytest.skip("there are no kernels for browsers, and numba and ziglang, which make them, are not installed")
    out = called("share", "gearbox", "-o", tmp_path / "a.html", "--solver", "gear", "--duration", "0.5")
    assert out.returncode == 0, out.stderr
    assert "strategy gear has no compiled steps" in (tmp_path / "a.html").read_text(encoding="utf-8")
