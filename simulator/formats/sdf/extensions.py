"""Our own elements and attributes in SDFormat, in the namespace `urn:simulator`; other programs pass them over."""

from __future__ import annotations

DRIVE = "simulator:drive"
"""Child of a `<world>`: a drive that the window starts with, see `DemonstrationDrive`."""
INDEPENDENT = "simulator:independent"
"""Attribute of a `<joint>`: "false" where its position is to follow from those of others, in a loop or coupling."""
PLANAR_TYPE = "simulator:type"
"""Attribute of a `<joint type="ball">` that closes a loop: "planar" where its child slides in the plane across `<axis>` and turns about it.
SDFormat has no such joint; a ball is what takes as many freedoms away for programs that pass the attribute over."""
PARENT_POSE = "simulator:parent_pose"
"""Child of a `<joint>` that closes a loop: where the joint frame is on the parent's side, relative to the parent, if at the start of the
document it is elsewhere than `<pose>`; the loop is closed before anything moves."""
WITHOUT_MASS = "simulator:without_mass"
"""Attribute of a `<link>` made from a URDF that states no mass for it: "estimate" if it is computed from the shapes, "ground" if the link
is fixed to the world, where it needs none."""
MESH_UP = "simulator:up"
"""Attribute of a `<mesh>` of a glTF file: the axis of the file that points up, "y" or "z", where `convert` found it out."""

CHILDREN = {"world": frozenset({DRIVE}), "joint": frozenset({PARENT_POSE})}
"""Our elements, by the one that they stand in."""
ATTRIBUTES = {"joint": f"{INDEPENDENT} {PLANAR_TYPE}", "link": WITHOUT_MASS, "mesh": MESH_UP}
"""Our attributes of SDFormat's elements."""
CHILD_ATTRIBUTES = {DRIVE: "axis kind value", PARENT_POSE: "relative_to degrees rotation_format"}
"""The attributes of our elements."""
