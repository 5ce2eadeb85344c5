"""A compiled mechanism that is moved along prescribed axes, or looked at where it is: positions, rates and what joints
carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.kinematics.closure import led_by
from simulator.kinematics.constraint_rows import loop_length
from simulator.mechanism.types import JointKind
from simulator.physics.compiled.model import CompiledMechanism
from simulator.physics.layout import buffers as at
from simulator.physics.layout.sweep_layout import Points, Sweep
from simulator.physics.loops.rotors import reduced_inertia
from simulator.physics.sweep.motion import close_from_afar, differentiate, place, prescribe
from simulator.physics.sweep.sweep import evaluate, leap, observe, require_here, sweep, travel
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.kinematics.kinematics import Kinematics
    from simulator.kinematics.state import JointState
    from simulator.spatial.arrays import Array, Ints


FREE_ENOUGH = (0.3, 0.03, 1e-3, 1e-6)
"""Parts of its motion that a freedom must have beside those that are locked already, tried one after the other."""
FIXED = 1e-9
"""Below this part of its length a moved axis has no motion beside the rows of loops and the moves before it."""
SINGULAR = 1e-10
"""Least pivot over the greatest at which a position is as good as singular."""


@dataclass(frozen=True, eq=False)
class Loads:
    """Forces and moments on bodies. `node` (n,): nodes of the bodies; `in_link` (n,): 1 where the components are in the
    node's axes, 0 in the world's; `numbers` (n, 9): point in the node's frame [m], force [N], moment [N m]."""

    node: Ints
    in_link: Ints
    numbers: Array

    @staticmethod
    def none() -> Loads:
        """Nothing acts."""
        return Loads(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros((0, 9)))


