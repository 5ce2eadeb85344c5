"""The example worlds as mechanisms: read without a finding, with the freedom and the couplings that their table
states."""

import math
from dataclasses import dataclass
from pathlib import Path

import pytest

from simulator.formats.document import read_document
from simulator.mechanism.build import build_mechanism

WORLDS = Path(__file__).resolve().parents[3] / "worlds"


@dataclass(frozen=True)
class Expected:
    """Mobility, loop joints, (follower, leader, multiplier) of every coupling, and codes of remarks."""

    mobility: int
    loops: tuple[str, ...] = ()
    couplings: tuple[tuple[str, str, float], ...] = ()
    remarks: tuple[str, ...] = ()


TEETH = (24, 16, 32, 16, 24, 16, 32, 16)
PITCH = 0.01 / (2.0 * math.pi)
SPIRAL = [teeth for teeth in range(16, 48) for _ in range(32)]
BELTS = {**{f"stage_{k}_joint": f"stage_{k - 1}_joint" for k in (2, 3, 4)}, "pulley_0_joint": "drum_joint"}
PULLEYS = {f"pulley_{k}{end}_joint": f"stage_{k}_joint" for k in (1, 2, 3) for end in "rf"}
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
    "hoeken": Expected(1, loops=("closing_joint",)),
    "slider_crank": Expected(1, loops=("wrist_joint",)),
    "gripper": Expected(2 + 6, couplings=(("right_finger_joint", "left_finger_joint", -1.0),)),
    "screw_press": Expected(
        1, couplings=(("spindle_joint:travel", "spindle_joint", PITCH), ("plate_joint", "spindle_joint", PITCH))
    ),
    "peaucellier": Expected(1, loops=("closing_b1", "closing_b2", "closing_d")),
    "sarrus": Expected(-3, loops=("top_2_joint", "top_3_joint")),
    "bennett": Expected(-2, loops=("closing_joint",)),
    "stewart": Expected(6, loops=tuple(f"leg_{i}_ball" for i in range(2, 7))),
    "telescope": Expected(
        1,
        couplings=(
            ("stage_1_joint", "drum_joint", 0.025),
            *((follower, leader, 1.0) for follower, leader in BELTS.items()),
            *((follower, leader, 40.0) for follower, leader in PULLEYS.items()),
        ),
    ),
    "scissor_lift": Expected(
        1, loops=tuple(f"close_{i}" for i in range(6)), couplings=(("nut_joint", "spindle_joint", 2.0 * PITCH),)
    ),
    "wrist": Expected(2, couplings=(("left_gear_joint", "roll_joint", -1.0), ("right_gear_joint", "roll_joint", 1.0))),
    "belt_arm": Expected(2, couplings=(("belt_pulley_joint", "elbow_joint", 2.0),)),
    "mecanum": Expected(4 + 6),
    "geneva": Expected(2, couplings=(("dial_joint", "wheel_joint", -1.0),)),
    "planetary": Expected(
        2,
        couplings=(
            *((f"planet_{i}_joint", "sun_joint", -2.0) for i in (1, 2, 3)),
            ("ring_joint", "planet_1_joint", 0.25),
        ),
    ),
    "differential": Expected(
        2,
        couplings=(
            ("spider_1_joint", "left_joint", 1.5),
            ("spider_2_joint", "left_joint", -1.5),
            ("right_joint", "spider_1_joint", -2.0 / 3.0),
            ("pinion_joint", "cage_joint", 3.0),
        ),
    ),
    "worm_hoist": Expected(
        1, couplings=(("wheel_joint", "worm_joint", 1.0 / 30.0), ("rack_joint", "wheel_joint", 0.02))
    ),
    "backlash_arm": Expected(1, couplings=(("arm_joint", "motor_joint", -0.5),)),
    "clutch_drive": Expected(
        3, couplings=(("flywheel_joint", "driver_joint", 1.0), ("fan_joint", "flywheel_joint", 1.0))
    ),
    "belt_drive": Expected(1, couplings=(("flywheel_joint", "motor_joint", 4.0 / 9.0),)),
    "gear_train_1024": Expected(
        1,
        couplings=tuple(
            (f"gear_{i + 1}_joint", f"gear_{i}_joint", -SPIRAL[i - 1] / SPIRAL[i]) for i in range(1, len(SPIRAL))
        ),
    ),
}

EXPECTED["power_split"] = EXPECTED["planetary"]
EXPECTED["crane"] = Expected(2 + 6)
EXPECTED["cam_valve"] = Expected(1, couplings=(("valve_joint", "cam_joint", 1.0),), remarks=("LAW_DWELLS",))
EXPECTED["elliptic_gears"] = Expected(1, couplings=(("driven_joint", "driver_joint", 1.0),))
EXPECTED["hooke_shaft"] = Expected(-2, loops=("output_joint",), couplings=(("dial_joint", "input_joint", 1.0),))


def short(name: str) -> str:
    return name.rsplit("::", 1)[-1]


def test_every_world_is_expected():
    assert {path.stem for path in WORLDS.glob("*.sdf")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_reads_and_builds_without_a_finding(name):
    document = read_document(WORLDS / f"{name}.sdf")
    assert [str(diagnostic) for diagnostic in document.diagnostics] == []
    mechanism = build_mechanism(document.world())
    assert tuple(diagnostic.code for diagnostic in mechanism.diagnostics) == EXPECTED[name].remarks


@pytest.mark.parametrize(("name", "expected"), EXPECTED.items(), ids=list(EXPECTED))
def test_has_the_freedom_and_the_couplings_of_its_table(name, expected):
    mechanism = build_mechanism(read_document(WORLDS / f"{name}.sdf").world())
    assert mechanism.mobility.count == expected.mobility
    assert tuple(short(joint.name) for joint in mechanism.loop_joints) == expected.loops
    axes = [short(axis.name) for axis in mechanism.axes]
    found = sorted((axes[c.follower], axes[c.leader], c.multiplier) for c in mechanism.couplings)
    assert found == [(f, lead, pytest.approx(m, rel=1e-12)) for f, lead, m in sorted(expected.couplings)]
