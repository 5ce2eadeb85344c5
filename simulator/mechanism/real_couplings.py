"""Losses, play, elasticity, freewheels and clutches of couplings: what of it a mechanism can have, and how it is
described."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.mechanism.mobility import count_mobility, find_clusters
from simulator.mechanism.types import CouplingKind, MotionKind
from simulator.model.altered import altered
from simulator.model.coupling import IDEAL, is_self_locking, loss_table, thread_efficiencies
from simulator.model.profiles import Constant

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.diagnostics import DiagnosticLog
    from simulator.mechanism.types import AxisInfo, Coupling, Mechanism
    from simulator.model.coupling import Clutch, Compliance, Freewheel, RealCoupling

CODE = "COUPLING_NOT_POSSIBLE"


def check_real_couplings(mechanism: Mechanism, log: DiagnosticLog) -> Mechanism:
    """The mechanism without what its couplings cannot have, which is reported, as are brakes and bearings that cannot
    be."""
    for info in mechanism.axes:
        brake = info.axis.brake
        if brake is not None and lacks_radius(brake, turns=info.kind is MotionKind.ROTATION):
            message = f"the brake of '{info.name}' turns, and its friction has no radius: it does not hold"
            log.error(CODE, info.axis.source or info.source, message, "give <simulator:brake> a radius [m]")
        _check_bearing(info, log)
    if all(coupling.real.is_ideal for coupling in mechanism.couplings):
        return mechanism
    couplings = tuple(_checked(coupling, mechanism, log) for coupling in mechanism.couplings)
    return altered(mechanism, couplings=couplings)


def _check_bearing(info: AxisInfo, log: DiagnosticLog) -> None:
    """Report a pin without a radius, and a slide with one."""
    bearing, turns = info.axis.bearing, info.kind is MotionKind.ROTATION
    if bearing is None or turns == (bearing.radius > 0.0):
        return
    message = f"the bearing of '{info.name}' turns, and its friction has no radius"
    hint = "give <simulator:bearing> the radius of the pin [m]"
    if not turns:
        message = f"'{info.name}' slides, and its <simulator:bearing> has a radius"
        hint = "leave it out: the friction of a slide is in proportion to the force across it"
    log.error(CODE, info.axis.source or info.source, message, hint)


def _checked(coupling: Coupling, mechanism: Mechanism, log: DiagnosticLog) -> Coupling:
    name = mechanism.axes[coupling.follower].name
    if coupling.real.is_ideal:
        return coupling
    fault = _fault(coupling, mechanism)
    if fault:
        log.error(CODE, coupling.source, *fault)
        return replace(coupling, real=IDEAL)
    if coupling.multiplier == 0.0:
        message = f"'{name}' does not move with its leader: nothing is lost or played between them"
        log.warning(CODE, coupling.source, message, "the multiplier is 0")
        return replace(coupling, real=IDEAL)
    fault = _fault_of_thread(coupling, mechanism)
    if fault:
        log.error(CODE, coupling.source, f"the thread of the coupling of '{name}': {fault[0]}", fault[1])
        return replace(coupling, real=replace(coupling.real, thread=None))
    return coupling


def _fault(coupling: Coupling, mechanism: Mechanism) -> tuple[str, str] | None:
    """Why a coupling cannot be as it is stated, and what to do."""
    real, info = coupling.real, mechanism.axes[coupling.follower]
    cut = [mechanism.axes[axis] for axis, _ in coupling.terms if not mechanism.axes[axis].in_tree]
    part = f"the {_slipping(real)}" if real.slips else "the losses, play or elasticity"
    if coupling.curve is not None and real.slips:
        message = f"{part} of the coupling of '{info.name}' cannot be simulated: its law is a curve"
        return message, "let a body between follow the curve, and give a straight line the freewheel or the clutch"
    if coupling.multiplier == 0.0 and real.slips:
        message = f"nothing passes {part} of '{info.name}': the multiplier of its coupling is 0"
        return message, "a brake against the other body of the joint is <simulator:brake> in its <axis>"
    if cut and coupling.multiplier != 0.0:
        message = (
            f"{part} of the coupling of '{info.name}' cannot be simulated: joint '{cut[0].joint}' ({cut[0].source}) is "
            "where a loop is cut"
        )
        return message, "mark another joint of that loop <must_be_loop_joint>"
    if real.clutch is not None and lacks_radius(real.clutch, turns=info.kind is MotionKind.ROTATION):
        message = f"the clutch of '{info.name}' turns, and its friction has no radius"
        return message, "give <simulator:clutch> the mean radius of its faces [m]"
    return None


def _slipping(real: RealCoupling) -> str:
    return "clutch" if real.clutch is not None else "freewheel"


def lacks_radius(clutch: Clutch, *, turns: bool) -> bool:
    """Whether the force that presses it makes no moment known."""
    return turns and clutch.force is not None and clutch.radius == 0.0


def _fault_of_thread(coupling: Coupling, mechanism: Mechanism) -> tuple[str, str] | None:
    """What is wrong with it, and what to do."""
    thread = coupling.real.thread
    if thread is None:
        return None
    kinds = [mechanism.axes[coupling.leader].kind, mechanism.axes[coupling.follower].kind]
    if not thread.lead_angle and (coupling.curve or kinds != [MotionKind.ROTATION, MotionKind.TRANSLATION]):
        why = "its law is a curve" if coupling.curve else "its follower does not slide while its leader turns"
        return (
            f"its lead is unknown, for {why}",
            "give the worm a lead_angle [rad]",
        )
    try:
        thread_efficiencies(thread, coupling.lead)
    except ValueError as error:
        return f"{error}, at this friction and lead", "neither side could move it: lower the friction"
    return None


def as_moved(mechanism: Mechanism) -> Mechanism:
    """The mechanism without the couplings that positions do not obey, those with play, elasticity, a freewheel or a
    clutch: what acts in them is known."""
    return without_couplings(mechanism, is_loose)


def as_tied(mechanism: Mechanism) -> Mechanism:
    """The mechanism without the couplings that tie no positions, freewheels and clutches."""
    return without_couplings(mechanism, lambda coupling: not coupling.ties)


def without_couplings(mechanism: Mechanism, leave: Callable[[Coupling], bool]) -> Mechanism:
    """The mechanism without the couplings that `leave` is true of, which are its `left_out`; itself if there are
    none."""
    kept = tuple(coupling for coupling in mechanism.couplings if not leave(coupling))
    if len(kept) == len(mechanism.couplings):
        return mechanism
    joints, loops = mechanism.joints, mechanism.loop_joints
    return altered(
        mechanism,
        couplings=kept,
        clusters=find_clusters(joints, loops, kept),
        mobility=count_mobility(joints, loops, kept, mechanism.bodies),
        left_out=(*mechanism.left_out, *(one for one in mechanism.couplings if leave(one))),
    )


def require_not_loose(mechanism: Mechanism, what: str) -> None:
    """Raises UsageError, by name, where positions do not obey a coupling, for `what` its law alone cannot give."""
    require_no_cables(mechanism, what)
    found = next((coupling for coupling in all_couplings(mechanism) if is_loose(coupling)), None)
    if found is not None:
        part = loose_part(found)
        name = mechanism.axes[found.follower].name
        raise UsageError(
            f"{what} do not follow from positions alone: '{name}' moves by itself through the {part} of its coupling; "
            f"run the mechanism, or remove <simulator:{part}>"
        )


def require_no_cables(mechanism: Mechanism, what: str) -> None:
    """Raises UsageError, by name, where there is a cable, for `what` cannot be said without its tension."""
    for cable in mechanism.loads.cables:
        raise UsageError(
            f"{what} depend on the tension of the cable '{cable.name}', and whether it is taut on the motion; run the "
            "mechanism, or remove <simulator:cable>"
        )


def all_couplings(mechanism: Mechanism) -> tuple[Coupling, ...]:
    """Those that are looked at, and those that are left out."""
    return (*mechanism.couplings, *mechanism.left_out)


def loose_part(coupling: Coupling) -> str:
    """By which of its parts positions do not obey a coupling."""
    real = coupling.real
    if real.slips:
        return "clutch" if real.clutch is not None else "freewheel"
    if coupling.kind is CouplingKind.CONSTRAINT:
        return "constraint"
    return "backlash" if real.half_width > 0.0 else "compliance"


def loses_power(coupling: Coupling) -> bool:
    """Whether its numbers say that less arrives than goes in."""
    if coupling.is_rigid_law or not coupling.real.has_losses:
        return False
    points = loss_table(coupling.real, coupling.lead)
    return any((p.forward, p.backward, p.drag_forward, p.drag_backward) != (1.0, 1.0, 0.0, 0.0) for p in points)


def require_ideal(mechanism: Mechanism, what: str) -> None:
    """Raises UsageError, by name, where a coupling loses power, has play or is elastic, for `what` takes its law."""
    require_no_cables(mechanism, what)
    found = next((one for one in all_couplings(mechanism) if is_loose(one) or loses_power(one)), None)
    if found is not None:
        name = mechanism.axes[found.follower].name
        parts = "losses, play and elasticity" if found.ties else loose_part(found)
        raise UsageError(
            f"the coupling of '{name}' is not ideal, and {what} would take it so: run the mechanism, or remove its "
            f"{parts}"
        )


def require_smooth(mechanism: Mechanism) -> None:
    """Raises UsageError, by name, where what a coupling carries is no smooth function of positions and velocities near
    rest: it loses power, against whichever way it turns, or has play between rigid flanks."""
    require_no_cables(mechanism, "motions near rest")
    for coupling in all_couplings(mechanism):
        name = mechanism.axes[coupling.follower].name
        if coupling.bounds:
            if coupling.real.stiffness == 0.0:
                raise UsageError(
                    f"the constraint '{coupling.name}' has rigid bounds: within them nothing holds '{name}', and at "
                    "one it cannot move further; give it a stiffness, or remove it"
                )
        elif not coupling.ties:
            raise UsageError(
                f"the coupling of '{name}' has a {loose_part(coupling)}, whose sides hold or slip: near rest their "
                f"motion is not linear; remove <simulator:{loose_part(coupling)}>, or the whole coupling"
            )
        if loses_power(coupling):
            raise UsageError(
                f"the coupling of '{name}' loses power, so that it rests at a range of positions and its motion near "
                "rest is not linear; set its efficiency to 1 and its friction to 0 to look at it without losses"
            )
        if not coupling.is_rigid_law and coupling.real.half_width > 0.0 and coupling.real.stiffness == 0.0:
            raise UsageError(
                f"the coupling of '{name}' has play between rigid flanks: within it nothing holds the follower, and at "
                "a flank it cannot move further; give <simulator:backlash> a stiffness, or remove it"
            )


def is_loose(coupling: Coupling) -> bool:
    """Whether positions do not obey it: it has play, elasticity, a freewheel or a clutch."""
    real = coupling.real
    return not coupling.is_rigid_law and (real.half_width > 0.0 or real.stiffness > 0.0 or real.slips)


def locks_itself(coupling: Coupling) -> bool:
    """Whether the follower can never drive the leader."""
    return not coupling.is_rigid_law and is_self_locking(coupling.real, coupling.lead)


def real_text(coupling: Coupling, mechanism: Mechanism) -> str:
    """Losses, play and elasticity in words; nothing of an ideal coupling."""
    real = coupling.real
    if coupling.is_rigid_law:
        return ""
    follower, leader = mechanism.axes[coupling.follower], mechanism.axes[coupling.leader]
    found = _losses(coupling, leader.effort_unit)
    if coupling.bounds:
        found.append(
            f"elastic beyond, {real.stiffness:g} {follower.effort_unit}/{follower.unit}" if real.stiffness else ""
        )
    elif real.backlash is not None:
        kind = f"elastic flanks of {real.stiffness:g} {follower.effort_unit}/{follower.unit}" if real.stiffness else ""
        found.append(f"backlash {real.backlash.width:g} {follower.unit}" + (f", {kind}" if kind else ""))
    if real.compliance is not None:
        found.append(_compliance_text(real.compliance, f"{follower.effort_unit}/{follower.unit}", leader.unit))
    if real.freewheel is not None:
        found.append(_freewheel_text(real.freewheel, follower.unit))
    if real.clutch is not None:
        found.append(clutch_text(real.clutch, "clutch", follower.effort_unit))
    if locks_itself(coupling):
        found.append("self-locking: cannot be driven by its follower")
    return "; ".join(filter(None, found))


def _compliance_text(compliance: Compliance, unit: str, of_leader: str) -> str:
    if not compliance.varies:
        return f"elastic, {compliance.stiffness[0]:g} {unit}"
    period = f", each {compliance.period:g} {of_leader}" if compliance.period else ""
    stiffness = compliance.stiffness
    return f"elastic, {min(stiffness):g} to {max(stiffness):g} {unit} over the position of the leader{period}"


def _freewheel_text(freewheel: Freewheel, unit: str) -> str:
    sense = "forwards" if freewheel.direction > 0.0 else "backwards"
    kind = f"ratchet, pitch {freewheel.pitch:g} {unit}" if freewheel.pitch else "freewheel"
    return f"{kind}: drives {sense} only, and the follower may overrun it"


def clutch_text(clutch: Clutch, kind: str, effort_unit: str) -> str:
    """A friction clutch or brake in words."""
    peak = f", {clutch.peak:g} times as much while it sticks" if clutch.peak != 1.0 else ""
    if clutch.force is None:
        limit = f" up to {clutch.input.level:g} {effort_unit}" if isinstance(clutch.input, Constant) else ""
        return f"friction {kind}{limit}{peak}"
    force = f", pressed by {clutch.input.level:g} N" if isinstance(clutch.input, Constant) else ""
    return f"friction {kind}, {clutch.grip:.4g} {effort_unit} for each newton{force}{peak}"


def friction_text(info: AxisInfo) -> str:
    """The brake, the bearing and the falling friction of an axis in words; nothing where it has none."""
    brake, stribeck, bearing = info.axis.brake, info.axis.stribeck, info.axis.bearing
    rate = f"{info.unit}/s"
    falling = (
        ""
        if stribeck is None
        else (
            f"friction falls from {stribeck.static:g} to {info.axis.friction:g} {info.effort_unit} within "
            f"{stribeck.speed:g} {rate}"
        )
    )
    braking = "" if brake is None else clutch_text(brake, "brake", info.effort_unit)
    carrying = ""
    if bearing is not None:
        circle = f", friction circle {bearing.arm:.4g} m" if bearing.radius else ""
        carrying = f"bearing friction {bearing.friction:g} of the force across the axis{circle}"
    return "; ".join(filter(None, (falling, braking, carrying)))


def _losses(coupling: Coupling, effort_unit: str) -> list[str]:
    if not coupling.real.has_losses:
        return []
    first, *others = loss_table(coupling.real, coupling.lead)
    found = [f"efficiency {100 * first.forward:.4g} % forward, {100 * max(first.backward, 0.0):.4g} % backward"]
    if others:
        found[0] += f" at {first.speed:g}, with the speed"
    if first.drag_forward or first.drag_backward:
        found.append(f"bearing friction {first.drag_forward:g} and {first.drag_backward:g} {effort_unit}")
    return found
