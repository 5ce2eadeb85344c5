"""Fixed tendons over more joints than two: what they tie, bound and pull is a constraint, and moves as in MuJoCo."""

from __future__ import annotations

from pathlib import Path

import pytest

import simulator
from simulator.session.open.opening import open_document

mujoco = pytest.importorskip("mujoco", minversion="4.0", reason="MuJoCo 4 has no wheel for this Python or system")

ARM = """<mujoco><compiler angle="radian"/><worldbody>
<body name="a"><joint name="j" axis="0 1 0" ref=".1"/><geom type="box" size=".2 .02 .02" mass="1"/>
<body name="b" pos=".4 0 0"><joint name="k" axis="0 1 0"/><geom type="box" size=".2 .02 .02" mass="1"/>
<body name="c" pos=".4 0 0"><joint name="l" axis="0 1 0"/><geom type="box" size=".2 .02 .02" mass="1"/></body></body>
</body></worldbody><tendon><fixed name="t" {}><joint joint="j" coef="1"/><joint joint="k" coef=".5"/>
<joint joint="l" coef="-2"/></fixed></tendon>{}</mujoco>"""
"""Three bars in a row; the tendon is 0.1 long at the start."""


def compared(tmp_path: Path, attributes: str, more: str = "") -> tuple[list[float], list[float]]:
    """Positions after 0.2 s, ours and those of MuJoCo's Runge-Kutta method, whose equalities are made stiff."""
    path = tmp_path / "arm.xml"
    path.write_text(ARM.format(attributes, more))
    run = simulator.load(path, dt=1e-4).run(0.2)
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.timestep, model.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
    model.geom_contype[:] = model.geom_conaffinity[:] = 0
    model.eq_solref[:], model.eq_solimp[:] = [2e-4, 1.0], [0.9999, 0.9999, 1e-3, 0.5, 2.0]
    data = mujoco.MjData(model)
    for _ in range(2000):
        mujoco.mj_step(model, data)
    return [float(run[f"{name}/position"][-1]) for name in "jkl"], data.qpos.tolist()


def test_a_tendon_ties_three_joints(tmp_path: Path) -> None:
    """1e-7 rad is what MuJoCo's equality gives way by."""
    ours, theirs = compared(tmp_path, "", '<equality><tendon tendon1="t"/></equality>')
    assert ours == pytest.approx(theirs, abs=1e-7)
    assert ours[0] + 0.5 * ours[1] - 2.0 * ours[2] == pytest.approx(0.1, abs=1e-14)


@pytest.mark.parametrize("springlength", [".05", "-.1 .05"])
def test_a_tendon_is_a_spring(tmp_path: Path, springlength: str) -> None:
    """From 0.05 on, or from 0.05 and below -0.1; elastic couplings are of second order, 4e-6 rad at this step."""
    ours, theirs = compared(tmp_path, f'stiffness="30" springlength="{springlength}"')
    assert ours == pytest.approx(theirs, abs=1e-5)


def test_a_spring_of_one_length_is_damped(tmp_path: Path) -> None:
    ours, theirs = compared(tmp_path, 'stiffness="30" damping="2" springlength=".05"')
    assert ours == pytest.approx(theirs, abs=1e-6)


def test_a_tendon_with_a_range_is_a_rope(tmp_path: Path) -> None:
    """Three bars that fall are stopped by it, and lose what the blow takes."""
    path = tmp_path / "arm.xml"
    path.write_text(ARM.format('range="-.3 .12"', ""))
    run = simulator.load(path).run(0.3)
    length = run["j/position"] + 0.5 * run["k/position"] - 2.0 * run["l/position"]
    assert length.max() == pytest.approx(0.12, abs=1e-6)
    assert length.min() >= -0.3 - 1e-6
    assert abs(run["energy/error"]).max() < 1e-6


def test_an_actuator_on_a_spatial_tendon_says_what_winds_a_cable(tmp_path: Path) -> None:
    """It drives no joint that could be named."""
    path = tmp_path / "arm.xml"
    path.write_text(
        '<mujoco><worldbody><site name="s"/><body name="a" pos="1 0 0"><joint name="j" type="slide"/>'
        '<geom size=".1"/><site name="e"/></body></worldbody><tendon><spatial name="t" range="0 2" limited="true">'
        '<site site="s"/><site site="e"/></spatial></tendon><actuator><motor name="m" tendon="t"/></actuator></mujoco>'
    )
    (found,) = [item for item in open_document(path).diagnostics if item.code == "ACTUATOR_NOT_READ"]
    assert found.message == "the actuator 'm' is left out: it acts on a spatial tendon"
    assert "a drum wind the cable" in found.hint


def test_a_side_on_which_a_cable_does_not_stay_is_reported(tmp_path: Path) -> None:
    """MuJoCo leads a tendon round a cylinder that is beside its straight way, and round spheres on their side."""
    path = tmp_path / "arm.xml"
    path.write_text(
        '<mujoco><worldbody><site name="s"/><geom name="rod" type="cylinder" size=".1 1" pos=".5 0 .2" euler="90 0 0"/>'
        '<geom name="ball" size=".1" pos="1.5 0 .2"/><site name="over" pos=".5 0 .5"/><site name="m" pos="1 0 0"/>'
        '<site name="on" pos="1.5 0 .5"/><body name="a" pos="2 0 0"><joint name="j" type="slide"/><geom size=".1"/>'
        '<site name="e"/></body></worldbody><tendon><spatial name="t" range="0 4" limited="true"><site site="s"/>'
        '<geom geom="rod" sidesite="over"/><site site="m"/><geom geom="ball" sidesite="on"/><site site="e"/></spatial>'
        "</tendon></mujoco>"
    )
    found = [item.message for item in open_document(path).diagnostics if item.code == "NOT_SIMULATED"]
    assert len(found) == 2
    assert "a cylinder which is not in its way: a cable goes straight there" in found[0]
    assert "the side of a sphere on which a spatial tendon runs" in found[1]
