"""What a survey comes to: sums of folders, tables, the page and the sheets."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from simulator.rendering.sheet import ACROSS, PER_SHEET, Cell, thumbnail, write_jpeg, write_sheet
from simulator.session.survey.page import write_page, write_sheets
from simulator.session.survey.record import OUTCOMES, Record
from simulator.session.survey.statistics import by_folder, reasons_of
from simulator.session.survey.tables import folder_table, summary_lines, write_csv, write_markdown

RED = (200, 30, 30)


def records() -> list[Record]:
    """Two folders: ten documents that pass with 0 to 9 findings, one of them unstable, and one that is refused."""
    good = [Record(f"/m/a/{i}.sdf", "/m/a", "clean", "clean", "finished", warnings=i) for i in range(9)]
    away = Record(
        "/m/a/9.sdf", "/m/a", "unstable", "warned", "finished", infos=9, runaway="too fast", reason="too fast"
    )
    refused = Record("/m/b/<x>|y.sdf", "/m/b", "refused", "refused", reason="E: <no>", code="E", errors=200)
    return [*good, away, refused]


def test_sums_of_folders() -> None:
    total, a, b = by_folder(records(), ["/m/a", "/m/b"])
    assert [(item.name, item.folder, item.documents) for item in (total, a, b)] == [
        ("all", "", 11), ("a", "/m/a", 10), ("b", "/m/b", 1)
    ]  # fmt: skip
    assert {name: count for name, count in total.outcomes.items() if count} == {"clean": 9, "unstable": 1, "refused": 1}
    assert list(total.outcomes) == list(OUTCOMES)
    assert (total.passed, total.ran, total.runaway) == (10, 10, 1)
    assert (a.pass_percent, a.run_percent, b.pass_percent) == (100.0, 100.0, 0.0)
    assert np.isnan(b.run_percent)
    assert [a.findings_at(share) for share in (0.0, 0.5, 0.9, 0.99, 1.0)] == [0, 4, 8, 9, 9]
    assert reasons_of(records(), "refused") == [("E", 1)]


def test_sums_in_words() -> None:
    assert summary_lines(by_folder(records(), ["/m/a", "/m/b"])[0]) == [
        "11 documents: 9 clean, 1 unstable, 1 refused",
        "10 pass check (90.9 %); 10 of these run to the end with finite values (100.0 %), 1 of them with speeds "
        "or energy that run away",
        "findings of a document: median 5, 90th percentile 9, 99th 200, most 200",
    ]


def test_outcomes_that_nothing_has_are_no_columns() -> None:
    headings, rows = folder_table(by_folder(records(), ["/m/a", "/m/b"]))
    assert headings[:5] == ["folder", "documents", "clean", "unstable", "refused"]
    assert rows[2] == ["b", "1", "0", "0", "1", "0.0", "", "200", "200", "200", "200"]


def test_tables(tmp_path: Path) -> None:
    write_csv(tmp_path / "t.csv", records())
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert (rows[10]["file"], rows[10]["errors"], rows[10]["dof"]) == ("/m/b/<x>|y.sdf", "200", "")
    write_markdown(tmp_path / "t.md", records(), by_folder(records(), ["/m/a", "/m/b"]), ["a remark"])
    text = (tmp_path / "t.md").read_text(encoding="utf-8")
    assert "a remark" in text
    assert "| /m/b/<x>\\|y.sdf | refused | 200 |" in text


def test_the_page_escapes_what_documents_say(tmp_path: Path) -> None:
    write_page(tmp_path / "index.html", records(), by_folder(records(), ["/m/a", "/m/b"]), ["<remark>"])
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert text.count("<article ") == 11
    assert "&lt;no&gt;" in text
    assert "<no>" not in text
    assert "<remark>" not in text
    assert '<option value="/m/b">b</option>' in text
    assert "$" not in text.replace("${", "")


def test_sheets_are_as_many_as_are_needed(tmp_path: Path) -> None:
    (tmp_path / "sheet-77.png").touch()
    many = [Record(f"/m/{i}.sdf", "/m", "clean") for i in range(PER_SHEET + 1)]
    assert write_sheets(tmp_path, many, "Survey") == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sheet-01.png", "sheet-02.png"]


def test_a_sheet_shows_pictures_and_colours(tmp_path: Path) -> None:
    write_jpeg(tmp_path / "blue.jpg", np.full((360, 480, 3), (20, 40, 220), dtype=np.uint8))
    cells = [
        Cell(tmp_path / "blue.jpg", "a very long name " * 9, "refused", RED),
        Cell(tmp_path / "lost.jpg", "b", "clean", RED),
    ]
    write_sheet(tmp_path / "sheet.png", [*cells, *[Cell(None, "c", "clean", RED)] * ACROSS], "Title")
    with Image.open(tmp_path / "sheet.png") as image:
        pixels = np.array(image)
    blue = np.abs(pixels.astype(int) - (20, 40, 220)).max(axis=2) < 8
    assert blue.sum() == pytest.approx(240 * 180, rel=0.02)
    assert (pixels == RED).all(axis=2).sum() >= (ACROSS + 2) * 240 * 5


def test_a_thumbnail_is_a_small_jpeg(tmp_path: Path) -> None:
    write_jpeg(tmp_path / "p.jpg", np.zeros((360, 480, 3), dtype=np.uint8))
    assert thumbnail(tmp_path / "p.jpg").startswith(b"\xff\xd8")
    assert thumbnail(tmp_path / "nothing.jpg") == b""
