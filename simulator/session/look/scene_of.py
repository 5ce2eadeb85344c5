"""The scene of a document for pictures without a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.mechanism.parameters import Numbered
from simulator.mechanism.varied_length import moved_bars
from simulator.rendering.build import build_scene
from simulator.rendering.stretching import stretched

if TYPE_CHECKING:
    from simulator.rendering.scene import Scene
    from simulator.session.open.opening import Opened


def scene_of(opened: Opened) -> Scene:
    """The scene of its world; with bars from joint to joint if numbers differ from the document."""
    scene = build_scene(opened.world)
    before = opened.written
    if before is None:
        return scene
    return stretched(scene, moved_bars(Numbered(before, opened.world), Numbered(opened.mechanism, opened.world)))
