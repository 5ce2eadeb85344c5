"""Orders and frames of other programs' states, against numbers worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import simulator
from simulator.errors import UnknownNameError, UsageError
from tests.helpers.documents import joint, link, model, world

H = math.sqrt(0.5)


def flying() -> simulator.Simulation:
    """A body turned by 90° about z at (1, 2, 3), spinning about its own x at 4 rad/s, moving along the world's x at 5
    m/s; and a hinge."""
    parts = [link("arm"), joint("hip", "revolute", parent="world", child="arm")]
    body = link("body", pose=f"1 2 3 0 0 {math.pi / 2!r}")
    sim = simulator.load(world(model("m", body, *parts)))
    sim.set(hip=0.25, velocity={"hip": -0.5}, twist={"body": (0.0, 4.0, 0.0, 5.0, 0.0, 0.0)})
    return sim


@pytest.mark.parametrize(
    ("peer", "q", "v"),
    [
        ("mujoco", [1, 2, 3, H, 0, 0, H], [5, 0, 0, 4, 0, 0]),
        ("pinocchio", [1, 2, 3, 0, 0, H, H], [0, -5, 0, 4, 0, 0]),
        ("drake", [H, 0, 0, H, 1, 2, 3], [0, 4, 0, 5, 0, 0]),
    ],
)
def test_a_free_body(peer: str, q: list[float], v: list[float]) -> None:
    """MuJoCo: place, quaternion w first; velocity in the world, spin in the body. Pinocchio: w last, both in the body,
    linear first. Drake: quaternion w first, then place; spin first, both in the world."""
    found = simulator.peer_state(flying(), peer, ["body:free", "hip"])  # type: ignore[arg-type]
    np.testing.assert_allclose(found[0], [*q, 0.25], atol=1e-12)
    np.testing.assert_allclose(found[1], [*v, -0.5], atol=1e-12)
    other_way = simulator.peer_state(flying(), peer, ["hip", "body:free"])  # type: ignore[arg-type]
    np.testing.assert_allclose(other_way[0], [0.25, *q], atol=1e-12)


def test_our_own_order_is_that_of_the_tree() -> None:
    sim = flying()
    names = [item.name for item in sim.mechanism.joints]
    np.testing.assert_array_equal(simulator.peer_state(sim, "mujoco")[0], simulator.peer_state(sim, "mujoco", names)[0])


def test_what_is_not_known() -> None:
    with pytest.raises(UsageError, match="states can be ordered for mujoco, pinocchio, drake"):
        simulator.peer_state(flying(), "ode")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="no tree joint is named 'knee'"):
        simulator.peer_state(flying(), "drake", ["knee"])


def test_a_ball() -> None:
    """MuJoCo has w first, Pinocchio last, both spin in the body; Drake has angles."""
    ball = "<joint name='b' type='ball'><parent>world</parent><child>a</child></joint>"
    sim = simulator.load(world(model("m", link("a"), ball)))
    np.testing.assert_allclose(simulator.peer_state(sim, "mujoco")[0], [1, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(simulator.peer_state(sim, "pinocchio")[0], [0, 0, 0, 1], atol=1e-12)
    with pytest.raises(UsageError, match="a ball joint of Drake has angles"):
        simulator.peer_state(sim, "drake")
