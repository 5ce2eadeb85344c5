"""Limits of joints as versions of URDF have them, before anything else is read.

Source: urdfdom 6.0, README, "URDF Versioning" and "Joint Limit Semantics By Version".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.urdf.tolerance import NO_LIMIT
from simulator.formats.values import plain_numbers

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.nodes import Node

OPTIONAL_SINCE = 1.2
"""The version of URDF from which on a `<limit>` without effort or velocity has none."""
OF_PLANNERS = ("acceleration", "deceleration", "jerk")


def apply_version(robot: Node, log: DiagnosticLog) -> None:
    """Fill in limits that are optional by the version of the document, and report those that nothing holds here."""
    version = plain_numbers(robot.attributes.get("version", ""))
    are_optional = bool(version) and version[0] >= OPTIONAL_SINCE
    for joint in robot.all("joint"):
        limit = joint.child("limit")
        if limit is None:
            continue
        if are_optional:
            limit.attributes |= {tag: NO_LIMIT[tag] for tag in ("effort", "velocity") if tag not in limit.attributes}
        stated = [tag for tag in OF_PLANNERS if tag in limit.attributes]
        if stated:
            name = joint.attributes.get("name", "")
            message = f"{' and '.join(stated)} of joint '{name}' are not simulated: they bind what plans its motion"
            hint = "give the drive a profile that stays within them"
            log.info("NOT_SIMULATED", limit.source, message, hint, fold="limits of planners", about=name)
