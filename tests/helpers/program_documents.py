"""Small documents with one feature each, and the same without it: with them, tests ask other programs what they do."""

from __future__ import annotations

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
LIMIT = '<limit lower="-1" upper="1" effort="5" velocity="2"/>'
NO_VELOCITY = '<limit lower="-1" upper="1" effort="5" velocity="0"/>'
SDF_INERTIAL = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"

Pair = tuple[str, str]
"""A document with a feature, and the same without it, "" where there is none to compare with."""


def ulink(name: str, inside: str = "", inertial: str = INERTIAL) -> str:
    """A link of a URDF."""
    return f'<link name="{name}">{inertial}{inside}</link>'


def ujoint(name: str, kind: str, parent: str, child: str, inside: str = LIMIT, axis: str = "0 0 1") -> str:
    """A joint of a URDF."""
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0.3 0 0"/><axis xyz="{axis}"/>{inside}</joint>'
    )


def robot(*parts: str, more: str = "") -> str:
    """A robot on a link `world`, which every program takes for the world or leaves in place."""
    return f'<robot name="r" xmlns:drake="http://drake.mit.edu"{more}><link name="world"/>{"".join(parts)}</robot>'


def geometry(shape: str, tag: str = "collision") -> str:
    """A collision or visual."""
    return f"<{tag}><geometry>{shape}</geometry></{tag}>"


def slink(name: str, inside: str = "") -> str:
    """A link of SDFormat."""
    return f'<link name="{name}">{SDF_INERTIAL}{inside}</link>'


def sjoint(name: str, kind: str, parent: str, child: str, axis: str = "", inside: str = "") -> str:
    """A joint of SDFormat; `axis` goes into its axis."""
    first = f"<axis><xyz>0 0 1</xyz>{axis}</axis>"
    across = "0 0 1" if kind == "gearbox" else "1 0 0"
    second = f"<axis2><xyz>{across}</xyz></axis2>" if kind in ("universal", "revolute2", "gearbox") else ""
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{name}" type="{kind}">{ends}{first}{second}{inside}</joint>'


def sdf(*parts: str, around: str = "", before: str = "") -> str:
    """A document with a model `m` in a world; `around` goes into the world, `before` into the model."""
    namespaces = 'xmlns:drake="http://drake.mit.edu" xmlns:simulator="urn:simulator"'
    model = f'<model name="m">{before}{"".join(parts)}</model>'
    return f'<sdf version="1.11" {namespaces}><world name="w">{model}{around}</world></sdf>'


def sgeometry(shape: str, surface: str = "") -> str:
    """A collision of SDFormat."""
    return f'<collision name="c"><geometry>{shape}</geometry>{surface}</collision>'


A, B = ulink("a"), ulink("b")
ARM = ujoint("ja", "revolute", "world", "a")
BESIDE = ujoint("jb", "revolute", "world", "b")
ON = ujoint("jb", "revolute", "a", "b")
BOX = '<box size="1 1 1"/>'
SA, SB = slink("a"), slink("b")
SARM = sjoint("ja", "revolute", "world", "a")
CROSS = sjoint("ja", "universal", "world", "a")
SBESIDE = sjoint("jb", "revolute", "world", "b")
CUBE = "<box><size>1 1 1</size></box>"


def _mimic(leader: str, more: str = "") -> str:
    return (
        f'<mimic joint="{leader}" {more}><multiplier>2</multiplier><offset>0</offset><reference>0</reference></mimic>'
    )


def _with_shape(shape: str) -> Pair:
    return robot(ulink("a", geometry(shape)), ARM), robot(A, ARM)


def _in_robot(extra: str) -> Pair:
    return robot(A, B, ARM, BESIDE, extra), robot(A, B, ARM, BESIDE)


def _with_surface(surface: str) -> Pair:
    with_surface = sgeometry(CUBE, f"<surface>{surface}</surface>")
    return sdf(slink("a", with_surface), SARM), sdf(slink("a", sgeometry(CUBE)), SARM)


def _mimicking(kinds: Pair, limits: Pair = (LIMIT, LIMIT)) -> Pair:
    leader = ujoint("ja", kinds[0], "world", "a", limits[0])
    follower = ujoint("jb", kinds[1], "a", "b", limits[1] + '<mimic joint="ja" multiplier="2" offset="0.1"/>')
    return robot(A, B, leader, follower), robot(A, B, leader, ujoint("jb", kinds[1], "a", "b", limits[1]))


