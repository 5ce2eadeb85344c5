"""Loads survive a conversion."""

from __future__ import annotations

from pathlib import Path

from simulator.formats.document import read_document
from simulator.formats.writing.document import read_source, write_document

DOCUMENT = """<sdf version="1.12" xmlns:simulator="urn:simulator"><world name="w">
  <simulator:load link="m::a" at="0 0.1 0" force="0 0 ramp(0,-10,2)" moment="sine(1,2) 0 0" frame="link"/>
  <model name="m">
    <simulator:gravity>0 0 -1.62</simulator:gravity>
    <simulator:spring link="a" other="world" other_at="0 0 1" stiffness="200" damping="5" free_length="0.3"/>
    <simulator:spring link="a" other="b" table="0.2 -1 0.5 3"/>
    <simulator:torsion_spring joint="j" stiffness="2" damping="0.1" angle="0.5"/>
    <link name="a"/><link name="b"><pose>0.4 0 0 0 0 0</pose></link>
    <joint name="j" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>
  </model></world></sdf>"""


def test_every_load_is_written_as_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "loads.sdf"
    path.write_text(DOCUMENT, encoding="utf-8")
    source = read_source(path)
    assert not source.document.has_errors
    again = tmp_path / "again.sdf"
    again.write_text(write_document(source.document, tmp_path, source).text, encoding="utf-8")
    before, after = source.document.world(), read_document(again).world()
    assert after.loads == before.loads
    assert after.models[0].loads == before.models[0].loads
    assert after.models[0].gravity == (0.0, 0.0, -1.62)
    assert len(before.models[0].loads) == 3
