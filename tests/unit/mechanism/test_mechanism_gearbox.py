"""Gearboxes against their definition: theta_child = -ratio * theta_parent, both angles measured on the poses of the
bodies."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from simulator.mechanism.build import build_mechanism
from simulator.mechanism.gearbox import _law
from simulator.mechanism.types import CouplingKind, Mechanism
from simulator.model.joint import Joint
from simulator.model.world import World
from simulator.spatial.rotation import Vec3, rotation_vector
from tests.helpers.mechanisms import Array, axis_of, findings, joint, link, pose_of, state_of, world

AXIS: Vec3 = (0.48, -0.6, 0.64)


def flipped(direction: Vec3, sign: float) -> Vec3:
    return (sign * direction[0], sign * direction[1], sign * direction[2])


def geared(
    *,
    ratio: float = 3.0,
    reference_is_child: tuple[bool, bool] = (False, False),
    signs: tuple[float, ...] = (1, 1, 1, 1),
) -> World:
    """Carrier `arm` on the world; `sun` and `planet` on it by hinges that may name it as child, and may turn about
    minus AXIS.

    `signs`: hinge of the sun, hinge of the planet, axis and axis2 of the gearbox.
    """
    hinges = []
    for name, backwards, sign, line in (
        ("sun", reference_is_child[0], signs[0], 1),
        ("planet", reference_is_child[1], signs[1], 2),
    ):
        ends = (name, "arm") if backwards else ("arm", name)
        hinges.append(
            joint(f"{name}_hinge", "revolute", *ends, at=(0.1, 0.2, 0.0), axes=[flipped(AXIS, sign)], line=line)
        )
    box = joint(
        "box", "gearbox", "sun", "planet",
        axes=[flipped(AXIS, signs[2]), flipped(AXIS, signs[3])],
        gearbox_ratio=ratio, gearbox_reference_body="arm", gearbox_reference="m::arm", line=3,
    )  # fmt: skip
    links = [link("arm", rpy=(0.1, 0.2, 0.3)), link("sun", rpy=(0.4, 0.0, 0.0)), link("planet", at=(0.5, 0.0, 0.0))]
    return world(*links, joint("shaft", "revolute", "world", "arm", axes=[AXIS]), *hinges, box)


def angle_from(built: Mechanism, state: object, reference: str, body: str, about_world: Vec3) -> float:
    """Angle by which the body has turned in the reference body since the start, about a direction given in the world at
    the start."""
    start = state_of(built)

    def relative(at: object) -> Array:
        inverse = np.linalg.inv(pose_of(built, at, reference))  # type: ignore[arg-type]
        result: Array = (inverse @ pose_of(built, at, body))[:3, :3]  # type: ignore[arg-type]
        return result

    turned = relative(state) @ relative(start).T
    direction = pose_of(built, start, reference)[:3, :3].T @ np.array(about_world)
    return float(direction @ rotation_vector(turned))


SIGNS = list(itertools.product((1.0, -1.0), repeat=4))


@pytest.mark.parametrize("ratio", [2.0, -0.5])
@pytest.mark.parametrize("reference_is_child", list(itertools.product((False, True), repeat=2)))
def test_every_combination_of_signs_obeys_the_definition(ratio: float, reference_is_child: tuple[bool, bool]) -> None:
    """Brute force: put the planet where the coupling wants it and measure both angles on the poses. 1e-14: a few matrix
    products."""
    for signs in SIGNS:
        built = build_mechanism(geared(ratio=ratio, reference_is_child=reference_is_child, signs=signs))
        assert not built.has_errors
        (coupling,) = built.couplings
        assert coupling.kind is CouplingKind.GEARBOX
        leader, follower = 0.3, coupling.multiplier * 0.3
        state = state_of(built, shaft=0.9, sun_hinge=leader, planet_hinge=follower)
        theta_parent = angle_from(built, state, "arm", "sun", flipped(AXIS, signs[2]))
        theta_child = angle_from(built, state, "arm", "planet", flipped(AXIS, signs[3]))
        assert abs(theta_parent) == pytest.approx(0.3)
        assert theta_child == pytest.approx(-ratio * theta_parent, abs=1e-14), signs


def test_leader_is_the_parents_hinge() -> None:
    built = build_mechanism(geared())
    (coupling,) = built.couplings
    assert (coupling.leader, coupling.follower) == (axis_of(built, "sun_hinge"), axis_of(built, "planet_hinge"))
    assert (coupling.multiplier, coupling.constant) == (-3.0, 0.0)
    assert coupling.source is not None
    assert coupling.source.line == 3


def test_a_welded_gear_counts_as_its_body() -> None:
    """Parent and reference may be links welded to those that carry the hinges."""
    built = build_mechanism(
        world(
            *(link(name) for name in ("base", "plate", "a", "rim", "b")),
            joint("w1", "fixed", "world", "base"), joint("w2", "fixed", "base", "plate"),
            joint("w3", "fixed", "a", "rim"),
            joint("ja", "revolute", "base", "a"), joint("jb", "revolute", "world", "b"),
            joint(
                "g", "gearbox", "rim", "b",
                gearbox_ratio=2.0, gearbox_reference_body="plate", gearbox_reference="m::plate",
            ),
        )
    )  # fmt: skip
    assert not built.has_errors
    assert len(built.couplings) == 1


def broken(**changes: object) -> World:
    """Two hinges on the world and a gearbox between them, with something wrong."""
    fields = {
        "gearbox_ratio": 2.0,
        "gearbox_reference_body": "base",
        "gearbox_reference": "m::base",
        "line": 3,
        **changes,
    }
    axes = fields.pop("axes", [(0.0, 0.0, 1.0), (0.0, 0.0, 1.0)])
    return world(
        *(link(name) for name in ("base", "a", "b", "other", "loose")),
        joint("foot", "fixed", "world", "base"), joint("ja", "revolute", "base", "a", line=1),
        joint("jb", "revolute", "base", "b", line=2),
        joint("jo", "prismatic", "base", "other", line=4),
        joint("g", "gearbox", "a", str(fields.pop("child", "b")), axes=axes, **fields),  # type: ignore[arg-type]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "code", "names"),
    [
        ({"gearbox_reference": "", "gearbox_reference_body": "nobody"}, "GEARBOX_REFERENCE_BODY_INVALID", "nobody"),
        ({"gearbox_reference": "", "gearbox_reference_body": ""}, "GEARBOX_REFERENCE_BODY_INVALID", "none given"),
        ({"gearbox_ratio": 0.0}, "GEARBOX_RATIO_INVALID", "'m::g'"),
        ({"child": "other"}, "GEARBOX_HINGE_MISSING", "m::other"),
        ({"child": "other"}, "GEARBOX_HINGE_MISSING", "prismatic joint 'm::jo' (made-up.sdf:4)"),
        ({"child": "loose"}, "GEARBOX_HINGE_MISSING", "no revolute joint connects its child 'm::loose'"),
        ({"gearbox_reference": "m::b", "gearbox_reference_body": "b"}, "GEARBOX_HINGE_MISSING", "'b'"),
        ({"child": "a", "gearbox_ratio": 3.0}, "GEARBOX_HOLDS_JOINT", "'m::ja'"),
        ({"axes": [(0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]}, "GEARBOX_AXIS_NOT_PARALLEL", ":1"),
        ({"axes": [(0.0, 0.0, 1.0), (0.0, 0.01, 1.0)]}, "GEARBOX_AXIS_NOT_PARALLEL", ":2"),
    ],
)
def test_what_is_no_gearbox_is_said(changes: dict[str, object], code: str, names: str) -> None:
    built = build_mechanism(broken(**changes))
    found = findings(built, code)
    assert found
    assert found[0].is_error
    assert found[0].line == 3
    assert names in found[0].message
    assert not built.couplings


def test_a_rounded_right_angle_is_parallel_enough() -> None:
    """Documents write 1.5708 for pi/2: 4e-6 rad off."""
    off = 1.5708 - math.pi / 2
    assert not build_mechanism(broken(axes=[(off, 0.0, 1.0), (0.0, 0.0, -1.0)])).has_errors


def epicyclic(
    *,
    parent: str = "sun",
    child: str = "planet",
    ratio: float = 2.0,
    flips: Sequence[bool] = (False,) * 4,
    signs: Sequence[float] = (1.0,) * 6,
    extra: Sequence[Joint] = (),
) -> World:
    """Sun, ring and carrier on the base, a planet on the carrier, and a gearbox whose reference body is the carrier.

    `flips`: whether the hinges of sun, ring, carrier, planet name their inner body as child; `signs`: their axes' and
    the gearbox' two. The base is a link welded to the world; the planet's hinge sits on an arm welded to the carrier.
    """
    ends = (("base", "sun"), ("base", "ring"), ("base", "carrier"), ("arm", "planet"))
    hinges = [
        joint(
            f"{outer}_hinge", "revolute", *((outer, inner) if flip else (inner, outer)),
            axes=[flipped(AXIS, sign)], line=line,
        )
        for line, ((inner, outer), flip, sign) in enumerate(zip(ends, flips, signs[:4], strict=True), start=1)
    ]  # fmt: skip
    box = joint(
        "box", "gearbox", parent, child, axes=[flipped(AXIS, signs[4]), flipped(AXIS, signs[5])],
        gearbox_ratio=ratio, gearbox_reference_body="carrier", gearbox_reference="m::carrier", line=9,
    )  # fmt: skip
    links = [
        link(name, rpy=(0.1 * i, 0.3, 0.0))
        for i, name in enumerate(("base", "sun", "ring", "carrier", "arm", "planet"))
    ]
    welds = [joint("foot", "fixed", "world", "base"), joint("weld", "fixed", "carrier", "arm")]
    return world(*links, *welds, *hinges, *extra, box)


@pytest.mark.parametrize(
    ("parent", "child"), [("sun", "planet"), ("planet", "ring"), ("ring", "sun"), ("planet", "base")]
)
@pytest.mark.parametrize("flips", list(itertools.product((False, True), repeat=4)))
def test_angles_in_a_turning_body_obey_the_definition(parent: str, child: str, flips: tuple[bool, ...]) -> None:
    """Brute force over the orders and the directions of all hinges on the way, and of the gearbox: angles measured on
    poses, 1e-14.

    Of 1024 combinations 256 for the first pair, every eighth for the others.
    """
    free = {"sun_hinge": 0.3, "ring_hinge": -0.5, "carrier_hinge": 0.7, "planet_hinge": 0.4}
    every = list(itertools.product((1.0, -1.0), repeat=6))
    for signs in random.Random(str((parent, flips))).sample(every, 16 if child == "planet" else 8):
        built = build_mechanism(epicyclic(parent=parent, child=child, ratio=-1.7, flips=flips, signs=signs))
        assert not built.has_errors
        (coupling,) = built.couplings
        state = state_of(built, **free)
        state.position[coupling.follower] = sum(m * state.position[axis] for axis, m in coupling.leaders)
        angles = [
            angle_from(built, state, "carrier", body, flipped(AXIS, sign))
            for body, sign in ((parent, signs[4]), (child, signs[5]))
        ]
        assert abs(angles[0]) > 0.05
        assert math.remainder(angles[1] - 1.7 * angles[0], 2.0 * math.pi) == pytest.approx(0.0, abs=1e-14), signs


def law_of(built: Mechanism) -> dict[str, float]:
    """The one coupling as follower = sum of leaders, without the ending `_hinge`."""
    (coupling,) = built.couplings
    names = [axis.name.removeprefix("m::").removesuffix("_hinge") for axis in built.axes]
    return {names[coupling.follower]: 1.0, **{names[axis]: m for axis, m in coupling.leaders}}


@pytest.mark.parametrize(
    ("parent", "child", "ratio", "law"),
    [
        ("sun", "planet", 2.0, {"planet": 1.0, "sun": -2.0, "carrier": 2.0}),
        ("planet", "ring", -0.25, {"ring": 1.0, "planet": 0.25, "carrier": 1.0}),
        ("sun", "ring", 0.5, {"ring": 1.0, "sun": -0.5, "carrier": 1.5}),
        ("sun", "ring", -1.0, {"ring": 1.0, "sun": 1.0}),
        ("planet", "base", 3.0, {"carrier": 1.0, "planet": 3.0}),
    ],
    ids=["sun-planet", "planet-ring", "sun-ring", "carrier cancels", "base"],
)
def test_willis_equation_with_follower_and_leaders_in_this_order(
    parent: str, child: str, ratio: float, law: dict[str, float]
) -> None:
    found = law_of(build_mechanism(epicyclic(parent=parent, child=child, ratio=ratio)))
    assert list(found) == list(law)
    assert found == law


def test_a_hinge_that_follows_already_leaves_the_follower_to_another() -> None:
    """Two gears of one pinion: both gearboxes name it as child, and both laws have a follower of their own."""
    second = joint(
        "second", "gearbox", "ring", "planet", axes=[AXIS, AXIS],
        gearbox_ratio=-4.0, gearbox_reference_body="carrier", gearbox_reference="m::carrier", line=8,
    )  # fmt: skip
    built = build_mechanism(epicyclic(extra=[second]))
    assert not built.diagnostics
    followers = [built.axes[coupling.follower].name for coupling in built.couplings]
    assert followers == ["m::planet_hinge", "m::sun_hinge"]
    assert built.mobility.count == 2
    assert [cluster.couplings for cluster in built.clusters] == [(0, 1)]


def test_a_law_that_says_nothing_is_a_finding() -> None:
    built = build_mechanism(epicyclic(parent="sun", child="sun", ratio=-1.0))
    (finding,) = built.diagnostics
    assert (finding.code, finding.is_error, finding.line) == ("GEARBOX_WITHOUT_EFFECT", False, 9)
    assert not built.couplings


@pytest.mark.parametrize(
    ("kind", "axis", "code", "names"),
    [
        ("revolute", (1.0, 0.0, 0.0), "GEARBOX_AXIS_NOT_PARALLEL", "'m::turn' (made-up.sdf:7)"),
        ("prismatic", AXIS, "GEARBOX_HINGE_MISSING", "prismatic joint 'm::turn' (made-up.sdf:7)"),
        ("ball", AXIS, "GEARBOX_HINGE_MISSING", "ball joint 'm::turn' (made-up.sdf:7)"),
    ],
)
def test_what_is_in_the_way_is_named(kind: str, axis: Vec3, code: str, names: str) -> None:
    """The carrier's hinge is not on the base but on a body that moves in another way."""
    plain = epicyclic().models[0]
    links = [*plain.links, link("slide")]
    moved = joint("turn", kind, "base", "slide", axes=[axis], line=7)
    hinge = joint("carrier_hinge", "revolute", "slide", "carrier", axes=[AXIS], line=3)
    joints = [hinge if item.name == hinge.name else item for item in plain.joints]
    built = build_mechanism(world(*links, *joints, moved))
    (finding,) = findings(built, code)
    assert finding.is_error
    assert names in finding.message
    assert "'carrier'" in finding.message
    assert finding.hint


