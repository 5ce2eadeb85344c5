"""Laws and numbers written together, into a document or a copy of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from simulator.errors import UsageError
from simulator.mechanism.coupling_law import with_law
from simulator.session.open.opening import open_document
from simulator.session.save.document_edit import is_ours
from simulator.session.save.saving_changes import save_changes, save_copy, with_whole_paths
from tests.helpers.repository import ROOT

RACK = ROOT / "worlds" / "rack_and_pinion.sdf"
DAMPING = {"mimic_rack_and_pinion::pinion_joint.damping": 0.01}
PART = """<sdf version="1.11"><model name="pair">
  <link name="base"/><link name="a"><pose>0.1 0 0 0 0 0</pose></link><link name="b"><pose>0.2 0 0 0 0 0</pose></link>
  <joint name="fix" type="fixed"><parent>world</parent><child>base</child></joint>
  <joint name="ja" type="revolute"><parent>base</parent><child>a</child><axis><xyz>0 1 0</xyz></axis></joint>
  <joint name="jb" type="revolute"><parent>base</parent><child>b</child><axis><xyz>0 1 0</xyz>
    <mimic joint="ja"><multiplier>2</multiplier><offset>0</offset><reference>0</reference></mimic></axis></joint>
</model></sdf>"""
WHOLE = """<sdf version="1.11"><world name="w"><include><uri>parts/pair.sdf</uri></include></world></sdf>"""


def test_examples_and_lessons_are_ours(tmp_path: Path) -> None:
    assert is_ours(RACK)
    assert is_ours(ROOT / "lessons" / "8_drift.lesson.toml")
    assert not is_ours(tmp_path / "rack_and_pinion.sdf")


def test_a_copy_has_the_changes_and_finds_its_meshes(tmp_path: Path) -> None:
    opened, path, before = open_document(RACK), tmp_path / "mine.sdf", RACK.read_bytes()
    save_copy(opened, path, with_law(opened.mechanism, 0, (0.03, 0.0, 0.0)), DAMPING)
    copy = open_document(path)
    assert copy.mechanism.couplings[0].multiplier == 0.03
    assert [info.axis.damping for info in copy.mechanism.axes if info.name.endswith("pinion_joint")] == [0.01]
    assert [str(item) for item in copy.diagnostics] == [
        str(item).replace(str(RACK), str(path)) for item in opened.diagnostics
    ]
    files = [{Path(file).resolve() for file in one.document.files} - {one.path} for one in (copy, opened)]
    assert files[0] == files[1]
    assert len(files[0]) == 3
    assert path.read_text().count("<!--") == RACK.read_text().count("<!--")
    assert RACK.read_bytes() == before


def test_a_copy_that_cannot_be_is_not_there(tmp_path: Path) -> None:
    opened = open_document(RACK)
    for numbers, name in (({"world.gravity.z": -5.0}, "a.sdf"), ({}, "a.urdf"), ({}, "no/folder/a.sdf")):
        with pytest.raises(UsageError):
            save_copy(opened, tmp_path / name, opened.mechanism, numbers)
    assert list(tmp_path.iterdir()) == []
    own = Path(shutil.copy(RACK, tmp_path / "own.sdf"))
    with pytest.raises(UsageError, match="the document itself"):
        save_copy(open_document(own), own, opened.mechanism, {})


def test_what_is_in_an_included_file_is_not_changed_by_a_copy(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    part, whole = tmp_path / "parts" / "pair.sdf", tmp_path / "whole.sdf"
    part.write_text(PART)
    whole.write_text(WHOLE)
    opened = open_document(whole)
    law = with_law(opened.mechanism, 0, (3.0, 0.0, 0.0))
    with pytest.raises(UsageError, match=r"pair\.sdf"):
        save_copy(opened, tmp_path / "copy.sdf", law, {})
    assert part.read_text() == PART
    assert not (tmp_path / "copy.sdf").exists()
    assert save_changes(opened, law, {}).files == (part,)


def test_only_files_that_are_there_get_whole_paths(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "a&b.stl").write_text("")
    text = (
        "<uri>meshes/a&amp;b.stl</uri><uri> meshes/none.stl </uri><uri>model://meshes/a</uri>"
        '<mesh filename="meshes/a&amp;b.stl"/><pose>0 0 0.5 0 0 0</pose><name>meshes</name>'
    )
    whole = f"{tmp_path}/meshes/a&amp;b.stl"
    assert with_whole_paths(text, tmp_path) == (
        f"<uri>{whole}</uri><uri> meshes/none.stl </uri><uri>model://meshes/a</uri>"
        f'<mesh filename="{whole}"/><pose>0 0 0.5 0 0 0</pose><name>meshes</name>'
    )
