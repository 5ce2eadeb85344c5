"""Wheel and sdist as a user gets them: `python -m tests.helpers.packaging` builds both, looks into them and tries what
was installed.

The wheel is built from the sdist, by the backend that is here (no network), and installed without its dependencies into
an environment of its own, which finds them in this one. There is nothing of the checkout in it and home is empty:
kernels are the native libraries of the wheel."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from PIL import Image

from simulator import __version__
from tests.helpers.repository import ROOT, files_below, named

SHARED = {"worlds": "worlds", "lessons": "lessons", "assets/meshes": "assets/meshes", "assets/icons": "assets/icons"}
FOREIGN = {"tests", "scripts", "__pycache__", ".ci", ".git"}
MANUAL = "docs/man/simulator.1"
GALLERY = """
from simulator.gui.application import make_application
application = make_application()
from simulator.gui.gallery import Gallery
from simulator.gui.resources import pixmap
from simulator.gui.theme import Theme
gallery = Gallery(Theme(application))
gallery.show()
application.processEvents()
print(len(gallery.cards), pixmap("simulator", "#000000", 32).toImage().pixelColor(16, 16).alpha() > 0)
"""
"""A window's start page: how many cards it has, and whether icons are there."""


class PackagingError(Exception):
    """What is wrong with what was built, in a sentence."""


def main() -> int:
    """Build and try; 0 where all is well."""
    with tempfile.TemporaryDirectory(prefix="simulator-package-") as scratch:
        try:
            sdist, wheel = build(Path(scratch, "dist"))
            require_all(sdist.name, sdist_names(sdist), wanted_of_sdist())
            require_all(wheel.name, wheel_names(wheel), wanted_of_wheel())
            try_installed(wheel, Path(scratch))
        except PackagingError as error:
            print(error)
            return 1
    return 0


def build(folder: Path) -> tuple[Path, Path]:
    """Sdist and wheel, their metadata checked."""
    target = {"SIMULATOR_TARGET": f"linux-{platform.machine()}"}
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, environment={**os.environ, **target})
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    told = run(sys.executable, "-m", "twine", "check", "--strict", sdist, wheel)
    print(told.strip())
    for path in (sdist, wheel):
        print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB")
    return sdist, wheel


def wanted_of_wheel() -> set[str]:
    """Everything of the package, and what comes along with it."""
    package = {named(path) for path in files_below("simulator")}
    shared = {
        f"simulator/_share/{there}/{path.relative_to(ROOT / here).as_posix()}"
        for here, there in SHARED.items()
        for path in files_below(here)
    }
    manual = f"simulator-{__version__}.data/data/share/man/man1/simulator.1"
    info = {f"simulator-{__version__}.dist-info/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt")}
    return package | shared | {manual} | info


