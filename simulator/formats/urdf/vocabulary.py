"""The vocabulary of URDF: what is read, and why the rest is not. A table, not code."""

from __future__ import annotations

from simulator.formats.control.vocabulary import OWN_VOCABULARY
from simulator.formats.sdf.extensions import (
    BAR,
    CABLE,
    CHILD_ATTRIBUTES,
    CONSTRAINT,
    COUPLING,
    LAWS,
    PARTS_OF_CABLE,
    RUBBING,
    TABLE,
)
from simulator.formats.urdf.bullet import CONTACT, LEFT_OUT
from simulator.formats.vocabulary import Vocabulary, silent, words

LOOP = silent("dialects.py reads it, and judges it by itself")
EXTENSION = silent("it is SDFormat and judged there")

CHILDREN = {
    "robot": words(
        "link joint material origin loop coupling",
        gazebo=EXTENSION,
        loop_joint=LOOP,
        constraint=LOOP,
        mujoco=silent("it tunes MuJoCo's own reader"),
        transmission=OWN_VOCABULARY,
        ros2_control=OWN_VOCABULARY,
        sensor=silent("nothing is measured by sensors here"),
    ),
    "link": words("inertial visual collision contact"),
    "contact": words(
        "lateral_friction restitution stiffness damping spinning_friction rolling_friction contact_cfm inertia_scaling",
        contact_erp=silent("bodies do not sink in, or as stiffness and damping say"),
        friction_anchor=silent("friction does not drift"),
    ),
    "inertial": words("origin mass inertia"),
    "visual": words("origin geometry material"),
    "collision": words(
        "origin geometry", verbose=silent("it is a remark"), material=silent("collisions are not drawn")
    ),
    "geometry": words("box cylinder sphere capsule mesh"),
    "material": words("color texture"),
    "loop": words("predecessor successor axis"),
    "coupling": words("predecessor successor ratio"),
    "predecessor": words("origin"),
    "successor": words("origin"),
    "joint": words(
        "origin parent child axis limit dynamics mimic",
        calibration=silent("it is for the encoders of a real robot"),
        safety_controller=silent("it is for the controller of a real robot"),
    ),
}

ATTRIBUTES = {
    "robot": "name version",
    "link": "name",
    "joint": "name type independent",
    "loop": "name type",
    "coupling": "name type",
    "predecessor": "link",
    "successor": "link",
    "ratio": "value",
    "origin": "xyz rpy quat_xyzw",
    "mass": "value",
    "inertia": "ixx ixy ixz iyy iyz izz iyx izx izy",
    "visual": "name",
    "collision": "name group",
    "box": "size",
    "cylinder": "radius length",
    "capsule": "radius length",
    "sphere": "radius",
    "mesh": "filename scale",
    "material": "name",
    "color": "rgba",
    "texture": "filename",
    **dict.fromkeys((*CONTACT, *LEFT_OUT), "value"),
    "parent": "link",
    "child": "link",
    "axis": "xyz",
    "limit": "lower upper effort velocity acceleration deceleration jerk",
    "dynamics": "damping friction",
    "mimic": "joint multiplier offset",
    **{tag: CHILD_ATTRIBUTES[tag] for tag in (TABLE, CONSTRAINT, CABLE, *PARTS_OF_CABLE, *COUPLING, *RUBBING)},
}

HINTS = {
    ("joint", "pose"): "that is SDFormat; URDF has <origin xyz='…' rpy='…'/>",
    ("link", "pose"): "that is SDFormat; URDF has <origin xyz='…' rpy='…'/>",
    ("joint", "joint_properties"): "write <dynamics damping='…' friction='…'/>",
    ("mimic", "reference"): "URDF has no reference; fold it into the offset",
}

REPEATABLE = frozenset(
    {"link", "joint", "loop", "coupling", "material", "gazebo", "transmission", "visual", "collision", "sensor"}
)

OWN = {
    "mimic": LAWS | COUPLING, "coupling": COUPLING, "joint": RUBBING,
    "link": frozenset({BAR}), "robot": frozenset({CONSTRAINT, CABLE}), CABLE: frozenset(PARTS_OF_CABLE),
}  # fmt: skip
"""Our elements, by the one that they stand in; those in `<gazebo>` are SDFormat's."""

EMPTY = frozenset({("joint", "joint_properties"), ("link", "origin")})
"""What onshape-to-robot adds."""

URDF = Vocabulary(CHILDREN, ATTRIBUTES, REPEATABLE, HINTS, own=OWN, empty=EMPTY)
"""All of the above."""
