"""What each element of MJCF means, by MuJoCo itself: masses, frames and accelerations at the start.

Tolerance: both compute in double precision, from the same numbers; accelerations are solved for with mass matrices
whose condition is below 1e4, so 1e-9 of the greatest is far above rounding and far below any mistake.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.mujoco_agreement import agreement

pytest.importorskip("mujoco", minversion="4.0", reason="MuJoCo 4 has no wheel for this Python or system")

EXACT = 1e-9
BOX = '<geom type="box" size=".1 .2 .3" pos=".1 .05 -.2"/>'
HAND = f'<body name="hand" pos=".3 .1 0" quat=".9 .1 .3 -.2"><joint name="wrist" axis="1 2 3"/>{BOX}</body>'
ARM = f'<body name="arm" pos="0 0 1" euler="10 20 30">{{joint}}{BOX}{HAND}</body>'
HINGE = '<joint name="a" axis="0 1 0"/>'


def document(bodies: str, *sections: str, model: str = "m") -> str:
    """A document with these bodies, and further sections before or after them."""
    return f'<mujoco model="{model}">{"".join(sections)}<worldbody>{bodies}</worldbody></mujoco>'


CASES = {
    "hinge": document(ARM.format(joint='<joint name="a" axis="0 1 0" pos=".1 .2 .3"/>')),
    "slide": document(ARM.format(joint='<joint name="a" type="slide" axis="1 1 0"/>')),
    "ball": document(ARM.format(joint='<joint name="a" type="ball" pos=".1 0 .2"/>')),
    "free": document(ARM.format(joint="<freejoint/>")),
    "no joint": document(ARM.format(joint="")),
    "two hinges": document(ARM.format(joint='<joint axis="1 0 0" pos="0 0 .2"/><joint axis="0 1 1" pos=".1 0 0"/>')),
    "planar base": document(
        ARM.format(joint='<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint axis="0 0 1"/>')
    ),
    "slide and ball": document(ARM.format(joint='<joint type="slide" axis="1 0 0"/><joint type="ball"/>')),
    "degrees and ref": document(ARM.format(joint='<joint name="a" axis="0 1 0" pos=".1 0 0" ref="30"/>')),
    "slide with ref": document(ARM.format(joint='<joint name="a" type="slide" axis="0 1 1" ref=".2"/>')),
    "radians": document(ARM.format(joint=HINGE), '<compiler angle="radian" eulerseq="zyx"/>'),
    "spring": document(ARM.format(joint='<joint name="a" axis="0 1 0" stiffness="3" springref="40" ref="10"/>')),
    "armature": document(ARM.format(joint='<joint name="a" axis="0 1 0" armature=".3"/>')),
    "defaults": document(
        ARM.format(joint='<joint name="a" class="sub"/>'),
        '<default><joint axis="1 0 0" armature=".1"/><geom density="500"/>'
        '<default class="sub"><joint stiffness="2" springref="20"/></default></default>',
    ),
    "frame": document(f'<frame pos="1 0 0" euler="0 0 45">{ARM.format(joint=HINGE)}</frame>'),
    "replicate": document(f'<replicate count="3" offset="0 1 0" euler="0 0 20">{ARM.format(joint=HINGE)}</replicate>'),
    "inertial": document(
        '<body><joint axis="0 1 0"/>'
        '<inertial pos=".1 .2 .3" quat=".9 .1 .2 .3" mass="2" diaginertia=".1 .2 .25"/></body>'
    ),
    "fullinertia": document(
        '<body><joint axis="0 1 1"/><inertial pos=".1 0 .3" mass="2" fullinertia=".2 .25 .3 .01 -.02 .03"/></body>'
    ),
    "bounds": document(
        ARM.format(joint=HINGE), '<compiler boundmass=".5" boundinertia=".02" inertiafromgeom="true"/>'
    ),
    "balanced": document(
        '<body><joint/><inertial pos="0 0 .3" mass="1" diaginertia=".1 .1 .5"/></body>',
        '<compiler balanceinertia="true"/>',
    ),
    "total mass": document(ARM.format(joint=HINGE), '<compiler settotalmass="7"/>'),
    "shapes": document(
        '<body><joint axis="1 1 1"/><geom type="capsule" fromto="0 0 0 .1 .2 .3" size=".05"/>'
        '<geom type="cylinder" size=".1 .2" pos=".3 0 0" euler="40 0 0"/><geom type="ellipsoid" size=".1 .2 .3"/>'
        '<geom size=".1" mass="3" pos="0 .4 0"/><geom type="box" size=".1 .1 .2" shellinertia="true"/></body>'
    ),
    "keyframe": document(
        ARM.format(joint='<joint name="a" axis="0 1 0" ref="20" stiffness="1"/>'),
        '<keyframe><key name="other" qpos="1 1"/><key name="home" qpos=".3 -.4"/></keyframe>',
    ),
    "keyframe of free and ball": document(
        f'<body name="loose"><freejoint/>{BOX}<body pos="0 0 1"><joint type="ball"/>{BOX}</body></body>',
        '<keyframe><key qpos="1 2 3 .5 .5 -.5 .5 .8 .6 0 0"/></keyframe>',
    ),
    "gravity": document(ARM.format(joint=HINGE), '<option gravity="1 2 -3"/>'),
    "no gravity": document(ARM.format(joint=HINGE), '<option><flag gravity="disable"/></option>'),
    "no springs": document(
        ARM.format(joint='<joint axis="0 1 0" stiffness="3" springref="40"/>'),
        '<option><flag spring="disable"/></option>',
    ),
    "no equalities": document(
        ARM.format(joint=HINGE),
        '<equality><joint joint1="wrist" joint2="a"/></equality><option><flag equality="disable"/></option>',
    ),
    "joint follows": document(
        ARM.format(joint=HINGE),
        '<equality><joint joint1="wrist" joint2="a" polycoef=".1 -2 0 0 0"/></equality>',
    ),
    "follows about refs": document(
        ARM.format(joint='<joint name="a" axis="0 1 0" ref="30"/>'),
        '<equality><joint joint1="a" joint2="wrist" polycoef="0 .5 0 0 0"/></equality>',
    ),
    "fixed tendon": document(
        ARM.format(joint=HINGE),
        '<tendon><fixed name="t"><joint joint="a" coef="2"/><joint joint="wrist" coef="-1"/></fixed></tendon>'
        '<equality><tendon tendon1="t" polycoef=".2 0 0 0 0"/></equality>',
    ),
    "two fixed tendons": document(
        ARM.format(joint=HINGE),
        '<tendon><fixed name="t"><joint joint="a" coef="2"/></fixed>'
        '<fixed name="u"><joint joint="wrist" coef="3"/></fixed></tendon>'
        '<equality><tendon tendon1="t" tendon2="u" polycoef="0 .5 0 0 0"/></equality>',
    ),
    "connect": document(
        f'<body name="one"><joint name="a" axis="0 1 0"/>{BOX}</body>'
        f'<body name="two" pos="1 0 0"><joint type="slide" axis="1 0 0"/>{BOX}'
        f'<body name="three" pos="-.5 0 .4"><joint axis="0 1 0"/>{BOX}</body></body>',
        '<equality><connect body1="one" body2="three" anchor=".5 0 .4"/></equality>',
    ),
    "weld": document(
        ARM.format(joint=HINGE) + f'<body name="load" pos=".5 .5 1"><freejoint/>{BOX}</body>',
        '<equality><weld body1="hand" body2="load" anchor=".1 0 0"/></equality>',
    ),
    "weld without torques": document(
        ARM.format(joint=HINGE) + f'<body name="load" pos=".5 .5 1"><freejoint/>{BOX}</body>',
        '<equality><weld body1="hand" body2="load" anchor=".1 0 0" torquescale="0"/></equality>',
    ),
    "weld to the world": document(
        ARM.format(joint="<freejoint/>"), '<equality><weld body1="arm" relpose="0 0 1 1 0 0 0"/></equality>'
    ),
    "connect of sites": document(
        f'<body name="one"><joint axis="0 1 0"/>{BOX}<site name="s" pos=".5 .1 0"/></body>'
        f'<body name="two" pos=".4 0 0"><freejoint/>{BOX}<site name="t" pos="0 .1 0"/></body>',
        '<equality><connect site1="s" site2="t"/></equality>',
    ),
    "mocap": document(f'<body name="target" mocap="true" pos="1 0 0">{BOX}</body>{ARM.format(joint=HINGE)}'),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::simulator.DocumentWarning", "ignore:compiler attribute:UserWarning")
@pytest.mark.parametrize("name", CASES)
def test_an_element_means_what_it_means_there(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where MuJoCo writes its log
    path = tmp_path / "document.xml"
    path.write_text(CASES[name])
    found = agreement(path)
    assert not found.left_out
    assert found.worst < EXACT, found
    assert found.residual < 1e-12, "loops and couplings are closed to rounding"


def wedge() -> bytes:
    """A binary STL of a tetrahedron whose centre and axes are none of the file's."""
    corners = np.array([(0.1, 0.0, 0.0), (0.5, 0.1, 0.0), (0.2, 0.7, 0.1), (0.1, 0.1, 0.4)])
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    parts = [struct.pack("<12fH", 0, 0, 0, *corners[list(face)].ravel(), 0) for face in faces]
    return bytes(80) + struct.pack("<I", len(faces)) + b"".join(parts)


