"""A document tells which files it was read from, so that a window can watch them."""

from __future__ import annotations

from pathlib import Path

from simulator.formats.document import read_document
from tests.helpers.repository import ROOT

PART = """<sdf version="1.11"><model name="part"><link name="body"><visual name="v"><geometry><mesh>
<uri>{mesh}</uri></mesh></geometry></visual></link></model></sdf>"""
WORLD = """<sdf version="1.11"><world name="w"><include><uri>part</uri></include>
<include><uri>part</uri><name>again</name></include></world></sdf>"""
MANIFEST = '<model><name>part</name><sdf version="1.11">model.sdf</sdf></model>'


def test_included_files_manifests_and_meshes_are_listed_once(tmp_path: Path) -> None:
    mesh = next((ROOT / "assets" / "meshes").glob("*.stl"))
    folder = tmp_path / "part"
    folder.mkdir()
    (folder / "model.config").write_text(MANIFEST)
    (folder / "model.sdf").write_text(PART.format(mesh=mesh))
    (tmp_path / "world.sdf").write_text(WORLD)
    document = read_document(tmp_path / "world.sdf")
    assert not document.has_errors
    expected = (tmp_path / "world.sdf", folder / "model.config", folder / "model.sdf", mesh)
    assert document.files == tuple(str(path) for path in expected)


def test_a_file_that_cannot_be_read_is_listed_too(tmp_path: Path) -> None:
    (tmp_path / "bad.sdf").write_text("no document")
    assert read_document(tmp_path / "bad.sdf").files == (str(tmp_path / "bad.sdf"),)
