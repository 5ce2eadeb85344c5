"""What is to be built in Bullet, before Bullet is asked."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.bullet.builder import Solids, build_multibody
from simulator.bullet.plan import MAX_LINKS, LinkKind, MultibodyPlan, plan_multibodies, principal_frame
from simulator.bullet.pybullet_import import pybullet
from simulator.errors import EngineLimitError
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import Body, Mechanism
from simulator.model.joint import Joint
from simulator.model.link import Collision, Link
from simulator.model.shape import Sphere
from simulator.model.world import World
from simulator.spatial.pose import IDENTITY, Pose
from simulator.spatial.rotation import Quat, Vec3
from tests.helpers.mechanisms import body_of, joint, link, mechanism, mimic
from tests.helpers.strategies import points, quats

BALL = Collision("c", Sphere(0.1))


def plan_of(built: Mechanism) -> MultibodyPlan:
    (plan,) = plan_multibodies(built)
    return plan


def body_places(plan: MultibodyPlan, built: Mechanism) -> dict[int, Pose]:
    """Where each body is at the start, by the plan's own frames."""
    X_WB = built.bodies[plan.base].X_WB
    base = X_WB @ plan.X_BI if plan.base_joint >= 0 else IDENTITY
    frames: list[Pose] = []
    places = {plan.base: X_WB}
    for item in plan.links:
        frames.append((base if item.parent < 0 else frames[item.parent]) @ item.X_PL)
        if item.body >= 0:
            places[item.body] = frames[-1] @ item.X_LB
    return places


def test_frames_put_bodies_where_the_document_does() -> None:
    """1e-14: a handful of products."""
    built = mechanism(
        link("a", at=(1, 2, 3), rpy=(0.1, 0.2, 0.3)), link("b", at=(0, 1, 0), rpy=(0.5, 0, 0)), link("c", at=(2, 0, 1)),
        joint("u", "universal", "a", "b", at=(0.5, 1, 0), rpy=(0, 0.4, 0)),
        joint("s", "screw", "c", "b", at=(1, 0, 1), rpy=(1, 0, 0)),
    )  # fmt: skip
    plan = plan_of(built)
    for body, place in body_places(plan, built).items():
        np.testing.assert_allclose(place.matrix(), built.bodies[body].X_WB.matrix(), atol=1e-14)


@pytest.mark.parametrize("base", ["world", "float"])
def test_bullet_numbers_links_as_they_are_planned(base: str) -> None:
    """Branches of two links on each of two links: Bullet goes through them branch by branch, in whatever order they are
    passed."""
    parts = [link("trunk"), *([joint("fix", "revolute", "world", "trunk")] if base == "world" else [])]
    for side in range(2):
        parts += [link(f"{place}{side}", at=(0.3 * side, 0.1 * height, 0.0)) for height, place in enumerate("ab", 1)]
    for place, inboard in (("a", "trunk"), ("b", "a")):  # level by level
        for side in range(2):
            parent = inboard if inboard == "trunk" else f"{inboard}{side}"
            at = (0.3 * side, 0.1, 0.1)
            parts.append(
                joint(f"{place}{side}_joint", "revolute", parent, f"{place}{side}", at=at, axis={"lower": -1.0})
            )
    built = mechanism(*parts)
    plan = plan_of(built)
    client = pybullet.connect(pybullet.DIRECT)
    try:
        made = build_multibody(client, plan, built, Solids())
        told = [pybullet.getJointInfo(made.uid, i, physicsClientId=client) for i in range(len(plan.links))]
    finally:
        pybullet.disconnect(client)
    assert [info[16] for info in told] == [item.parent for item in plan.links]
    assert len(plan.links) == 4 + (base == "world")


def test_two_axes_need_a_massless_link_between() -> None:
    plan = plan_of(mechanism(link("a"), joint("u", "universal", "world", "a")))
    cross, arm = plan.links
    assert (cross.mass, cross.body, cross.moments) == (0.0, -1, (0.0, 0.0, 0.0))
    assert (arm.mass, arm.parent, arm.X_PL) == (1.0, 0, IDENTITY)
    assert [item.axis for item in plan.links] == [0, 1]


def test_a_screw_turns_and_slides() -> None:
    plan = plan_of(mechanism(link("a"), joint("s", "screw", "world", "a")))
    assert [item.kind for item in plan.links] == [LinkKind.REVOLUTE, LinkKind.PRISMATIC]


def test_further_collisions_sit_on_links_of_their_own() -> None:
    built = mechanism(
        link("a", collisions=(BALL, BALL)),
        link("b", at=(1, 0, 0), collisions=(BALL, BALL, BALL)),
        joint("j", "revolute", "a", "b"),
    )
    plan = plan_of(built)
    assert plan.base == body_of(built, "a")
    assert plan.base_collision is not None
    holders = [item for item in plan.links if item.kind is LinkKind.FIXED]
    assert [item.link_name for item in holders] == ["m::a", "m::b", "m::b"]
    carrier = next(i for i, item in enumerate(plan.links) if item.body == body_of(built, "b"))
    assert [item.parent for item in holders] == [-1, carrier, carrier]
    assert all(item.mass == 0.0 and item.body == -1 for item in holders)


