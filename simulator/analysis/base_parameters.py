"""Which combinations of parameters the efforts of a mechanism depend on: base parameters.

Columns of the observation matrix W, the regressors at random states one below the other, depend on each other if no
experiment with the efforts of the independent coordinates can distinguish their parameters. Their rank, by QR with
column pivoting of W with columns of length 1, is the number of base parameters. With the independent columns W_1 and
W_2 = W_1 β of the others, W π = W_1 (π_1 + β π_2) (Gautier, Numerical calculation of the base inertial parameters of
robots, 1991). Loops are closed at every state, and W is over independent velocities (Bennis, Khalil and Gautier, 1992).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.regressor import regressor_at
from simulator.analysis.tangents import Along, Tangents
from simulator.errors import AssemblyError, UsageError
from simulator.kinematics.allowed import with_loop_axes
from simulator.kinematics.assembly import advance, assemble
from simulator.kinematics.kinematics import column_lengths
from simulator.kinematics.named import NamedMatrix, NamedVector
from simulator.kinematics.pivoting import pivoted_qr
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from simulator.analysis.gradients import Chosen
    from simulator.analysis.regressor import Standard
    from simulator.kinematics.kinematics import Kinematics
    from simulator.kinematics.state import JointState
    from simulator.spatial.arrays import Array


RANK = 1e-7
"""Of columns of length 1, a remainder below this is none; loops are closed to 1e-10."""
WAY = 1.0
"""Length of a random step [rad], or of the mechanism's size."""
MORE = 2
"""Rows of W for each column."""
AWAY = 1e-4
"""Random states at which K has singular values below this part of the largest are left out."""
PATIENCE = 20
"""Steps that may lead nowhere for each state."""


@dataclass(frozen=True, eq=False, repr=False)
class BaseParameters:
    """`map` B (base parameters, parameters): the base parameters are B π; Y π = Y[:, kept] B π for the regressor Y.
    `values`: B π of the document. `absent`: parameters on which no effort depends. `condition`: of the observation
    matrix of the base parameters at random states, columns scaled to length 1."""

    map: NamedMatrix
    values: NamedVector
    absent: tuple[str, ...]
    condition: float

    @property
    def kept(self) -> tuple[str, ...]:
        """The parameter that each base parameter is named after."""
        return self.map.rows

    @property
    def combinations(self) -> dict[str, dict[str, float]]:
        """By base parameter that is a combination: its parameters with their factors."""
        found = {}
        for name, row in zip(self.map.rows, self.map.array, strict=True):
            terms = {other: float(row[i]) for i, other in enumerate(self.map.columns) if row[i] != 0.0}
            if len(terms) > 1:
                found[name] = terms
        return found

    def __len__(self) -> int:
        return len(self.map.rows)

    def __repr__(self) -> str:
        lines = []
        for name in self.kept:
            terms = self.combinations.get(name, {name: 1.0})
            parts = [f"{factor:+.6g} {other}" if other != name else f"  {name}" for other, factor in terms.items()]
            lines.append(f"{self.values[name]: .6g}  =  {'  '.join(parts).strip()}")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class RandomMotion:
    """A mechanism that moves at random states: `tangents` there, with velocities, and `acceleration` of all freedoms
    (n_states, n)."""

    tangents: Tangents
    acceleration: Array


def random_motion(
    kinematics: Kinematics, start: JointState, probe: Tangents, rows: int, places: Sequence[int] | None = None
) -> RandomMotion:
    """Motion at random states around `start`, the same ones each time, with `rows` efforts in all. `probe`: the
    mechanism at `start`; `places`: see `Tangents`.

    Raises UsageError where the mechanism cannot move.
    """
    generator = np.random.default_rng(0)
    n = probe.G.shape[-1]
    if n == 0:
        raise UsageError("nothing can move, so that no effort depends on a parameter")
    count = 1 + rows // n
    states = random_states(kinematics, start, count, generator)
    tangents = Tangents(probe.jets, probe.numbers, kinematics, states, places)
    # Near a singular state a unit of an independent coordinate is much motion: all states count alike.
    size = np.linalg.norm(tangents.G, axis=(1, 2))[:, None]
    tangents.move(generator.standard_normal((count, n)) / size)
    acceleration, _ = tangents.driven(10.0 * generator.standard_normal((count, n)) / size)
    return RandomMotion(tangents, acceleration)


