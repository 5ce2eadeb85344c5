"""Couplings that give way, as springs and dampers between axes.

With z = Σ a_i q_i - b, which the law would keep at zero, an elastic coupling acts with Λ = -k z - d ż on its follower
and with a_i Λ along each of its axes; along a curve z = φ(q), and a_i are its slopes there. A stiffness
k(s) that depends on the position s of the leader acts on that with -k'(s) z² / 2 besides. Elastic flanks act likewise
with what they are pressed in, beyond half the play, and never pull.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.mechanism.real_couplings import all_couplings, is_loose

if TYPE_CHECKING:
    from simulator.mechanism.types import Coupling, Mechanism
    from simulator.spatial.arrays import Array


class ElasticCouplings:
    """Those of one mechanism; `any` whether there are some."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._couplings = [one for one in all_couplings(mechanism) if is_loose(one)]
        self._rows = np.zeros((len(self._couplings), len(mechanism.axes)))
        for row, coupling in zip(self._rows, self._couplings, strict=True):
            for axis, factor in coupling.terms:
                row[axis] += factor
        self._constants = np.array([coupling.constant for coupling in self._couplings])
        self._curved = [(i, one) for i, one in enumerate(self._couplings) if one.curve is not None]
        self._inputs = np.zeros((len(self._couplings), len(mechanism.axes)))
        for row, coupling in zip(self._inputs, self._couplings, strict=True):
            for axis, factor in coupling.passing_terms:
                row[axis] += factor
        self.any = bool(self._couplings)

    def efforts(self, position: Array, rate: Array) -> Array:
        """On all axes at positions and velocities of all axes, shape (n_axes,) each [N m or N]."""
        given_way = self._rows @ position - self._constants
        rows = self._rows.copy() if self._curved else self._rows
        for i, coupling in self._curved:
            given_way[i] = coupling.residual(position)
            rows[i] = 0.0
            for axis, slope in coupling.slopes(position):
                rows[i, axis] += slope
        speed = rows @ rate
        place = self._inputs @ position
        both = np.array(
            [
                _carried(coupling, z, v, s)
                for coupling, z, v, s in zip(
                    self._couplings, given_way.tolist(), speed.tolist(), place.tolist(), strict=True
                )
            ]
        )
        found: Array = both[:, 0] @ rows + both[:, 1] @ self._inputs
        return found


def _carried(coupling: Coupling, z: float, speed: float, position: float) -> tuple[float, float]:
    """Λ, and the effort on the leader at that position."""
    real = coupling.real
    if real.compliance is not None:
        stiffness, slope = real.compliance.at(position)
        return -stiffness * z - real.damping * speed, -0.5 * slope * z * z
    pressed = z - min(max(z, -real.half_width), real.half_width)
    if pressed == 0.0:
        return 0.0, 0.0
    push = -real.stiffness * pressed - real.damping * speed
    return (min(push, 0.0) if pressed > 0.0 else max(push, 0.0)), 0.0