def test_the_shortest_way_counts_and_loop_joints_come_last() -> None:
    """Two hinges side by side: the one that stays on the tree."""
    double = joint("again", "revolute", "base", "sun", axes=[AXIS], must_be_loop_joint=True)
    built = build_mechanism(epicyclic(extra=[double]))
    assert list(law_of(built)) == ["planet", "sun", "carrier"]
    reordered = epicyclic().models[0]
    joints = [double, *(replace(item, must_be_loop_joint=False) for item in reordered.joints)]
    built = build_mechanism(world(*reordered.links, *joints))
    assert list(law_of(built)) == ["planet", "sun", "carrier"]
    assert [loop.name for loop in built.loop_joints] == ["m::again"]


def test_a_hinge_that_is_only_passed_stays_on_the_tree() -> None:
    """A strut holds the carrier as well and comes first in the document; the carrier's own hinge is in the law, so the
    strut is cut."""
    plain = epicyclic().models[0]
    strut = [
        joint("strut_hinge", "revolute", "base", "strut", at=(1.0, 0.0, 0.0), axes=[AXIS]),
        joint("strut_end", "revolute", "strut", "carrier", at=(1.0, 1.0, 0.0), axes=[AXIS]),
    ]
    without = [item for item in plain.joints if item.type.value != "gearbox"]
    cut = build_mechanism(world(*plain.links, link("strut"), *strut, *without)).loop_joints
    assert [item.name for item in cut] == ["m::carrier_hinge"]
    built = build_mechanism(world(*plain.links, link("strut"), *strut, *plain.joints))
    assert [item.name for item in built.loop_joints] == ["m::strut_end"]
    assert list(law_of(built)) == ["planet", "sun", "carrier"]
    assert all(built.axes[axis].in_tree for axis, _ in built.couplings[0].terms)
    (cluster,) = built.clusters
    assert {built.joints[i].name for i in cluster.joints} == {
        f"m::{name}_hinge" for name in ("sun", "carrier", "planet", "strut")
    }


@pytest.mark.parametrize(
    ("lacking", "terms"), [(1e-14, {"a", "b"}), (1e-10, {"a", "b", "carrier"}), (0.1, {"a", "b", "carrier"})]
)
def test_a_term_of_a_law_is_gone_only_where_rounding_is_left_of_it(lacking: float, terms: set[str]) -> None:
    """Both angles count the carrier: b + carrier + ratio (a + carrier) = 0. At ratio -1 it cancels; a part of 1e-10 is
    a law of the document's, one of 1e-14 is what a decimal leaves."""
    row = _law(-1.0 + lacking, (("a", 1.0), ("carrier", 1.0)), (("b", 1.0), ("carrier", 1.0)))
    assert set(row) == terms
    assert row["a"] == -1.0 + lacking
