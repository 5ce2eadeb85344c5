"""Our elements for losses, play, elasticity, freewheels and clutches of a coupling: children of a `<mimic>`, and of a
gearbox or screw joint.

<simulator:efficiency forward="0.95" backward="0.93"/>      with speeds="0 10 100": a value each
<simulator:bearing_friction forward="0.1" backward="0.1"/>  likewise
<simulator:thread friction="0.08" flank_angle="0.253" mean_diameter="0.02"/>
<simulator:backlash width="0.01" restitution="0" stiffness="1e5" damping="10"/>
<simulator:compliance stiffness="1e4" damping="1"/>         with positions="0 0.1 0.2": a stiffness each
<simulator:freewheel direction="1" pitch="0.2"/>
<simulator:clutch friction="0.3" radius="0.06" faces="2" force="step(0,400,0.5)" peak="1.1"/>

A brake of an axis is read as a clutch is, and a bearing beside it.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from simulator.errors import UsageError
from simulator.formats.sdf.extensions import (
    BACKLASH,
    BEARING_FRICTION,
    CLUTCH,
    COMPLIANCE,
    EFFICIENCY,
    FREEWHEEL,
    THREAD,
)
from simulator.formats.sdf.profiles import read_profile
from simulator.formats.values import numbers_text
from simulator.model.coupling import (
    IDEAL,
    Backlash,
    BearingFriction,
    Clutch,
    Compliance,
    Efficiency,
    Freewheel,
    RealCoupling,
    Thread,
)
from simulator.model.joint import Bearing

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.formats.cursor import Cursor
    from simulator.model.profiles import Profile

T = TypeVar("T")

CODE = "COUPLING_NUMBER_INVALID"
STIFF = "stiffness"
"""The attribute by which the compliance of a coupling differs from that of a joint's frame."""


def read_real_coupling(cursor: Cursor) -> RealCoupling:
    """What the children of an element say; a part with a number that it cannot have is an error, and left out."""
    if not any(node.tag.startswith("simulator:") for node in cursor.node.children):
        return IDEAL
    tags = (EFFICIENCY, BEARING_FRICTION, THREAD, BACKLASH, COMPLIANCE, FREEWHEEL, CLUTCH)
    efficiency, friction, thread, *exclusive = [_only(cursor, tag) for tag in tags]
    backlash, compliance, freewheel, clutch = _one_of(*exclusive)
    if thread is not None and efficiency is not None:
        message = f"<{EFFICIENCY}> and <{THREAD}> of one coupling: the first is not used"
        cursor.log.error(CODE, efficiency.source, message, "the efficiencies follow from the thread: leave one away")
    return RealCoupling(
        efficiency=_read(efficiency, _efficiency) if thread is None else None,
        bearing_friction=_read(friction, _bearing_friction),
        thread=_read(thread, _thread),
        backlash=_read(backlash, _backlash),
        compliance=_read(compliance, _compliance),
        freewheel=_read(freewheel, _freewheel),
        clutch=read_clutch(clutch),
    )


def _only(cursor: Cursor, tag: str) -> Cursor | None:
    """The child with a tag; each further one is an error, and left out."""
    of_frame = tag == COMPLIANCE and cursor.tag == "joint"
    found = [child for child in cursor.children(tag) if not of_frame or STIFF in child.node.attributes]
    for child in found[1:]:
        cursor.log.error(
            CODE, child.source, f"there is a <{tag}> already: this one is not used", "leave one of them away"
        )
    return found[0] if found else None


def read_bounds(cursor: Cursor) -> RealCoupling | None:
    """How far the expression of a constraint may be from 0, `within` [its unit], and what of it gives way; None, and an
    error, for a number that it cannot have."""
    if "within" in cursor.node.attributes:
        backlash = _read(cursor, _within)
        return None if backlash is None else RealCoupling(backlash=backlash)
    if STIFF not in cursor.node.attributes:
        return IDEAL
    compliance = _read(cursor, _compliance)
    return None if compliance is None else RealCoupling(compliance=compliance)


def _within(cursor: Cursor) -> Backlash:
    within = _number(cursor, "within", None, 0.0, math.inf)
    if within == 0.0:
        raise ValueError("within must be above 0: without it the expression is 0")
    return replace(_flanks(cursor), width=2.0 * within)


def read_clutch(cursor: Cursor | None) -> Clutch | None:
    """A clutch or a brake; one with a number that it cannot have is an error, and left out."""
    return _read(cursor, _clutch)


def read_bearing(cursor: Cursor | None) -> Bearing | None:
    """A bearing that feels its load; one with a number that it cannot have is an error, and left out."""
    return _read(cursor, _bearing)