def _branches(leader: str, follower: str) -> str:
    """Two arms, of which one follows the other."""
    mimic = f'<mimic joint="{leader}"/>'
    arms = ujoint(leader, "revolute", "world", "a"), ujoint(follower, "revolute", "world", "b", LIMIT + mimic)
    return robot(A, B, *arms)


LOOP_OF = {
    "loop_urdf_plus": '<loop name="l" type="revolute"><predecessor link="a"/><successor link="b"/>'
    '<axis xyz="0 0 1"/></loop>',
    "loop_joint": '<loop_joint name="l" type="spherical"><link1 link="a" rpy="0 0 0" xyz="0 0 0"/>'
    '<link2 link="b" rpy="0 0 0" xyz="0 0 0"/></loop_joint>',
    "loop_constraint": '<constraint name="l" type="ball"><parent link="a"/><child link="b"/></constraint>',
    "loop_gazebo_joint": '<gazebo><joint name="l" type="revolute"><parent>a</parent><child>b</child>'
    "<axis><xyz>0 0 1</xyz></axis></joint></gazebo>",
    "loop_drake": '<drake:ball_constraint><drake:ball_constraint_body_A name="a"/>'
    '<drake:ball_constraint_body_B name="b"/>'
    '<drake:ball_constraint_p_AP value="0 0 0"/><drake:ball_constraint_p_BQ value="0 0 0"/></drake:ball_constraint>',
    "loop_detachable": '<gazebo><plugin filename="gz-sim-detachable-joint-system" '
    'name="gz::sim::systems::DetachableJoint">'
    "<parent_link>a</parent_link><child_model>r</child_model><child_link>b</child_link></plugin></gazebo>",
}
BALL_CONSTRAINT = (
    "<drake:ball_constraint><drake:ball_constraint_body_A>a</drake:ball_constraint_body_A>"
    "<drake:ball_constraint_body_B>b</drake:ball_constraint_body_B>"
    "<drake:ball_constraint_p_AP>0 0 0</drake:ball_constraint_p_AP>"
    "<drake:ball_constraint_p_BQ>0 0 0</drake:ball_constraint_p_BQ></drake:ball_constraint>"
)
DETACHABLE = (
    '<plugin filename="gz-sim-detachable-joint-system" name="gz::sim::systems::DetachableJoint">'
    "<parent_link>a</parent_link><child_model>m</child_model><child_link>b</child_link></plugin>"
)
GEARBOX = "<gearbox_ratio>2</gearbox_ratio><gearbox_reference_body>c</gearbox_reference_body>"
CLASSIC = (
    '<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="ja">'
    "<hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface></joint>"
    '<actuator name="m"><mechanicalReduction>{}</mechanicalReduction></actuator></transmission>'
)
CONTROL = (
    '<ros2_control name="h" type="system"><hardware><plugin>x/Y</plugin></hardware><joint name="ja">'
    '<command_interface name="effort"/><state_interface name="position">{}</state_interface></joint></ros2_control>'
)
START = '<param name="initial_value">0.3</param>'
DYNAMICS = "<dynamics><damping>{}</damping><friction>{}</friction><spring_stiffness>{}</spring_stiffness></dynamics>"
SOFT = "<limit><lower>-1</lower><upper>1</upper><stiffness>100</stiffness>{}</limit>"

