"""`simulator convert` as a user's shell runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.command import called, simulator
from tests.helpers.documents import link, model, world

DRIVE = "gearbox_input_joint=effort:1"
Write = Callable[..., Path]


def test_a_gearbox_becomes_a_mimic_that_moves_alike(tmp_path: Path) -> None:
    out = tmp_path / "mimic.sdf"
    done = called("convert", "gearbox", "-o", out)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "info[GEARBOX_AS_MIMIC]" in done.stderr
    assert 'type="gearbox"' not in out.read_text()
    assert called("check", out).stderr.endswith(": 0 errors, 0 warnings\n")
    ends = []
    for file in ("gearbox", out):
        told = called("run", file, "--duration", "0.2", "--solver", "gear", "--drive", DRIVE, "--json")
        ends.append(json.loads(told.stdout)["final"])
    assert ends[0] == ends[1]


def test_a_gearbox_may_stay(tmp_path: Path) -> None:
    done = called("convert", "gearbox", "--keep-gearbox", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert 'type="gearbox"' in done.stdout
    assert "GEARBOX" not in done.stderr


def test_standard_output_is_a_document_for_the_current_folder(tmp_path: Path) -> None:
    done = called("convert", "rack_and_pinion", cwd=tmp_path)
    assert done.stdout.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<!-- Rack and pinion')
    (tmp_path / "copy.sdf").write_text(done.stdout)
    checked = called("check", "copy.sdf", cwd=tmp_path)
    assert checked.stderr.endswith("copy.sdf: 0 errors, 0 warnings\n"), checked.stderr


def test_a_robot_is_converted(write_document: Write, tmp_path: Path) -> None:
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    text = f"""<robot name="r"><link name="base">{inertial}</link><link name="arm">{inertial}</link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"""
    out = tmp_path / "robot.sdf"
    assert simulator("convert", write_document(text, "robot.urdf"), "-o", out).returncode == 0
    before, after = (
        json.loads(simulator("describe", "--json", file).stdout) for file in (tmp_path / "robot.urdf", out)
    )
    assert before["root_models"] == after["root_models"]
    for described in (before, after):  # which say where the base that falls stands in each file
        described["mechanism"].pop("diagnostics")
    assert before["mechanism"] == after["mechanism"]


def test_an_input_is_never_overwritten(write_document: Write, tmp_path: Path) -> None:
    part = write_document('<sdf version="1.12">' + model("part", link("l")) + "</sdf>", "part.sdf")
    path = write_document(world("<include><uri>part.sdf</uri></include>"))
    before = path.read_text(), part.read_text()
    for out in (path, part, tmp_path / "." / path.name):
        done = called("convert", path, "-o", out)
        assert done.returncode == 2, done.stderr
        assert "belongs to the converted document" in done.stderr
    assert (path.read_text(), part.read_text()) == before


def test_a_result_is_replaced_whole_and_nothing_else_is_left(write_document: Write, tmp_path: Path) -> None:
    path, out = write_document(world(model("m", link("l")))), tmp_path / "out.sdf"
    out.write_text("something old")
    out.chmod(0o640)
    assert called("convert", path, "-o", out).returncode == 0
    assert "<sdf" in out.read_text()
    assert out.stat().st_mode & 0o777 == 0o640
    assert sorted(item.name for item in tmp_path.iterdir()) == [path.name, "out.sdf"]


def test_a_document_with_errors_is_not_written(write_document: Write, tmp_path: Path) -> None:
    path, out = write_document(world(model("m"))), tmp_path / "out.sdf"
    done = called("convert", path, "-o", out)
    assert done.returncode == 1
    assert "error[MODEL_WITHOUT_LINK]" in done.stderr
    assert not out.exists()


@pytest.mark.parametrize("out", ["nowhere/out.sdf", "."])
def test_where_nothing_can_be_written_is_wrong_usage(out: str, write_document: Write, tmp_path: Path) -> None:
    done = called("convert", write_document(world(model("m", link("l")))), "-o", out, cwd=tmp_path)
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
