"""Systems for which PyBullet, or moderngl, or a part of POSIX does not exist: all but what needs it works, and that is
named."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.cli.app import run_app
from tests.helpers.bare import Bare
from tests.helpers.repository import ROOT
from tests.physics.solids import solid, wall
from tests.physics.worlds import model, world

Write = Callable[..., Path]
WINDOW = """
import sys
from pathlib import Path
from PyQt6.QtCore import QSettings, QTimer
from PyQt6.QtWidgets import QApplication
from simulator.gui.application import make_application, run_window
from simulator.gui.main_window import MainWindow
from simulator.session.run.remote import RemoteClient
from simulator.session.text.settings import SessionSettings

def look():
    for window in QApplication.topLevelWidgets():
        live = window.live if isinstance(window, MainWindow) else None
        if live is not None and live.snapshot is not None and live.snapshot.time > 0.02:
            print(type(window.viewport.canvas).__name__, live.status.state.value, window.viewport.grab().width() > 100)
            window.close()

application = make_application()
timer = QTimer()
timer.timeout.connect(look)
timer.start(20)
settings = SessionSettings(solver=sys.argv[2])
store = QSettings(sys.argv[1], QSettings.Format.IniFormat)
sys.exit(run_window(Path("worlds/geneva.sdf"), lambda opened: RemoteClient(opened, settings), settings=store))
"""


@pytest.fixture
def without(tmp_path: Path) -> Callable[..., Bare]:
    return lambda *names, **more: Bare(tmp_path / "site", *names, **more)


@pytest.mark.parametrize("name", ["rack_and_pinion", "four_bar", "geneva", "planetary"])
def test_example_worlds_run_without_bullet_and_qt(without: Callable[..., Bare], name: str) -> None:
    done = without("pybullet", "moderngl", "PyQt6", "pyqtgraph").simulator("run", name, "--duration", "0.05", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["steps"] > 0
    assert "Traceback" not in done.stderr


def test_documents_are_checked_and_described_without_any_of_them(without: Callable[..., Bare]) -> None:
    bare = without("pybullet", "moderngl", "PyQt6", "numba")
    assert bare.simulator("check", "geneva").returncode == 0
    told = bare.simulator("describe", "geneva", "--json")
    assert (told.returncode, json.loads(told.stdout)["mechanism"]["mobility"]["count"]) == (0, 2)


def test_gear_says_in_a_line_how_to_get_bullet(without: Callable[..., Bare]) -> None:
    done = without("pybullet").simulator("run", "four_bar", "--duration", "0.1", "--solver", "gear")
    assert (done.returncode, done.stdout) == (3, "")
    assert re.fullmatch(r"simulator: strategy gear .*`pip install pybullet`.*--with-bullet.*\n", done.stderr)


@pytest.mark.parametrize(
    ("library", "extra", "arguments"),
    [
        ("roslibpy", "rosbridge", ("relay", "four_bar", "--listen", "127.0.0.1:0", "--rosbridge", "ws://127.0.0.1")),
        ("zenoh", "zenoh", ("relay", "four_bar", "--listen", "127.0.0.1:0", "--zenoh", "tcp/127.0.0.1:7447")),
        ("foxglove", "foxglove", ("run", "four_bar", "--duration", "1", "--stream", "foxglove=127.0.0.1:0")),
        ("rerun", "rerun", ("run", "four_bar", "--duration", "1", "--stream", "rerun")),
    ],
)
def test_links_and_streams_say_how_to_get_their_library(
    without: Callable[..., Bare], library: str, extra: str, arguments: tuple[str, ...]
) -> None:
    done = without(library).simulator(*arguments)
    assert done.returncode == 3
    assert re.search(rf"^simulator: --\S+ .*pip install 'simulator\[{extra}\]'$", done.stderr, re.MULTILINE)
    assert "Traceback" not in done.stderr


def test_compare_has_a_row_for_gear_that_says_why(without: Callable[..., Bare]) -> None:
    done = without("pybullet").simulator("compare", "four_bar", "--duration", "0.05", "--json")
    assert done.returncode == 0, done.stderr
    rows = {row["solver"]: row for row in json.loads(done.stdout)["solvers"]}
    assert [rows[name]["finished"] for name in ("rows", "reduced", "gear")] == [True, True, False]
    assert "PyBullet is not installed" in rows["gear"]["reason"]


def test_fixed_meshes_need_no_bullet(without: Callable[..., Bare], write_document: Write, tmp_path: Path) -> None:
    (tmp_path / "rock.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    rock = f"<mesh><uri>{tmp_path / 'rock.obj'}</uri></mesh>"
    barrel = "<cylinder><radius>0.5</radius><length>1</length></cylinder>"
    upper = model(solid("barrel", barrel, pose="0 0 3 0 0 0"), name="above")
    path = write_document(world(wall(rock, pose="0 0 0 0 0 0") + upper))
    done = without("pybullet").simulator("run", path, "--duration", "0.01")
    assert done.returncode == 0
    assert "pybullet" not in done.stderr


@pytest.mark.parametrize("missing", [("pybullet",), ("moderngl", "glcontext")])
def test_the_window_runs_without(without: Callable[..., Bare], tmp_path: Path, missing: tuple[str, ...]) -> None:
    done = without(*missing).python(WINDOW, str(tmp_path / "s.ini"), "rows", QT_QPA_PLATFORM="offscreen")
    said = {
        line for line in done.stderr.splitlines() if "propagateSizeHints" not in line
    }  # the offscreen platform's own
    assert (done.returncode, done.stdout, said) == (0, "PainterView running True\n", set())


def test_where_no_memory_can_be_opened_nor_limits_set_all_works(without: Callable[..., Bare], tmp_path: Path) -> None:
    """memfd_create(2) is Linux's, getrlimit and SIGHUP are POSIX's: macOS and Windows lack some of them."""
    bare = without("pybullet", "resource", "fcntl", foreign=True)
    done = bare.python(WINDOW, str(tmp_path / "s.ini"), "reduced", QT_QPA_PLATFORM="offscreen")
    assert (done.returncode, done.stdout) == (0, "PainterView running True\n"), done.stderr
    out = tmp_path / "out.csv"
    done = bare.simulator("run", "four_bar", "--duration", "0.01", "--csv", out)
    assert done.returncode == 0, done.stderr
    assert len(out.read_text(encoding="utf-8").splitlines()) == 12


@pytest.mark.parametrize("suffix", ["", "--dark"])
def test_a_picture_is_painted_without_moderngl(without: Callable[..., Bare], tmp_path: Path, suffix: str) -> None:
    from PIL import Image

    out = tmp_path / "out.png"
    done = without("moderngl").simulator("render", "rack_and_pinion", "-o", out, "--size", "320x200", *suffix.split())
    assert (done.returncode, done.stdout) == (0, "")
    assert "moderngl is not installed" in done.stderr
    with Image.open(out) as picture:
        assert picture.size == (320, 200)
        assert len(set(picture.get_flattened_data())) > 20


def test_xacro_is_not_expanded_where_no_process_is_bounded(without: Callable[..., Bare], write_document: Write) -> None:
    text = (
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="n" value="a"/>'
        '<link name="${n}"/></robot>'
    )
    done = without("resource").simulator("check", write_document(text, "r.xacro"))
    assert done.returncode == 1
    assert "XACRO_NOT_EXPANDED" in done.stderr
    assert "run: xacro" in done.stderr
    assert "pip install" not in done.stderr


def test_a_survey_is_for_linux(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert run_app(["survey", str(ROOT / "worlds")]) == 2
    assert "survey works on Linux only" in capfd.readouterr().err