URDF: dict[str, Pair] = {
    "mimic": _mimicking(("revolute", "revolute")),
    "mimic_chain": (
        robot(
            A, B, ulink("c"), ARM, ujoint("jb", "revolute", "a", "b", LIMIT + '<mimic joint="ja"/>'),
            ujoint("jc", "revolute", "b", "c", LIMIT + '<mimic joint="jb"/>'),
        ),
        robot(A, B, ulink("c"), ARM, ON, ujoint("jc", "revolute", "b", "c")),
    ),
    "mimic_leader_after": (
        _branches("z", "y"),
        _branches("y", "z"),
    ),
    "mimic_mixed_limits": (
        _mimicking(("continuous", "revolute"), ("", LIMIT))[0],
        _mimicking(("continuous", "continuous"), ("", ""))[0],
    ),
    "gearbox": _in_robot(
        '<coupling name="g"><predecessor link="a"/><successor link="b"/><ratio value="2"/></coupling>'
    ),
    "loop_second_parent": (robot(A, B, ARM, BESIDE, ujoint("jc", "revolute", "a", "b")), robot(A, B, ARM, BESIDE)),
    **{name: _in_robot(text) for name, text in LOOP_OF.items()},
    "velocity_limit": (robot(A, ARM), robot(A, ujoint("ja", "revolute", "world", "a", NO_VELOCITY))),
    "damping": (robot(A, ujoint("ja", "revolute", "world", "a", LIMIT + '<dynamics damping="0.5"/>')), robot(A, ARM)),
    "joint_friction": (
        robot(A, ujoint("ja", "revolute", "world", "a", LIMIT + '<dynamics friction="0.5"/>')),
        robot(A, ARM),
    ),
    "spring": (robot(A, ARM, '<gazebo reference="ja"><springStiffness>5</springStiffness></gazebo>'), robot(A, ARM)),
    "start": (robot(A, ARM, CONTROL.format(START)), robot(A, ARM, CONTROL.format(""))),
    "ground": (robot(A, ARM).replace('"world"', '"base"'), ""),
    "floating_base": (f'<robot name="r">{A}{B}{ON}</robot>', ""),
    "without_mass": (robot(ulink("a", "", ""), ARM), robot(A, ARM)),
    "visual": (robot(ulink("a", geometry(BOX, "visual")), ARM), robot(A, ARM)),
    "no_self_collide": (
        robot(*(ulink(name, geometry(BOX)) for name in "abc"), ARM, ON, ujoint("jc", "revolute", "b", "c")), "",
    ),
    "capsule": _with_shape('<capsule radius="0.1" length="0.5"/>'),
    "mesh_stl": _with_shape('<mesh filename="cube.stl"/>'),
    "mesh_obj": _with_shape('<mesh filename="cube.obj"/>'),
    "mesh_dae": _with_shape('<mesh filename="cube.dae"/>'),
    "mesh_ply": _with_shape('<mesh filename="cube.ply"/>'),
    "mesh_gltf": _with_shape('<mesh filename="cube.glb"/>'),
    "package_uri": _with_shape('<mesh filename="package://nowhere_at_all/x.obj"/>'),
    "contact_friction": (
        robot(ulink("a", geometry(BOX)), ARM, '<gazebo reference="a"><mu1>0.3</mu1><mu2>0.3</mu2></gazebo>'),
        robot(ulink("a", geometry(BOX)), ARM),
    ),
    "ros2_control": (robot(A, ARM, CONTROL.format("")), robot(A, ARM)),
    "transmission": (robot(A, ARM, CLASSIC.format("50")), robot(A, ARM)),
}  # fmt: skip

