"""Appearance of bodies: visuals or collision shapes, opaque or transparent."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.mechanism.parameters import Numbered
from simulator.mechanism.varied import moves_positions
from simulator.mechanism.varied_length import moved_bars
from simulator.rendering.build import build_scene
from simulator.rendering.stretching import stretched

if TYPE_CHECKING:
    from simulator.gui.current_laws import CurrentLaws
    from simulator.model.world import World
    from simulator.rendering.scene import Scene
    from simulator.spatial.arrays import Array


SEEN_THROUGH = 0.35
"""Opacity of transparent bodies, as a part of their own."""


class SceneChoice:
    """Makes the scene that is on show of the world's own; `collisions` adds the shapes that touch; `bars`: see
    `stretched`."""

    def __init__(self) -> None:
        self.collisions = self.transparent = False
        self.bars: dict[str, tuple[Array, Array]] = {}
        self._with_collisions: tuple[World, Scene] | None = None

    def scene(self, world: World, own: Scene) -> Scene:
        """The scene to draw; `own` shows the visuals of `world`."""
        scene = stretched(self._colliding(world) if self.collisions else own, self.bars)
        if not self.transparent:
            return scene
        faded = (replace(d, colour=(*d.colour[:3], SEEN_THROUGH * d.colour[3])) for d in scene.drawables)
        return replace(scene, drawables=tuple(faded))

    def fit_bars(self, laws: CurrentLaws | None) -> bool:
        """Draw bars from joint to joint where these are not where visuals are made for; whether that is news."""
        before = self.bars
        self.bars = {}
        if laws is None:
            return bool(before)
        written = now = Numbered(laws.mechanism, laws.world)
        if moves_positions(name for name, _ in laws.numbers):
            now = written.with_numbers(laws.now())
        self.bars = moved_bars(written, now)
        return bool(before or self.bars)

    def _colliding(self, world: World) -> Scene:
        if self._with_collisions is None or self._with_collisions[0] is not world:
            self._with_collisions = world, build_scene(world, show_collisions=True)
        return self._with_collisions[1]
