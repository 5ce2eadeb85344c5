"""Values that a program made are written and read back as they were."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings

from simulator.formats.document import read_document
from simulator.formats.writing.document import write_document
from simulator.formats.writing.elements import exact_rpy, number_text
from simulator.model.world import Document
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import quat_from_rpy
from tests.helpers.model_values import differences, documents, numbers, poses

ROUNDINGS = 32
"""A pose goes through at most five products of poses, each a few roundings of lengths up to 4e3 m (outer, inner, child,
joint)."""
FARTHEST = 4e3


def read_back(document: Document) -> Document:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "written.sdf"
        path.write_text(write_document(document, path.parent).text, encoding="utf-8")
        return read_document(path)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(documents())
def test_a_document_is_read_back_as_it_was(document: Document) -> None:
    """Everything but composed poses to the last bit; those to the rounding of their products."""
    again = read_back(document)
    assert [str(item) for item in again.diagnostics if item.is_error] == []
    wanted, got = (document.worlds, document.root_models), (again.worlds, again.root_models)
    assert differences(wanted, got, ROUNDINGS, FARTHEST) == []


@given(numbers)
def test_a_number_is_written_so_that_it_is_read_as_the_same(value: float) -> None:
    assert float(number_text(value)) == value


@given(poses)
def test_angles_are_written_only_where_they_are_exact(X: Pose) -> None:
    found = exact_rpy(X.orientation)
    if found is not None:
        assert quat_from_rpy(*found) == X.orientation


def test_angles_are_short_where_the_document_had_them_short() -> None:
    assert exact_rpy(quat_from_rpy(0.1, 0.0, -1.5708)) == (0.1, 0.0, -1.5708)
    assert exact_rpy((0.5, 0.5, 0.5, 0.5)) is None or quat_from_rpy(*exact_rpy((0.5, 0.5, 0.5, 0.5))) == (0.5,) * 4


def test_numbers_are_short() -> None:
    assert [number_text(v) for v in (1.0, -0.25, 1e-9, 0.1, float("inf"))] == ["1", "-0.25", "1e-09", "0.1", "inf"]
