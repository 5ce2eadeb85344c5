"""Pictures in the memory of the GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import moderngl
import numpy as np

from simulator.rendering.programs import ALBEDO_UNIT, ALIGNMENT, set_uniforms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.rendering.pictures import Picture

SRGB8_ALPHA8 = 0x8C43
"""OpenGL's name of the format whose texels are averaged as light, not as numbers."""


@dataclass(frozen=True)
class GpuTexture:
    """A picture, ready to be drawn with the program for textured surfaces."""

    texture: moderngl.Texture
    program: moderngl.Program
    picture: Picture

    def use(self) -> None:
        """Draw with it from now on."""
        self.texture.use(ALBEDO_UNIT)
        u, v = self.picture.size
        set_uniforms(self.program, u_place=(1.0 / u, 1.0 / v, 1.0 if self.picture.cutout else 0.0))


def upload(
    ctx: moderngl.Context, program: moderngl.Program, pictures: Sequence[Picture], anisotropy: float
) -> list[GpuTexture]:
    """All pictures of a scene, with smaller copies for the distance; `anisotropy` as in `RenderOptions`."""
    curve = _transfer_curve()
    textures = []
    for picture in pictures:
        height, width = picture.pixels.shape[:2]
        texels = curve[picture.pixels[::-1]]
        texels[:, :, 3] = picture.pixels[::-1, :, 3]
        texture = ctx.texture((width, height), 4, texels.tobytes(), alignment=ALIGNMENT, internal_format=SRGB8_ALPHA8)
        texture.build_mipmaps()
        texture.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR
        texture.anisotropy = min(anisotropy, ctx.max_anisotropy)
        textures.append(GpuTexture(texture, program, picture))
    return textures


def _transfer_curve() -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """The texel (256,) that OpenGL's sRGB curve makes the square of each value: the gamma of 2 of the shaders (see
    frame.glsl)."""
    light = np.square(np.arange(256) / 255.0)
    encoded = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.round(255.0 * encoded).astype(np.uint8)
