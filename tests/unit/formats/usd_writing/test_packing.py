"""Stages of USD as text, as a binary crate and as a package hold the same; a mesh is written once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trimesh

from simulator.cli.convert_command import convert_file
from simulator.formats.options import STANDARD
from simulator.session.text.settings import SessionSettings
from tests.helpers.documents import model, world

pxr = pytest.importorskip("pxr", reason="OpenUSD (the extra usd) is not installed")
from pxr import Usd, UsdGeom, UsdPhysics  # noqa: E402


def document(folder: Path) -> Path:
    """A link that shows a mesh twice, touches with it, and one that has a larger copy."""
    trimesh.creation.icosphere(subdivisions=4, radius=0.1).export(folder / "ball.stl")
    mesh = "<geometry><mesh><uri>ball.stl</uri></mesh></geometry>"
    large = "<geometry><mesh><uri>ball.stl</uri><scale>2 2 2</scale></mesh></geometry>"
    parts = f'<visual name="a">{mesh}</visual><visual name="b"><pose>1 0 0 0 0 0</pose>{mesh}</visual>'
    parts += f'<collision name="c">{mesh}</collision>'
    links = f'<link name="l">{parts}</link><link name="k"><visual name="a">{large}</visual></link>'
    path = folder / "d.sdf"
    path.write_text(world(model("m", links)), encoding="utf-8")
    return path


def stage(source: Path, target: Path) -> Any:
    assert convert_file(str(source), STANDARD, SessionSettings(), output=target, keep_gearbox=False) == 0
    return Usd.Stage.Open(str(target))


@pytest.mark.parametrize("suffix", ["usdc", "usd", "usdz"])
def test_all_kinds_hold_the_same(tmp_path: Path, suffix: str) -> None:
    source = document(tmp_path)
    text, other = stage(source, tmp_path / "x.usda"), stage(source, tmp_path / f"x.{suffix}")
    assert other.GetRootLayer().ExportToString() == text.GetRootLayer().ExportToString()
    assert not (tmp_path / f"x.{suffix}").read_bytes().startswith(b"#usda")


def test_a_mesh_is_written_once(tmp_path: Path) -> None:
    made = stage(document(tmp_path), tmp_path / "x.usda")
    shown = [UsdGeom.Mesh(prim) for prim in made.Traverse() if prim.IsA(UsdGeom.Mesh)]
    assert [len(mesh.GetPointsAttr().Get()) for mesh in shown] == [15360] * 4
    assert (tmp_path / "x.usda").read_text(encoding="utf-8").count("point3f[] points") == 2
    ball = trimesh.load(tmp_path / "ball.stl")
    assert [float(mesh.GetExtentAttr().Get()[1][0]) for mesh in shown] == pytest.approx([0.1, 0.1, 0.1, 0.2], rel=1e-5)
    assert len(ball.faces) == len(shown[0].GetFaceVertexCountsAttr().Get())
    touching = [mesh.GetPrim() for mesh in shown if mesh.GetPrim().HasAPI(UsdPhysics.CollisionAPI)]
    assert len(touching) == 1
