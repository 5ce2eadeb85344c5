"""The scene of a document for pictures without a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.mechanism.parameters import Numbered
from simulator.mechanism.varied_length import moved_bars
from simulator.rendering.build import build_scene
from simulator.rendering.pictures import LARGEST_SIDE
from simulator.rendering.stretching import stretched

if TYPE_CHECKING:
    from simulator.rendering.scene import Scene
    from simulator.session.open.opening import Opened


def scene_of(opened: Opened, *, largest_picture: int = LARGEST_SIDE) -> Scene:
    """The scene of its world, with bars from joint to joint where these are not where visuals are made for;
    `largest_picture`: see `build_scene`."""
    now = Numbered(opened.mechanism, opened.world)
    before = now if opened.written is None else Numbered(opened.written, opened.world)
    return stretched(build_scene(opened.world, largest_picture=largest_picture), moved_bars(before, now))
