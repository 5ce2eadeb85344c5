"""How bodies look: their visuals or what touches, opaque or seen through."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.rendering.build import build_scene

if TYPE_CHECKING:
    from simulator.model.world import World
    from simulator.rendering.scene import Scene

SEEN_THROUGH = 0.35
"""Opacity of transparent bodies, as a part of their own."""


class SceneChoice:
    """Makes the scene that is on show of the world's own; `collisions` adds the shapes that touch."""

    def __init__(self) -> None:
        self.collisions = self.transparent = False
        self._with_collisions: tuple[World, Scene] | None = None

    def scene(self, world: World, own: Scene) -> Scene:
        """The scene to draw; `own` shows the visuals of `world`."""
        scene = self._colliding(world) if self.collisions else own
        if not self.transparent:
            return scene
        faded = (replace(d, colour=(*d.colour[:3], SEEN_THROUGH * d.colour[3])) for d in scene.drawables)
        return replace(scene, drawables=tuple(faded))

    def _colliding(self, world: World) -> Scene:
        if self._with_collisions is None or self._with_collisions[0] is not world:
            self._with_collisions = world, build_scene(world, show_collisions=True)
        return self._with_collisions[1]