SDF: dict[str, Pair] = {
    "mimic": (
        sdf(SA, SB, SARM, sjoint("jb", "revolute", "a", "b", _mimic("ja"))),
        sdf(SA, SB, SARM, sjoint("jb", "revolute", "a", "b")),
    ),
    "mimic_second_axis": (
        sdf(SA, SB, CROSS, sjoint("jb", "revolute", "a", "b", _mimic("ja", 'axis="axis2"'))),
        sdf(SA, SB, CROSS, sjoint("jb", "revolute", "a", "b")),
    ),
    "gearbox": (
        sdf(SA, SB, slink("c"), sjoint("h", "fixed", "world", "c"), sjoint("ja", "revolute", "c", "a"),
            sjoint("jb", "revolute", "c", "b"), sjoint("g", "gearbox", "a", "b", "", GEARBOX)),
        sdf(SA, SB, slink("c"), sjoint("h", "fixed", "world", "c"), sjoint("ja", "revolute", "c", "a"),
            sjoint("jb", "revolute", "c", "b")),
    ),
    "screw": (sdf(SA, sjoint("ja", "screw", "world", "a", "", "<screw_thread_pitch>0.1</screw_thread_pitch>")), ""),
    "ball": (sdf(SA, sjoint("ja", "ball", "world", "a")), ""),
    "universal": (sdf(SA, sjoint("ja", "universal", "world", "a")), ""),
    "revolute2": (sdf(SA, sjoint("ja", "revolute2", "world", "a")), ""),
    "loop": (sdf(SA, SB, SARM, SBESIDE, sjoint("jc", "revolute", "a", "b")), sdf(SA, SB, SARM, SBESIDE)),
    "loop_drake": (sdf(SA, SB, SARM, SBESIDE, BALL_CONSTRAINT), sdf(SA, SB, SARM, SBESIDE)),
    "loop_detachable": (sdf(SA, SB, SARM, SBESIDE, DETACHABLE), sdf(SA, SB, SARM, SBESIDE)),
    "joint_friction": (
        sdf(SA, sjoint("ja", "revolute", "world", "a", DYNAMICS.format(0, 0.5, 0))),
        sdf(SA, SARM),
    ),
    "soft_stops": (
        sdf(SA, sjoint("ja", "revolute", "world", "a", SOFT.format("<dissipation>2</dissipation>"))),
        sdf(SA, sjoint("ja", "revolute", "world", "a", SOFT.format(""))),
    ),
    "start": (
        sdf(SA, SARM, before='<model_state name="s"><joint_state name="ja"><axis_state><position>0.3</position>'
            "</axis_state></joint_state></model_state>").replace('"1.11"', '"1.12"'),
        sdf(SA, SARM).replace('"1.11"', '"1.12"'),
    ),
    "world_joint": (
        sdf(SA, SARM, around=f'<model name="n">{SB}</model>{sjoint("jw", "revolute", "m::a", "n::b")}'),
        sdf(SA, SARM, around=f'<model name="n">{SB}</model>{sjoint("jw", "fixed", "m::a", "n::b")}'),
    ),
    "force_torque": (
        sdf(SA, sjoint("ja", "revolute", "world", "a", "", '<sensor name="s" type="force_torque"/>')), sdf(SA, SARM),
    ),
    "kinematic": (sdf(slink("a", "<kinematic>true</kinematic>"), SARM), sdf(SA, SARM)),
    "weightless": (sdf(slink("a", "<gravity>false</gravity>"), SARM), sdf(SA, SARM)),
    "self_collide": (sdf(SA, SARM, before="<self_collide>true</self_collide>"), sdf(SA, SARM)),
    "no_self_collide": (
        sdf(*(slink(name, sgeometry(CUBE)) for name in "abc"), SARM, sjoint("jb", "revolute", "a", "b"),
            sjoint("jc", "revolute", "b", "c")), "",
    ),
    "cone": (sdf(slink("a", sgeometry("<cone><radius>.1</radius><length>.3</length></cone>")), SARM), sdf(SA, SARM)),
    "mesh_stl": (sdf(slink("a", sgeometry("<mesh><uri>cube.stl</uri></mesh>")), SARM), sdf(SA, SARM)),
    "mesh_obj": (sdf(slink("a", sgeometry("<mesh><uri>cube.obj</uri></mesh>")), SARM), sdf(SA, SARM)),
    "mesh_dae": (sdf(slink("a", sgeometry("<mesh><uri>cube.dae</uri></mesh>")), SARM), sdf(SA, SARM)),
    "mesh_ply": (sdf(slink("a", sgeometry("<mesh><uri>cube.ply</uri></mesh>")), SARM), sdf(SA, SARM)),
    "package_uri": (
        sdf(slink("a", sgeometry("<mesh><uri>package://nowhere_at_all/x.obj</uri></mesh>")), SARM), sdf(SA, SARM),
    ),
    "restitution": _with_surface("<bounce><restitution_coefficient>0.5</restitution_coefficient></bounce>"),
    "contact_stiffness": _with_surface("<contact><ode><kp>1000</kp></ode></contact>"),
    "velocity_limit": (
        sdf(SA, sjoint("ja", "revolute", "world", "a", "<limit><velocity>2</velocity></limit>")), sdf(SA, SARM),
    ),
    "gravity": (sdf(SA, SARM, around="<gravity>0 0 -3</gravity>"), sdf(SA, SARM)),
    "loads": (sdf(SA, SARM, around='<simulator:load link="m::a" force="1 0 0"/>'), sdf(SA, SARM)),
}  # fmt: skip
