"""The numbers of a mechanism's equations of motion as arrays, and their slopes by parameters.

All of them depend on a single parameter so that `mechanism.varied_slopes` has the slope exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from simulator.spatial.inertia import inertia_matrix
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from simulator.mechanism.types import Body, Mechanism
    from simulator.mechanism.varied_slopes import Slope
    from simulator.spatial.arrays import Array

    Numeric = NDArray[Any]
    Part = TypeVar("Part")
    Known = dict[int, tuple[object, Array]]
    """Numbers of parts by identity, with the part."""
    Directions = Mapping[str, Array]
    """How numbers change, by field of `MechanismNumbers`, one dimension (n_directions,) before theirs."""


class MechanismNumbers(NamedTuple):
    """Each with any number of dimensions before those that are given here, over n_j tree joints, n_l loop joints, n_b
    bodies, n_a axes.

    `inboard`, `outboard`: X_PJ and X_CJ (n_j, 4, 4); `loop_parent`, `loop_child`: those of loop joints (n_l, 4, 4);
    `direction` of motions by axis (n_a, 3); `inertia`: ∫ r rᵀ dm with r = (x, y, z, 1) in the body frame (n_b, 4, 4);
    `weight`: ∫ r gᵀ dm (n_b, 4, 3); `coefficient` (n_c, n_a) and `constant` (n_c,) of couplings; `damping`, `stiffness`
    and `preload` (stiffness · reference) of axes (n_a,); `spring` (n_s, 3): stiffness, damping, stiffness · free length
    of springs between `ends` (n_s, 2, 3), which are points of bodies; `push` (n_f, 3, 3): force, moment, point of
    loads.
    """

    inboard: Numeric
    outboard: Numeric
    loop_parent: Numeric
    loop_child: Numeric
    direction: Numeric
    inertia: Numeric
    weight: Numeric
    coefficient: Numeric
    constant: Numeric
    damping: Numeric
    stiffness: Numeric
    preload: Numeric
    spring: Numeric
    ends: Numeric
    push: Numeric


def numbers_of(mechanism: Mechanism, time: float, known: Known | None = None) -> MechanismNumbers:
    """The numbers of a mechanism, with loads as they are at `time` [s]. `known`: those of parts that other mechanisms
    have as well, which are found and entered there."""
    known = {} if known is None else known
    joints = mechanism.joints
    loops = mechanism.loop_joints
    axes = mechanism.axes
    direction = np.zeros((len(axes), 3))
    for joint in (*joints, *loops):
        for motion in joint.motions:
            direction[motion.axis] = motion.direction
    coefficient = np.zeros((len(mechanism.couplings), len(axes)))
    for row, coupling in enumerate(mechanism.couplings):
        # The slopes of a curve depend on the position: `Jets` has them.
        for axis, factor in coupling.terms if coupling.curve is None else ():
            coefficient[row, axis] += factor
    inertia = np.array([_once(known, body, pseudo_inertia) for body in mechanism.bodies])
    loads = mechanism.loads
    passive = [info.axis for info in axes]
    springs = [(s.stiffness, s.damping, s.stiffness * s.free_length) for s in loads.springs]
    return MechanismNumbers(
        inboard=_frames([joint.X_PJ for joint in joints], known),
        outboard=_frames([joint.X_CJ for joint in joints], known),
        loop_parent=_frames([joint.X_PJ for joint in loops], known),
        loop_child=_frames([joint.X_CJ for joint in loops], known),
        direction=direction,
        inertia=inertia,
        weight=_weights(mechanism, inertia),
        coefficient=coefficient,
        constant=np.array([coupling.constant for coupling in mechanism.couplings]),
        damping=np.array([axis.damping for axis in passive]),
        stiffness=np.array([axis.spring_stiffness for axis in passive]),
        preload=np.array([axis.spring_stiffness * axis.spring_reference for axis in passive]),
        spring=np.array(springs).reshape(-1, 3),
        ends=np.array([spring.points for spring in loads.springs]).reshape(-1, 2, 3),
        push=pushes_of(mechanism, time),
    )


def pushes_of(mechanism: Mechanism, time: float) -> Array:
    """Force, moment and point of every load at `time` [s], shape (n_f, 3, 3)."""
    pushes = [
        ([part.value(time) for part in load.force], [part.value(time) for part in load.moment], load.point)
        for load in mechanism.loads.forces
    ]
    return np.array(pushes).reshape(-1, 3, 3)


def slopes_of(slopes: Sequence[Slope], time: float) -> Directions:
    """The derivatives of the numbers by each parameter."""
    found: dict[str, list[Array]] = {field: [] for field in MechanismNumbers._fields}
    known: Known = {}
    for slope in slopes:
        plus, minus = (numbers_of(mechanism, time, known) for mechanism in (slope.plus, slope.minus))
        for field, a, b in zip(MechanismNumbers._fields, plus, minus, strict=True):
            found[field].append(slope.factor * (a - b))
    every = {field: np.array(rows) for field, rows in found.items()}
    return {field: rows for field, rows in every.items() if rows.any()}


def pseudo_inertia(body: Body) -> Array:
    """∫ r rᵀ dm about the body frame with r = (x, y, z, 1), shape (4, 4): second moments, m c and m. It depends
    linearly on mass, m c and the inertia about the origin (Wensing, Kim and Slotine, Linear matrix inequalities for
    physically consistent inertial parameter identification, 2018)."""
    centre = np.array(body.com)
    inertia = inertia_matrix(*body.inertia)
    result = np.zeros((4, 4))
    # ∫ x xᵀ dm = ½ tr(I) 1 - I about the centre of mass, and m c cᵀ more about the origin.
    result[:3, :3] = 0.5 * np.trace(inertia) * np.eye(3) - inertia + body.mass * np.outer(centre, centre)
    result[:3, 3] = result[3, :3] = body.mass * centre
    result[3, 3] = body.mass
    return result


def _weights(mechanism: Mechanism, inertia: Array) -> Array:
    """∫ r gᵀ dm of every body, shape (n_bodies, 4, 3)."""
    gravity = np.array(mechanism.gravity)
    pulled = np.array([float(body.gravity) for body in mechanism.bodies])
    result = pulled[:, None, None] * inertia[:, :, 3:] * gravity
    for weight in mechanism.loads.weights:
        result[weight.body] += np.outer((*weight.point, 1.0), weight.force)
    return np.asarray(result)


def _frames(poses: Sequence[Pose], known: Known) -> Array:
    return np.array([_once(known, pose, Pose.matrix) for pose in poses]).reshape(-1, 4, 4)


def _once(known: Known, part: Part, numbers: Callable[[Part], Array]) -> Array:
    """The numbers of a part, computed once; `known` holds the part, too, so that no other one gets its identity."""
    found = known.get(id(part))
    if found is None:
        found = known[id(part)] = part, numbers(part)
    return found[1]
