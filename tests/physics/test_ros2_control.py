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
from simulator.model.profiles import Constant, Sine
from simulator.session.commands.drive_summary import run_findings
from simulator.session.commands.factory import make_engine
from simulator.session.open.opening import open_document
from simulator.session.text.settings import SessionSettings

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


HINGE = """<robot name="r"><link name="a"/>
<link name="b"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
<ros2_control name="hw" type="system"><hardware><plugin>mock_components/GenericSystem</plugin></hardware>
<joint name="j">{}</joint></ros2_control></robot>"""


def commanded(tmp_path: Path, kind: str, drive: Drive, *, solver: str = "rows", off: str = "") -> Engine:
    """A hinge without limits, whose commands of that kind are limited to -0.5 to 0.75, driven for half a second."""
    face = f'<command_interface name="{kind}"><param name="min">-0.5</param><param name="max">0.75</param>{off}'
    path = tmp_path / "hinge.urdf"
    path.write_text(HINGE.format(f"{face}</command_interface>"), encoding="utf-8")
    engine = make_engine(open_document(path), SessionSettings(solver=solver))
    engine.set_drive(0, drive)
    for _ in range(500):
        engine.step()
    return engine


@pytest.mark.parametrize("solver", ["rows", "reduced"])
def test_commands_are_kept_within_the_limits_of_their_interface(tmp_path: Path, solver: str) -> None:
    """Positions from `min` to `max`; velocities and efforts up to the smaller of both, either way, as
    `update_interface_limits` of ros2_control has it. An inertia of 1 kg m² makes the velocity of 0.5 N m x 0.5 s; the
    approach to a position has a time constant of 20 ms, so that after 25 of them 1e-11 rad are missing."""
    far = commanded(tmp_path, "position", Drive(DriveKind.POSITION, Constant(3.0)), solver=solver)
    assert far.snapshot().position[0] == pytest.approx(0.75, abs=1e-9)
    fast = commanded(tmp_path, "velocity", Drive(DriveKind.VELOCITY, Constant(3.0)), solver=solver)
    assert fast.snapshot().velocity[0] == pytest.approx(0.5, abs=ROUND_OFF)
    strong = commanded(tmp_path, "effort", Drive(DriveKind.EFFORT, Sine(3.0, 0.0, phase=1.5)), solver=solver)
    assert strong.snapshot().velocity[0] == pytest.approx(0.25, abs=1e-9)


def test_what_is_asked_for_and_cut_is_a_finding(tmp_path: Path) -> None:
    engine = commanded(tmp_path, "velocity", Drive(DriveKind.VELOCITY, Constant(-3.0)))
    (message,) = [item.message for item in run_findings(engine, 0.5) if item.code == "DRIVE_CUT"]
    assert "asks for -3 rad/s, its <command_interface> allows -0.5" in message
    assert engine.drives[0].profile == Constant(-3.0)


def test_limits_that_are_switched_off_do_not_count(tmp_path: Path) -> None:
    drive = Drive(DriveKind.VELOCITY, Constant(3.0))
    engine = commanded(tmp_path, "velocity", drive, off='<limits enable="false"/>')
    assert engine.snapshot().velocity[0] == pytest.approx(3.0, abs=ROUND_OFF)
