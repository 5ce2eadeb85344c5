"""What tests of pictures share."""

from __future__ import annotations

import pytest

from simulator.errors import RenderingError
from simulator.model.world import World
from simulator.rendering.build import build_scene
from simulator.rendering.offscreen import PictureMaker
from simulator.rendering.options import RenderOptions


@pytest.fixture(scope="session")
def opengl() -> None:
    """Skips where nothing here draws."""
    try:
        PictureMaker(build_scene(World()), RenderOptions.fast()).close()
    except RenderingError as error:
        pytest.skip(str(error))