class SweptMechanism:
    """The equations of one mechanism for prescribed motion. One state at a time; not for several threads."""

    def __init__(
        self,
        kinematics: Kinematics,
        added_inertia: Array | None = None,
        compliance: Mapping[str, Array] | None = None,
        *,
        model: CompiledMechanism | None = None,
    ) -> None:
        """`added_inertia` (n_axes, n_axes): of rotors. `compliance`: by joint, shape (6,), about and along the axes of
        the joint's frame [rad/(N m), m/N]; where no joint has one, all have the same. `model`: with the same inertia;
        other users of it set its state before use."""
        self.kinematics = kinematics
        self.mechanism = kinematics.mechanism
        self.model = model or CompiledMechanism(self.mechanism, added_inertia=added_inertia)
        parts = self.model.parts
        self.rotors = added_inertia
        self._added = reduced_inertia(parts.tree, parts.reduction, parts.tables.axis_of, added_inertia)
        self._compliance = self._compliances(compliance or {})
        self.rank = 0
        self.row_order: Ints = np.zeros(0, dtype=np.int64)
        """Rows of loops in the order of `Points.row`, those first that count, `rank` of them."""
        self._loads = Loads.none()
        self._sweep: Sweep | None = None

    @property
    def places(self) -> int:
        """Nodes and loop joints."""
        return len(self.model.parts.tree.kind) + len(self.mechanism.loop_joints)

    def put(self, state: JointState, axis: int | None = None) -> bool:
        """Go to `state`, which is assembled; at a singular position to one beside it on a motion of the mechanism, that
        which `axis` leads. Returns whether it is beside it."""
        model = self.model
        model.set_state(state)
        rows = model.rows.along()
        beside = model.rows.is_singular
        if beside:
            # A singular position has more freedoms than the motion: rank and locks are chosen where the motion's count.
            closure = model.rows.closure_here()
            model.put(closure.generic if axis is None else led_by(self.kinematics, state, closure, axis))
        redundant = np.setdiff1d(np.arange(int(model.N[at.ROWS])), rows)
        self.row_order, self.rank = np.concatenate((rows, redundant)), len(rows)
        self.use_rows(model)
        return beside

    def use_rows(self, model: CompiledMechanism) -> None:
        """Solve in a model of this structure the rows of loops that count here, and in space."""
        model.activate(self.row_order[: self.rank], others=self.row_order[self.rank :])
        model.N[at.PLANAR] = 0

    @property
    def coupled_axes(self) -> frozenset[int]:
        """Axes that take part in couplings: a whole turn of theirs is not nothing."""
        return frozenset(axis for coupling in self.mechanism.couplings for axis, _ in coupling.terms)

    def axis_efforts(self, plan: Sweep, points: Points) -> Array:
        """Efforts on moved axes and locked freedoms by axis, shape (n, n_axes); zero for others."""
        result = np.zeros((len(points.held), len(plan.codes)))
        for place_, code in enumerate((*plan.move.tolist(), *plan.lock.tolist())):
            result[:, plan.codes == code] += points.held[:, place_, None]
        return result

    def rotor_efforts(self, accelerations: Array) -> Array | None:
        """What rotors need along the freedoms at accelerations of axes (n, n_axes), shape (n, freedoms); None where
        there are none."""
        if self.rotors is None or not np.any(self.rotors):
            return None
        places = self.model.parts.tree.freedom_of_axis
        inside = np.flatnonzero(places >= 0)
        result = np.zeros((len(accelerations), self.model.parts.tree.freedoms))
        result[:, places[inside]] = accelerations @ self.rotors[:, inside]
        return result

    def accelerated(self, plan: Sweep, wanted: Sequence[float]) -> Array:
        """Accelerations of the independent coordinates with which the moved axes have the wanted ones and the locked
        freedoms none."""
        plan.asked[:] = wanted
        prescribe(self.model.F, self.model.N, plan)
        plan.asked[:] = 0.0
        found: Array = plan.bend.copy()
        return found

    def load(self, loads: Loads) -> None:
        """What acts from now on, beside the loads of the mechanism."""
        self._loads = loads

    def set_time(self, time: float) -> None:
        """The time [s] at which the profiles of the mechanism's loads are."""
        self.model.set_time(time)

    def prepare(
        self, moves: Sequence[int], rates: Sequence[float], *, keep: Sequence[int] = (), loose: Sequence[int] = ()
    ) -> Sweep:
        """Choose the freedoms that are locked beside the moved axes; `keep`: freedoms to be locked first, by
        independent coordinate; `loose`: freedoms of balls and floating bodies that are moved behind the axes, for
        `observe_each` and `rate_each` alone, because they have no position.

        Raises UsageError for an axis that has no motion beside the others here.
        """
        model = self.model
        parts = self.model.parts
        m = int(model.N[at.INDEPENDENT])
        rank = self.rank
        rows = int(model.N[at.ROWS])
        codes = np.array([*model.axis_codes[list(moves)], *loose] if len(moves) else [*loose], dtype=np.int64)
        locks = self._locks(codes, moves, keep)
        redundant = rows - rank
        n = self.places
        loads = self._loads
        self._sweep = Sweep(
            rank=rank,
            move=codes,
            rate=np.array(rates, dtype=float),
            lock=parts.independent_freedom[locks],
            codes=model.axis_codes,
            added=self._added,
            compliance=self._compliance,
            load_node=loads.node,
            load_axes=loads.in_link,
            load=loads.numbers,
            J=_room(m, m),
            pivot=np.zeros(m, dtype=np.int64),
            x=_room(m),
            unit=_room(m),
            bend=_room(m),
            qdd=_room(parts.tree.freedoms),
            extra=_room(len(parts.tree.kind), 6),
            loop=_room(len(self.mechanism.loop_joints), 6),
            wrench=_room(redundant, n, 6),
            normal=_room(redundant, redundant),
            share=_room(redundant),
            mix=_room(redundant, m),
            kept=_room(int(model.N[at.POSITIONS])),
            begin=_room(len(codes)),
            goal=_room(1, len(codes)),
            asked=_room(len(codes)),
            speed=_room(2),
            regular=_room(3),
        )
        return self._sweep

    def leading(self, axes: Sequence[int], loose: Sequence[int] = ()) -> tuple[list[int], list[int]]:
        """Those of the axes, in their order, that have a motion beside those before them here; then those of the
        freedoms `loose` of balls and floating bodies."""
        null = self._null_space()
        found = list[int](), list[int]()
        codes = np.array([*self.model.axis_codes[list(axes)], *loose], dtype=np.int64)
        for each, row in enumerate(self._bare(codes)):
            if null.shape[1] and np.linalg.norm(null.T @ row) > FREE_ENOUGH[2] * np.linalg.norm(row):
                is_axis = each < len(axes)
                found[0 if is_axis else 1].append(axes[each] if is_axis else int(codes[each]))
                null = _complement(null, row[None])
        return found

    def table(self, count: int) -> Points:
        """Room for `count` points."""
        model = self.model
        tree = self.model.parts.tree
        n = self.places
        axes = len(self.mechanism.axes)
        nodes = len(tree.kind)
        m, rows = int(model.N[at.INDEPENDENT]), int(model.N[at.ROWS])
        shapes = {
            "position": (axes,), "rate": (axes,), "bend": (axes,), "frame": (nodes, 12), "twist": (nodes, 6),
            "acceleration": (nodes, 6), "wrench": (n, 6), "effort": (tree.freedoms,), "held": (m - self.rank,),
            "row": (rows,), "open": (n, 6), "regular": (), "y": (int(model.N[at.POSITIONS]),),
            "given": (tree.freedoms,),
        }  # fmt: skip
        return Points(**{name: np.zeros((count, *shape)) for name, shape in shapes.items()})

    def run(self, plan: Sweep, points: Points, targets: Array, *, loads: bool = True) -> int:
        """Fill `points` at the `targets` (n, n_moves) of the moved axes, from the present position on; how many were
        reached before a singular position."""
        return int(sweep(self.model.F, self.model.N, plan, points, np.ascontiguousarray(targets, dtype=float), loads))

    def travel(self, plan: Sweep, target: Array) -> bool:
        """To where the moved axes are at `target` (n_moves,); False where a singular position is before that."""
        differentiate(self.model.F, self.model.N, plan)
        return bool(travel(self.model.F, self.model.N, plan, np.array([target], dtype=float), 0))

    def leap(self, plan: Sweep, target: Array) -> bool:
        """To where the moved axes are at `target` (n_moves,) in one step, over a singular position if there is one;
        whether the path continues smoothly."""
        differentiate(self.model.F, self.model.N, plan)
        return bool(leap(self.model.F, self.model.N, plan, np.array([target], dtype=float)))

    def least(self, plan: Sweep) -> float:
        """The least singular value of all rows of loops, moved axes and locked freedoms, of the position that was
        looked at last: 0 where these allow more than the motion."""
        m, rows = int(self.model.N[at.INDEPENDENT]), int(self.model.N[at.ROWS])
        K = self.model.view(at.F_K)[: rows * m].reshape(rows, m)
        G = self.model.parts.reduction.matrix()
        equations = np.concatenate((K, np.reshape(self._bare(plan.move), (-1, m)), G[plan.lock]))
        return float(np.linalg.svd(equations, compute_uv=False)[-1])

    def close_from_afar(self, plan: Sweep, y: Array, target: Array) -> bool:
        """Look for a position of the moved axes at `target` (n_moves,) from the independent positions `y` on; whether
        there is one."""
        self.y[:] = y
        return bool(close_from_afar(self.model.F, self.model.N, plan, np.array([target], dtype=float)))

    def go_back(self, points: Points, index: int) -> None:
        """To a point of a table."""
        self.y[:] = points.y[index]
        turns = self.model.view(at.F_LAXIS_Q)
        for axis, place_ in self.model.parts.tables.axis_of.items():
            turns[place_] = points.position[index, axis]

    def begin_at(self, y: Array) -> None:
        """To independent positions from which axes of loop joints count their turns."""
        self.y[:] = y
        self.model.view(at.F_LAXIS_Q)[:] = 0.0

    def here(self, plan: Sweep, *, loads: bool = False) -> Points:
        """The present position as a table of one point."""
        points = self.table(1)
        evaluate(self.model.F, self.model.N, plan, points, 0, loads)
        return points

    def accelerate(self, plan: Sweep) -> Array:
        """Accelerations of the independent coordinates under the efforts and loads that there are, shape (m,): H ÿ = Kᵀ
        λ - x with x as the motion without ÿ needs it, and K ÿ = k."""
        model = self.model
        m = int(model.N[at.INDEPENDENT])
        model.view(at.F_DV)[:] = 0.0
        require_here(model.F, model.N, plan)
        needed = plan.x.copy()
        rank = self.rank
        K = model.view(at.F_K)[: rank * m].reshape(rank, m).copy()
        k = model.view(at.F_RHS)[:rank].copy()
        H = model.mass_matrix()
        # Saddle point of Gauss's principle: H ÿ + Kᵀ λ = -x, K ÿ = k.
        system = np.block([[H, K.T], [K, np.zeros((rank, rank))]])
        # Jacobi scaling: kilograms and gram metres squared in one matrix would cost digits.
        scale = 1.0 / np.sqrt(np.concatenate((np.diag(H), np.ones(rank))))
        found = np.linalg.lstsq(system * scale * scale[:, None], np.concatenate((-needed, k)) * scale, rcond=1e-13)[0]
        result: Array = (found * scale)[:m]
        return result

    def observe(self, plan: Sweep, accelerations: Array) -> Points:
        """What joints carry at the state that the model has, at these accelerations of the independent coordinates."""
        points = self.table(1)
        self.model.view(at.F_DV)[:] = accelerations
        observe(self.model.F, self.model.N, plan, points, 0)
        return points

    @property
    def y(self) -> Array:
        """Positions of the independent coordinates; may be set."""
        return self.model.view(at.F_Q)

    # -- inside --------------------------------------------------------------------------------------------------------

    def _locks(self, codes: Ints, moves: Sequence[int], keep: Sequence[int]) -> list[int]:
        """Independent coordinates that are locked, so that rows, moves and locks determine the motion."""
        m = int(self.model.N[at.INDEPENDENT])
        bare = self._bare(codes)
        null = self._null_space()
        names = [self.mechanism.axes[axis].name for axis in moves]
        names += ["a floating body or ball"] * (len(bare) - len(names))
        for name, row in zip(names, bare, strict=True):
            left = null.T @ row
            if np.linalg.norm(left) <= FIXED * np.linalg.norm(row):
                raise UsageError(
                    f"'{name}' cannot be moved from here: couplings, loops or the other moves leave it no motion"
                )
            # What is left of the null space after a move is what the next may still decide.
            null = _complement(null, row[None])
        locks: list[int] = []
        for least, candidates in ((FREE_ENOUGH[-1], keep), *((least, self._preferred()) for least in FREE_ENOUGH)):
            for a in candidates:
                if null.shape[1] and a not in locks and float(np.linalg.norm(null[a])) > least:
                    locks.append(a)
                    null = _complement(null, np.eye(m)[a : a + 1])
        return sorted(locks)

    def _null_space(self) -> Array:
        """Velocities that the rows allow, shape (m, m - rank), orthonormal."""
        model = self.model
        m = int(model.N[at.INDEPENDENT])
        place(model.F, model.N, self.rank)
        K = model.view(at.F_K)[: self.rank * m].reshape(self.rank, m)
        # As many directions as independent rows leave: J has no room for the freedoms that a singular position has
        # beside these, and the kernels look at no bounds.
        return _complement(np.eye(m), K, rank=self.rank)

    def _bare(self, codes: Ints) -> list[Array]:
        """Rates of axes per independent rate."""
        m = int(self.model.N[at.INDEPENDENT])
        parts = self.model.parts
        G = parts.reduction.matrix()
        poses = None
        rows = []
        for code in codes.tolist():
            if code >= 0:
                rows.append(G[code])
                continue
            state = self.model.joint_state()
            poses = self.kinematics.body_matrices(state) if poses is None else poses
            axis = next(axis for axis, found in enumerate(self.model.axis_codes) if found == code)
            over_tree = self.kinematics.axis_row(axis, state, poses)
            row = np.zeros(m)
            for other, column in enumerate(self.kinematics.layout.of_axis):
                if column >= 0:
                    row += over_tree[column] * G[parts.tree.freedom_of_axis[other]]
            rows.append(row)
        return rows

    def _preferred(self) -> list[int]:
        """Independent coordinates, those first that the document calls independent."""
        parts = self.model.parts
        dependent = self.mechanism.dependent_axes()
        axes = [parts.axis_of_freedom.get(int(freedom), -1) for freedom in parts.independent_freedom]
        return sorted(range(len(axes)), key=lambda a: (axes[a] in dependent, axes[a] if axes[a] >= 0 else len(axes)))

    def _compliances(self, given: Mapping[str, Array]) -> Array:
        tree = self.model.parts.tree
        mechanism = self.mechanism
        nodes = len(tree.kind)
        result = np.zeros((nodes + len(mechanism.loop_joints), 6))
        poses = self.kinematics.body_matrices(self.model.joint_state())
        length = max((loop_length(mechanism, loop, poses) for loop in mechanism.loop_joints), default=1.0)
        # Equal shares in both units: a moment counts as the force that it is on an arm of the longest link.
        same = np.array([1.0 / length**2] * 3 + [1.0] * 3)
        joints = [
            *((int(tree.node_of_body[j.child]), j) for j in mechanism.joints),
            *((nodes + i, j) for i, j in enumerate(mechanism.loop_joints)),
        ]
        for place_, joint in joints:
            if joint.kind is not JointKind.FREE:
                result[place_] = given.get(joint.name, np.zeros(6)) if given else same
        return result


def _room(*shape: int) -> Array:
    return np.zeros(shape)


def _complement(basis: Array, rows: Array, rank: int | None = None) -> Array:
    """Orthonormal basis of what of the span of `basis` (m, k) the rows (n, m) feel least, shape (m, k - rank); without
    `rank`, of what they do not feel."""
    if not len(rows) or not basis.shape[1]:
        return basis
    _, sizes, right = np.linalg.svd(rows @ basis, full_matrices=True)
    if rank is None:
        rank = int(np.sum(sizes > FIXED * max(1e-300, float(sizes.max(initial=0.0)))))
    found: Array = basis @ right[rank:].T
    return found
