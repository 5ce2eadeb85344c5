"""Libraries of a Linux system that Qt is linked to: which are missing, and which Debian packages bring them.

    python -m simulator.gui.system_libraries QT [PLATFORM]

prints a line "library package" for each that is missing, with `?` for a package that is not known. QT is the folder of
PyQt6's Qt6. This module needs no Qt, which cannot be imported where some of them are missing.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from simulator.errors import UsageError

PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libstdc++.so.6": "libstdc++6",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-glx.so.0": "libxcb-glx0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxcb.so.1": "libxcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libz.so.1": "zlib1g",
}
"""Debian package of each library. Some have names that end in t64 in releases since 2024; apt finds those by these."""

PLUGINS = {
    "xcb": ("platforms/libqxcb.so", "xcbglintegrations/*.so"),
    "wayland": ("platforms/libqwayland*.so", "wayland-graphics-integration-client/libqt-plugin-wayland-egl.so"),
}
"""Plugins of Qt that a window needs under X and under Wayland."""

LINKED = ("libQt6OpenGLWidgets.so.6", "libQt6Svg.so.6")
"""Libraries of Qt that this program loads, and which load the others."""


def platform_here() -> str:
    """Qt's name of the window system: what QT_QPA_PLATFORM says, else X if there is an X display."""
    named = os.environ.get("QT_QPA_PLATFORM") or ("xcb" if os.environ.get("DISPLAY") else "wayland")
    return named.partition(":")[0].partition(";")[0].partition("-")[0]


def missing_libraries(qt: Path | None = None, platform: str | None = None) -> list[str]:
    """Sonames of all libraries that the window needs and the dynamic loader does not find, sorted. None are known
    without `ldd` and beyond Linux."""
    folder = qt or _qt_folder()
    command = shutil.which("ldd")
    if folder is None or command is None:
        return []
    wanted = PLUGINS.get(name := platform or platform_here(), (f"platforms/libq{name}.so",))
    files = [path for pattern in wanted for path in sorted(folder.glob(f"plugins/{pattern}"))]
    files += [path for path in (folder / "lib" / name for name in LINKED) if path.exists()]
    done = subprocess.run([command, *map(str, files)], capture_output=True, text=True, check=False)
    return sorted({line.split()[0] for line in done.stdout.splitlines() if line.endswith("=> not found")})


def _qt_folder() -> Path | None:
    """The folder of Qt in the package PyQt6, which is not imported."""
    found = importlib.util.find_spec("PyQt6")
    return Path(found.origin).with_name("Qt6") if found is not None and found.origin else None


def why_not_loaded(missing: Sequence[str]) -> str:
    """The message where the window lacks these libraries: a line, with the command that installs them where apt is."""
    packages = " ".join(sorted({PACKAGES[name] for name in missing if name in PACKAGES}))
    others = ", ".join(name for name in missing if name not in PACKAGES)
    parts = [f"the window needs libraries that this system does not have: {', '.join(missing)}"]
    if packages and shutil.which("apt-get"):
        parts.append(f"`sudo apt-get install {packages}` installs them")
    elif packages:
        parts.append(f"install what your distribution calls these Debian packages: {packages}")
    if packages and others:
        parts.append(f"no package is known for {others}")
    return "; ".join([*parts, "`simulator run FILE --duration 1` simulates without a window"])


def require_libraries() -> None:
    """Raise UsageError that names all missing libraries, where Qt cannot be imported for lack of one."""
    try:
        import PyQt6.QtGui  # noqa: F401 (whether it can be)
    except ImportError:
        missing = missing_libraries()
        if not missing:
            raise
        raise UsageError(why_not_loaded(missing)) from None


def main(arguments: Sequence[str]) -> None:
    """Print what is missing, for scripts."""
    for name in missing_libraries(Path(arguments[0]), *arguments[1:2]):
        print(name, PACKAGES.get(name, "?"))


if __name__ == "__main__":
    main(sys.argv[1:])
