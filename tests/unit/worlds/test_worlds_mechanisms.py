"""The example worlds as mechanisms: read without a finding, with the freedom and the couplings that their table states."""

import math
from dataclasses import dataclass
from pathlib import Path

import pytest

from simulator.formats.document import read_document
from simulator.mechanism.build import build_mechanism

WORLDS = Path(__file__).resolve().parents[3] / "worlds"


@dataclass(frozen=True)
class Expected:
    """Mobility, loop joints, and (follower, leader, multiplier) of every coupling."""

    mobility: int
    loops: tuple[str, ...] = ()
    couplings: tuple[tuple[str, str, float], ...] = ()


TEETH = (24, 16, 32, 16, 24, 16, 32, 16)
PITCH = 0.01 / (2.0 * math.pi)
EXPECTED = {
    "rack_and_pinion": Expected(1, couplings=(("rack_joint", "pinion_joint", 0.02),)),
    "gearbox": Expected(1, couplings=(("gearbox_output_joint", "gearbox_input_joint", -5.0),)),
    "gearbox_as_mimic": Expected(1, couplings=(("gearbox_output_joint", "gearbox_input_joint", -5.0),)),
    "fast_slow_pendulums": Expected(
        4, couplings=(("fast_joint", "slow_joint", 1.0), ("slow_joint", "fast_joint", 1.0))
    ),
    "gear_train": Expected(
        1,
        couplings=tuple(
            (f"gear_{i + 1}_joint", f"gear_{i}_joint", -TEETH[i - 1] / TEETH[i]) for i in range(1, len(TEETH))
        ),
    ),
    "four_bar": Expected(1, loops=("closing_joint",)),
    "slider_crank": Expected(1, loops=("wrist_joint",)),
    "gripper": Expected(2 + 6, couplings=(("right_finger_joint", "left_finger_joint", -1.0),)),
    "screw_press": Expected(
        1, couplings=(("spindle_joint:travel", "spindle_joint", PITCH), ("plate_joint", "spindle_joint", PITCH))
    ),
}


def short(name: str) -> str:
    return name.rsplit("::", 1)[-1]


def test_every_world_is_expected():
    assert {path.stem for path in WORLDS.glob("*.sdf")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_reads_and_builds_without_a_finding(name):
    document = read_document(WORLDS / f"{name}.sdf")
    assert [str(diagnostic) for diagnostic in document.diagnostics] == []
    mechanism = build_mechanism(document.world())
    assert [str(diagnostic) for diagnostic in mechanism.diagnostics] == []


@pytest.mark.parametrize(("name", "expected"), EXPECTED.items(), ids=list(EXPECTED))
def test_has_the_freedom_and_the_couplings_of_its_table(name, expected):
    mechanism = build_mechanism(read_document(WORLDS / f"{name}.sdf").world())
    assert mechanism.mobility.count == expected.mobility
    assert tuple(short(joint.name) for joint in mechanism.loop_joints) == expected.loops
    axes = [short(axis.name) for axis in mechanism.axes]
    found = sorted((axes[c.follower], axes[c.leader], c.multiplier) for c in mechanism.couplings)
    assert found == [(f, lead, pytest.approx(m, rel=1e-12)) for f, lead, m in sorted(expected.couplings)]
