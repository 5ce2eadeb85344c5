"""Contacts that give way: a spring and a damper between two sides that are pressed into each other.

What overlaps by d pushes with f = kp d + kd d', and never pulls. Over a step that is one constant force, f = kp d0 + B
d0' + c (change of d'), of which `rows.servos.servo_law` has B and c such that the motion has the poles of the spring
and damper; a swing that the step cannot resolve is damped. As a row, with the gap g = -d and its rate v,

    v + p / (t c) = v0 + (kp d0 - B v0) / c,    p >= 0,

with the time t in which the sides touch: the step, or what is left of it when they will meet.

What the step cannot resolve, a spring on which either body would swing by more than a part of a radian in it, is rigid:
what overlaps for a step by chance would store more than bodies have.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simulator.native.kernels import compiled
from simulator.physics.layout import row_layout as row_at
from simulator.physics.layout.bounded import ask_of_row
from simulator.physics.rows.servos import servo_law

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats2, Table
    from simulator.physics.layout.bounded import BoundedRows
    from simulator.physics.loops.views import MechanismViews

RESOLVED = 0.5
"""Most [rad] that two bodies, as masses on the spring of a contact, may swing in a step."""


@compiled
def make_unresolved_rigid(m: MechanismViews, contacts: Table, dt: float) -> None:
    """STIFF = 0 for compliant contacts whose oscillation a step of `dt` [s] does not resolve. TWISTING is below 0 where
    the patch comes of the indentation; it becomes what that holds, or 0 where the contact is rigid."""
    CI, CF = contacts
    for c in range(CI.shape[0]):
        if CF[c, row_at.STIFF] > 0.0:
            lightness = _lightness(m, CI[c, row_at.FIRST]) + _lightness(m, CI[c, row_at.SECOND])
            if not CF[c, row_at.STIFF] * lightness * dt * dt <= RESOLVED * RESOLVED:
                CF[c, row_at.STIFF] = 0.0
        if CF[c, row_at.TWISTING] < 0.0:
            CF[c, row_at.TWISTING] = -CF[c, row_at.TWISTING] if CF[c, row_at.STIFF] > 0.0 else 0.0


@compiled
def _lightness(m: MechanismViews, i: int) -> float:
    """One over the mass of node i [1/kg]; 0 of the world."""
    mass = m.tree.inertia[max(i, 0), 0]
    if i < 0:
        return 0.0
    return 1.0 / mass if mass > 0.0 else math.inf


@compiled
def stored(CF: Floats2, c: int) -> float:
    """Energy [J] that contact c stores at the start of the step."""
    overlap = min(CF[c, row_at.GAP], 0.0)
    return 0.5 * CF[c, row_at.STIFF] * overlap * overlap


@compiled
def all_stored(CF: Floats2) -> float:
    """Energy [J] that all contacts store at the start of the step."""
    total = 0.0
    for c in range(CF.shape[0]):
        total += stored(CF, c)
    return total


@compiled
def ask_soft(bounded: BoundedRows, CF: Floats2, r: int, dt: float) -> None:
    """Bounds, target and softness of the normal of a contact that gives way, whose RATE is known, in a step of `dt`."""
    line = bounded.line[r]
    weight = bounded.response[r]
    now = bounded.rate[r]
    gap = bounded.gap[r]
    touching = dt
    if gap > 0.0:
        touching = dt + gap / now if now < 0.0 else 0.0
    bounded.soft[r] = 0.0
    if touching <= 0.0 or weight <= 0.0:
        ask_of_row(bounded, r, 0.0, 0.0, 0.0)
        return
    first, later = servo_law(CF[line, row_at.STIFF], CF[line, row_at.DAMPED], weight, touching)
    effort = CF[line, row_at.STIFF] * max(-gap, 0.0) - first * now
    bounded.soft[r] = 1.0 / (touching * later)
    ask_of_row(bounded, r, 0.0, math.inf, now + effort / later)
