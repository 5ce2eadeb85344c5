"""Views of a simulation: a picture without a window, and the window itself in its own process."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.session.look.link_poses import LinkPoses
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL.Image import Image

    from simulator.api.core import Core
    from simulator.api.run import Run
    from simulator.rendering.overlays import Polyline
    from simulator.rendering.scene import Scene
    from simulator.spatial.arrays import Array


IN_NOTEBOOKS = (640, 400)
"""Size of the picture that a notebook shows [px]."""


def picture(core: Core, size: tuple[int, int] = (800, 600), *, dark: bool = False) -> Image:
    """See `Simulation.picture`."""
    if np.shape(size) != (2,):
        raise UsageError(f"a picture needs its size in pixels, (width, height), not {size!r}")
    from PIL import Image

    from simulator.rendering.offscreen import render_picture
    from simulator.rendering.theme import DARK, LIGHT

    scene, poses, lines = drawing_of(core)
    theme = DARK if dark else LIGHT
    return Image.fromarray(render_picture(scene, poses, size=size, theme=theme, overlays=lines))


def save_gltf(core: Core, path: str | os.PathLike[str], run: Run | None = None) -> Path:
    """See `Simulation.save_gltf`."""
    from simulator.rendering.gltf import glb_of
    from simulator.session.batch.conversion import write_whole
    from simulator.session.look.page import program_name

    target = Path(path)
    if target.suffix.lower() != ".glb":
        raise UsageError(f"'{target}' is no .glb file: binary glTF is what is written")
    scene, poses, _ = drawing_of(core)
    times = None
    if run is not None:
        times = np.asarray(run["time"])
        moved = [_poses(np.asarray(run.poses(link))) for link in scene.links]
        poses = np.stack(moved, axis=1) if moved else np.zeros((len(times), 0, 7))
    write_whole(target, glb_of(scene, poses, times, generator=program_name(), title=core.opened.world.name))
    return target


def _poses(matrices: Array) -> Array:
    """Positions and quaternions (n, 7) of poses (n, 4, 4)."""
    return np.array([Pose.from_matrix(matrix).as_list() for matrix in matrices]).reshape(-1, 7)


def view(core: Core) -> subprocess.Popen[bytes]:
    """See `Simulation.view`."""
    if core.opened.written is not None:
        raise UsageError("the window shows documents: write the numbers into one, or draw this with picture()")
    path = str(core.opened.path)
    if core.text is not None:
        folder = tempfile.mkdtemp(prefix="simulator-")
        Path(folder, "document.sdf").write_text(core.text, encoding="utf-8")
        path = str(Path(folder, "document.sdf"))
    command = [sys.executable, "-m", "simulator", "view", path, "--solver", core.solver, "--paused"]
    return subprocess.Popen([*command, *_state_options(core)])


def _state_options(core: Core) -> list[str]:
    """The present state as arguments of the command line: positions and velocities of the axes that a user can
    place."""
    mechanism = core.opened.mechanism
    state = core.moment.state
    options = core.opened.options
    found = []
    for axis in mechanism.independent_axes():
        name = mechanism.axes[axis].name
        found += ["--initial", f"{name}={float(state.position[axis])!r}"]
        if state.velocity[axis]:
            found += ["--initial-velocity", f"{name}={float(state.velocity[axis])!r}"]
    for folder in options.resource_paths:
        found += ["--resource-path", str(folder)]
    return [*found, *(["--hold-base"] if options.hold_base else []), *(["--strict"] if options.strict else [])]


def page(core: Core, *, notes: str = "", title: str = "", duration: float = 10.0) -> str:
    """See `Simulation.page`."""
    from simulator.session.share.page import PageStep, page_of
    from simulator.session.text.settings import SessionSettings

    if not duration > 0.0:
        raise UsageError(f"a page cannot have a recording of {duration:g} s")
    settings = SessionSettings(solver=core.solver, dt=core.dt, drives=tuple(core.drives.items()))
    step = PageStep(core.opened, settings, start=core.moment.state, notes=notes)
    return page_of([step], title or core.opened.world.name, duration=duration)


def save_fmu(
    core: Core, path: str | os.PathLike[str], *, fmi: int = 2, parameters: Sequence[str] | None = None
) -> Path:
    """See `Simulation.save_fmu`."""
    from simulator.session.batch.conversion import write_whole
    from simulator.session.fmu.archive import SUFFIX, fmu_of
    from simulator.session.text.settings import SessionSettings

    target = Path(path)
    if target.suffix.lower() != SUFFIX:
        raise UsageError(f"'{target}' is no .fmu file")
    settings = SessionSettings(solver=core.solver, dt=core.dt, drives=tuple(core.drives.items()))
    write_whole(target, fmu_of(core.opened, settings, start=core.moment.state, fmi=fmi, parameters=parameters).data)
    return target


def png_of(core: Core) -> bytes:
    """The picture for a notebook."""
    stream = io.BytesIO()
    picture(core, IN_NOTEBOOKS).save(stream, format="PNG")
    return stream.getvalue()


def drawing_of(core: Core) -> tuple[Scene, Array, tuple[Polyline, ...]]:
    """Input of a picture: the world, poses of its links, shape (n_links, 7), loads as lines."""
    from simulator.rendering.load_arrows import load_lines

    scene = core.scene
    mechanism = core.opened.mechanism
    moment = core.moment
    matrices = core.kinematics.body_matrices(moment.state)
    bodies = _poses(matrices)
    lengths = core.ready().snapshot().cables[:, 0] if mechanism.loads.cables else ()
    lines = load_lines(mechanism.loads, bodies, core.time, scene.radius, lengths)
    return scene, LinkPoses(mechanism, scene.links).at(bodies), lines
