"""Joint states as JSON, as the socket and rosbridge have them."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.session.relay.joint_state import LARGEST, MessageError, sample_of, sample_of_text


def code(text: bytes) -> str:
    with pytest.raises(MessageError) as caught:
        sample_of_text(text)
    return caught.value.remark.code


def test_a_whole_message() -> None:
    message = {"name": ["a", "b"], "position": [0.1, 2], "velocity": [1.0, None], "acceleration": [3, 4], "stamp": 5}
    found = sample_of_text(json.dumps(message).encode())
    assert found.position == {"a": 0.1, "b": 2.0}
    assert found.velocity == pytest.approx({"a": 1.0, "b": math.nan}, nan_ok=True)
    assert (found.acceleration, found.stamp) == ({"a": 3.0, "b": 4.0}, 5.0)


@pytest.mark.parametrize(
    ("stamp", "seconds"),
    [
        ({"sec": 3, "nanosec": 500_000_000}, 3.5),
        ({"secs": 3, "nsecs": 500_000_000}, 3.5),
        ({"sec": 0, "nanosec": 0}, None),
    ],
)
def test_stamps_of_ros(stamp: dict[str, int], seconds: float | None) -> None:
    found = sample_of({"header": {"stamp": stamp, "frame_id": ""}, "name": ["a"], "position": [1], "velocity": []})
    assert (found.stamp, dict(found.velocity)) == (seconds, {})


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[1]",
        b"1",
        b"null",
        b'"a"',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"name": ["a"], "position": [1]} x',
        b"1" * 5000,
    ],
)
def test_no_json(text: bytes) -> None:
    assert code(text) == "BAD_JSON"


@pytest.mark.parametrize(
    "text",
    [
        b"{}",
        b'{"name": "a", "position": [1]}',
        b'{"name": [], "position": []}',
        b'{"name": [1], "position": [1]}',
        b'{"name": ["a"]}',
        b'{"name": ["a"], "position": [1, 2]}',
        b'{"name": ["a"], "position": 1}',
        b'{"name": ["a"], "position": ["1"]}',
        b'{"name": ["a"], "position": [true]}',
        b'{"name": ["a"], "position": [[1]]}',
        b'{"name": ["a", "a"], "position": [1, 2]}',
        b'{"name": ["a"], "position": [1], "velocity": [1, 2]}',
        b'{"name": ["a"], "position": [1], "stamp": "now"}',
        b'{"name": ["a"], "position": [1], "stamp": 1e300}',
        b'{"name": ["a"], "position": [1], "stamp": Infinity}',
        b'{"name": ["a"], "position": [1], "header": {"stamp": {"sec": []}}}',
    ],
)
def test_no_joint_state(text: bytes) -> None:
    assert code(text) == "BAD_MESSAGE"


def test_a_message_that_is_too_long() -> None:
    assert code(b" " * (LARGEST + 1)) == "TOO_LONG"


def test_a_number_too_large_for_a_float() -> None:
    found = sample_of_text(b'{"name": ["a"], "position": [1' + b"0" * 400 + b"]}")
    assert found.position["a"] == float("inf")


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda x: (
            st.lists(x)
            | st.dictionaries(st.sampled_from(["name", "position", "velocity", "stamp", "header", "sec", "secs"]), x)
        ),
    )
)
def test_any_json_is_read_or_refused(message: object) -> None:
    try:
        found = sample_of_text(json.dumps(message).encode())
    except MessageError:
        return
    assert found.position