def wanted_of_sdist() -> set[str]:
    """What the wheel is made from."""
    files = {named(path) for path in files_below("simulator", *SHARED)}
    return files | {MANUAL, "pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "CHANGELOG.md", "PKG-INFO"}


def wheel_names(wheel: Path) -> set[str]:
    """The files in it."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def sdist_names(sdist: Path) -> set[str]:
    """The files in it, without the folder around them."""
    with tarfile.open(sdist) as archive:
        return {member.name.partition("/")[2] for member in archive if member.isfile()}


def require_all(name: str, names: Iterable[str], wanted: set[str]) -> None:
    """Raise PackagingError if something is missing, or something is there that is for developers only."""
    names = set(names)
    missing = sorted(wanted - names)
    if missing:
        raise PackagingError(f"{name} lacks {', '.join(missing)}")
    strange = sorted(path for path in names if FOREIGN & set(path.split("/")[:-1]) or path.endswith(".pyc"))
    if strange:
        raise PackagingError(f"{name} has what it should not: {', '.join(strange)}")
    print(f"{name}: {len(names)} files, none of {len(wanted)} missing")


def try_installed(wheel: Path, scratch: Path) -> None:
    """Install it and use it, far from the checkout."""
    there, home = scratch / "there", scratch / "home"
    home.mkdir()
    packages = install(wheel, there)
    require((there / "share/man/man1/simulator.1").is_file(), "the manual page was not installed")

    def use(command: str, *arguments: str) -> str:
        return run(there / "bin" / command, *arguments, cwd=home, environment=surroundings(home))

    place = use("python", "-c", "import simulator; print(simulator.__file__)").strip()
    require(place.startswith(str(packages / "simulator")), f"{place} was imported, not what was installed")
    require(use("simulator", "--version") == f"simulator {__version__}\n", "--version tells something else")
    worlds = [path.stem for path in files_below("worlds") if path.suffix == ".sdf"]
    found = [json.loads(line) for line in use("simulator", "check", "--json", *worlds).splitlines()]
    require([(one["errors"], one["warnings"]) for one in found] == [(0, 0)] * len(worlds), f"findings: {found}")
    kernels = use("simulator", "--version", "--verbose").splitlines()[1:]
    require(all(f": {packages}" in line for line in kernels), f"kernels are not those of the wheel: {kernels}")
    told = use("simulator", "run", "four_bar", "--duration", "0.1", "--json")
    require(json.loads(told)["steps"] == 100, f"a world does not run: {told}")
    use("simulator", "render", "four_bar", "-o", "x.png", "--size", "320x240")
    require_picture(home / "x.png", (320, 240))
    require(any(packages.glob("simulator/_native/fmu-*")), "the wheel has no binary for FMUs")
    use("simulator", "convert", "four_bar", "-o", "x.fmu")
    require((home / "x.fmu").stat().st_size > 100_000, "the FMU has no binary")
    cards = use("python", "-c", GALLERY).split()
    lessons = files_below("lessons")
    shown = [str(len(worlds) + len(lessons)), "True"]
    require(cards == shown, f"the gallery shows {cards}, not {len(worlds)} worlds, {len(lessons)} lessons and icons")
    print(f"installed: {len(worlds)} worlds checked, one run, one drawn, one an FMU, all in the gallery")


def install(wheel: Path, there: Path) -> Path:
    """Make an environment with nothing but the wheel in it and a way to its dependencies; returns its folder of
    packages."""
    run(sys.executable, "-m", "venv", there)  # with a pip of its own: that of Ubuntu 22.04 works for no other Python
    pip = (there / "bin/python", "-m", "pip", "--disable-pip-version-check")
    run(*pip, "install", "--no-index", "--no-deps", wheel)
    packages = next((there / "lib").glob("python3.*/site-packages"))
    (packages / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    return packages


def require_picture(path: Path, size: tuple[int, int]) -> None:
    """Raise PackagingError if it is not a picture of that size with something in it."""
    with Image.open(path) as picture:
        colours = picture.getcolors(size[0] * size[1])
        require(picture.size == size and colours is not None and len(colours) > 100, "the picture shows nothing")


def surroundings(home: Path) -> dict[str, str]:
    """A login with an empty home; compiled code is found where it is, under a hash of what it was made from."""
    kept = (
        "PATH",
        "LANG",
        "LC_ALL",
        "DISPLAY",
        "QT_QPA_PLATFORM",
        "LIBGL_ALWAYS_SOFTWARE",
        "XDG_RUNTIME_DIR",
        "TMPDIR",
    )
    return {
        **{name: os.environ[name] for name in kept if name in os.environ},
        "HOME": str(home),
    }


def require(holds: bool, otherwise: str) -> None:
    """Raise PackagingError."""
    if not holds:
        raise PackagingError(otherwise)


def run(*command: str | Path, cwd: Path | None = None, environment: dict[str, str] | None = None) -> str:
    """What a command prints; raises PackagingError with all it said if it fails."""
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=900
    )
    if done.returncode != 0:
        said = " ".join(map(str, command))
        raise PackagingError(f"{said} failed ({done.returncode}):\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
