"""Links that cannot move against each other become one body, and that body weighs what they weigh together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.mechanism.build import build_mechanism
from simulator.mechanism.welding import composite
from simulator.model.joint import Joint
from simulator.model.link import Inertial, Link
from simulator.model.world import World
from simulator.spatial.inertia import inertia_matrix
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import Quat, Vec3
from tests.helpers.mechanisms import body_of, findings, joint, link, mechanism, model, world
from tests.helpers.strategies import quats

near = st.tuples(*(st.floats(-2.0, 2.0),) * 3)


def cloud(inertial: Inertial, X_BL: Pose) -> tuple[np.ndarray, np.ndarray]:
    """Six equal point masses, placed in B, with the same mass, centre and inertia: +-sqrt(3 s_k / m) along each
    principal axis, where s_k is the second moment of mass along axis k."""
    ixx, iyy, izz = inertial.moments
    ixy, ixz, iyz = inertial.products
    moments = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    second = 0.5 * np.trace(moments) * np.eye(3) - moments
    sizes, axes = np.linalg.eigh(second)
    arms = axes * np.sqrt(3.0 * np.maximum(sizes, 0.0) / inertial.mass)
    local = np.concatenate((arms.T, -arms.T))
    X_BI = X_BL.matrix() @ inertial.X_LI.matrix()
    return np.full(6, inertial.mass / 6.0), local @ X_BI[:3, :3].T + X_BI[:3, 3]


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(st.floats(0.1, 10.0), near, quats(), near, quats(), st.tuples(*(st.floats(0.01, 1.0),) * 3)),
        min_size=1,
        max_size=4,
    )
)
def test_composite_is_that_of_all_points(parts: list[tuple[float, Vec3, Quat, Vec3, Quat, Vec3]]) -> None:
    """Independent of the parallel-axis theorem: sums over point masses. 1e-9: 40 kg within 4 m, so moments near 1e3."""
    placed = [
        (Inertial(mass, Pose(p, q), (b + c, a + c, a + b), (0.1 * a * b * c, 0.0, -0.1 * a * b * c)), Pose(s, r))
        for mass, p, q, s, r, (a, b, c) in parts
    ]
    masses, points = (np.concatenate(rows) for rows in zip(*(cloud(*part) for part in placed), strict=True))
    centre = masses @ points / masses.sum()
    arms = points - centre
    expected = np.einsum(
        "n,nij->ij", masses, np.einsum("nk,nk,ij->nij", arms, arms, np.eye(3)) - np.einsum("ni,nj->nij", arms, arms)
    )
    mass, com, inertia = composite(placed)
    assert mass == pytest.approx(masses.sum(), rel=1e-14)
    np.testing.assert_allclose(com, centre, atol=1e-12)
    np.testing.assert_allclose(inertia_matrix(*inertia), expected, atol=1e-9)


def test_fixed_joints_weld_across_a_chain() -> None:
    built = mechanism(
        link("a"),
        link("b", at=(1, 0, 0)),
        link("c", at=(3, 0, 0)),
        joint("ab", "fixed", "a", "b"),
        joint("cb", "fixed", "c", "b"),
    )
    assert [body.name for body in built.bodies] == ["world", "m::a"]
    body = built.bodies[1]
    assert [part.name for part in body.links] == ["m::a", "m::b", "m::c"]
    assert body.mass == 3.0
    assert body.com == pytest.approx((4 / 3, 0, 0))
    assert [pose.position for pose in body.X_BL] == [(0, 0, 0), (1, 0, 0), (3, 0, 0)]
    # 0.03 about the bars' own centres, and 1 kg at 4/3, 1/3 and 5/3 m from the common centre.
    assert body.inertia == pytest.approx((0.03, 0.03 + 42 / 9, 0.03 + 42 / 9, 0, 0, 0))


def test_welded_to_the_world_is_the_world() -> None:
    built = mechanism(
        link("a"), link("b", at=(0, 0, 1)), joint("base", "fixed", "world", "a"), joint("j", "revolute", "a", "b")
    )
    assert body_of(built, "a") == 0
    assert built.joints[0].parent == 0
    assert built.bodies[0].X_BL[0] == Pose()


def test_a_static_model_is_part_of_the_world() -> None:
    fixed = model(link("s::base", at=(0, 0, 2)), name="s", static=True)
    built = build_mechanism(World(models=(fixed, model(link("a"), joint("j", "revolute", "s::__model__", "a")))))
    assert not built.has_errors
    assert [body.name for body in built.bodies] == ["world", "m::a"]
    assert built.bodies[0].links[0].name == "s::base"
    assert built.joints[0].parent == 0


def test_kinematic_links_stay_where_they_are_and_say_so_once() -> None:
    built = mechanism(link("a", kinematic=True), link("b", kinematic=True), link("c"), joint("j", "revolute", "b", "c"))
    assert body_of(built, "a") == body_of(built, "b") == 0
    assert len(findings(built, "KINEMATIC_LINK")) == 1


def test_disagreement_about_gravity_is_said() -> None:
    built = mechanism(link("a", gravity=False), link("b"), joint("w", "fixed", "a", "b"))
    (finding,) = findings(built, "GRAVITY_OF_WELDED_LINKS")
    assert "m::a" in finding.message
    assert built.bodies[1].gravity is False


def test_agreement_about_gravity_is_not_mentioned() -> None:
    built = mechanism(link("a", gravity=False), link("b", gravity=False), joint("w", "fixed", "a", "b"))
    assert not built.diagnostics
    assert built.bodies[1].gravity is False


def test_no_mass_at_all_has_a_centre_all_the_same() -> None:
    nothing = Inertial(0.0, Pose((0.5, 0, 0)), (0, 0, 0))
    built = build_mechanism(
        world(link("a", inertial=nothing), link("b", inertial=nothing), joint("w", "fixed", "a", "b")), strict=True
    )
    assert built.bodies[1].com == (0.5, 0.0, 0.0)


def _chain(n: int) -> list[Link | Joint]:
    return [
        link("l0"),
        *(
            part
            for i in range(1, n)
            for part in (link(f"l{i}", at=(i, 0, 0)), joint(f"j{i}", "fixed", f"l{i - 1}", f"l{i}"))
        ),
    ]


def test_a_ring_of_welds_is_one_body() -> None:
    built = mechanism(*_chain(5), joint("back", "fixed", "l4", "l0"))
    assert len(built.bodies) == 2
    assert built.bodies[1].mass == 5.0
    assert not built.loop_joints
