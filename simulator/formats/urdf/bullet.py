"""`<contact>` of a link, which Bullet's reader of URDF knows: what it says becomes extensions of the link."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.formats.nodes import Node
from simulator.formats.values import number_text, plain_numbers

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog

CONTACT = {
    "lateral_friction": "mu1",
    "restitution": "bullet:restitution",
    "stiffness": "kp",
    "damping": "kd",
    "spinning_friction": "bullet:patch_radius",
}
"""The extension that has the meaning of each child."""
LEFT_OUT = {
    "rolling_friction": (0.0, "nothing brakes what rolls; use the damping of a joint"),
    "contact_cfm": (0.0, "contacts give way as <stiffness> and <damping> say, and are rigid without"),
    "inertia_scaling": (1.0, "the moments of <inertia> count as they are written"),
}
"""Children that are not simulated: the value that changes nothing, and why."""
PATCH = 16.0 / (3.0 * math.pi)
"""Radius of the patch of contact that holds the same moment about the normal, for each metre of `spinning_friction`:
Bullet has spinning_friction N, a patch 3 pi / 16 a N."""


def contacts_as_extensions(robot: Node, log: DiagnosticLog, *, strict: bool) -> None:
    """Rewrite the tree in place; if `strict`, only report that libsdformat does not read them. What `<gazebo>` says of
    the same link counts more."""
    found = []
    for link in robot.all("link"):
        for contact in link.all("contact"):
            if strict:
                message = "<contact> of a link is Bullet's; libsdformat does not read it"
                log.warning("NOT_SIMULATED", contact.source, message, fold="link/contact")
                continue
            extension = Node("gazebo", contact.source, {"reference": link.attributes.get("name", "")})
            extension.children = [node for child in contact.children for node in _extension(child, log)]
            found.append(extension)
    robot.children[:0] = found


def _extension(child: Node, log: DiagnosticLog) -> list[Node]:
    if child.tag not in CONTACT and child.tag not in LEFT_OUT:  # the vocabulary knows more of it
        return []
    numbers = plain_numbers(child.attributes.get("value", ""))
    if len(numbers) != 1 or not math.isfinite(numbers[0]):
        message = f"<{child.tag}> has no number as its value; it is not used"
        log.warning("ATTRIBUTE_INVALID", child.source, message, f"write <{child.tag} value='…'/>")
        return []
    if child.tag in CONTACT:
        scale = PATCH if child.tag == "spinning_friction" else 1.0
        return [child.with_text(CONTACT[child.tag], number_text(scale * numbers[0]))]
    nothing, why = LEFT_OUT[child.tag]
    if numbers[0] != nothing:
        log.warning(
            "NOT_SIMULATED", child.source, f"<{child.tag}> is not simulated: {why}", fold=f"contact/{child.tag}"
        )
    return []