def test_collisions_of_welded_links_keep_their_links_names_and_places() -> None:
    """One shape a link; 1e-15: they are 1 m apart."""
    built = mechanism(
        link("a", collisions=(BALL,)), link("b", at=(1, 0, 0), collisions=(BALL,)), joint("w", "fixed", "a", "b"),
        joint("j", "revolute", "world", "a", at=(0, 2, 0)),
    )  # fmt: skip
    carrier, holder = plan_of(built).links
    assert (carrier.link_name, holder.link_name) == ("m::a", "m::b")
    assert carrier.X_LC.position == pytest.approx((0, -2, 0), abs=1e-15)
    assert holder.X_PL.position == pytest.approx((1, -2, 0), abs=1e-15)


def test_uncoupled_trees_are_multibodies_of_their_own() -> None:
    built = mechanism(
        *(link(n) for n in "abc"), joint("ja", "revolute", "world", "a"), joint("jb", "revolute", "world", "b")
    )
    assert sorted(plan.base_joint >= 0 for plan in plan_multibodies(built)) == [False, False, True]


def coupled(*parents: str) -> list[Link | Joint]:
    parts: list[Link | Joint] = [link("base0"), link("base1"), link("a"), link("b")]
    parts += [
        joint("ja", "revolute", parents[0], "a"),
        joint("jb", "revolute", parents[1], "b", axis={"mimic": mimic("ja", line=9)}),
    ]
    return parts


def test_coupled_trees_share_a_multibody() -> None:
    built = mechanism(*coupled("world", "world"))
    plans = plan_multibodies(built)
    assert sorted(len(plan.links) for plan in plans) == [0, 0, 2]
    assert {plan.base_joint for plan in plans if len(plan.links) == 2} == {-1}


def test_a_chain_of_couplings_is_one_group() -> None:
    parts = [*coupled("world", "world"), link("c"), joint("jc", "revolute", "world", "c", axis={"mimic": mimic("jb")})]
    assert max(len(plan.links) for plan in plan_multibodies(mechanism(*parts))) == 3


@pytest.mark.parametrize("parents", [("base0", "base1"), ("world", "base1"), ("base0", "world")])
def test_what_floats_cannot_be_coupled_to_another(parents: tuple[str, str]) -> None:
    with pytest.raises(
        EngineLimitError, match=r"'m::base[01]' hangs on nothing \(made-up.sdf:9\); join it to the world"
    ):
        plan_multibodies(mechanism(*coupled(*parents)))


def test_couplings_within_what_floats_are_fine() -> None:
    plans = plan_multibodies(mechanism(*coupled("base0", "base0")))
    assert sorted(len(plan.links) for plan in plans) == [0, 2]


def chain(n: int, **fields: object) -> Mechanism:
    parts: list[Link | Joint] = [link(f"l{i}", **fields) for i in range(n)]
    parts += [joint(f"j{i}", "revolute", f"l{i - 1}" if i else "world", f"l{i}") for i in range(n)]
    return mechanism(*parts)


def test_as_many_links_as_bullet_holds() -> None:
    assert len(plan_of(chain(MAX_LINKS)).links) == MAX_LINKS
    with pytest.raises(EngineLimitError, match=rf"at most {MAX_LINKS} .* 'm::j0' .* needs {MAX_LINKS + 1}; split"):
        plan_multibodies(chain(MAX_LINKS + 1))


def test_too_many_collisions_are_called_by_their_name() -> None:
    """A user who has one joint and 200 shapes must not be advised to couple fewer joints only."""
    built = mechanism(link("a", collisions=(BALL,) * (MAX_LINKS + 5)), joint("j", "revolute", "world", "a"))
    with pytest.raises(EngineLimitError, match="collisions"):
        plan_multibodies(built)


@given(points(), quats(), st.tuples(*(st.floats(0.01, 1.0),) * 3))
def test_principal_frames_are_those_of_numpy(com: Vec3, turn: Quat, parts: Vec3) -> None:
    """Turn known principal moments into any axes and find them again. 1e-13: eigenvalues of a matrix of size 2."""
    a, b, c = parts
    moments = (b + c, a + c, a + b)
    rotation = Pose((0, 0, 0), turn).rotation()
    inertia = rotation @ np.diag(moments) @ rotation.T
    body = Body(
        "b",
        (),
        (),
        mass=1.0,
        com=com,
        inertia=tuple(inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))),
    )
    X_BI, found = principal_frame(body)
    assert X_BI.position == com
    assert sorted(found) == pytest.approx(sorted(moments), abs=1e-13)
    R_BI = X_BI.rotation()
    assert np.linalg.det(R_BI) == pytest.approx(1.0)
    np.testing.assert_allclose(R_BI @ np.diag(found) @ R_BI.T, inertia, atol=1e-13)


def test_diagonal_inertia_is_left_alone() -> None:
    X_BI, moments = principal_frame(Body("b", (), (), com=(1, 2, 3), inertia=(3.0, 1.0, 2.0, 0.0, 0.0, 0.0)))
    assert X_BI.position == (1, 2, 3)
    assert X_BI.orientation == IDENTITY.orientation
    assert moments == (3.0, 1.0, 2.0)


def test_plans_do_not_depend_on_who_is_first() -> None:
    parts = coupled("world", "world")
    shapes = {
        tuple(sorted(len(plan.links) for plan in plan_multibodies(mechanism(*parts[:4], *order))))
        for order in itertools.permutations(parts[4:])
    }
    assert shapes == {(0, 0, 2)}


def test_the_world_alone_needs_nothing() -> None:
    assert plan_multibodies(build_mechanism(World())) == []