def observation(motion: RandomMotion, standard: Standard) -> Array:
    """W: regressors one below the other, shape (n_rows, n_parameters)."""
    Y, _ = regressor_at(motion.tangents, standard, motion.acceleration)
    return Y.reshape(-1, Y.shape[-1])


def effort_slopes(motion: RandomMotion, by: Chosen) -> tuple[Array, NDArray[np.bool_]]:
    """W of any parameters: derivatives of efforts by them one below the other, shape (n_rows, n_parameters), and which
    of them loops cannot follow."""
    tangents = motion.tangents
    along = Along.parameters(by.directions, len(by.names), tangents.G.shape[-1])
    change, bad = tangents.change(along, motion.acceleration, None)
    scaled = change.efforts / np.linalg.norm(tangents.G, axis=(1, 2))[:, None, None]
    W = np.swapaxes(scaled, -1, -2).reshape(-1, len(by.names))
    return W, bad | tangents.jams(along, change.position)


def random_states(
    kinematics: Kinematics, start: JointState, count: int, generator: np.random.Generator
) -> list[JointState]:
    """States that close couplings and loops, on a random way from `start`, limits aside. Raises UsageError where there
    are none."""
    places = kinematics.body_matrices(start)[1:, :3, 3]
    size = float(np.ptp(places, axis=0).max(initial=0.0)) or 1.0
    unit = np.where(column_lengths(kinematics.mechanism), size, 1.0) * WAY
    states: list[JointState] = []
    state = start
    for _ in range(PATIENCE * count):
        if len(states) == count:
            return states
        K = kinematics.constraint_matrix(state)
        step = generator.standard_normal(len(unit)) * unit
        step = step - np.linalg.pinv(K, rcond=RANK) @ (K @ step)
        try:
            closed = assemble(kinematics, advance(kinematics, state, step), {}).state
        except AssemblyError:
            continue
        state = with_loop_axes(kinematics, replace(closed, velocity=np.zeros_like(closed.velocity)))
        if _is_regular(kinematics.constraint_matrix(state)):
            states.append(state)
    raise UsageError("no states could be found at which the loops close")


def _is_regular(K: Array) -> bool:
    """Whether no singular value is small but not none."""
    values = np.linalg.svd(K, compute_uv=False) if K.size else np.zeros(0)
    size = RANK * max(1.0, float(values.max(initial=0.0)))
    return not np.any((values > size) & (values < AWAY * size / RANK))


def base_parameters(names: Sequence[str], values: Array, W: Array) -> BaseParameters:
    """The base parameters of an observation matrix W (n_rows, n_parameters)."""
    lengths = np.linalg.norm(W, axis=0)
    there = np.flatnonzero(lengths > RANK * lengths.max(initial=0.0))
    scaled = W[:, there] / lengths[there]
    sizes, order = pivoted_qr(scaled)
    rank = int(np.sum(sizes > RANK * np.sqrt(len(there))))
    kept = sorted(order[:rank])
    others = sorted(order[rank:])
    factors = np.linalg.lstsq(scaled[:, kept], scaled[:, others], rcond=None)[0]
    # Factors of round-off are none: columns have length 1, so factors that matter are near 1.
    factors[np.abs(factors) < RANK] = 0.0
    B = np.zeros((rank, len(names)))
    B[range(rank), there[kept]] = 1.0
    B[:, there[others]] = factors * lengths[there[others]] / lengths[there[kept], None]
    rows = tuple(names[place] for place in there[kept])
    absent = tuple(name for place, name in enumerate(names) if place not in set(there.tolist()))
    condition = float(np.linalg.cond(scaled[:, kept])) if rank else 1.0
    return BaseParameters(NamedMatrix(rows, tuple(names), B), NamedVector(rows, B @ values), absent, condition)
