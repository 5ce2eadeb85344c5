"""Views of a simulation: a picture without a window, and the window itself in its own process."""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.errors import UsageError
from simulator.session.look.link_poses import LinkPoses
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image

    from simulator.api.moment import Moment
    from simulator.engine.drives import Drive
    from simulator.kinematics.kinematics import Kinematics
    from simulator.rendering.overlays import Polyline
    from simulator.rendering.scene import Scene
    from simulator.session.open.opening import Opened

    Array = NDArray[np.float64]

IN_NOTEBOOKS = (640, 400)
"""Size of the picture that a notebook shows [px]."""


class Pictures:
    """Pictures of a `Simulation`."""

    _opened: Opened
    _solver: str
    _dt: float
    _text: str | None
    _drives: dict[str, Drive]

    @property
    def moment(self) -> Moment:
        """State, steps and ledger as a frozen value."""
        raise NotImplementedError

    @cached_property
    def _kinematics(self) -> Kinematics:
        raise NotImplementedError

    def picture(self, size: tuple[int, int] = (800, 600), *, dark: bool = False) -> Image:
        """The world as it is now, with loads as arrows, rendered without a window: a Pillow image of `size` pixels,
        width first; `np.asarray` makes it an array of shape (height, width, 3). Notebooks show it by themselves.

        Raises UsageError for an invalid size, RenderingError if no OpenGL 3.3 context can be made.
        """
        if np.shape(size) != (2,):
            raise UsageError(f"a picture needs its size in pixels, (width, height), not {size!r}")
        from PIL import Image

        from simulator.rendering.offscreen import render_picture
        from simulator.rendering.theme import DARK, LIGHT

        scene, poses, lines = drawing_of(self)
        theme = DARK if dark else LIGHT
        return Image.fromarray(render_picture(scene, poses, size=size, theme=theme, overlays=lines))

    def view(self) -> subprocess.Popen[bytes]:
        """Open the window on the document at the present positions and velocities, in its own process, and return;
        the window has its own drives. Returns the process: `.wait()` waits until the window is closed.

        Raises UsageError after `varied`: the window reads the document, which does not contain the varied numbers.
        """
        if self._opened.written is not None:
            raise UsageError("the window shows documents: write the numbers into one, or draw this with picture()")
        path = str(self._opened.path)
        if self._text is not None:
            folder = tempfile.mkdtemp(prefix="simulator-")
            Path(folder, "document.sdf").write_text(self._text, encoding="utf-8")
            path = str(Path(folder, "document.sdf"))
        command = [sys.executable, "-m", "simulator", "view", path, "--solver", self._solver, "--paused"]
        return subprocess.Popen([*command, *self._state_options()])

    def _state_options(self) -> list[str]:
        """The present state as arguments of the command line: positions and velocities of the axes that a user can
        place."""
        mechanism = self._opened.mechanism
        state = self.moment.state
        options = self._opened.options
        found = []
        for axis in mechanism.independent_axes():
            name = mechanism.axes[axis].name
            found += ["--initial", f"{name}={float(state.position[axis])!r}"]
            if state.velocity[axis]:
                found += ["--initial-velocity", f"{name}={float(state.velocity[axis])!r}"]
        for folder in options.resource_paths:
            found += ["--resource-path", str(folder)]
        return [*found, *(["--hold-base"] if options.hold_base else []), *(["--strict"] if options.strict else [])]

    def page(self, *, notes: str = "", title: str = "", duration: float = 10.0) -> str:
        """One HTML page with the mechanism at its present state and drives, its physics, and a recording of `duration`
        seconds; it needs no network: `Path("mechanism.html").write_text(sim.page())`. `notes`: words beside it, with
        formulas between `$`; `title`: instead of the world's name.

        Raises UsageError for a duration that is not positive, AssemblyError for a start that cannot be assembled.
        """
        from simulator.session.share.page import Shown, page_of
        from simulator.session.text.settings import SessionSettings

        if not duration > 0.0:
            raise UsageError(f"a page cannot have a recording of {duration:g} s")
        drives = tuple(self._drives.items())
        settings = SessionSettings(solver=self._solver, dt=self._dt, drives=drives)
        step = Shown(self._opened, settings, start=self.moment.state, notes=notes)
        return page_of([step], title or self._opened.world.name, duration=duration)

    def show(self, *, height: int = 520, notes: str = "", duration: float = 10.0) -> Any:
        """The page in a cell of a notebook, `height` [px] high: live, to be dragged. The widget has `time` [s],
        `position` and `velocity` of all axes, `now()`, positions by name, and `run()`, `pause()` and `reset()`; its
        `observe` (traitlets) calls a function when they change.

        Raises MissingLibraryError without anywidget (extra `notebook`).
        """
        from simulator.api.notebook import widget_of

        page = self.page(notes=notes, duration=duration)
        return widget_of(page, [info.name for info in self._opened.mechanism.axes], height)

    @cached_property
    def _scene(self) -> Scene:
        from simulator.session.look.scene_of import scene_of

        return scene_of(self._opened)

    def _repr_png_(self) -> bytes:
        """The picture for a notebook."""
        stream = io.BytesIO()
        self.picture(IN_NOTEBOOKS).save(stream, format="PNG")
        return stream.getvalue()


def drawing_of(sim: Pictures) -> tuple[Scene, Array, tuple[Polyline, ...]]:
    """Input of a picture: the world, poses of its links, shape (n_links, 7), loads as lines."""
    from simulator.rendering.load_arrows import load_lines

    scene = sim._scene
    mechanism = sim._opened.mechanism
    moment = sim.moment
    matrices = sim._kinematics.body_matrices(moment.state)
    bodies = np.array([Pose.from_matrix(matrix).as_list() for matrix in matrices])
    lines = load_lines(mechanism.loads, bodies, moment.steps * sim._dt, scene.radius)
    return scene, LinkPoses(mechanism, scene.links).at(bodies), lines
