"""What scripts/run removes from packages: nothing that is used, in a way that pip gets along with."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from fnmatch import fnmatch
from importlib.metadata import distribution
from pathlib import Path

import pytest
from lxml import etree

from tests.helpers.repository import files_below
from tests.helpers.scripts import script

elf = script("elf", "scripts/lib")
trim = script("trim", "scripts/lib")

QT = [file for name in ("pyqt6", "pyqt6-qt6") for file in distribution(name).files or ()]
PATTERNS = [pattern for unread in trim.UNREAD for pattern in unread.patterns]


def test_a_library_names_what_it_is_linked_to() -> None:
    core = next(Path(str(file.locate())) for file in QT if file.name == "QtWidgets.abi3.so")
    assert {"libQt6Widgets.so.6", "libQt6Gui.so.6", "libc.so.6"} <= elf.needed(core)
    assert elf.needed(Path(__file__)) == set()


def test_a_library_without_what_debuggers_read_works(tmp_path: Path) -> None:
    """Also its table of sections is gone, of which the loader takes no notice (System V ABI, chapter 4)."""
    whole = Path(str(etree.__file__)).read_bytes()
    short = elf.loaded_part(whole)
    assert len(short) < len(whole)
    assert elf.loaded_part(short) == short
    (tmp_path / Path(str(etree.__file__)).name).write_bytes(short)
    program = "import etree; print(etree.tostring(etree.fromstring('<a> </a>')).decode(), etree.__file__)"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.startswith(f"<a> </a> {tmp_path}"), done.stderr


def test_what_stays_keeps_what_it_is_linked_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    linked = {"window.so": {"libA.so.6", "libc.so.6"}, "libA.so.6": {"libB.so.6"}, "libC.so.6": {"libA.so.6"}}
    monkeypatch.setattr(trim, "needed", lambda path: linked.get(path.name, set()))
    files = {name: tmp_path / name for name in ("window.so", "libA.so.6", "libB.so.6", "libC.so.6", "c.qm")}
    assert trim.unread_of(files, ["lib*", "*.qm"]) == [tmp_path / "c.qm", tmp_path / "libC.so.6"]


def test_nothing_that_is_imported_is_removed() -> None:
    """Neither by the program nor by its tests and scripts."""
    source = "\n".join(
        path.read_text("utf-8") for path in files_below("simulator", "tests", "scripts") if path.suffix == ".py"
    )
    imported = set(re.findall(r"(?:from|import) (PyQt6\.\w+|numba[\w.]*|numpy[\w.]*|pybullet\w*|scipy[\w.]*)", source))
    paths = {name.replace(".", "/") + ending for name in imported for ending in (".abi3.so", ".py", "/__init__.py")}
    assert {"PyQt6/QtWidgets.abi3.so", "pybullet.py"} <= paths
    assert [path for path in paths if any(fnmatch(path, pattern) for pattern in PATTERNS)] == []


def test_no_part_of_qt_that_is_here_lacks_another() -> None:
    """Those that Qt's own wheel brings, which may have been removed."""
    paths = [Path(str(file.locate())) for file in QT if ".so" in file.name]
    here = [path for path in paths if path.is_file()]
    gone = {path.name for path in paths} - {path.name for path in here}
    assert any(path.name == "libqxcb.so" for path in here)
    assert {path.name: lacks for path in here if (lacks := elf.needed(path) & gone)} == {}


def wheel(folder: Path, version: str, files: dict[str, str]) -> Path:
    """A wheel that is called as one of those that are trimmed."""
    path = folder / f"pybullet-{version}-py3-none-any.whl"
    info = f"pybullet-{version}.dist-info"
    files = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: pybullet\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in {**files, f"{info}/RECORD": record}.items():
            archive.writestr(name, content)
    return path


def test_pip_upgrades_and_uninstalls_what_was_trimmed(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "there"], check=True)
    packages = next((tmp_path / "there/lib").glob("python3.*")) / "site-packages"
    files = {"pybullet.py": "", "pybullet_data/a/robot.urdf": "x" * 1_500_000, "pybullet_data/__init__.py": ""}

    def pip(*arguments: str | Path) -> str:
        command = [tmp_path / "there/bin/python", "-m", "pip", "--disable-pip-version-check"]
        return subprocess.run([*command, *arguments], capture_output=True, text=True, check=True).stderr

    for version in ("1.0", "2.0"):
        pip("install", "--no-index", "--no-deps", wheel(tmp_path, version, files))
        assert (packages / "pybullet_data/a/robot.urdf").is_file()
        trim.main(["--path", str(packages)])
        assert sorted(path.name for path in packages.glob("pybullet*")) == [
            f"pybullet-{version}.dist-info",
            "pybullet.py",
        ]
    assert pip("uninstall", "-y", "pybullet") == ""
    assert list(packages.glob("pybullet*")) == []


def test_listing_touches_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packages = tmp_path / "site-packages"
    with zipfile.ZipFile(wheel(tmp_path, "1.0", {"pybullet_data/robot.urdf": "x"})) as archive:
        archive.extractall(packages)
    trim.main(["--path", str(packages), "--list"])
    assert capsys.readouterr().out.splitlines() == [str(packages / "pybullet_data/robot.urdf")]
    assert (packages / "pybullet_data/robot.urdf").is_file()


def test_numpy_testing_finds_what_it_imports() -> None:
    """NumPy 2.2, the last one for Python 3.10, keeps a module of `numpy.testing` among its tests."""
    unread = next(unread for unread in trim.UNREAD if unread.name == "numpy")
    left = [f"numpy/{path}" for path in ("_core/tests/__init__.py", "_core/tests/_natype.py", "testing/__init__.py")]
    gone = [
        f"numpy/{path}" for path in ("_core/tests/test_umath.py", "tests/test_lazyloading.py", "f2py/tests/src/a.f")
    ]
    removed = [path for path in (*left, *gone) if any(fnmatch(path, pattern) for pattern in unread.patterns)]
    assert removed == gone
