"""Joints from rows of their motion subspace, by name, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.errors import UsageError
from tests.helpers.joints import PLANAR_ROWS
from textbook.joints.chain import JointChain
from textbook.joints.fixed import Fixed
from textbook.joints.inference import (
    JointAxisWarning,
    JointType,
    is_pure_row,
    joint_from_rows,
    joint_of_type,
    type_of_row,
)
from textbook.joints.single import Helical, Prismatic, Revolute


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ((1, 0, 0, 0, 0, 0), JointType.REVOLUTE_X),
        ((0, 1, 0, 0, 0, 0), JointType.REVOLUTE_Y),
        ((0, 0, 1, 0, 0, 0), JointType.REVOLUTE_Z),
        ((0, 0, -1, 0, 0, 0), JointType.REVOLUTE),
        ((0.6, 0.8, 0, 0, 0, 0), JointType.REVOLUTE),
        ((0, 0, 0, 1, 0, 0), JointType.PRISMATIC),
        ((0, 0, 0, 0.6, 0, 0.8), JointType.PRISMATIC),
        ((0, 0, 1, 1, 0, 0), JointType.HELICAL),
    ],
)
def test_the_type_follows_from_the_row(row: tuple[float, ...], kind: JointType) -> None:
    assert type_of_row(row) is kind


def test_one_row_is_one_joint() -> None:
    assert joint_from_rows((0, 1, 0, 0, 0, 0)) == Revolute((0, 1, 0))
    assert joint_from_rows((0, 0, 0, 0, 0, 1)) == Prismatic((0, 0, 1))
    assert joint_from_rows((0, 0, 1, 1, 0, 0)) == Helical((0, 0, 1), (1, 0, 0))
    assert joint_from_rows() == Fixed()


def test_several_rows_are_a_chain_with_their_rows_as_its_subspace() -> None:
    joint = joint_from_rows(*PLANAR_ROWS)
    assert isinstance(joint, JointChain)
    assert joint.joints == (Prismatic((1, 0, 0)), Prismatic((0, 1, 0)), Revolute((0, 0, 1)))
    assert np.array_equal(joint.subspace(np.zeros(3)).T, PLANAR_ROWS)


def test_an_axis_is_a_rotation_or_a_translation() -> None:
    assert is_pure_row((1, 0, 0, 0, 0, 0))
    assert is_pure_row((0, 0, 0, 0, 2, 0))
    assert not is_pure_row((1, 1, 1, 1, 1, 1))
    assert not is_pure_row((0, 0, 0, 0, 0, 0))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ((1, 1, 1, 1, 1, 1), "invalid joint axis.*rotation part has length 1.73205"),
        ((0, 0, 0, 0, 0, 0), "invalid joint axis.*is zero"),
        ((1, 0, 0), "a row of 6 numbers"),
        ((1, 0, 0, 0, 0, float("nan")), "finite"),
    ],
)
def test_rows_that_are_no_axis(row: tuple[float, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        joint_from_rows(row)


def test_a_long_axis_only_warns_and_scales_its_coordinate() -> None:
    with pytest.warns(JointAxisWarning, match="its length is 2"):
        joint = joint_from_rows((0, 0, 2, 0, 0, 0))
    assert joint.subspace(np.array([0.3]))[2, 0] == 2.0
    assert joint.transform(np.array([0.3])) == pytest.approx(Revolute().transform(np.array([0.6])))


def test_seven_rows_are_too_many() -> None:
    with pytest.raises(UsageError, match="at most 6 freedoms"):
        joint_from_rows(*[(1, 0, 0, 0, 0, 0)] * 7)


@pytest.mark.parametrize("kind", JointType)
def test_a_type_alone_makes_a_joint_or_says_what_is_missing(kind: JointType) -> None:
    needs = {
        JointType.REVOLUTE: "needs its axis",
        JointType.PRISMATIC: "needs its axis",
        JointType.HELICAL: "needs its axis",
        JointType.CUSTOM: "needs its hooks",
    }
    if kind in needs:
        with pytest.raises(UsageError, match=needs[kind]):
            joint_of_type(kind)
    else:
        joint = joint_of_type(kind.value)
        assert joint.transform(joint.neutral()).shape == (6, 6)


def test_an_unknown_type_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"invalid joint type 'Ball'.*Spherical"):
        joint_of_type("Ball")
    with pytest.raises(UsageError, match="axis must not be zero"):
        Revolute((0, 0, 0))
