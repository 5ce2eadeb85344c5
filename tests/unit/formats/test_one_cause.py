"""Findings that have one cause are one finding, which names what the further ones are about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.diagnostics import Diagnostic
from simulator.session.open.opening import Opened, open_document
from tests.helpers.documents import joint, link, model, world

Write = Callable[..., Path]

INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
COLLISION = '<collision>{}<geometry><sphere radius="0.1"/></geometry></collision>'
LINKS = ("a", "b", "c", "d")


def robot(*elements: str, of_link: str = "", of_joint: str = "") -> str:
    """Four links in a row, on hinges named j_a to j_d, and further elements of the robot, of each link and joint."""
    joints = [
        f'<link name="{name}">{INERTIAL}{of_link}</link><joint name="j_{name}" type="continuous">'
        f'<parent link="{parent}"/><child link="{name}"/><axis xyz="0 0 1"/>{of_joint}</joint>'
        for parent, name in zip(("world", *LINKS), LINKS, strict=False)
    ]
    return f'<robot name="r"><link name="world"/>{"".join(joints)}{"".join(elements)}</robot>'


def driven(name: str, motor: str, kind: str = "transmission_interface/SimpleTransmission", more: str = "") -> str:
    """A transmission as ROS 1 writes it, of a joint of `robot`."""
    return (
        f'<transmission name="t_{name}"><type>{kind}</type><joint name="j_{name}"/>'
        f'<actuator name="{motor}"><mechanicalReduction>1</mechanicalReduction></actuator>{more}</transmission>'
    )


def gazebo(owner: str, *elements: str) -> str:
    """Extensions of a link or joint of `robot`."""
    return f'<gazebo reference="{owner}">{"".join(elements)}</gazebo>'


def lamps(*names: str) -> str:
    """A component of ros2_control without joints."""
    gpios = "".join(f'<gpio name="{name}"><command_interface name="on"/></gpio>' for name in names)
    return (
        f'<ros2_control name="{names[0]}" type="gpio"><hardware><plugin>x/Y</plugin></hardware>{gpios}</ros2_control>'
    )


def opened(write_document: Write, text: str) -> Opened:
    return open_document(write_document(text, "robot.urdf" if text.startswith("<robot") else "world.sdf"))


def of_code(write_document: Write, text: str, code: str) -> list[Diagnostic]:
    return [item for item in opened(write_document, text).diagnostics if item.code == code]


OF_ROBOTS = {
    "actuators that two transmissions share": (
        "TRANSMISSION_ACTUATOR_SHARED",
        robot(driven("a", "m"), driven("b", "n"), driven("c", "m"), driven("d", "n")),
        ("'n'",),
    ),
    "extensions of what does not exist": (
        "GAZEBO_REFERENCE_INVALID",
        robot(gazebo("left", "<mu1>1</mu1>"), gazebo("right", "<mu1>1</mu1>")),
        ("'right'",),
    ),
    "settings of Gazebo's engines, of links and joints": (
        "NOT_SIMULATED",
        robot(gazebo("a", "<maxVel>1</maxVel>"), gazebo("j_a", "<provideFeedback>1</provideFeedback>")),
        ("<provideFeedback>",),
    ),
    "inputs and outputs of two components": ("NOT_SIMULATED", robot(lamps("red", "green"), lamps("blue")), ("'blue'",)),
    "numbers that are empty": (
        "ELEMENT_INVALID",
        robot(gazebo("a", "<kp/>", "<kd/>"), of_link=COLLISION.format("")),
        ("<kd>",),
    ),
}


@pytest.mark.parametrize("case", OF_ROBOTS)
def test_of_a_robot(write_document: Write, case: str) -> None:
    code, text, others = OF_ROBOTS[case]
    (found,) = of_code(write_document, text, code)
    assert (found.count, found.others) == (2, others)


def test_contact_parameters_of_gazebo_have_one_reason(write_document: Write) -> None:
    """What tunes how engines find and separate contacts: here contacts are rigid, or give way by kp and kd."""
    ode = "<contact><ode><max_vel>0.2</max_vel><min_depth>0.001</min_depth></ode></contact>"
    inside = f"<max_contacts>3</max_contacts><geometry><box/></geometry><surface>{ode}</surface>"
    shape = f'<collision name="c">{inside}</collision>'
    (found,) = of_code(write_document, world(model("m", link("l", shape))), "NOT_SIMULATED")
    assert found.count == 3
    assert found.message.startswith("<max_contacts> is not simulated: contacts are rigid")
    assert found.others == ("<max_vel>", "<min_depth>")


def test_a_world_names_all_that_one_fault_is_about(write_document: Write) -> None:
    parts = [
        part
        for name in ("p", "q")
        for part in (
            link(f"{name}_hand"),
            link(f"{name}_finger").replace("</link>", "<gravity>false</gravity></link>"),
            joint(f"{name}_wrist", "revolute", parent="world", child=f"{name}_hand"),
            joint(f"{name}_glue", "fixed", parent=f"{name}_hand", child=f"{name}_finger"),
        )
    ]
    (found,) = of_code(write_document, world(model("m", *parts)), "GRAVITY_OF_WELDED_LINKS")
    assert (found.count, found.others) == (2, ("'m::q_hand'",))


# -- what is no fault at all -------------------------------------------------------------------------------------------


def test_gazebo_looks_for_numbers_in_the_attribute_value_first(write_document: Write) -> None:
    """`<kp value="1e5"/>`, as the descriptions of Unitree and PR2 write it."""
    elements = ('<kp value="1e5"/>', '<kd value="10"/>', '<mu1 value="0.3"/>')
    found = opened(write_document, robot(gazebo("a", *elements), of_link=COLLISION.format("")))
    (shape,) = found.world.models[0].links[0].collisions
    assert (shape.surface.contact_stiffness, shape.surface.contact_damping, shape.surface.friction) == (1e5, 10.0, 0.3)
    assert not found.diagnostics


@pytest.mark.parametrize("friction", ["0.0", "0.2"])
def test_zeros_of_onshape_to_robot_say_nothing(write_document: Write, friction: str) -> None:
    text = robot(
        of_joint=f'<joint_properties damping=".0" friction="{friction}"/>', of_link='<origin xyz="0 0 0" rpy="0 -0 0"/>'
    )
    found = of_code(write_document, text, "ELEMENT_INCORRECT_TYPE")
    assert [item.hint for item in found] == (
        [] if friction == "0.0" else ["write <dynamics damping='…' friction='…'/>"]
    )


def test_a_collision_may_have_a_material_that_nothing_draws(write_document: Write) -> None:
    shape = COLLISION.format('<material name="red"><color rgba="1 0 0 1"/></material>')
    assert not opened(write_document, robot(of_link=shape)).diagnostics


def test_transmissions_of_other_packages_have_elements_of_their_own(write_document: Write) -> None:
    text = robot(driven("a", "m", "pr2_mechanism_model/SimpleTransmission", '<compensator k_belt="4000"/>'))
    assert not opened(write_document, text).diagnostics
    (found,) = opened(write_document, robot(driven("a", "m", more='<compensator k_belt="4000"/>'))).diagnostics
    assert found.message == "<transmission> has no child <compensator>; it is not read"
