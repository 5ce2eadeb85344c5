"""Gearboxes against their definition: theta_child = -ratio * theta_parent, both angles measured on the poses of the bodies."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import CouplingKind, Mechanism
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
    """Carrier `arm` on the world; `sun` and `planet` on it by hinges that may name it as child, and may turn about minus AXIS.

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
    """Angle by which the body has turned in the reference body since the start, about a direction given in the world at the start."""
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
    """Brute force: put the planet where the coupling wants it and measure both angles on the poses. 1e-14: a few matrix products."""
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
            joint("w1", "fixed", "world", "base"), joint("w2", "fixed", "base", "plate"), joint("w3", "fixed", "a", "rim"),
            joint("ja", "revolute", "base", "a"), joint("jb", "revolute", "world", "b"),
            joint("g", "gearbox", "rim", "b", gearbox_ratio=2.0, gearbox_reference_body="plate", gearbox_reference="m::plate"),
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
        *(link(name) for name in ("base", "a", "b", "other")),
        joint("foot", "fixed", "world", "base"), joint("ja", "revolute", "base", "a", line=1), joint("jb", "revolute", "base", "b", line=2),
        joint("jo", "prismatic", "base", "other"),
        joint("g", "gearbox", "a", str(fields.pop("child", "b")), axes=axes, **fields),  # type: ignore[arg-type]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "code", "names"),
    [
        ({"gearbox_reference": "", "gearbox_reference_body": "nobody"}, "GEARBOX_REFERENCE_BODY_INVALID", "nobody"),
        ({"gearbox_reference": "", "gearbox_reference_body": ""}, "GEARBOX_REFERENCE_BODY_INVALID", "none given"),
        ({"gearbox_ratio": 0.0}, "GEARBOX_RATIO_INVALID", "'m::g'"),
        ({"child": "other"}, "GEARBOX_HINGE_MISSING", "m::other"),
        ({"gearbox_reference": "m::b", "gearbox_reference_body": "b"}, "GEARBOX_HINGE_MISSING", "'b'"),
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
