"""A picture of a snapshot, drawn without a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.rendering.contexts import WITHOUT_OPENGL, opengl_is_missing
from simulator.rendering.load_arrows import load_lines
from simulator.rendering.offscreen import render_picture, write_png
from simulator.rendering.theme import DARK, LIGHT
from simulator.session.look.link_poses import LinkPoses
from simulator.session.look.scene_of import scene_of

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.engine.snapshot import Snapshot
    from simulator.mechanism.loads import BodyLoads
    from simulator.session.open.opening import Opened


def picture_of(
    opened: Opened,
    snapshot: Snapshot,
    path: Path,
    *,
    size: tuple[int, int],
    dark: bool = False,
    loads: BodyLoads | None = None,
) -> tuple[str, ...]:
    """Write a PNG of the world at a snapshot, loads as arrows (those of the document, or `loads`).

    Returns sentences about parts that could not be drawn: shapes, textures, and shadows without OpenGL.

    Raises RenderingError if no OpenGL context can be made or the file cannot be written.
    """
    scene = scene_of(opened)
    poses = LinkPoses(opened.mechanism, scene.links).at(snapshot.body_poses)
    drawn = opened.mechanism.loads if loads is None else loads
    lines = load_lines(drawn, snapshot.body_poses, snapshot.time, scene.radius, snapshot.cables[:, 0])
    picture = render_picture(scene, poses, size=size, theme=DARK if dark else LIGHT, overlays=lines)
    write_png(path, picture)
    return (*scene.missing, *((WITHOUT_OPENGL,) if opengl_is_missing() else ()))