def _bearing(cursor: Cursor) -> Bearing:
    friction = _number(cursor, "friction", None, 0.0, math.inf)
    return Bearing(friction, _number(cursor, "radius", 0.0, 0.0, math.inf))


def _one_of(*stated: Cursor | None) -> list[Cursor | None]:
    """The first of those that are there, and a clutch beside a freewheel without teeth; each of the others is an error,
    and left out."""
    first = next((cursor for cursor in stated if cursor is not None), None)
    return [cursor if cursor is None or first is None or _go_together(first, cursor) else None for cursor in stated]


def _go_together(first: Cursor, cursor: Cursor) -> bool:
    tags = first.tag, cursor.tag
    if first is cursor or (tags == (FREEWHEEL, CLUTCH) and "pitch" not in first.node.attributes):
        return True
    hint = "another coupling, through a body between, can have the other part"
    if tags == (BACKLASH, COMPLIANCE):
        hint = f"give <{BACKLASH}> the stiffness and damping of its flanks"
    message = f"<{first.tag}> and <{cursor.tag}> of one coupling: the second is not used"
    cursor.log.error(CODE, cursor.source, message, hint)
    return False


def _read(cursor: Cursor | None, read: Callable[[Cursor], T]) -> T | None:
    if cursor is None:
        return None
    try:
        return read(cursor)
    except (ValueError, UsageError) as error:
        cursor.log.error(CODE, cursor.source, f"<{cursor.tag}> is not used: {error}")
        return None


def _efficiency(cursor: Cursor) -> Efficiency:
    speeds = _speeds(cursor)
    forward = _column(cursor, "forward", speeds, "1", 0.0, 1.0)
    backward = _column(cursor, "backward", speeds, numbers_text(forward), 0.0, 1.0)
    if min(forward) <= 0.0:
        raise ValueError("forward must be above 0: with 0 nothing the leader does would arrive")
    return Efficiency(forward, backward, speeds)


def _bearing_friction(cursor: Cursor) -> BearingFriction:
    speeds = _speeds(cursor)
    forward = _column(cursor, "forward", speeds, "0", 0.0, math.inf)
    return BearingFriction(forward, _column(cursor, "backward", speeds, numbers_text(forward), 0.0, math.inf), speeds)


def _thread(cursor: Cursor) -> Thread:
    thread = Thread(
        friction=_number(cursor, "friction", None, 0.0, math.inf),
        flank_angle=_number(cursor, "flank_angle", 0.0, 0.0, 0.5 * math.pi),
        mean_diameter=_number(cursor, "mean_diameter", 0.0, 0.0, math.inf),
        lead_angle=_number(cursor, "lead_angle", 0.0, 0.0, 0.5 * math.pi),
        collar_friction=_number(cursor, "collar_friction", 0.0, 0.0, math.inf),
        collar_diameter=_number(cursor, "collar_diameter", 0.0, 0.0, math.inf),
    )
    if thread.flank_angle >= 0.5 * math.pi or thread.lead_angle >= 0.5 * math.pi:
        raise ValueError("flank_angle and lead_angle are below a right angle [rad]")
    if not thread.mean_diameter and (not thread.lead_angle or thread.collar_friction):
        raise ValueError("mean_diameter [m] is missing")
    return thread


def _backlash(cursor: Cursor) -> Backlash:
    return replace(_flanks(cursor), width=_number(cursor, "width", None, 0.0, math.inf))


def _flanks(cursor: Cursor) -> Backlash:
    """What the ends of a play are like."""
    backlash = Backlash(
        width=0.0,
        restitution=_number(cursor, "restitution", 0.0, 0.0, 1.0),
        stiffness=_number(cursor, STIFF, 0.0, 0.0, math.inf),
        damping=_number(cursor, "damping", 0.0, 0.0, math.inf),
    )
    if backlash.damping and not backlash.stiffness:
        raise ValueError("damping belongs to flanks with a stiffness")
    if backlash.restitution and backlash.stiffness:
        raise ValueError("restitution belongs to rigid flanks: elastic ones have damping")
    return backlash


def _compliance(cursor: Cursor) -> Compliance:
    if STIFF not in cursor.node.attributes:
        raise ValueError(f"{STIFF} is missing")
    positions = _numbers(cursor, "positions", "")
    ascend = all(a < b for a, b in itertools.pairwise(positions))
    if len(positions) == 1 or not (ascend and all(map(math.isfinite, positions))):
        raise ValueError("positions are two or more finite numbers, and ascend")
    stiffness = _column(cursor, STIFF, positions, "", 0.0, math.inf, "positions")
    if min(stiffness) == 0.0:
        raise ValueError("stiffness must be above 0")
    damping = _number(cursor, "damping", 0.0, 0.0, math.inf)
    return Compliance(stiffness, damping, positions, _period(cursor, positions, stiffness))


