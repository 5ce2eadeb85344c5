"""The state of a simulation, and quantities at it: coordinates and matrices, all with names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from simulator.api.arguments import as_named
from simulator.api.branching import branches_of, nearest_branch
from simulator.api.moment import Moment, moment_with
from simulator.diagnostics import counted
from simulator.errors import UsageError
from simulator.kinematics.constraint_rows import column_names
from simulator.kinematics.free_bodies import with_twists
from simulator.kinematics.named import NamedMatrix
from simulator.kinematics.state import multi_dof_joints, rest_state
from simulator.physics.queries.equations import point_jacobian
from simulator.session.forces.reactions import ReactionRows
from simulator.spatial.rotation import rotation_vector

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from simulator.api.core import Core
    from simulator.engine.port import Contact
    from simulator.recording.channels import Channel
    from simulator.spatial.arrays import Array

    Over = Literal["independent", "axes"]

TWIST = ("wx", "wy", "wz", "vx", "vy", "vz")
"""Rows of a Jacobian: angular velocity [rad/s] and velocity of the point [m/s] in world axes."""
PARTS = {"both": (0, 6), "angular": (0, 3), "linear": (3, 6)}


def channels(core: Core) -> tuple[Channel, ...]:
    """See `Simulation.channels`."""
    try:
        beside = ReactionRows(core.ready(), core.opened.world, fixed_joints=True).channels
    except UsageError:
        beside = ()
    return (*core.columns, *beside)


def contacts(core: Core) -> tuple[Contact, ...]:
    """See `Simulation.contacts`."""
    bodies = core.mechanism.bodies
    named = []
    for contact in core.ready().contacts():
        first, second = contact.bodies
        named.append(replace(contact, names=(bodies[first].name, bodies[second].name)))
    return tuple(named)


def jacobian(
    core: Core,
    link: str,
    point: Sequence[float] = (0.0, 0.0, 0.0),
    *,
    part: Literal["both", "angular", "linear"] = "both",
    over: Over = "independent",
) -> NamedMatrix:
    """See `Simulation.jacobian`."""
    if np.shape(point) != (3,) or part not in PARTS:
        raise UsageError(f"a Jacobian takes a point (x, y, z) and one of {', '.join(PARTS)}")
    body, X_BL = core.place_of_link(link)
    poses = core.kinematics.body_matrices(core.state)
    place = (poses[body] @ X_BL @ np.append(np.asarray(point, dtype=float), 1.0))[:3]
    J = point_jacobian(core.kinematics, core.state, poses, body, place)
    G = _over(core, over)
    first, last = PARTS[part]
    return NamedMatrix(TWIST[first:last], G.columns, J[first:last] @ G.array)


def mass_matrix(core: Core, *, over: Over = "independent") -> NamedMatrix:
    """See `Simulation.mass_matrix`."""
    mass = core.equations.mass_matrix(core.state)
    G = _over(core, over)
    return NamedMatrix(G.columns, G.columns, G.array.T @ mass @ G.array)


def _over(core: Core, over: Over) -> NamedMatrix:
    """G for the requested coordinates: the identity for all axes of the tree."""
    if over == "independent":
        return core.reduction.G
    if over != "axes":
        raise UsageError(f"a matrix is over 'independent' or 'axes', not '{over}'")
    names = column_names(core.mechanism)
    return NamedMatrix(names, names, np.eye(len(names)))


def freedom_positions(core: Core) -> Array:
    """Position of every freedom of the tree, shape (n_freedoms,)."""
    state = core.state
    layout = core.kinematics.layout
    result = np.zeros(layout.size)
    for axis, place in enumerate(layout.of_axis):
        if place >= 0:
            result[place] = state.position[axis]
    for slot, joint in enumerate(multi_dof_joints(core.mechanism)):
        first = layout.first[joint]
        size = core.mechanism.joints[joint].dof
        pose = state.loose_pose[slot]
        result[first : first + size] = np.concatenate((rotation_vector(pose[:3, :3]), pose[:3, 3]))[:size]
    return result


def set_state(
    core: Core,
    positions: Mapping[str, float] | ArrayLike | None = None,
    *,
    velocity: Mapping[str, float] | ArrayLike | None = None,
    pose: Mapping[str, ArrayLike] | None = None,
    twist: Mapping[str, ArrayLike] | None = None,
    near: Mapping[str, float] | None = None,
    **axes: float,
) -> None:
    """See `Simulation.set`."""
    if isinstance(positions, Moment):
        raise UsageError("`restore` goes to a moment; `set` takes positions, velocities and poses")
    wanted = {**core.by_axis(positions, "a position"), **core.by_axis(axes, "a position")}
    moving = core.by_axis(velocity, "a velocity")
    if near is not None:
        found = nearest_branch(core.mechanism, branches_of(core.posed, wanted), core.by_axis(near, "a position"))
        wanted = dict(enumerate(found.tolist()))
    placed, moved = as_named(pose, "a pose", '"box": X_WL'), as_named(twist, "a twist", '"box": (0, 0, 1, 0, 0, 0)')
    before = core.assembled()
    equations = core.equations_made
    moment = moment_with(core.kinematics, before, wanted, moving, placed, equations, lambda: core.requests)
    core.continue_from(replace(moment, state=with_twists(core.kinematics, moment.state, moved)) if moved else moment)


def restore(core: Core, moment: Moment) -> None:
    """See `Simulation.restore`."""
    if not isinstance(moment, Moment):
        raise UsageError(f"restore needs a moment, such as sim.moment or run.moment(2.0), not {moment!r}")
    here = rest_state(core.mechanism)
    there = moment.state
    if here.position.shape != there.position.shape or here.loose_pose.shape != there.loose_pose.shape:
        raise UsageError(
            f"the moment is of a mechanism with {counted(len(there.position), 'axis', 'axes')}, "
            f"this one has {counted(len(here.position), 'axis', 'axes')}"
        )
    core.send()
    core.continue_from(moment)
