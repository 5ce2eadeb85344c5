"""A plane that cuts a scene open."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    import moderngl

    from simulator.spatial.rotation import Vec3

CLIP_DISTANCE = 0x3000
"""GL_CLIP_DISTANCE0, which has no name in moderngl."""


@dataclass(frozen=True)
class Section:
    """What is beyond the plane, where `normal` (a unit vector of the world) · p > `offset` [m], is not drawn."""

    normal: Vec3
    offset: float


@contextmanager
def clipped(ctx: moderngl.Context, section: Section | None) -> Iterator[None]:
    """Draw only what a section leaves: inside, every program has to write a clip distance."""
    if section is None:
        yield
        return
    ctx.enable_direct(CLIP_DISTANCE)
    try:
        yield
    finally:
        ctx.disable_direct(CLIP_DISTANCE)
