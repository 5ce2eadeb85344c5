from __future__ import annotations

import numpy as np
import pytest

from simulator.errors import UnknownNameError, UsageError
from simulator.kinematics.named import NamedMatrix, NamedVector

VECTOR = NamedVector(("arm::hip", "arm::knee", "leg::hip"), np.array([1.0, 2.0, 3.0]))
MATRIX = NamedMatrix(("wx", "vx"), ("arm::hip", "arm::knee"), np.array([[1.0, 2.0], [3.0, 4.0]]))


def test_a_vector_by_name_and_place() -> None:
    assert VECTOR["arm::knee"] == VECTOR["knee"] == VECTOR[1] == 2.0
    assert dict(VECTOR.items()) == {"arm::hip": 1.0, "arm::knee": 2.0, "leg::hip": 3.0}
    assert list(VECTOR) == [1.0, 2.0, 3.0]


def test_names_that_do_not_exist_or_mean_several() -> None:
    with pytest.raises(UnknownNameError, match=r"'elbow'.*arm::hip"):
        VECTOR["elbow"]
    with pytest.raises(UsageError, match=r"'hip' is ambiguous: arm::hip, leg::hip"):
        VECTOR["hip"]


def test_a_matrix_by_names() -> None:
    assert MATRIX["vx", "knee"] == 4.0
    assert MATRIX["vx"]["hip"] == 3.0
    assert MATRIX[:, "knee"]["wx"] == 2.0
    assert MATRIX[0, 1] == 2.0
    np.testing.assert_array_equal(MATRIX[:, 0], [1.0, 3.0])


def test_both_pass_for_arrays() -> None:
    np.testing.assert_array_equal(np.asarray(MATRIX) @ VECTOR.array[:2], [5.0, 11.0])
    np.testing.assert_array_equal(MATRIX @ VECTOR.array[:2], [5.0, 11.0])
    np.testing.assert_array_equal(2.0 * VECTOR, [2.0, 4.0, 6.0])
    np.testing.assert_allclose(np.linalg.inv(MATRIX) @ MATRIX, np.eye(2), atol=1e-12)
    assert isinstance(VECTOR + VECTOR, np.ndarray)


def test_a_copy_is_a_copy() -> None:
    copied = np.array(VECTOR)
    copied[0] = 9.0
    assert VECTOR[0] == 1.0


def test_what_is_printed() -> None:
    assert repr(VECTOR).splitlines()[1].split() == ["arm::knee", "2"]
    assert [line.split() for line in repr(MATRIX).splitlines()] == [
        ["arm::hip", "arm::knee"],
        ["wx", "1", "2"],
        ["vx", "3", "4"],
    ]
    wide = NamedMatrix(("r",), tuple(f"c{i}" for i in range(20)), np.zeros((1, 20)))
    assert "8 more columns" in repr(wide)
    tall = repr(NamedMatrix(tuple(f"r{i}" for i in range(101)), ("c",), np.arange(101.0)[:, None])).splitlines()
    assert len(tall) == 22
    assert tall[10].split() == ["r9", "9"]
    assert tall[11] == "… 81 more rows …"
    assert tall[12].split() == ["r91", "91"]
