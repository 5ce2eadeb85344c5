"""Our own elements and attributes in SDFormat, in the namespace `urn:simulator`; other programs pass them over."""

from __future__ import annotations

DRIVE = "simulator:drive"
"""Child of a `<world>`: a drive that the window starts with, see `DemonstrationDrive`."""
LOAD = "simulator:load"
"""Child of a `<world>` or `<model>`: a force and a moment on a link, see `simulator.model.loads.Load`."""
SPRING = "simulator:spring"
"""Child of a `<world>` or `<model>`: a spring and damper between two points, see `PointSpring`."""
TORSION_SPRING = "simulator:torsion_spring"
"""Child of a `<world>` or `<model>`: a spring and damper about the axis of a joint, see `TorsionSpring`."""
CABLE = "simulator:cable"
"""Child of a `<world>` or `<model>`: a cable between points and over pulleys, see `simulator.model.cables.Cable`."""
PARTS_OF_CABLE = (
    "simulator:point", "simulator:pulley", "simulator:guide", "simulator:sphere", "simulator:branch",
)  # fmt: skip
"""Children of a cable: what it passes, see `CablePart`."""
GRAVITY = "simulator:gravity"
"""Child of a `<model>`: the gravity of its links [m/s^2] and of those of models inside it, instead of the world's."""
INDEPENDENT = "simulator:independent"
"""Attribute of a `<joint>`: "false" where its position is to follow from those of others, in a loop or coupling."""
ORIGIN = "simulator:origin"
"""Attribute of a `<joint>` made from a URDF whose parent link a fixed joint makes a part of another one: the frame of
that link, in which its `<origin>` is."""
PLANAR_TYPE = "simulator:type"
"""Attribute of a `<joint type="ball">` that closes a loop: "planar" where its child slides in the plane across `<axis>`
and turns about it. SDFormat has no such joint; a ball is what takes as many freedoms away for programs that pass the
attribute over."""
PARENT_POSE = "simulator:parent_pose"
"""Child of a `<joint>` that closes a loop: where the joint frame is on the parent's side, relative to the parent, if at
the start of the document it is elsewhere than `<pose>`; the loop is closed before anything moves."""
COMPLIANCE = "simulator:compliance"
"""Child of a `<joint>`: by how much it gives way under a moment [rad/(N m)] and a force [m/N], about and along the axes
of the joint frame. Where joints are more than equilibrium determines, they share loads by it; nothing else depends on
it. Child of a `<mimic>`, or of a gearbox or screw, with a stiffness: of what is coupled, see `Compliance`."""
EFFICIENCY = "simulator:efficiency"
"""Child of a `<mimic>`, or of a gearbox or screw joint: which part of the power arrives, see `Efficiency`."""
BEARING_FRICTION = "simulator:bearing_friction"
"""Likewise: effort at the leader beside the load, see `BearingFriction`."""
THREAD = "simulator:thread"
"""Likewise: a screw thread or a worm, see `Thread`."""
BACKLASH = "simulator:backlash"
"""Likewise: play of the follower, see `Backlash`."""
FREEWHEEL = "simulator:freewheel"
"""Likewise: a one-way clutch or a ratchet, see `Freewheel`."""
CLUTCH = "simulator:clutch"
"""Likewise: a friction clutch, see `Clutch`."""
BRAKE = "simulator:brake"
"""Child of an `<axis>`: a friction brake between both bodies of the joint, see `Clutch`."""
STRIBECK = "simulator:stribeck"
"""Child of an `<axis>`: dry friction that falls with the speed, see `Stribeck`."""
BEARING = "simulator:bearing"
"""Child of an `<axis>`: dry friction in proportion to what the joint carries, see `Bearing`."""
WITHOUT_MASS = "simulator:without_mass"
"""Attribute of a `<link>` made from a URDF that states no mass for it: "estimate" if it is computed from the shapes,
"ground" if the link is fixed to the world, where it needs none. Of one made from an MJCF: "none", it is meant to have
none."""
ARMATURE = "simulator:armature"
"""Child of an `<axis>`: inertia of the axis alone [kg m^2 or kg], as of a rotor behind a gear, see `Axis`."""
EXCLUDE = "simulator:exclude"
"""Child of a `<world>`: two links, by their scoped names, that never touch each other, see `World.excluded`."""
POLYNOMIAL = "simulator:polynomial"
"""Child of a `<mimic>`: its law as coefficients a0 a1 a2 … of powers of the leader's position, see `MimicLaw`."""
TABLE = "simulator:table"
"""Child of a `<mimic>`: its law as rows `x y` or `x y dy/dx`, see `curves.curve_through`."""
EXPRESSION = "simulator:expression"
"""Child of a `<mimic>`: its law as an expression over the leader's position q, see `parse_expression`."""
CONSTRAINT = "simulator:constraint"
"""Child of a `<world>` or `<model>`: an equation between positions of joints, its expression = 0, see
`JointConstraint`."""
PARAMETER = "simulator:parameter"
"""Child of a `<model>`: the length of a link by a name, see `LengthParameter`."""
SECOND_AXIS = ":axis2"
"""Behind the name of a joint in a constraint: its second axis."""
BAR = "simulator:bar"
"""Child of a `<link>`: the bar that its visuals are made for, which are drawn from joint to joint, see `Link.bar`."""
MESH_UP = "simulator:up"
"""Attribute of a `<mesh>` of a glTF file: the axis of the file that points up, "y" or "z", where `convert` found it
out."""

