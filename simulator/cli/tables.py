"""What a document means, as tables for people."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.cli.actuation_text import actuation_lines, actuation_tables
from simulator.cli.page import Table, page
from simulator.condition.condition import condition_of
from simulator.diagnostics import counted, printable
from simulator.mechanism.contacts import passing
from simulator.mechanism.law_text import law
from simulator.mechanism.real_couplings import friction_text, real_text
from simulator.session.text.condition_text import condition_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.mechanism.types import Mechanism, MechanismJoint
    from simulator.session.open.opening import Opened


ROUNDING = 1e-12
"""Components of axes (of 1) and of centres of mass (metres) below this are what turning a frame leaves of a zero, and
shown as zero."""

NAMED = 4
"""Models that are named in one line."""


def describe_as_text(opened: Opened) -> None:
    """Bodies, joints, couplings, loops and mobility on standard output."""
    console = page()
    mechanism = opened.mechanism
    title = opened.document.title or opened.path.name
    console.print(printable(title), style="bold", soft_wrap=True)
    console.print(
        f"{printable(str(opened.path))}  ·  gravity {_vector(mechanism.gravity)} m/s²"
        f"  ·  step {opened.world.physics.max_step_size:g} s",
        soft_wrap=True,
    )
    console.print(_bodies(mechanism))
    console.print(_joints("joint", mechanism.joints, mechanism))
    if mechanism.loop_joints:
        console.print(_joints("loop joint", mechanism.loop_joints, mechanism))
    if mechanism.couplings:
        console.print(_couplings(mechanism))
    if mechanism.loads.cables:
        console.print(_cables(mechanism))
    for info in mechanism.axes:
        if friction_text(info):
            console.print(printable(f"{info.name}: {friction_text(info)}"), soft_wrap=True)
    for table in actuation_tables(opened):
        console.print(table)
    for line in (_contacts(opened), *actuation_lines(opened), *condition_lines(mechanism, condition_of(mechanism))):
        console.print(printable(line), soft_wrap=True)


def _contacts(opened: Opened) -> str:
    """How much can touch, and what does not although one might think so."""
    pairs = opened.mechanism.non_colliding.count_meeting()
    models = passing(opened.mechanism, opened.world)
    can = f"{counted(pairs, 'pair')} of links can touch" if pairs else "nothing can touch"
    if not models:
        return f"contacts: {can}"
    names = ", ".join(f"'{name}'" for name in models[:NAMED]) + (
        f" and {len(models) - NAMED} more" if len(models) > NAMED else ""
    )
    return f"contacts: {can}; links of {names} pass through each other (no <self_collide>)"


def _bodies(mechanism: Mechanism) -> Table:
    table = Table("body", "mass kg", "centre of mass m", "links")
    for body in mechanism.bodies:
        mass = f"{body.mass:g}" if body.name != "world" else ""
        com = _vector(body.com) if body.name != "world" else ""
        table.add_row(body.name, mass, com, ", ".join(link.name for link in body.links))
    return table


def _joints(heading: str, joints: Sequence[MechanismJoint], mechanism: Mechanism) -> Table:
    table = Table(heading, "type", "parent", "child", "axis", "limits")
    for joint in joints:
        axes = [mechanism.axes[motion.axis] for motion in joint.motions]
        table.add_row(
            joint.name,
            joint.type.value if joint.type is not None else joint.kind.value,
            mechanism.bodies[joint.parent].name,
            mechanism.bodies[joint.child].name,
            "  ".join(_vector(info.axis.xyz_world) for info in axes),
            "  ".join(_limits(info.axis.lower, info.axis.upper, info.unit) for info in axes if not info.hidden),
        )
    return table


def _couplings(mechanism: Mechanism) -> Table:
    table = Table("coupling", "law", "line")
    for coupling in mechanism.couplings:
        table.add_row(coupling.kind.value, law(coupling, mechanism), str(coupling.source or ""))
        real = real_text(coupling, mechanism)
        if real:
            table.add_row("", real, "")
    return table


def _cables(mechanism: Mechanism) -> Table:
    """How long each is, and what it passes from end to end."""
    table = Table("cable", "length m", "passes", "line")
    for cable in mechanism.loads.cables:
        places = (f"{part.kind.value} {part.link}".strip() for part in cable.parts)
        table.add_row(cable.name, f"{cable.length:.4g}", ", ".join(places), str(cable.source or ""))
    return table


def _vector(v: tuple[float, float, float]) -> str:
    return " ".join(f"{0.0 if abs(c) < ROUNDING else c:.4g}" for c in v)


def _limits(lower: float, upper: float, unit: str) -> str:
    if math.isinf(lower) and math.isinf(upper):
        return "free"
    return f"{lower:g} … {upper:g} {unit}"
