"""How a motion depends on parameters: the variational equations along it.

In independent coordinates y of a part of the motion, z = (δy, δẏ) obeys z' = A(t) z + B(t) without switching, A and B
being exact at every state (`analysis.tangents`). Over seven equidistant instants of a block z' is taken as a polynomial
of degree six (collocation; Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, II.7). Blocks are
halved until that changes nothing any more, each part of the motion by itself; known instants are used again.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.analysis.tangents import Along, Tangents
from simulator.dynamics.pivoting import pivoted_qr
from simulator.dynamics.state import multi_dof_joints
from simulator.errors import SimulationError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from simulator.analysis.jets import Jets
    from simulator.analysis.numbers import Directions, MechanismNumbers
    from simulator.dynamics.kinematics import Kinematics
    from simulator.dynamics.state import JointState

    Array = NDArray[np.float64]
    States = Callable[[Sequence[float], float], list[JointState]]
    """States of the motion at rising times [s], all multiples of a second number from the begin of the motion."""

DEGREE = 6
"""Intervals of a block."""
HALVINGS = 7
"""Blocks are halved that often at most."""
SETTLED = 1e-6
"""Changes of this part of the greatest by a halving are none; the error that is left is 2⁶ times less and more."""
SMALL = 1e-7
"""Part of the greatest solution beside which another is round-off."""
AT_ONCE = 256
"""Instants whose coefficients are found together."""


@dataclass(frozen=True, eq=False)
class Motion:
    """A motion without switching: what `states` it has, `numbers` of its mechanism, of which `pushes` (n_f, 3, 3) are
    those at a time [s], and `applied` efforts on all freedoms (n,) at a time."""

    jets: Jets
    kinematics: Kinematics
    states: States
    numbers: MechanismNumbers
    pushes: Callable[[float], Array]
    applied: Callable[[float], Array]


class _Coefficients(NamedTuple):
    """At one instant, in independent coordinates: `A`, `B` of z' = A z + B; `map`, `offset`: (δq, δu) of all freedoms =
    map z + offset."""

    A: Array
    B: Array
    map: Array
    offset: Array


class _Segment:
    """DEGREE intervals of the times that are asked for: its independent freedoms, coefficients at the instants that are
    known, and the solutions for unit starts and for none at the times that are asked for, shape (DEGREE + 1, 2 n,
    2 n + n_parameters)."""

    def __init__(self, begin: float, end: float) -> None:
        self.begin, self.end = begin, end
        self.places: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self.known: dict[float, _Coefficients] = {}
        self.path: Array = np.zeros(0)
        self.settled = False

    def instants(self, parts: int) -> list[float]:
        """With `parts` blocks."""
        return [float(t) for t in np.linspace(self.begin, self.end, DEGREE * parts + 1)]

    def solve(self, parts: int) -> None:
        """Solve with `parts` blocks, and see whether that is another solution than before."""
        instants = self.instants(parts)
        nodes = [self.known[instant] for instant in instants]
        n, count = nodes[0].B.shape
        z = np.concatenate((np.eye(n), np.zeros((n, count))), axis=1)
        path = [z]
        for first in range(0, DEGREE * parts, DEGREE):
            length = instants[first + DEGREE] - instants[first]
            path += list(_block(nodes[first : first + DEGREE + 1], path[-1], length))
        found = np.array(path[::parts])
        if self.path.size:
            size = np.abs(found).max(axis=(0, 1), initial=0.0)
            size += SMALL * size.max()
            self.settled = bool((np.abs(found - self.path) / size).max(initial=0.0) < SETTLED)
        self.path = found

    def follow(self, full: Array) -> Array:
        """(δq, δu) of all freedoms at the instants beyond the first, shape (DEGREE, 2 n_all, n_parameters), from that
        at the first."""
        n, half = len(self.places), len(full) // 2
        start = np.concatenate((full[:half][self.places], full[half:][self.places]))
        nodes = [self.known[instant] for instant in self.instants(1)]
        inside = self.path[:, :, : 2 * n] @ start + self.path[:, :, 2 * n :]
        return np.array([node.map @ z + node.offset for node, z in zip(nodes[1:], inside[1:], strict=True)])


class Variation:
    """Solves the variational equations of a motion for some parameters."""

    def __init__(self, motion: Motion, directions: Directions, count: int) -> None:
        self._motion, self._directions, self._count = motion, directions, count

    def solve(self, start: Array, times: Array) -> Array:
        """(δq, δu) of all freedoms at equidistant times, of which the first is that of `start`, shapes (n_times, 2 n,
        n_parameters) and (2 n, n_parameters). The number of intervals is a multiple of DEGREE.

        Raises SimulationError where halving does not settle.
        """
        ends = times[::DEGREE].tolist()
        segments = [_Segment(a, b) for a, b in pairwise(ends)]
        interval = float(times[1] - times[0])
        middle = [0.5 * (segment.begin + segment.end) for segment in segments]
        for segment, state in zip(segments, self._motion.states(middle, interval), strict=True):
            segment.places = self._chosen(state)
        for halving in range(HALVINGS + 1):
            parts = 2**halving
            rest = [segment for segment in segments if not segment.settled]
            self._look(rest, parts, interval / parts)
            for segment in rest:
                segment.solve(parts)
        if not all(segment.settled for segment in segments):
            raise SimulationError(
                f"the sensitivities do not settle within {HALVINGS} halvings: something switches, the motion is "
                "chaotic, or the points are too far apart"
            )
        result = [start[None]]
        for segment in segments:
            result.append(segment.follow(result[-1][-1]))
        return np.concatenate(result)

    def _look(self, segments: list[_Segment], parts: int, interval: float) -> None:
        """Find the coefficients at all instants that are not known."""
        missing = [(segment, t) for segment in segments for t in segment.instants(parts) if t not in segment.known]
        times = sorted({t for _, t in missing})
        states = dict(zip(times, self._motion.states(times, interval), strict=True))
        for first in range(0, len(missing), AT_ONCE):
            some = missing[first : first + AT_ONCE]
            found = self._coefficients([states[t] for _, t in some], [t for _, t in some], [s.places for s, _ in some])
            for (segment, t), item in zip(some, found, strict=True):
                segment.known[t] = item

    def _chosen(self, state: JointState) -> NDArray[np.int64]:
        """Freedoms that are independent by a good margin at a state."""
        motion = self._motion
        null = Tangents(motion.jets, motion.numbers, motion.kinematics, [state]).G[0]
        _, order = pivoted_qr(null[: motion.jets.layout.size].T)
        return np.sort(np.array(order[: null.shape[1]], dtype=np.int64))

    def _coefficients(
        self, states: list[JointState], times: list[float], places: list[NDArray[np.int64]]
    ) -> list[_Coefficients]:
        motion, where, count = self._motion, np.stack(places), self._count
        n = where.shape[1]
        numbers = motion.numbers._replace(push=np.stack([motion.pushes(time) for time in times])[:, None])
        tangents = Tangents(motion.jets, numbers, motion.kinematics, states, where)
        applied = np.stack([motion.applied(time) for time in times])
        change, _ = tangents.change(self._along(n), tangents.free(applied), applied)
        both = np.swapaxes(np.concatenate((change.position, change.velocity), axis=-1), -1, -2)
        rates = change.velocity + self._turning(tangents, change.position)
        slopes = np.swapaxes(
            np.concatenate(
                [np.take_along_axis(part, where[:, None], axis=-1) for part in (rates, change.acceleration)], axis=-1
            ),
            -1,
            -2,
        )
        return [
            _Coefficients(slopes[k][:, count:], slopes[k][:, :count], both[k][:, count:], both[k][:, :count])
            for k in range(len(states))
        ]

    def _along(self, n: int) -> Along:
        """Parameters first, then positions and velocities of the n independent coordinates."""
        none = {field: np.zeros((2 * n, *rows.shape[1:])) for field, rows in self._directions.items()}
        every = {field: np.concatenate((rows, none[field])) for field, rows in self._directions.items()}
        units = np.concatenate((np.zeros((self._count, 2 * n)), np.eye(2 * n)))
        return Along(every, units[:, :n], units[:, n:])

    def _turning(self, tangents: Tangents, dq: Array) -> Array:
        """What δq' has beside δu: ω x ε of balls and free joints, whose turns do not commute."""
        result, jets = np.zeros_like(dq), self._motion.jets
        for joint in multi_dof_joints(jets.mechanism):
            turn = slice(jets.layout.first[joint], jets.layout.first[joint] + 3)
            result[..., turn] = np.cross(tangents.at.u[..., turn], dq[..., turn])
        return result


