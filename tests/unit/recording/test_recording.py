"""Channels in the order of the contract, rings that forget the oldest, rows that survive packing, numbers that survive
CSV."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from simulator.engine.snapshot import EnergyBalance, Snapshot
from simulator.errors import UsageError
from simulator.mechanism.build import build_mechanism
from simulator.mechanism.types import Mechanism
from simulator.recording.channels import POSE, Channel, channels_of, row_of
from simulator.recording.csv_file import CsvWriter, _quoted
from simulator.recording.packing import SnapshotLayout
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
