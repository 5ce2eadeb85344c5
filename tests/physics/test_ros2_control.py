"""Mimic joints of `<ros2_control>` blocks behave as ros2_control's documents and tests say.

Law: position = multiplier · leader + offset, velocity = multiplier · leader velocity (ros2_control, "Joint
Kinematics"). Figures: the gripper of its component parser tests (m = 2, offset 1), and its mock hardware (m = −2;
leader 0.11, 0.05, follower −0.22, −0.10). Strategy `reduced` keeps couplings by construction, so what remains is
round-off: 1e-12."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.engine.drives import Drive, DriveKind
from simulator.engine.engine import Engine
from simulator.model.profiles import Constant
from simulator.session.factory import make_engine
from simulator.session.opening import open_document
from simulator.session.settings import SessionSettings

ROUND_OFF = 1e-12
INERTIAL = "<inertial><mass>1</mass></inertial>"
LINKS = "".join(f'<link name="{name}">{INERTIAL}</link>' for name in "abc")


def gripper(tmp_path: Path, *, multiplier: float, offset: float, attribute: str = "", start: str = "") -> Engine:
    """Two fingers on prismatic joints without gravity; the left one mimics the right one."""
    mimic = f'<mimic joint="right"><multiplier>{multiplier}</multiplier><offset>{offset}</offset></mimic>'
    joints = "".join(
        f'<joint name="{name}" type="prismatic"><parent>a</parent><child>{child}</child><axis>'
        f"<xyz>0 1 0</xyz>{law}</axis></joint>"
        for name, child, law in (("right", "b", ""), ("left", "c", mimic))
    )
    state = f'<state_interface name="position">{start}</state_interface>'
    block = (
        '<ros2_control name="hw" type="system"><hardware><plugin>mock_components/GenericSystem</plugin></hardware>'
        f'<joint name="right"><command_interface name="position"/>{state}</joint>'
        f'<joint name="left"{attribute}><state_interface name="velocity"/></joint></ros2_control>'
    )
    weld = '<joint name="weld" type="fixed"><parent>world</parent><child>a</child></joint>'
    path = tmp_path / "gripper.sdf"
    path.write_text(
        '<sdf version="1.12"><world name="w"><gravity>0 0 0</gravity>'
        f'<model name="m">{LINKS}{weld}{joints}{block}</model></world></sdf>',
        encoding="utf-8",
    )
    return make_engine(open_document(path), SessionSettings(solver="reduced"))


def axis(engine: Engine, name: str) -> int:
    found = engine.mechanism.axis_index(name)
    assert found is not None
    return found


def test_the_law_of_the_gripper(tmp_path: Path) -> None:
    engine = gripper(tmp_path, multiplier=2.0, offset=1.0)
    engine.place(axis(engine, "right"), 0.3)
    assert engine.snapshot().position[axis(engine, "left")] == pytest.approx(1.6, abs=ROUND_OFF)


def test_the_offset_never_enters_derivatives(tmp_path: Path) -> None:
    engine = gripper(tmp_path, multiplier=2.0, offset=1.0)
    engine.set_drive(axis(engine, "right"), Drive(DriveKind.EFFORT, Constant(3.0)))
    before = engine.snapshot()
    engine.step()
    after = engine.snapshot()
    gained = after.velocity - before.velocity
    assert gained[axis(engine, "right")] > 0.0
    assert gained[axis(engine, "left")] == pytest.approx(2.0 * gained[axis(engine, "right")], abs=ROUND_OFF)


def test_the_figures_of_the_mock_hardware(tmp_path: Path) -> None:
    engine = gripper(tmp_path, multiplier=-2.0, offset=0.0)
    engine.place(axis(engine, "right"), 0.11)
    assert engine.snapshot().position[axis(engine, "left")] == pytest.approx(-0.22, abs=ROUND_OFF)
    engine.set_drive(axis(engine, "right"), Drive(DriveKind.VELOCITY, Constant(0.05)))
    engine.step()
    moving = engine.snapshot()
    assert moving.velocity[axis(engine, "right")] == pytest.approx(0.05, abs=ROUND_OFF)
    assert moving.velocity[axis(engine, "left")] == pytest.approx(-0.10, abs=ROUND_OFF)


def test_mimic_false_lets_the_follower_go(tmp_path: Path) -> None:
    engine = gripper(tmp_path, multiplier=2.0, offset=1.0, attribute=' mimic="false"')
    assert engine.mechanism.couplings == ()
    engine.place(axis(engine, "right"), 0.3)
    assert engine.snapshot().position[axis(engine, "left")] == pytest.approx(0.0, abs=ROUND_OFF)


def test_a_start_position_of_the_block_is_where_the_joint_starts(tmp_path: Path) -> None:
    engine = gripper(tmp_path, multiplier=2.0, offset=1.0, start='<param name="initial_value">0.25</param>')
    assert engine.snapshot().position[axis(engine, "right")] == pytest.approx(0.25, abs=ROUND_OFF)
    assert engine.snapshot().position[axis(engine, "left")] == pytest.approx(1.5, abs=ROUND_OFF)
