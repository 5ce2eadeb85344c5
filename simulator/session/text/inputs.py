"""The input files of a simulation, which are never overwritten."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.model.loads import Load
from simulator.model.profiles import Table
from simulator.model.shape import Mesh

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from simulator.engine.drives import Drive
    from simulator.model.profiles import Profile
    from simulator.session.open.opening import Opened
    from simulator.session.text.settings import SessionSettings


def refuse_input(path: Path, opened: Opened, settings: SessionSettings) -> None:
    """Raise UsageError if `path`, the name of an output, is an input of this simulation."""
    if is_one_of(path, (str(opened.path), *opened.document.files, *_drawn_from(opened))):
        raise UsageError(f"'{path}' belongs to the simulated document; name another file, nothing was written")
    if is_one_of(path, (_motion_file(drive) for _, drive in settings.drives)):
        raise UsageError(f"'{path}' holds the motion of a drive; name another file, nothing was written")
    profiles = [
        profile for load in settings.forces if isinstance(load, Load) for profile in (*load.force, *load.moment)
    ]
    if is_one_of(path, map(_file_of, profiles)):
        raise UsageError(f"'{path}' holds a force over time; name another file, nothing was written")


def is_one_of(path: Path, files: Iterable[str]) -> bool:
    """Whether `path` is one of the files, by whatever name."""
    return any(_same(path, Path(file)) for file in files if file)


def _motion_file(drive: Drive) -> str:
    """The file that the profile of a drive was read from, empty if there is none."""
    return _file_of(drive.profile)


def _file_of(profile: Profile) -> str:
    return profile.source.partition("#")[0] if isinstance(profile, Table) else ""


def _same(path: Path, source: Path) -> bool:
    try:
        return path.samefile(source)
    except OSError:
        return False


def _drawn_from(opened: Opened) -> Iterator[str]:
    """Meshes and their textures."""
    for link in (link for model in opened.world.models for link in model.links):
        shapes = [visual.shape for visual in link.visuals] + [collision.shape for collision in link.collisions]
        yield from (shape.path for shape in shapes if isinstance(shape, Mesh))
        for visual in link.visuals:
            if visual.material is not None and visual.material.texture is not None:
                yield visual.material.texture.path
