"""How long it takes to open a world of 3000 bodies: to read and check it, to get an engine ready to step, to make the
picture's scene.

scripts/test tests/benchmarks/test_opening.py --benchmark-enable
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from simulator.rendering.build import build_scene
from simulator.session.commands.factory import make_engine
from simulator.session.open.opening import Opened, open_document
from simulator.session.text.settings import SessionSettings
from tests.physics.solids import ball_shape, box_shape, ground, solid
from tests.physics.worlds import model, world

BODIES = 3000
FEW = 30
"""Where nothing is measured."""
PLACES = 100
"""In a row."""


@pytest.fixture(scope="module")
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Free boxes, balls and cylinders in turn, in rows, at rest on the ground."""
    count = BODIES if request.config.getoption("benchmark_enable", False) else FEW
    shapes = (box_shape("1 1 1"), ball_shape(0.5), "<cylinder><radius>0.5</radius><length>1</length></cylinder>")
    bodies = (
        model(
            solid("body", shapes[i % 3], pose=f"{1.5 * (i % PLACES)} {1.5 * (i // PLACES)} 0.5 0 0 0"), name=f"m{i}"
        ).replace("</collision>", f"</collision><visual name='v'><geometry>{shapes[i % 3]}</geometry></visual>")
        for i in range(count)
    )
    file = tmp_path_factory.mktemp("opening") / "bodies.sdf"
    file.write_text(world(ground() + "".join(bodies)))
    return file


@pytest.fixture(scope="module")
def opened(path: Path) -> Opened:
    return open_document(path)


def test_reading_and_checking(benchmark: Any, path: Path) -> None:
    assert not benchmark(open_document, path).has_errors


def test_an_engine_ready_to_step(benchmark: Any, opened: Opened) -> None:
    def start() -> int:
        engine = make_engine(opened, SessionSettings())
        engine.close()
        return len(engine.snapshot().body_poses)

    assert benchmark(start) == len(opened.mechanism.bodies)


def test_a_step(benchmark: Any, opened: Opened) -> None:
    engine = make_engine(opened, SessionSettings())
    try:
        benchmark(engine.step)
    finally:
        engine.close()


def test_the_scene_of_the_picture(benchmark: Any, opened: Opened) -> None:
    assert len(benchmark(build_scene, opened.world).drawables) >= len(opened.mechanism.bodies) - 1
