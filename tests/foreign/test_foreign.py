"""`scripts/foreign`: what it reads of a checkout, and that its mechanisms are right where a closed form says so,
without any checkout."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.foreign import chrono, mimics, modelica, mujoco_reactions, reactions
from tests.foreign.__main__ import MARKERS, PAGE, main
from tests.foreign.motion import LinkMotion, conjugate, product, rms
from tests.foreign.rows import Row, summary, table

GRAVITY = 9.80665


def test_a_difference_beyond_its_limit_is_named() -> None:
    rows = [
        Row("s", "a", "q", "m", 2e-3, "1e-3"),
        Row("s", "b", "q", "m", 1e-4, "1e-3"),
        Row("s", "c", "q", "m", 1.0, "DASSL 1e-6"),
    ]

    assert summary(rows) == "3 comparisons; of the 2 with a limit 1 are beyond it. a, q."
    assert "| s | b | q | 1.0e-04 m | 1e-3 |  |" in table(rows)


def test_the_page_has_the_table() -> None:
    text = PAGE.read_text(encoding="utf-8")
    start, end = (text.index(marker) for marker in MARKERS)

    assert text[start:end].count("\n| ") >= 60


def test_a_folder_without_results_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 2
    assert "none of the results" in capsys.readouterr().err


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout of Chrono with one quantity of one case: a body that falls along a guide, z = −g t²/2."""
    results = tmp_path / chrono.RESULTS / "prismatic_joint"
    tests = tmp_path / chrono.TESTS
    results.mkdir(parents=True)
    tests.mkdir(parents=True)
    times = np.linspace(0.0, 5.0, 51)
    lines = [f"{t:+.6E}\t{2.0:+.6E}\t{0.0:+.6E}\t{-GRAVITY * t**2 / 2.0:+.6E}" for t in times]
    head = ["# Prismatic_Case01_ADAMS", "#", "Time\tX_Pos\tY_Pos\tZ_Pos"]
    (results / "Prismatic_Case01_ADAMS_Pos.txt").write_text("\n".join([*head, *lines]))
    (tests / "utest_JOINT_prismatic.cpp").write_text(
        'ref_test_name = "Prismatic_Case01";\npassed &= ValidateReference(test_name, ref_test_name, "Pos", 1e-2);\n'
        'ref_test_name = "Prismatic_Case02";\npassed &= ValidateReference(test_name, ref_test_name, "Pos", 9);\n'
    )
    return tmp_path


