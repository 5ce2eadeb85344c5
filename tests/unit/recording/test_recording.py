"""Channels in the order of the contract, rings that forget the oldest, rows that survive packing, numbers that survive
CSV."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.engine.snapshot import EnergyBalance, Snapshot
from simulator.errors import UsageError
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import Mechanism
from simulator.recording.channels import POSE, Channel, channels_of, row_of
from simulator.recording.csv_file import CsvWriter, _quoted
from simulator.recording.history import MOMENTS, UNUSED, moments_shape
from simulator.recording.packing import SnapshotLayout
from simulator.recording.ring import MARGIN, RingShape, TraceRing
from tests.helpers.linkages import four_bar
from tests.helpers.mechanisms import joint, link, mechanism, mimic


def mixed() -> Mechanism:
    """A loop, a mimic on a universal's second axis, and a slide."""
    bars = four_bar().models[0]
    return mechanism(
        *bars.links, link("u"), link("p"), *bars.joints,
        joint("uni", "universal", "world", "u", axis2={"mimic": mimic("crank_joint", multiplier=0.5)}),
        joint("slide", "prismatic", "world", "p"),
    )  # fmt: skip


def snapshot_of(built: Mechanism, seed: int = 0) -> Snapshot:
    """Any numbers in the right shapes."""
    draw = np.random.default_rng(seed).normal
    n = len(built.axes)
    return Snapshot(
        step=12, time=0.012, position=draw(size=n), velocity=draw(size=n), effort=draw(size=n),
        coupling_residual=draw(size=len(built.couplings)), loop_residual=draw(size=(len(built.loop_joints), 2)),
        energy=EnergyBalance(1.0, -2.0, 3.0, 4.0, 5.0), body_poses=draw(size=(len(built.bodies), 7)),
    )  # fmt: skip


def test_channels_are_in_the_order_of_the_contract() -> None:
    names = [channel.name for channel in channels_of(mixed())]
    axes = ["crank_joint", "coupler_joint", "rocker_joint", "close", "uni", "uni:axis2", "slide"]
    expected = ["time"]
    for axis in axes:
        expected += [f"joint/m::{axis}/{what}" for what in ("position", "velocity", "effort")]
    expected += ["coupling/m::uni:axis2/residual", "loop/m::close/residual_m", "loop/m::close/residual_rad"]
    expected += [
        f"energy/{what}"
        for what in ("kinetic", "potential", "work", "dissipated", "error", "loads", "contact", "overlap")
    ]
    assert names == expected


def test_units_and_indices_of_channels() -> None:
    channels = {channel.name: channel for channel in channels_of(mixed())}
    assert channels["time"].unit == "s"
    assert [channels[f"joint/m::slide/{what}"].unit for what in ("position", "velocity", "effort")] == ["m", "m/s", "N"]
    assert [channels[f"joint/m::uni/{what}"].unit for what in ("position", "velocity", "effort")] == [
        "rad",
        "rad/s",
        "N·m",
    ]
    assert channels["joint/m::slide/effort"].index == 6
    assert channels["loop/m::close/residual_rad"].unit == "rad"
    assert channels["energy/error"].unit == "J"


@pytest.mark.parametrize(
    "built", [mixed(), build_mechanism(four_bar()), mechanism(link("free"))], ids=["mixed", "four-bar", "free"]
)
def test_rows_match_their_channels(built: Mechanism) -> None:
    channels, snapshot = channels_of(built), snapshot_of(built)
    row = row_of(snapshot, built)
    assert row.shape == (len(channels),)
    for value, channel in zip(row, channels, strict=True):
        if channel.group in ("position", "velocity", "effort"):
            assert value == getattr(snapshot, channel.group)[channel.index]
        elif channel.group == "energy":
            assert value == getattr(snapshot.energy, channel.name.removeprefix("energy/"))
        elif channel.group == "coupling":
            assert value == snapshot.coupling_residual[channel.index]
        elif channel.group in ("loop_m", "loop_rad"):
            assert value == snapshot.loop_residual[channel.index, ("loop_m", "loop_rad").index(channel.group)]
        elif channel.group == "pose":
            assert value == snapshot.body_poses[channel.index, list(POSE).index(channel.name.rpartition("/")[2])]
        elif channel.group == "twist":
            assert value == 0.0  # the snapshot has no velocities of bodies
        else:
            assert value == snapshot.time


@pytest.mark.parametrize("built", [mixed(), mechanism(link("free")), mechanism()], ids=["mixed", "free", "nothing"])
def test_packing_loses_nothing(built: Mechanism) -> None:
    layout, snapshot = SnapshotLayout.of(built), snapshot_of(built)
    row = layout.pack(snapshot)
    assert row.shape == (layout.size,)
    again = layout.unpack(row)
    assert (again.step, again.time, again.energy) == (snapshot.step, snapshot.time, snapshot.energy)
    for name in ("position", "velocity", "effort", "coupling_residual", "loop_residual", "body_poses"):
        np.testing.assert_array_equal(getattr(again, name), getattr(snapshot, name))
        assert getattr(again, name).shape == getattr(snapshot, name).shape


Operation = tuple[str, float]
operations = st.lists(
    st.one_of(
        st.tuples(st.just("push"), st.floats(0.001, 1.0)),
        st.tuples(st.just("many"), st.integers(1, 60)),
        st.tuples(st.just("clear"), st.just(0.0)),
        st.tuples(st.just("rewind"), st.floats(0.0, 0.5)),
    ),
    max_size=30,
)