def _period(cursor: Cursor, positions: tuple[float, ...], stiffness: tuple[float, ...]) -> float:
    """Of a table over positions, 0 without."""
    period = _number(cursor, "period", 0.0, 0.0, math.inf)
    if "period" not in cursor.node.attributes:
        return period
    if not positions:
        raise ValueError("period belongs to positions")
    length = positions[-1] - positions[0]
    if period < length and not math.isclose(period, length):
        raise ValueError(f"period is {period:g}, less than from the first of the positions to the last, {length:g}")
    if math.isclose(period, length) and stiffness[0] != stiffness[-1]:
        raise ValueError("stiffness is the same at both ends of a period")
    return period


def _freewheel(cursor: Cursor) -> Freewheel:
    freewheel = Freewheel(
        direction=_number(cursor, "direction", 1.0, -1.0, 1.0),
        pitch=_number(cursor, "pitch", 0.0, 0.0, math.inf),
        restitution=_number(cursor, "restitution", 0.0, 0.0, 1.0),
    )
    if abs(freewheel.direction) != 1.0:
        raise ValueError(f"direction is 1 or -1, not {freewheel.direction:g}")
    if freewheel.restitution and not freewheel.pitch:
        raise ValueError("restitution belongs to the pawl of a ratchet, which has a pitch")
    return freewheel


def _clutch(cursor: Cursor) -> Clutch:
    clutch = Clutch(
        friction=_number(cursor, "friction", 0.0, 0.0, math.inf),
        radius=_number(cursor, "radius", 0.0, 0.0, math.inf),
        faces=_number(cursor, "faces", 1.0, 1.0, math.inf),
        force=_profile(cursor, "force"),
        limit=_profile(cursor, "limit"),
        peak=_number(cursor, "peak", 1.0, 1.0, math.inf),
    )
    if (clutch.force is None) is (clutch.limit is None):
        raise ValueError("what engages it is a force [N] or a limit [N m or N], one of both")
    if clutch.limit is not None and (clutch.friction or clutch.radius or clutch.faces != 1.0):
        raise ValueError("friction, radius and faces belong to a force: a limit is the effort itself")
    if clutch.force is not None and "friction" not in cursor.node.attributes:
        raise ValueError("friction is missing")
    return clutch


def _profile(cursor: Cursor, name: str) -> Profile | None:
    text = cursor.get(name).strip()
    return read_profile(cursor, text) if text else None


def _speeds(cursor: Cursor) -> tuple[float, ...]:
    speeds = _numbers(cursor, "speeds", "")
    if any(b <= a for a, b in zip((-1.0, *speeds), speeds, strict=False)):
        raise ValueError("speeds are not negative and ascend")
    return speeds


def _column(
    cursor: Cursor,
    name: str,
    speeds: tuple[float, ...],
    missing: str,
    least: float,
    most: float,
    over: str = "speeds",
) -> tuple[float, ...]:
    values = _numbers(cursor, name, missing)
    if len(values) == 1 and speeds:
        values *= len(speeds)
    if len(values) != max(len(speeds), 1):
        raise ValueError(f"{name} has {len(values)} numbers for {max(len(speeds), 1)} {over}")
    for value in values:
        _check(name, value, least, most)
    return values


def _numbers(cursor: Cursor, name: str, missing: str) -> tuple[float, ...]:
    text = cursor.get(name, missing)
    try:
        return tuple(float(word) for word in text.split())
    except ValueError:
        raise ValueError(f"{name} is numbers, not '{text}'") from None


def _number(cursor: Cursor, name: str, missing: float | None, least: float, most: float) -> float:
    if name not in cursor.node.attributes:
        if missing is None:
            raise ValueError(f"{name} is missing")
        return missing
    values = _numbers(cursor, name, "")
    if len(values) != 1:
        raise ValueError(f"{name} is a number, not '{cursor.get(name)}'")
    _check(name, values[0], least, most)
    return values[0]


def _check(name: str, value: float, least: float, most: float) -> None:
    if not (least <= value <= most and math.isfinite(value)):
        allowed = f"from {least:g} to {most:g}" if math.isfinite(most) else f"a finite number, {least:g} or more"
        raise ValueError(f"{name} is {allowed}, not {value:g}")
