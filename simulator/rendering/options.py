"""How much the renderer spends on looks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simulator.records import dataclass

if TYPE_CHECKING:
    import moderngl

SOFTWARE = re.compile(r"llvmpipe|softpipe|swiftshader|swrast|gdi", re.IGNORECASE)
"""Names under which OpenGL without a graphics processor reports itself."""


@dataclass(frozen=True)
class RenderOptions:
    """What is drawn, and how finely.

    `samples`: multisampling (0: none; the renderer owns its multisampled buffer, the target needs none). `supersample`:
    the picture is drawn this many times larger along each side and averaged. `shadow_resolution` in texels along a
    side; `shadow_taps` lookups of the shadow map make each point's shadow soft. `outlines` draws the silhouettes of
    round parts. `anisotropy`: how many times a texture that is seen at a flat angle is looked up at most; 1 is blurred
    there, and much faster on a software rasteriser.
    """

    shadows: bool = True
    shadow_resolution: int = 2048
    shadow_taps: int = 12
    samples: int = 4
    supersample: int = 1
    edges: bool = True
    outlines: bool = True
    floor: bool = True
    anisotropy: float = 8.0

    @staticmethod
    def best() -> RenderOptions:
        """For still pictures."""
        return RenderOptions(supersample=2, shadow_resolution=4096, shadow_taps=32, anisotropy=4.0)

    @staticmethod
    def fast() -> RenderOptions:
        """For moving pictures without a graphics processor."""
        return RenderOptions(shadows=False, samples=0, outlines=False, anisotropy=1.0)

    @staticmethod
    def automatic(ctx: moderngl.Context) -> RenderOptions:
        """For a window: everything on a graphics processor, only the cheap part on a software rasteriser."""
        return RenderOptions.fast() if is_software(ctx) else RenderOptions()


def is_software(ctx: moderngl.Context) -> bool:
    """Whether this OpenGL draws without a graphics processor."""
    return SOFTWARE.search(str(ctx.info.get("GL_RENDERER", ""))) is not None
