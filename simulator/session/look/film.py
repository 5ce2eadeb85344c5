"""A film of a run, drawn without a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.engine.snapshot import Extremes
from simulator.errors import SimulationError
from simulator.rendering.films import write_film
from simulator.rendering.load_arrows import load_lines
from simulator.rendering.offscreen import PictureMaker, camera_for
from simulator.rendering.theme import DARK, LIGHT
from simulator.session.look.link_poses import LinkPoses
from simulator.session.look.scene_of import scene_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from simulator.engine.engine import Engine
    from simulator.engine.snapshot import Snapshot
    from simulator.session.open.opening import Opened

    Progress = Callable[[int, int], None]


def film_of(
    opened: Opened,
    engine: Engine,
    path: Path,
    *,
    duration: float,
    fps: float,
    size: tuple[int, int],
    dark: bool = False,
    progress: Progress = lambda _done, _total: None,
) -> SimulationError | None:
    """Simulate `duration` seconds and write `fps` pictures for each of them, from the present time of the engine.

    The camera sees the whole motion from the start. `progress` is called with the number of pictures that are drawn
    and that of all; an exception from it ends the film, without a file. Returns why the run ended early, if it did; the
    film then has the part before.

    Raises the errors of `write_film`.
    """
    moments, failure = moments_of(engine, duration, fps)
    scene = scene_of(opened)
    places = LinkPoses(opened.mechanism, scene.links)
    poses = [places.at(moment.body_poses) for moment in moments]
    camera = camera_for(scene, poses[:: max(1, len(poses) // 200)], size[0] / size[1])

    def pictures(maker: PictureMaker) -> Iterator[NDArray[np.uint8]]:
        for number, (moment, at) in enumerate(zip(moments, poses, strict=True)):
            progress(number, len(moments))
            now = moment.body_poses, moment.time, scene.radius, moment.cables[:, 0]
            lines = load_lines(engine.mechanism.loads, *now)
            yield maker.picture(at, size=size, camera=camera, theme=DARK if dark else LIGHT, overlays=lines)
        progress(len(moments), len(moments))

    with PictureMaker(scene) as maker:
        write_film(path, pictures(maker), fps)
    return failure


def moments_of(engine: Engine, duration: float, fps: float) -> tuple[list[Snapshot], SimulationError | None]:
    """Snapshots at the steps that are nearest to multiples of 1 / fps, the start included; and why a run ended
    early."""
    found = [engine.snapshot()]
    begin = engine.steps
    extremes = Extremes()
    try:
        for number in range(1, round(duration * fps) + 1):
            due = begin + round(number / (fps * engine.dt))
            while engine.steps < due:
                engine.advance(due - engine.steps, extremes)
            found.append(engine.snapshot())
    except SimulationError as error:
        return found, error
    return found, None
