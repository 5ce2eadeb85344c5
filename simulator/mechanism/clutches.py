"""What engages the clutches and brakes of a mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.mechanism.parameters import with_item
from simulator.model.altered import altered

if TYPE_CHECKING:
    from simulator.mechanism.types import Mechanism
    from simulator.model.coupling import Clutch
    from simulator.model.joint import Axis
    from simulator.model.profiles import Profile


def inputs_of(mechanism: Mechanism) -> tuple[Profile, ...]:
    """The profiles of all clutches, in the order of the couplings, then of all brakes, in the order of the axes: forces
    [N] or limits [N m or N] over time."""
    couplings = (coupling.real.clutch for coupling in mechanism.couplings if not coupling.is_rigid_law)
    brakes = (info.axis.brake for info in mechanism.axes)
    return tuple(stated.input for stated in (*couplings, *brakes) if stated is not None)


def sliding_friction(axis: Axis) -> float:
    """Dry friction of an axis far above the speed by which it falls, with what its brake holds at the start [N m or
    N]."""
    brake = axis.brake
    return axis.friction + (brake.grip * max(brake.input.value(0.0), 0.0) if brake is not None else 0.0)


def engaged(mechanism: Mechanism, axis: int, profile: Profile) -> Mechanism | None:
    """The mechanism in which the clutch by which an axis follows, or the brake on it, is pressed by `profile` [N, or of
    a limit N m or N]; None where it has neither."""
    for index, coupling in enumerate(mechanism.couplings):
        clutch = coupling.real.clutch
        if coupling.follower == axis and clutch is not None:
            real = altered(coupling.real, clutch=_pressed(clutch, profile))
            changed = altered(coupling, real=real)
            return altered(mechanism, couplings=with_item(mechanism.couplings, index, changed))
    info = mechanism.axes[axis]
    if info.axis.brake is None:
        return None
    changed_axis = altered(info.axis, brake=_pressed(info.axis.brake, profile))
    return altered(mechanism, axes=with_item(mechanism.axes, axis, altered(info, axis=changed_axis)))


def _pressed(clutch: Clutch, profile: Profile) -> Clutch:
    return altered(clutch, **{"limit" if clutch.force is None else "force": profile})


def names_of_clutches(mechanism: Mechanism) -> list[str]:
    """Axes that follow by a clutch, or have a brake."""
    following = {coupling.follower for coupling in mechanism.couplings if coupling.real.clutch is not None}
    axes = enumerate(mechanism.axes)
    return [info.name for i, info in axes if i in following or info.axis.brake is not None]