_LOADS = frozenset({LOAD, SPRING, TORSION_SPRING, CABLE})
COUPLING = frozenset({EFFICIENCY, BEARING_FRICTION, THREAD, BACKLASH, COMPLIANCE, FREEWHEEL, CLUTCH})
"""What a coupling may have beside its law."""
LAWS = frozenset({POLYNOMIAL, TABLE, EXPRESSION})
"""Laws of a `<mimic>`."""
RUBBING = frozenset({BRAKE, STRIBECK, BEARING})
"""Dry friction of an axis."""
CHILDREN = {
    "world": _LOADS | {DRIVE, EXCLUDE, CONSTRAINT},
    "model": _LOADS | {GRAVITY, CONSTRAINT, PARAMETER},
    "link": frozenset({BAR}),
    "joint": COUPLING | {PARENT_POSE},
    "mimic": COUPLING | LAWS,
    "axis": RUBBING | {ARMATURE},
    "axis2": RUBBING | {ARMATURE},
    CABLE: frozenset(PARTS_OF_CABLE),
}
"""Our elements, by the one that they stand in."""
ATTRIBUTES = {"joint": f"{INDEPENDENT} {ORIGIN} {PLANAR_TYPE}", "link": WITHOUT_MASS, "mesh": MESH_UP}
"""Our attributes of SDFormat's elements."""
_OF_PARTS = (
    "link at", *["link at radius axis wrap turns friction"] * 2, "link at radius friction", "divisor",
)  # fmt: skip
CHILD_ATTRIBUTES = {
    DRIVE: "axis kind value",
    EXCLUDE: "link other",
    LOAD: "link at force moment frame",
    SPRING: "link at other other_at stiffness damping free_length table",
    TORSION_SPRING: "joint axis stiffness damping angle",
    CABLE: "name length stiffness damping restitution",
    **dict(zip(PARTS_OF_CABLE, _OF_PARTS, strict=True)),
    PARENT_POSE: "relative_to degrees rotation_format",
    COMPLIANCE: "moment force stiffness damping positions period",
    EFFICIENCY: "forward backward speeds",
    BEARING_FRICTION: "forward backward speeds",
    THREAD: "friction flank_angle mean_diameter lead_angle collar_friction collar_diameter",
    BACKLASH: "width restitution stiffness damping",
    FREEWHEEL: "direction pitch restitution",
    CLUTCH: "friction radius faces force limit peak",
    BRAKE: "friction radius faces force limit peak",
    STRIBECK: "static speed exponent",
    BEARING: "friction radius",
    TABLE: "interpolation periodic",
    CONSTRAINT: "name follower within restitution stiffness damping",
    PARAMETER: "name value link",
}
"""The attributes of our elements."""
