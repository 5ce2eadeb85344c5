"""Who touches whom: shapes are where they belong, and links that must never meet do not."""

from __future__ import annotations

import pytest

from simulator.bullet.dynamics import BulletDynamics
from simulator.kinematics.state import rest_state
from simulator.mechanism.build import build_mechanism
from simulator.model.joint import Joint
from simulator.model.link import Collision, Link
from simulator.model.material import Surface
from simulator.model.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Plane, Shape, Sphere
from simulator.model.world import Model, World
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import Vec3
from tests.helpers.mechanisms import joint, link, model


def solid(name: str, shape: Shape, at: Vec3 = (0.0, 0.0, 0.0), mask: int = 0xFFFF, **fields: object) -> Link:
    return link(name, at=at, collisions=(Collision("c", shape, surface=Surface(collide_bitmask=mask)),), **fields)


def ball(name: str, at: Vec3 = (0.0, 0.0, 0.0), **fields: object) -> Link:
    return solid(name, Sphere(0.5), at, **fields)


def contacts(*models: Model) -> int:
    """Contact points after one step from the start, without gravity."""
    built = build_mechanism(World(models=models, gravity=(0.0, 0.0, 0.0)))
    assert not built.has_errors
    dynamics = BulletDynamics(built, dt=1e-4)
    try:
        dynamics.set_state(rest_state(built))
        dynamics.step()
        return len(dynamics.contacts())
    finally:
        dynamics.close()


def other(name: str, *parts: Link | Joint, **fields: object) -> Model:
    return model(*parts, name=name, **fields)


def test_models_that_overlap_touch() -> None:
    assert contacts(model(ball("a")), other("n", ball("n::b", (0.9, 0, 0)))) > 0
    assert contacts(model(ball("a")), other("n", ball("n::b", (1.1, 0, 0)))) == 0


def test_links_of_one_model_touch_only_where_it_says_so() -> None:
    parts = (ball("a"), ball("b", (0.9, 0, 0)))
    assert contacts(model(*parts)) == 0
    assert contacts(model(*parts, self_collide=True)) > 0


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "ball", "universal", "fixed"])
def test_jointed_links_never_touch(kind: str) -> None:
    assert contacts(model(ball("a"), ball("b", (0.9, 0, 0)), joint("j", kind, "a", "b"), self_collide=True)) == 0


def test_neighbours_but_one_may_touch() -> None:
    chain = (
        ball("a"),
        ball("b", (0.1, 0, 0)),
        ball("c", (0.2, 0, 0)),
        joint("j", "revolute", "a", "b"),
        joint("k", "revolute", "b", "c"),
    )
    assert contacts(model(*chain, self_collide=True)) > 0
    assert contacts(model(*chain)) == 0


def test_a_hinge_on_the_world_does_not_make_bodies_pass_through_the_ground() -> None:
    ground = other("ground", solid("ground::plane", Plane((0.0, 0.0, 1.0), (1.0, 1.0))), static=True)
    assert contacts(ground, model(ball("a", (0, 0, 0.4)), joint("j", "revolute", "world", "a"))) > 0


def test_bitmasks_that_share_nothing_pass_through() -> None:
    assert contacts(model(ball("a", mask=1)), other("n", ball("n::b", (0.9, 0, 0), mask=2))) == 0
    assert contacts(model(ball("a", mask=3)), other("n", ball("n::b", (0.9, 0, 0), mask=2))) > 0


def test_further_collisions_of_a_link_count() -> None:
    """The second shape of a link, and the shapes of welded links, are where the document puts them."""
    two = link("a", collisions=(Collision("c", Sphere(0.1)), Collision("d", Sphere(0.5), X_LC=Pose((3, 0, 0)))))
    assert contacts(model(two), other("n", ball("n::b", (3.9, 0, 0)))) > 0
    assert contacts(model(two), other("n", ball("n::b", (1.5, 0, 0)))) == 0
    welded = (link("a"), ball("b", (3, 0, 0)), joint("w", "fixed", "a", "b"), joint("j", "revolute", "world", "a"))
    assert contacts(model(*welded), other("n", ball("n::b", (3.9, 0, 0)))) > 0


TALL = [Box((0.2, 0.2, 2.0)), Cylinder(0.1, 2.0), Capsule(0.1, 1.8), Cone(0.1, 2.0), Ellipsoid((0.1, 0.1, 1.0))]


@pytest.mark.parametrize("shape", TALL, ids=[type(shape).__name__ for shape in TALL])
@pytest.mark.parametrize("static", [False, True])
def test_shapes_are_as_tall_as_they_say_along_z(shape: Shape, static: bool) -> None:
    """Each is 2 m along z: a small ball touches it just below the top, not just above. Convex margins are far below 5
    cm."""
    thing = solid("s", shape)
    for height, touches in ((1.05, True), (1.2, False)):
        probe = other("n", solid("n::probe", Sphere(0.1), (0.0, 0.0, height)))
        assert (contacts(model(thing, static=static), probe) > 0) is touches


def test_the_world_does_not_touch_itself() -> None:
    assert contacts(model(ball("a"), static=True), other("n", ball("n::b", (0.5, 0, 0)), static=True)) == 0


@pytest.mark.parametrize("touched", ["a", "b", "c"])
def test_a_contact_names_the_body_of_a_chain_that_touches(touched: str) -> None:
    """One ball beside one link of a chain of three, which are too far from each other to touch."""
    links = {name: ball(name, (2.0 * i, 0, 0)) for i, name in enumerate("abc")}
    chain = (*links.values(), joint("j", "revolute", "a", "b"), joint("k", "revolute", "b", "c"))
    beside = other("n", ball("n::d", (2.0 * "abc".index(touched), 0.9, 0)))
    built = build_mechanism(World(models=(model(*chain), beside), gravity=(0.0, 0.0, 0.0)))
    dynamics = BulletDynamics(built, dt=1e-4)
    try:
        dynamics.set_state(rest_state(built))
        dynamics.step()
        pairs = {frozenset(contact.bodies) for contact in dynamics.contacts()}
    finally:
        dynamics.close()
    bodies = built.link_bodies()
    assert pairs == {frozenset((bodies[f"m::{touched}"], bodies["n::d"]))}