@pytest.mark.parametrize("mesh", ["", 'scale="2 1 .5"', 'refpos=".1 .2 .3"', 'refpos=".1 .2 .3" refquat=".9 .1 .2 .3"'])
def test_a_mesh_is_where_mujoco_has_it(mesh: str, tmp_path: Path) -> None:
    """MuJoCo moves meshes into their principal axes; float32 vertices there and here agree to a micrometre."""
    import mujoco

    from simulator.formats.document import read_document
    from simulator.formats.mesh.loader import mesh_of
    from simulator.model.shape import Mesh

    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "wedge.stl").write_bytes(wedge())
    text = document(
        '<body name="b" pos="1 2 3"><joint axis="1 0 1"/>'
        '<geom type="mesh" mesh="w" pos=".1 .2 .3" euler="10 20 30"/></body>',
        f'<compiler meshdir="parts"/><asset><mesh name="w" file="wedge.stl" {mesh}/></asset>',
    )
    path = tmp_path / "document.xml"
    path.write_text(text)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    theirs = data.geom_xpos[0] + model.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T
    read = read_document(path)
    (link,) = read.world().models[0].links
    (visual,) = link.visuals
    assert isinstance(visual.shape, Mesh)
    X = link.X_WL @ visual.X_LV
    ours = np.array([X.transform(tuple(vertex)) for vertex in mesh_of(visual.shape).vertices.tolist()])
    nearest = np.linalg.norm(ours[:, None] - theirs[None], axis=2).min(axis=1)
    assert nearest.max() < 1e-6
    assert agreement(path).worst < EXACT