def test_results_and_limits_are_read(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The printed digits, 6 after the point of 1.2e2 m, leave 5e-5 m."""
    monkeypatch.setattr(chrono, "CASES", tuple(case for case in chrono.CASES if case.name == "Prismatic_Case01"))
    (row,) = chrono.rows(checkout)

    assert (row.case, row.quantity, row.published) == ("Prismatic Case01", "position", "1e-2")
    assert row.error < 5e-5


def test_values_of_a_motion_are_those_of_its_formula() -> None:
    """A link on a circle of 2 m that turns with angle sin(3 t): splines of degree 7 at 1 ms are exact to 1e-8."""
    time = np.arange(0.0, 1.0005, 1e-3)
    angle, speed, change = np.sin(3 * time), 3 * np.cos(3 * time), -9 * np.sin(3 * time)
    poses = np.zeros((len(time), 4, 4))
    poses[:, 0, 0] = poses[:, 1, 1] = np.cos(angle)
    poses[:, 1, 0], poses[:, 0, 1] = np.sin(angle), -np.sin(angle)
    poses[:, 2, 2] = poses[:, 3, 3] = 1.0
    poses[:, :2, 3] = 2.0 * poses[:, :2, 0]
    values = LinkMotion(time, poses).values(time)
    across, inward = 2.0 * poses[:, :2, 1], -2.0 * poses[:, :2, 0]

    assert rms(values["Avel"][:, 2] - speed) < 1e-8
    assert rms(values["Aacc"][100:-100, 2] - change[100:-100]) < 1e-6
    assert rms(values["Acc"][100:-100, :2] - (across * change[:, None] + inward * speed[:, None] ** 2)[100:-100]) < 1e-6
    assert product(values["Quat"], conjugate(values["Quat"])) == pytest.approx(np.tile([1.0, 0, 0, 0], (len(time), 1)))


def test_bars_and_cylinders_weigh_what_steel_does() -> None:
    """A cylinder of 5 cm and 0.5 m of steel: 7.56 kg, and m r²/2 about its axis."""
    mass = 7700.0 * np.pi * 0.025**2 * 0.5
    text = modelica.cylinder("c", np.zeros(3), np.array([0.5, 0.0, 0.0]), 0.05)

    assert f"<mass>{mass!r}</mass>" in text
    assert f"<izz>{mass * 0.025**2 / 2.0!r}</izz>" in text


def test_the_tip_is_where_the_angles_put_it() -> None:
    angles = modelica.tip_at(0.7, 0.3)
    first, second = angles["j1"], angles["j1"] + angles["j2"]

    assert 0.5 * (np.cos(first) + np.cos(second)) == pytest.approx(0.7)
    assert 0.5 * (np.sin(first) + np.sin(second)) == pytest.approx(0.3)


def test_closed_forms_of_others_hold_to_round_off(tmp_path: Path) -> None:
    """Forces of hundreds of newtons: 1e-12 of them."""
    for path, text in (
        (reactions.WRENCHES, "EXPECT_TRUE(Equal(expectedWrenchAtMotorJoint, wrenchAtMotorJoint, 1e-4));"),
        (reactions.CUBES, "pin1 on inboard:  tx=-25, ty= 175, fz=-300\npin2 on inboard:  tx=-25, fz=-50"),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    found = [*reactions.gazebo_rows(tmp_path), *reactions.simbody_rows(tmp_path)]

    assert len(found) == 8
    assert max(row.error for row in found) < 3e-10


HELD = """<mujoco><option gravity="0 0 -2"/><worldbody>
<body name="post" euler="0 0 90"><geom type="box" size="0.05 0.05 0.05"/><site name="gauge"/></body>
<body name="hung" pos="0 3 0"><freejoint/><geom type="box" size="0.05 0.05 0.05"/></body></worldbody>
<equality><weld body1="post" body2="hung"/></equality>
<sensor><force site="gauge" user="0 0 4"/><torque site="gauge" user="0 -6 1"/></sensor></mujoco>"""
"""Cubes of 1 kg. The post carries 4 N, and 6 N m about the world's x, which is -y of the gauge."""


def test_sensors_of_mujoco_are_reactions(tmp_path: Path) -> None:
    """The last user value is wrong by 1 N m, which is what is found."""
    pytest.importorskip("mujoco")
    source = tmp_path / mujoco_reactions.TESTS
    source.parent.mkdir(parents=True)
    (tmp_path / "test" / "engine" / "held.xml").write_text(HELD)
    source.write_text(
        "void TestWeld(const char* const filepath) {\n EXPECT_NEAR(a, b, MjTol(1e-6, 5e-5));\n}\n"
        'constexpr char kModelFilePath[] =\n "engine/"\n "held.xml";\n TestWeld(kModelFilePath);\n'
    )
    force, moment = mujoco_reactions.rows(tmp_path)

    assert (force.case, force.quantity, force.published) == ("rne_post engine held", "force", "1e-6")
    assert force.error < 1e-12
    assert moment.error == pytest.approx(1.0, abs=1e-12)


def test_mimics_are_added_to_the_worlds_of_others(tmp_path: Path) -> None:
    """Two slides that fall, the second half as far as the law says; each law of the test is a row with its limit."""
    slide = (
        "<link name='{0}'/><joint name='{0}_joint' type='prismatic'><parent>world</parent><child>{0}</child>"
        "<axis><xyz>0 0 1</xyz></axis></joint>"
    )
    folder = tmp_path / mimics.WORLDS
    folder.mkdir(parents=True)
    slides = "".join(slide.format(name) for name in ("upper", "lower")).replace("lower_joint", "upper_joint_2")
    text = f"<sdf version='1.6'><world name='w'><model name='m'>{slides}</model></world></sdf>"
    world = text.replace("upper_joint'", "upper_joint_1'")
    (folder / "mimic_pendulum_world.sdf").write_text(world)
    calls = "testMimicFcn(2, 0.3, -0.1);\n testMimicFcn(-1, 0, 0);"
    other = "double multiplier = 1.0;\n double offset = 0.1;\n double reference = 0.0;\n"
    tests = [
        f"\nTEST_F(Tests, PendulumMimicTest)\n{{ const double positionTolerance = 5e-3;\n {calls} }}",
        f"\nTEST_F(Tests, UniversalJointMimicTest)\n{{ {other} const double tolerance = 0.1; }}",
    ]
    (tmp_path / mimics.TEST).write_text("".join(tests))
    found = mimics.laws_of("".join(tests), "PendulumMimicTest")
    assert found == ([(2.0, 0.3, -0.1), (-1.0, 0.0, 0.0)], "5e-3")
    assert mimics.laws_of("".join(tests), "UniversalJointMimicTest") == ([(1.0, 0.1, 0.0)], "0.1")
    leaders = {"upper_joint_2": "upper_joint_1"}
    assert mimics.residual(world.encode(), leaders, "axis", (2.0, 0.3, -0.1), 20) < 1e-15
