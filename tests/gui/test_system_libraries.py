"""Libraries of the system that Qt lacks: all of them are named at once, with what to type."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from simulator.gui.system_libraries import missing_libraries, platform_here, why_not_loaded
from tests.helpers.command import simulator

LDD = r"""#!/bin/sh
for file in "$@"; do case $file in
    *libqxcb.so) printf '\tlibxcb-cursor.so.0 => not found\n\tlibc.so.6 => /lib/libc.so.6\n' ;;
    *OpenGLWidgets*) printf '\tlibxcb-cursor.so.0 => not found\n\tlibEGL.so.1 => not found\n' ;;
    *wayland*) printf '\tlibwayland-egl.so.1 => not found\n' ;;
esac; done
"""


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package PyQt6 that cannot be imported, before the real one, on a system that lacks libraries."""
    qt = tmp_path / "packages/PyQt6/Qt6"
    for name in ("plugins/platforms/libqxcb.so", "plugins/platforms/libqwayland.so", "lib/libQt6OpenGLWidgets.so.6"):
        (qt / name).parent.mkdir(parents=True, exist_ok=True)
        (qt / name).touch()
    qt.with_name("__init__.py").touch()
    fault = "libEGL.so.1: cannot open shared object file: No such file or directory"
    qt.with_name("QtGui.py").write_text(f'raise ImportError("{fault}")\n', encoding="utf-8")
    for name, text in {"ldd": LDD, "apt-get": "#!/bin/sh\n"}.items():
        command = tmp_path / "commands" / name
        command.parent.mkdir(exist_ok=True)
        command.write_text(text, encoding="utf-8")
        command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'commands'}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return qt


def test_all_that_the_platform_needs(bare: Path) -> None:
    assert missing_libraries(bare, "xcb") == ["libEGL.so.1", "libxcb-cursor.so.0"]
    assert missing_libraries(bare, "wayland") == ["libEGL.so.1", "libwayland-egl.so.1", "libxcb-cursor.so.0"]


def test_without_ldd_none_are_known(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert missing_libraries(bare, "xcb") == []


@pytest.mark.parametrize(
    ("variables", "platform"),
    [
        ({"DISPLAY": ":1"}, "xcb"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "wayland"),
        ({"DISPLAY": ":1", "QT_QPA_PLATFORM": "wayland-egl;xcb"}, "wayland"),
        ({"DISPLAY": ":1", "QT_QPA_PLATFORM": "offscreen:size=1x1"}, "offscreen"),
    ],
)
def test_the_platform_of_this_start(variables: dict[str, str], platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert platform_here() == platform


def test_packages_are_named_where_apt_is_and_where_it_is_not(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = ["libEGL.so.1", "libxcb-cursor.so.0", "libstrange.so.1"]
    assert "; `sudo apt-get install libegl1 libxcb-cursor0` installs them; no package is known for libstrange.so.1" in (
        why_not_loaded(found)
    )
    monkeypatch.setenv("PATH", "/nowhere")
    assert "Debian packages: libegl1 libxcb-cursor0" in why_not_loaded(found)
    assert "package" not in why_not_loaded(["libstrange.so.1"])


def test_the_command_names_them_all_at_once(bare: Path) -> None:
    paths = os.pathsep.join((str(bare.parents[1]), *filter(None, sys.path)))
    done = simulator("four_bar", DISPLAY=":99", PYTHONPATH=paths)
    assert done.returncode == 2
    assert done.stderr == f"simulator: {why_not_loaded(['libEGL.so.1', 'libxcb-cursor.so.0'])}\n"