@given(operations, st.one_of(st.just(-math.inf), st.floats(0.0, 30.0)))
def test_a_ring_is_a_list_that_forgets_its_oldest(steps: list[Operation], since: float) -> None:
    shape = RingShape(rows=40, columns=3)
    ring, kept, time, value = TraceRing(shape), [], 0.0, 0.0
    for what, number in steps:
        if what == "clear":
            ring.clear()
            kept, time = [], 0.0
        elif what == "rewind":
            time -= number
            ring.rewind(time)
            kept = [row for row in kept[-shape.rows :] if row[0] < time]
        for _ in range({"push": 1, "many": int(number)}.get(what, 0)):
            time, value = time + (number if what == "push" else 0.01), value + 1.0
            ring.push(np.array((time, value, -value)))
            kept.append((time, value, -value))
    times, values = ring.window((2, 0), since)
    expected = [row for row in kept[-(shape.rows - shape.rows // MARGIN) :] if row[0] >= since]
    assert times.tolist() == [row[0] for row in expected]
    assert values.tolist() == [[row[2], row[0]] for row in expected]


def test_a_window_is_a_copy_and_an_empty_one_has_its_shape() -> None:
    ring = TraceRing(RingShape(20, 2))
    times, values = ring.window((1, 0, 1))
    assert times.shape == (0,)
    assert values.shape == (0, 3)
    ring.push(np.array((1.0, 2.0)))
    _, values = ring.window((1,))
    values[:] = 9.0
    assert ring.window((1,))[1].tolist() == [[2.0]]


def test_a_ring_spans_from_its_oldest_row_to_its_newest() -> None:
    ring = TraceRing(RingShape(20, 2))
    assert all(math.isnan(time) for time in ring.span())
    for time in (1.0, 2.0, 4.0):
        ring.push(np.array((time, -time)))
    assert ring.span() == (1.0, 4.0)


def test_a_ring_in_shared_numbers_is_the_same_ring() -> None:
    """One side writes, the other reads the same buffer."""
    shape = RingShape(20, 2)
    buffer = np.zeros(shape.size)
    writer, reader = TraceRing(shape, buffer), TraceRing(shape, buffer)
    for i in range(50):
        writer.push(np.array((float(i), float(-i))))
    times, values = reader.window((1,), since=45.0)
    assert times.tolist() == [45.0, 46.0, 47.0, 48.0, 49.0]
    assert values[:, 0].tolist() == [-45.0, -46.0, -47.0, -48.0, -49.0]


def test_wide_rings_are_shorter() -> None:
    assert RingShape.within(10).rows == 60_000
    assert RingShape.within(1000).rows == 8_000
    assert RingShape.within(100_000).rows == 1_000


AWKWARD = [0.1, 1 / 3, math.pi, 1e-300, -1.7976931348623157e308, 5e-324, 123456789.12345678, -0.0]


def test_csv_keeps_every_digit(tmp_path: Path) -> None:
    """17 significant digits name a double exactly."""
    path = tmp_path / "out.csv"
    channels = [Channel(f"c{i}", "time", "s") for i in range(len(AWKWARD))]
    with CsvWriter(path, channels) as writer:
        writer.write(np.array(AWKWARD))
    header, row = path.read_text(encoding="utf-8").splitlines()
    assert header.split(",") == [channel.name for channel in channels]
    assert [float(cell) for cell in row.split(",")] == AWKWARD
    assert b"\r" not in path.read_bytes()


def test_csv_names_are_quoted_where_they_must_be(tmp_path: Path) -> None:
    names = ["time", "joint/m::a,b/position", 'joint/m::"c"/position', 'joint/m::",d"/position']
    with CsvWriter(tmp_path / "out.csv", [Channel(name, "time", "s") for name in names]):
        pass
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file)) == names
    header = (tmp_path / "out.csv").read_text(encoding="utf-8").rstrip("\n")
    assert header.startswith('time,"joint/m::a,b/position","joint/m::""c""/position",')


@pytest.mark.parametrize(
    ("name", "field"),
    [("a b", "a b"), ("a,b", '"a,b"'), ('a"b', '"a""b"'), ("a\nb", '"a\nb"'), ("a;b'c", "a;b'c")],
)
def test_a_field_is_quoted_for_a_comma_a_quote_and_the_end_of_a_line(name: str, field: str) -> None:
    """RFC 4180, section 2, rules 6 and 7."""
    assert _quoted(name) == field


def test_csv_writes_to_no_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot write"):
        CsvWriter(tmp_path / "nowhere" / "out.csv", [])
    with pytest.raises(UsageError, match="cannot write"):
        CsvWriter(tmp_path, [])


def test_rows_before_a_failure_are_in_the_file(tmp_path: Path) -> None:
    def fail() -> None:
        with CsvWriter(tmp_path / "out.csv", [Channel("time", "time", "s")]) as writer:
            writer.write(np.array((1.0,)))
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError):
        fail()
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "time\n1\n"


def test_moments_are_kept_only_where_channels_do_not_say_all() -> None:
    """A linkage of hinges needs none; a body that floats has a pose that no channel holds."""
    hinges, floating = build_mechanism(four_bar()), mechanism(link("a"), link("b"), joint("j", "revolute", "a", "b"))
    shapes = [moments_shape(built, SnapshotLayout.of(built)) for built in (hinges, floating)]
    assert [shape.rows for shape in shapes] == [UNUSED, MOMENTS]
