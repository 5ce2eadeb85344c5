"""The velocity from which on bodies bounce (bounce/threshold): the smaller one of a pair, as in Gazebo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.physics.solids import ball_shape, ground, solid
from tests.physics.worlds import advance, model, running, world

Write = Callable[..., Path]


def bounces(restitution: float, threshold: float | None = None) -> str:
    """A surface; SDFormat's default threshold lets nothing bounce, and counts as not given."""
    said = "" if threshold is None else f"<threshold>{threshold!r}</threshold>"
    return (
        f"<surface><bounce><restitution_coefficient>{restitution!r}</restitution_coefficient>{said}</bounce></surface>"
    )


@pytest.mark.parametrize(
    ("ball", "floor", "least"),
    [
        (bounces(0.5, 0.5), bounces(0.8), 0.5),
        (bounces(0.5), bounces(0.5, 0.3), 0.3),
        (bounces(0.5, 0.5), bounces(0.5, 2.0), 0.5),
        (bounces(0.5, 0.5), bounces(0.5, 0.0), 0.02),
        (bounces(0.5, 0.001), bounces(0.5), 0.02),
        (bounces(0.5), bounces(0.5), 0.02),
    ],
    ids=["of the ball", "of the floor", "smaller", "none", "least", "default"],
)
def test_what_is_slower_does_not_bounce(write_document: Write, ball: str, floor: str, least: float) -> None:
    """A ball without weight that comes a hundredth faster than the threshold, and a hundredth more slowly: e v, or 0,
    to round-off."""
    for share, restitution in ((1.01, 0.5), (0.99, 0.0)):
        speed = share * least
        start = (
            f'<model_state><link_state name="b"><velocity>0 0 {-speed!r} 0 0 0</velocity></link_state></model_state>'
        )
        height = 0.1 + 0.01 * speed
        body = solid("b", ball_shape(0.1), inertia="0.1 0.1 0.1", pose=f"0 0 {height!r} 0 0 0", rubs=ball)
        with running(write_document(world(ground(rubs=floor) + model(body, start), gravity="0 0 0"))) as engine:
            advance(engine, 0.02)
            velocity = engine.snapshot().body_velocities[engine.mechanism.link_bodies()["m::b"]]
            assert velocity[5] == pytest.approx(restitution * speed, rel=1e-12, abs=1e-14)
