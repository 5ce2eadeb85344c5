"""What all shaders know about a frame, packed for the GPU (see shaders/frame.glsl)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.records import dataclass
from simulator.rendering.camera import Camera
from simulator.rendering.lighting import LIGHT_DIRECTION, SOFTNESS, ShadowView
from simulator.rendering.section import Section
from simulator.rendering.theme import Theme

if TYPE_CHECKING:
    from numpy.typing import NDArray

FRAME_BYTES = 3 * 64 + 14 * 16
"""Size of the uniform block."""


@dataclass(frozen=True)
class FrameView:
    """One frame: camera, size of the picture [px], near and far [m], pixels per unit of line width."""

    camera: Camera
    width: int
    height: int
    clip_range: tuple[float, float]
    pixel_ratio: float

    @property
    def aspect(self) -> float:
        """Width over height."""
        return self.width / self.height

    def matrix(self) -> NDArray[np.float64]:
        """World to clip space, shape (4, 4)."""
        return self.camera.projection(self.aspect, *self.clip_range) @ self.camera.view()


def frame_block(
    view: FrameView, theme: Theme, shadow: ShadowView, resolution: int, section: Section | None = None
) -> bytes:
    """The uniform block of a frame; `resolution` of the shadow map in texels."""
    matrix = view.matrix()
    camera = view.camera
    offset = 2.5 * 2.0 * shadow.radius / max(resolution, 1)
    softness = 0.5 * SOFTNESS
    rows = [
        (*camera.eye, 0.0 if camera.orthographic else 1.0),
        (*camera.backward, 0.0),
        (*LIGHT_DIRECTION, 0.0),
        (view.width, view.height, view.pixel_ratio, 2.0 * camera.half_height(1.0) / view.height),
        (softness, offset, 0.0, theme.shadow),
        (*theme.key_light, 0.0),
        (*theme.sky_light, 0.0),
        (*theme.ground_light, 0.0),
        (*theme.sky, 0.0),
        (*theme.horizon, 0.0),
        (*theme.edge, theme.edge_weight),
        (*theme.selected, 0.0),
        (*theme.hovered, 0.0),
        section_row(section),
    ]
    matrices = (matrix, np.asarray(np.linalg.inv(matrix), dtype=np.float64), shadow.matrix)
    return b"".join(as_bytes(m) for m in matrices) + np.array(rows, dtype="f4").tobytes()


def section_row(section: Section | None) -> tuple[float, float, float, float]:
    """Normal and offset of a section, zeros where nothing is cut."""
    return (0.0, 0.0, 0.0, 0.0) if section is None else (*section.normal, section.offset)


def as_bytes(matrix: NDArray[np.float64]) -> bytes:
    """A 4x4 matrix as OpenGL reads it: column after column, 32 bits."""
    return np.ascontiguousarray(matrix.T, dtype="f4").tobytes()
