"""The program among a desktop's own: what is written holds to the specifications, twice is once, and nothing is
left."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from lxml import etree

from simulator.cli.app import run_app
from simulator.session.batch import desktop
from simulator.session.batch.desktop import data_folder, entry, install_desktop, remove_desktop
from tests.helpers.command import simulator

COMMAND = Path("/opt", "some where", "bin", "simulator")
TOOLS = ("update-desktop-database", "update-mime-database", "xdg-icon-resource")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Stand-ins for the desktop's tools, which make an index as those do; gives how they were called."""
    folder, calls = tmp_path / "bin", tmp_path / "calls"
    folder.mkdir()
    for name in TOOLS:
        index = "mimeinfo.cache" if "desktop" in name else "mime.cache"
        made = "true" if "icon" in name else f'/bin/touch "$1/{index}"'
        (folder / name).write_text(f'#!/bin/sh\necho {name} "$@" >>{calls}\n{made}\n', encoding="utf-8")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return lambda: calls.read_text(encoding="utf-8").splitlines() if calls.exists() else []


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_entry_icon_and_types_are_written_and_told(home: Path, tools: Callable[[], list[str]]) -> None:
    changed = install_desktop(COMMAND)
    written = {path.relative_to(home).as_posix() for path in changed.files}
    assert written == {desktop.ENTRY, desktop.TYPES, desktop.ICON}
    assert (changed.absent, changed.failed) == ((), ())
    assert tools() == [
        f"update-desktop-database {home}/applications",
        f"update-mime-database {home}/mime",
        "xdg-icon-resource forceupdate --mode user",
    ]
    assert (home / desktop.ICON).read_text(encoding="utf-8").startswith("<svg")


def test_twice_is_once(home: Path, tools: Callable[[], list[str]]) -> None:
    install_desktop(COMMAND)
    before = files(home)
    assert install_desktop(COMMAND).files == ()
    assert (files(home), len(tools())) == (before, 3)
    moved = install_desktop(COMMAND.with_name("elsewhere"))
    assert [path.name for path in moved.files] == ["simulator.desktop"]


def test_nothing_is_left(home: Path, tools: Callable[[], list[str]]) -> None:
    install_desktop(COMMAND)
    assert len(remove_desktop().files) == 3
    assert list(home.rglob("*")) == []
    assert remove_desktop().files == ()
    assert len(tools()) == 6


def test_what_others_have_there_stays(home: Path, tools: Callable[[], list[str]]) -> None:
    others = ("applications/editor.desktop", "mime/packages/editor.xml", "icons/hicolor/48x48/apps/editor.png")
    for name in others:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).touch()
    install_desktop(COMMAND)
    remove_desktop()
    assert len(tools()) == 6
    assert files(home) == sorted([*others, "applications/mimeinfo.cache", "mime/mime.cache"])


def test_tools_that_are_not_there_or_fail_are_named(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    failing = tmp_path / "bin/update-mime-database"
    failing.write_text("#!/bin/sh\necho 'no room' >&2\nexit 1\n", encoding="utf-8")
    failing.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    changed = install_desktop(COMMAND)
    assert changed.absent == ("update-desktop-database", "xdg-icon-resource")
    assert changed.failed == ("update-mime-database: no room",)
    assert (home / desktop.ENTRY).is_file()


@pytest.mark.skipif(shutil.which("desktop-file-validate") is None, reason="desktop-file-validate is not installed")
@pytest.mark.parametrize("place", ["/usr/bin/simulator", "/opt/some where/simulator", '/a "b"/$c/`d`/e%f/g\\h'])
def test_the_entry_is_valid(place: str, tmp_path: Path) -> None:
    path = tmp_path / "simulator.desktop"
    path.write_text(entry(Path(place)), encoding="utf-8")
    done = subprocess.run(["desktop-file-validate", path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_a_command_is_quoted_as_the_specification_has_it() -> None:
    """Desktop Entry Specification 1.5, `The Exec key`: in the argument a backslash before double quote, backtick,
    dollar and backslash, and each backslash again for the string; its example has four for one."""
    lines = entry(Path('/a "b"/$c/e%f/g\\h')).splitlines()
    assert r'Exec="/a \\"b\\"/\\$c/e%%f/g\\\\h" view %f' in lines
    assert r'TryExec=/a "b"/$c/e%f/g\\h' in lines


def test_types_tell_documents_by_name_and_by_content() -> None:
    root = etree.fromstring(desktop.types().encode())
    namespace = {"m": "http://www.freedesktop.org/standards/shared-mime-info"}
    types = root.findall("m:mime-type", namespace)
    globs = {kind.get("type"): [glob.get("pattern") for glob in kind.findall("m:glob", namespace)] for kind in types}
    assert globs == {desktop.SDFORMAT: ["*.sdf", "*.world"], desktop.URDF: ["*.urdf"]}
    assert [match.get("value") for match in root.iter("{*}match")] == ["<sdf", "<gazebo", "<robot"]
    assert all(kind.find("m:sub-class-of", namespace).get("type") == "application/xml" for kind in types)
    assert set(globs) == set(entry(COMMAND).split("MimeType=")[1].strip(";\n").split(";"))


@pytest.mark.parametrize("value", ["", "relative/data"])
def test_a_data_folder_that_is_none_is_the_default(value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """XDG Base Directory Specification: a relative path is invalid and to be ignored."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", value)
    assert data_folder() == tmp_path / ".local/share"


def test_the_command(tmp_path: Path) -> None:
    """With whatever tools of a desktop are here."""
    place = {"XDG_DATA_HOME": str(tmp_path / "data"), "HOME": str(tmp_path)}
    done = simulator("desktop", "install", **place)
    assert (done.returncode, done.stdout) == (0, "")
    assert f"written: {tmp_path}/data/applications/simulator.desktop\n" in done.stderr
    assert '/simulator" view %f\n' in (tmp_path / "data/applications/simulator.desktop").read_text(encoding="utf-8")
    assert "nothing to do" in simulator("desktop", "install", **place).stderr
    assert simulator("desktop", "remove", **place).returncode == 0
    assert [path for path in tmp_path.rglob("*") if path.name != "data"] == []
    assert "this program has no files" in simulator("desktop", "remove", **place).stderr


def test_a_folder_that_cannot_be_written_is_2(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    done = simulator("desktop", "install", XDG_DATA_HOME=str(tmp_path / "data"))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"{tmp_path}/data" in done.stderr


@pytest.mark.parametrize(("system", "called"), [("Darwin", "macOS"), ("Windows", "Windows")])
def test_desktops_that_read_no_entries_are_named(
    system: str, called: str, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("platform.system", lambda: system)
    assert run_app(["desktop", "install"]) == 2
    assert f"{called} reads none" in capsys.readouterr().err
    assert not home.exists()