def _block(nodes: Sequence[_Coefficients], first: Array, length: float) -> Array:
    """z at the instants of a block beyond its first, shape (DEGREE, 2 n, 2 n + n_parameters): for unit starts without
    B, and what B adds."""
    n, count = first.shape
    left = np.eye(DEGREE * n)
    right = np.tile(first, (DEGREE, 1))
    for row in range(DEGREE):
        rows = slice(row * n, (row + 1) * n)
        for k, node in enumerate(nodes):
            weight = length * WEIGHTS[row, k]
            right[rows, n:] += weight * node.B
            if k == 0:
                right[rows] += weight * (node.A @ first)
            else:
                left[rows, (k - 1) * n : k * n] -= weight * node.A
    return np.asarray(np.linalg.solve(left, right).reshape(DEGREE, n, count))


def _weights() -> Array:
    """Integrals of the polynomials of degree DEGREE through equidistant instants of [0, 1], from 0 to each of the
    others, shape (DEGREE, DEGREE + 1)."""
    nodes = np.linspace(0.0, 1.0, DEGREE + 1)
    powers = np.arange(DEGREE + 1)
    # Of t^p the integral to x is x^(p + 1) / (p + 1): weights that are exact for all powers.
    integrals = nodes[1:, None] ** (powers + 1) / (powers + 1)
    return np.asarray(np.linalg.solve((nodes[:, None] ** powers).T, integrals.T).T)


WEIGHTS = _weights()
