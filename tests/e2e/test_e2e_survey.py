"""`simulator survey`: tables, page and sheets of folders of documents; continuing after an interruption; nothing left
behind."""

from __future__ import annotations

import csv
import json
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.helpers.command import called, executable, simulator, surroundings
from tests.helpers.documents import joint, link, mimic, model, world
from tests.helpers.repository import ROOT

BOX = "<visual name='v'><geometry><box><size>1 1 1</size></box></geometry></visual>"
MESH = "<visual name='w'><geometry><mesh><uri>model://nowhere/part.stl</uri></mesh></geometry></visual>"
MARK = "SURVEY_UNDER_TEST"


@pytest.fixture
def models(write_document: Callable[..., Path], tmp_path: Path) -> Path:
    """A folder with a clean, a warned and two refused documents, and a template."""
    j = joint("j", "revolute", parent="world", child="a")
    k = joint("k", "revolute", mimic("j", multiplier=2.0), parent="world", child="b")
    write_document(world(model("wheels", link("a", BOX), link("b"), j, k)), "models/wheels/model.sdf")
    write_document(world(model("told", link("a", BOX), "<plugin name='p' filename='p.so'/>")), "models/told/model.sdf")
    write_document(world(model("bare", link("a", BOX, MESH))), "models/bare/model-1_4.sdf")
    write_document("<robot", "models/broken.urdf")
    write_document("<sdf><model name='@NAME@'/></sdf>", "models/template.sdf")
    return tmp_path / "models"


def lines_of(out: Path) -> dict[str, dict[str, Any]]:
    """What is in survey.json, by the path below the folder of documents."""
    records = [json.loads(line) for line in (out / "survey.json").read_text(encoding="utf-8").splitlines()]
    return {str(Path(record["file"]).relative_to(record["folder"])): record for record in records}


def test_tables_page_and_sheets(models: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = simulator("survey", models, "-o", out, "--duration", "0.05", "--jobs", "2", "--strict")
    assert done.returncode == 0, done.stderr
    outcomes = {name: record["outcome"] for name, record in lines_of(out).items()}
    assert outcomes == {
        "bare/model-1_4.sdf": "refused",
        "broken.urdf": "refused",
        "told/model.sdf": "warned",
        "wheels/model.sdf": "clean",
    }
    assert "4 documents: 1 clean, 1 warned, 2 refused" in done.stdout
    assert "2 pass check (50.0 %); 2 of these run to the end with finite values (100.0 %)" in done.stdout
    assert "left out: 1 template\n" in done.stdout
    with (out / "survey.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["file"], row["outcome"]) for row in rows] == [
        (str(models / name), outcome) for name, outcome in sorted(outcomes.items())
    ]
    assert [row["missing_files"] for row in rows if row["file"].endswith("model-1_4.sdf")] == ["1"]
    assert "| all | 4 | 1 | 1 | 2 | 50.0 | 100.0 |" in (out / "survey.md").read_text(encoding="utf-8")
    page = (out / "index.html").read_text(encoding="utf-8")
    assert page.count("<article ") == 4
    assert page.count("data:image/jpeg;base64,") == 3
    assert re.findall(r"(?:src|href)=\"(?!data:|\.\./|pictures/)[^\"]*|url\(|https?:", page) == []
    with Image.open(out / "sheet-01.png") as sheet:
        assert sheet.width > 6 * 240
    assert len(list((out / "pictures").iterdir())) == 3


def test_a_survey_goes_on_with_what_is_new(models: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ("survey", models, "-o", out, "--duration", "0", "--no-pictures", "--jobs", "1")
    assert simulator(*arguments).returncode == 0
    before = lines_of(out)
    with (out / "survey.json").open("a", encoding="utf-8") as file:
        file.write('{"file": "cut o')
    (models / "wheels/model.sdf").rename(models / "wheels/model-1_4.sdf")
    done = simulator(*arguments, "--resume")
    assert [line for line in done.stderr.splitlines() if re.match(r"\d+/", line)] == [
        f"1/1 clean: {models / 'wheels/model-1_4.sdf'}"
    ]
    assert lines_of(out) == {**before, "wheels/model-1_4.sdf": lines_of(out)["wheels/model-1_4.sdf"]}
    assert "5 documents" in done.stdout
    again = simulator(*arguments)
    assert "4 documents" in again.stdout, "without --resume a survey starts anew"


def test_ctrl_c_keeps_what_there_is_and_leaves_nobody_behind(models: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ["survey", str(models), "-o", str(out), "--no-pictures", "--jobs", "4", "--strict"]
    process = subprocess.Popen(
        [*executable(), *arguments, "--duration", "1e7", "--limit", "1e6"],
        cwd=ROOT, env=surroundings(**{MARK: str(tmp_path)}), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        wait_until(lambda: (out / "survey.json").exists() and len(lines_of(out)) == 2)
        assert len(marked(tmp_path)) == 3
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
    assert "2 documents: 2 refused" in stdout
    assert (out / "index.html").exists()
    wait_until(lambda: marked(tmp_path) == [])
    done = simulator(*arguments, "--duration", "0", "--resume")
    assert "4 documents: 1 clean, 1 warned, 2 refused" in done.stdout


def test_processes_end_with_the_program(models: Path, tmp_path: Path) -> None:
    command = [*executable(), "survey", str(models), "-o", str(tmp_path / "out"), "--no-pictures", "--jobs", "4"]
    process = subprocess.Popen(
        [*command, "--duration", "1e7", "--limit", "1e6"],
        cwd=ROOT, env=surroundings(**{MARK: str(tmp_path)}), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_until(lambda: len(marked(tmp_path)) > 2)
    finally:
        process.kill()
        process.wait()
    wait_until(lambda: marked(tmp_path) == [])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere"], "does not exist"),
        (["."], "there is no .sdf, .world, .urdf or MJCF document below ."),
        ([".", "--solver", "rowss"], "did you mean 'rows'?"),
        ([".", "--duration", "nan"], "a duration of nan s cannot be simulated"),
        ([".", "--jobs", "0"], "--jobs"),
        ([], "missing argument"),
    ],
)
def test_wrong_usage(tmp_path: Path, arguments: list[str], told: str) -> None:
    done = called("survey", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr


def wait_until(happened: Callable[[], bool]) -> None:
    """Look again and again; the suite's own limit of time ends what never comes."""
    while not happened():
        time.sleep(0.05)


def marked(folder: Path) -> list[int]:
    """The processes with this mark in their environment."""
    mark = f"{MARK}={folder}".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes().split(b"\0"):
                found.append(int(process.name))
        except OSError:
            continue
    return found
