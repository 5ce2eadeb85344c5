"""Shader programs, compiled from the files in shaders/."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import moderngl
import numpy as np

from simulator.errors import RenderingError
from simulator.rendering.shader_text import source

if TYPE_CHECKING:
    from numpy.typing import NDArray

FRAME_BINDING = 0
ALIGNMENT = 4
"""Bytes to which rows of pixels are aligned in every transfer. moderngl sets OpenGL's own value to its default of 1 and
leaves it there, and other code that draws with this context and relies on 4 (a window toolkit uploading letters, for
example) would draw garbage."""

SHADOW_UNIT = 0
PICTURE_UNIT = 1
ALBEDO_UNIT = 2


class Programs:
    """The programs of one context; `shadow_taps` lookups in the shadow map soften a shadow, 0 means none is drawn."""

    def __init__(self, ctx: moderngl.Context, shadow_taps: int) -> None:
        self._head = f"#version 330 core\n#define SHADOW_TAPS {shadow_taps}\n"
        self._ctx = ctx
        self._made: list[moderngl.Program] = []
        self.mesh = self._program("mesh.vert", "mesh.frag")
        self.edge = self._program("edge.vert", "line.frag")
        self.line = self._program("line.vert", "line.frag")
        self.shadow = self._program("shadow.vert", "shadow.frag")
        self.pick = self._program("pick.vert", "pick.frag")
        self.background = self._program("background.vert", "background.frag")
        self.floor = self._program("floor.vert", "floor.frag")
        self.resolve = self._program("whole_picture.vert", "resolve.frag")

    @cached_property
    def textured(self) -> moderngl.Program:
        """As `mesh`, with a picture; made when the first scene has one."""
        return self._program("mesh.vert", "mesh.frag", "#define TEXTURED\n")

    @cached_property
    def count(self) -> moderngl.Program:
        """Counts faces for a section; made when the first one is drawn."""
        return self._program("mesh.vert", "count.frag")

    @cached_property
    def cap(self) -> moderngl.Program:
        """What a section cuts, from the picture of `count`."""
        return self._program("whole_picture.vert", "cap.frag")

    def _program(self, vertex: str, fragment: str, defines: str = "") -> moderngl.Program:
        head = self._head + defines
        try:
            program = self._ctx.program(vertex_shader=head + source(vertex), fragment_shader=head + source(fragment))
        except moderngl.Error as error:
            raise RenderingError(f"this OpenGL cannot compile {vertex} with {fragment}: {error}") from error
        units = {"u_shadow_map": SHADOW_UNIT, "u_picture": PICTURE_UNIT, "u_albedo": ALBEDO_UNIT}
        for name, unit in units.items():
            if name in program:
                program[name] = unit
        block = program.get("Frame", None)
        if isinstance(block, moderngl.UniformBlock):
            block.binding = FRAME_BINDING
        self._made.append(program)
        return program

    def release(self) -> None:
        """Give the programs back to the driver."""
        for program in self._made:
            program.release()
        self._made.clear()


def set_uniforms(program: moderngl.Program, **values: NDArray[np.float64] | tuple[float, ...] | float) -> None:
    """Set uniforms by name: numbers, vectors as tuples, 4x4 matrices as arrays."""
    for name, value in values.items():
        uniform = program[name]
        if isinstance(uniform, moderngl.Uniform):
            uniform.value = tuple(value.T.ravel()) if isinstance(value, np.ndarray) else value
