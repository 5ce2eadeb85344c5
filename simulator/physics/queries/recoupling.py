"""Carry a moving mechanism over to other couplings between the same bodies.

Positions are assembled anew around the leaders, and brought to the nearest that the limits allow. Of all velocities
that the new couplings allow, those nearest to the old ones in the metric of the mass matrix are taken, y = (G^T M G)^-1
G^T M qd: what an impulse of the new constraints alone would leave (Gauss's principle), so nothing is kicked and the
kinetic energy does not rise.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.allowed import within_limits
from simulator.kinematics.assembly import assemble
from simulator.kinematics.kinematics import Kinematics
from simulator.physics.build.state import CompiledState
from simulator.physics.compiled.model import CompiledMechanism
from simulator.physics.layout import buffers as at

if TYPE_CHECKING:
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array


def project_onto_couplings(mechanism: Mechanism, state: JointState, added_inertia: Array | None = None) -> JointState:
    """`state` of the same bodies under other couplings, made to fit those of `mechanism`.

    `added_inertia` (n_axes, n_axes): of rotors, see `CompiledMechanism`. Raises AssemblyError where no position near it
    does, LimitsError, which names the joints, where none does within the limits, UsageError for couplings that
    contradict each other.
    """
    free = CompiledState(replace(mechanism, couplings=()), added_inertia)
    bound = CompiledMechanism(mechanism, added_inertia=added_inertia)
    position = np.where(np.isnan(state.position), 0.0, state.position)
    kinematics = Kinematics(mechanism)
    assembled = within_limits(kinematics, assemble(kinematics, replace(state, position=position), {}).state, {})
    free.put(replace(assembled, velocity=state.velocity, loose_twist=state.loose_twist))
    bound.set_state(replace(assembled, velocity=np.zeros_like(state.velocity)))
    places = free.parts.reduction.index
    G = bound.parts.reduction.matrix()
    mass = free.mass_matrix()
    momentum = (mass @ free.view(at.F_V))[
        places
    ]  # nothing is coupled in `free`: every freedom is a coordinate of its own
    # Impulses of the new constraints do no work on motions that they allow: Gᵀ (M q̇⁺ - M q̇⁻) = 0 with q̇⁺ = G ẏ.
    bound.view(at.F_V)[:] = np.linalg.solve(G.T @ mass[np.ix_(places, places)] @ G, G.T @ momentum)
    bound.project()
    _clip_energy(bound, free)
    return bound.joint_state()


def _clip_energy(bound: CompiledMechanism, free: CompiledState) -> None:
    """Round-off must not heat: velocities are scaled down to the energy that was there."""
    after, before = _kinetic(bound), _kinetic(free)
    if after > before > 0.0:
        bound.view(at.F_V)[:] *= np.sqrt(before / after)


def _kinetic(model: CompiledState) -> float:
    """Kinetic energy of bodies and rotors [J]."""
    rates = model.view(at.F_V)
    return 0.5 * float(rates @ model.mass_matrix() @ rates)
