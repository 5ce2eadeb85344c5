"""Closure and equations of motion of a mechanism as analytic functions of everything in them.

Poses are products of 4×4 matrices, and go through the tree with their first and second derivative by time (jets; Uicker
1965, Hollerbach 1980). Axes of loop joints are coordinates beside those of the tree, so that a loop is closed where two
frames coincide: 12 rows, X_WC = X_WP E(q), of a ball 3. With u = (v of the tree, rates of loop axes):

    φ(q, p) = 0,  φ' = K u = 0,  φ'' = K u' + K' u = 0,  r = M u' + h - Kᵀ λ - τ = 0

Nothing branches on a number and nothing is conjugated, so that f(x + i h d) = f(x) + i h f'(x) d to the last bit for
h = 1e-100 (complex step; Squire and Trapp, Using complex variables to estimate derivatives of real functions, 1998).
All arrays may have dimensions before those that are given, which are broadcast against each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simulator.analysis.jet_algebra import (
    applied,
    beside,
    cross,
    dot,
    generator,
    inverse,
    joined,
    leibniz,
    place_part,
    rotation_part,
    stacked,
    times,
    twist_of,
    wrench_of,
)
from simulator.kinematics.kinematics import dof_layout
from simulator.kinematics.state import multi_dof_joints
from simulator.mechanism.real_couplings import require_no_cables
from simulator.mechanism.types import JointKind, MotionKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from simulator.analysis.jet_algebra import Jet
    from simulator.analysis.numbers import Directions, MechanismNumbers
    from simulator.mechanism.curved import CurvedLaw
    from simulator.mechanism.loads import BodySpring
    from simulator.mechanism.types import Mechanism, MechanismJoint
    from simulator.model.tape import Expansion
    from simulator.spatial.arrays import Array

    Numeric = NDArray[Any]

TINY = 1e-100
"""Step along the imaginary axis: its square is nothing beside any number."""


ROOM = 20_000
"""Poses that are worked on at once: more do not fit into the caches of a processor."""


class Point(NamedTuple):
    """Where equations are looked at. `q` (n_axes,): positions of all axes; `loose` (n_loose, 4, 4): as in `JointState`;
    `u`, `du` (n,): velocities and accelerations of all freedoms, those of the tree and then axes of loop joints; `pull`
    (n_rows,): the multipliers λ of the rows of φ."""

    q: Numeric
    loose: Numeric
    u: Numeric
    du: Numeric
    pull: Numeric


class Residuals(NamedTuple):
    """`poses` (n_bodies, 4, 4): X_WB; `closure`, `rate`, `curve` (n_rows,): φ, φ' and φ''; `efforts` (n,): r without
    τ."""

    poses: Numeric
    closure: Numeric
    rate: Numeric
    curve: Numeric
    efforts: Numeric


class Jets:
    """The equations of one mechanism; its numbers are handed in."""

    def __init__(self, mechanism: Mechanism, rotors: Array | None) -> None:
        """Raises UsageError, by name, where there are cables."""
        require_no_cables(mechanism, "derivatives")
        self.mechanism = mechanism
        self.layout = dof_layout(mechanism)
        self.loop_axes = [motion.axis for loop in mechanism.loop_joints for motion in loop.motions]
        self.size = self.layout.size + len(self.loop_axes)
        """Freedoms of the tree and axes of loop joints."""
        self.freedom = np.array(self.layout.of_axis, dtype=int)
        self.freedom[self.loop_axes] = self.layout.size + np.arange(len(self.loop_axes))
        rows = (3 if loop.kind is JointKind.BALL else 12 for loop in mechanism.loop_joints)
        self.loop_rows = np.cumsum([0, *rows])
        self.rows = int(self.loop_rows[-1]) + len(mechanism.couplings)
        self.curves = [(row, c.curve) for row, c in enumerate(mechanism.couplings) if c.curve is not None]
        """The rows of couplings with curves."""
        self.rotors = rotors if rotors is not None and rotors.any() else None
        """What rotors add to the inertia of the axes, shape (n_axes, n_axes)."""
        self._slot = {joint: slot for slot, joint in enumerate(multi_dof_joints(mechanism))}

    def loose_slot(self, joint: int) -> int:
        """Place of a ball or free joint among those of `JointState`."""
        return self._slot[joint]

    def on_freedoms(self, efforts: Array) -> Array:
        """Efforts on all axes (n_axes,) as those on all freedoms (n,)."""
        result = np.zeros(self.size)
        result[self.freedom] = efforts
        return result

    def residuals(self, numbers: MechanismNumbers, at: Point) -> Residuals:
        """Poses and residuals at a point."""
        return _Evaluation(self, numbers, at).residuals()

    def slopes(self, numbers: MechanismNumbers, at: Point, directions: Directions, moved: Point | None) -> Residuals:
        """Derivatives at points (n_points, 1, …) along directions, shapes (n_points, n_directions, …): `directions` of
        the numbers, `moved` of the points (n_points, n_directions, …), in which the change of `loose` is given by
        twists (n_loose, 6) in the inboard joint frame."""
        sizes = [len(rows) for rows in directions.values()] + ([] if moved is None else [moved.u.shape[1]])
        size = max(sizes, default=0)
        room = max(1, ROOM // (len(at.q) * len(self.mechanism.bodies)))
        parts = [
            self._slopes(
                numbers,
                at,
                {field: rows[first : first + room] for field, rows in directions.items()},
                None if moved is None else Point(*(part[:, first : first + room] for part in moved)),
            )
            for first in range(0, max(size, 1), room)
        ]
        return (
            parts[0]
            if len(parts) == 1
            else Residuals(*(np.concatenate(part, axis=1) for part in zip(*parts, strict=True)))
        )

    def _slopes(self, numbers: MechanismNumbers, at: Point, directions: Directions, moved: Point | None) -> Residuals:
        numbers = numbers._replace(
            **{field: getattr(numbers, field) + 1j * TINY * rows for field, rows in directions.items()}
        )
        if moved is not None:
            q, u, du, pull = (
                a + 1j * TINY * d
                for a, d in zip((at.q, at.u, at.du, at.pull), (moved.q, moved.u, moved.du, moved.pull), strict=True)
            )
            at = Point(q, _turned(at.loose, moved.loose), u, du, pull)
        count = max([len(rows) for rows in directions.values()] + ([] if moved is None else [moved.u.shape[1]]))
        found = self.residuals(numbers, at)
        # A residual in which nothing of a direction is has no dimension for it.
        shapes = [(len(at.q), count, *part.shape[-own:]) for part, own in zip(found, (3, 1, 1, 1, 1), strict=True)]
        return Residuals(*(np.broadcast_to(part.imag, shape) / TINY for part, shape in zip(found, shapes, strict=True)))


class _Evaluation:
    """One evaluation: jets outward, wrenches inward."""

    def __init__(self, jets: Jets, numbers: MechanismNumbers, at: Point) -> None:
        self.jets = jets
        self.mechanism = jets.mechanism
        self.numbers = numbers
        self.at = at
        self.twists: dict[int, Numeric] = {}
        """Twist in world axes, at the world's origin, per unit of each freedom, shape (6,)."""
        zero = np.zeros((4, 4))
        self.bodies: list[Jet] = [(np.eye(4), zero, zero)]
        self.wrenches: list[Numeric] = []
        """What bodies and all that they bear need, (moment about the world's origin, force), shape (6,)."""

    def residuals(self) -> Residuals:
        for index, joint in enumerate(self.mechanism.joints):
            inboard = times(self.bodies[joint.parent], self.numbers.inboard[..., index, :, :])
            moved = self._moved(inboard, joint) if joint.kind is JointKind.CHAIN else self._loosened(inboard, index)
            self.bodies.append(times(moved, inverse(self.numbers.outboard[..., index, :, :])))
        self.wrenches = [self._inertial(index) for index in range(len(self.bodies))]
        self._load()
        efforts: dict[int, Numeric] = {}
        gaps = self._close(efforts)
        for index in range(len(self.mechanism.joints) - 1, -1, -1):
            joint = self.mechanism.joints[index]
            first = self.jets.layout.first[index]
            wrench = self.wrenches[index + 1]
            for freedom in range(first, first + joint.dof):
                efforts[freedom] = dot(self.twists[freedom], wrench)
            self.wrenches[joint.parent] = self.wrenches[joint.parent] + wrench
        needed = stacked([efforts[freedom] for freedom in range(self.jets.size)], self.at.u)
        poses = np.stack(np.broadcast_arrays(*(body[0] for body in self.bodies)), axis=-3)
        closure, rate, curve = (joined(parts) for parts in zip(*gaps, self._coupled(), strict=True))
        return Residuals(poses, closure, rate, curve, needed + self._of_axes())

    # -- outward -------------------------------------------------------------------------------------------------------

    def _moved(self, jet: Jet, joint: MechanismJoint) -> Jet:
        """A frame after the motions of a chain joint."""
        for motion in joint.motions:
            freedom = int(self.jets.freedom[motion.axis])
            n = self.numbers.direction[..., motion.axis, :]
            q = self.at.q[..., motion.axis, None, None]
            v, a = self.at.u[..., freedom, None, None], self.at.du[..., freedom, None, None]
            turns = motion.kind is MotionKind.ROTATION
            along = applied(jet[0], n)
            self.twists[freedom] = twist_of(along, jet[0][..., :3, 3] if turns else None)
            X = generator(n if turns else None, None if turns else n)
            if turns:
                # Rodrigues: exp(X q) = 1 + sin(q) X + (1 - cos(q)) X², and its derivatives by time.
                sine = np.sin(q)
                cosine = np.cos(q)
                XX = X @ X
                E = np.eye(4) + sine * X + (1.0 - cosine) * XX
                E1 = (cosine * v) * X + (sine * v) * XX
                E2 = (cosine * a - sine * v * v) * X + (sine * a + cosine * v * v) * XX
            else:
                E = np.eye(4) + q * X
                E1 = v * X
                E2 = a * X
            jet = leibniz(jet, (E, E1, E2))
        return jet

    def _loosened(self, jet: Jet, index: int) -> Jet:
        """A frame after a ball or free joint: Ṙ = [ω] R and p' = v in the inboard joint frame."""
        first = self.jets.layout.first[index]
        joint = self.mechanism.joints[index]
        pose = self.at.loose[..., self.jets.loose_slot(index), :, :]
        free = joint.kind is JointKind.FREE
        parts = [
            (rates[..., first : first + 3], rates[..., first + 3 : first + 6] if free else None)
            for rates in (self.at.u, self.at.du)
        ]
        frame = jet[0]
        through = (jet[0] @ pose)[..., :3, 3]
        for k in range(joint.dof):
            self.twists[first + k] = twist_of(frame[..., :3, k % 3], through if k < 3 else None)
        (w, v), (dw, dv) = parts
        W = generator(w, None)
        dW = generator(dw, None)
        R = rotation_part(pose)
        one = W @ R if v is None else W @ R + generator(None, v)
        two = (dW + W @ W) @ R if dv is None else (dW + W @ W) @ R + generator(None, dv)
        return leibniz(jet, (pose, one, two))

    # -- inward --------------------------------------------------------------------------------------------------------

    def _inertial(self, index: int) -> Numeric:
        """What the mass of a body needs in its motion under gravity: ∫ x (ẍ - g)ᵀ dm as a wrench."""
        X, _, ddX = self.bodies[index]
        moments = X @ self.numbers.inertia[..., index, :, :] @ np.swapaxes(ddX[..., :3, :], -1, -2)
        return wrench_of(moments - X @ self.numbers.weight[..., index, :, :])

    def _load(self) -> None:
        """Springs and loads, which take from what is needed."""
        loads = self.mechanism.loads
        numbers = self.numbers
        for number, spring in enumerate(loads.springs):
            (a, da), (b, db) = (
                self._point(body, numbers.ends[..., number, end, :]) for end, body in enumerate(spring.bodies)
            )
            length = np.sqrt(dot(b - a, b - a))
            along = (b - a) / length[..., None]
            pull = _tension(spring, numbers.spring[..., number, :], length, dot(along, db - da))
            for sign, body, place in ((1.0, spring.bodies[0], a), (-1.0, spring.bodies[1], b)):
                self._push(body, place, sign * pull[..., None] * along)
        for number, load in enumerate(loads.forces):
            force, moment, point = (numbers.push[..., number, part, :] for part in range(3))
            X = self.bodies[load.body][0]
            if load.turn is not None:
                turn = np.array(load.turn)
                force, moment = (applied(X, (turn @ vector[..., None])[..., 0]) for vector in (force, moment))
            self._push(load.body, self._point(load.body, point)[0], force)
            self.wrenches[load.body] = self.wrenches[load.body] - beside(moment, np.zeros(3))

    def _push(self, body: int, place: Numeric, force: Numeric) -> None:
        self.wrenches[body] = self.wrenches[body] - beside(cross(place, force), force)

    def _point(self, body: int, place: Numeric) -> tuple[Numeric, Numeric]:
        """Place and velocity of a point of a body."""
        X, dX, _ = self.bodies[body]
        return applied(X, place) + X[..., :3, 3], applied(dX, place) + dX[..., :3, 3]

    def _close(self, efforts: dict[int, Numeric]) -> list[tuple[Numeric, Numeric, Numeric]]:
        """φ, φ' and φ'' of every loop; Kᵀ λ is taken from what bodies and axes need."""
        found = []
        for index, loop in enumerate(self.mechanism.loop_joints):
            parent = times(self.bodies[loop.parent], self.numbers.loop_parent[..., index, :, :])
            child = times(self.bodies[loop.child], self.numbers.loop_child[..., index, :, :])
            moved = self._moved(parent, loop)
            ball = loop.kind is JointKind.BALL
            pull = self.at.pull[..., self.jets.loop_rows[index] : self.jets.loop_rows[index + 1]]
            if ball:
                held = np.concatenate((np.zeros((*pull.shape[:-1], 3, 3)), pull[..., None, :]), axis=-2)
            else:
                held = np.swapaxes(pull.reshape(*pull.shape[:-1], 3, 4), -1, -2)
            on_child, on_parent = wrench_of(child[0] @ held), wrench_of(moved[0] @ held)
            self.wrenches[loop.child] = self.wrenches[loop.child] - on_child
            self.wrenches[loop.parent] = self.wrenches[loop.parent] + on_parent
            for motion in loop.motions:
                freedom = int(self.jets.freedom[motion.axis])
                efforts[freedom] = dot(self.twists[freedom], on_parent)
            gaps = [
                a[..., :3, 3:] - b[..., :3, 3:] if ball else a[..., :3, :] - b[..., :3, :]
                for a, b in zip(child, moved, strict=True)
            ]
            phi, rate, curve = (gap.reshape(*gap.shape[:-2], -1) for gap in gaps)
            found.append((phi, rate, curve))
        return found

    def _coupled(self) -> tuple[Numeric, Numeric, Numeric]:
        """φ, φ' and φ'' of all couplings."""
        coefficient, freedom = self.numbers.coefficient, self.jets.freedom
        position, rate, curve = (
            (coefficient @ values[..., None])[..., 0]
            for values in (self.at.q, self.at.u[..., freedom], self.at.du[..., freedom])
        )
        if not self.jets.curves:
            return position - self.numbers.constant, rate, curve
        parts = [
            np.array(np.broadcast_arrays(part, position)[0]) for part in (position - self.numbers.constant, rate, curve)
        ]
        for row, _, bent in self.bent():
            for part, filled in zip(parts, (bent.value, bent.rate, bent.curve), strict=True):
                part[..., row] = filled
        return parts[0], parts[1], parts[2]

    def bent(self) -> Iterator[tuple[int, CurvedLaw, Expansion]]:
        """The couplings with curves, and their φ with its derivatives."""
        freedom = self.jets.freedom
        q, u, du = np.broadcast_arrays(self.at.q, self.at.u[..., freedom], self.at.du[..., freedom])
        for row, curve in self.jets.curves:
            axes = list(curve.axes)
            yield row, curve, curve.tape.expand(q[..., axes], u[..., axes], du[..., axes])

    def _of_axes(self) -> Numeric:
        """What springs, dampers and rotors of axes need, without couplings: shape (n,)."""
        numbers = self.numbers
        freedom = self.jets.freedom
        efforts = numbers.stiffness * self.at.q - numbers.preload + numbers.damping * self.at.u[..., freedom]
        if self.jets.rotors is not None:
            efforts = efforts + (self.jets.rotors @ self.at.du[..., freedom, None])[..., 0]
        pull = self.at.pull[..., self.jets.loop_rows[-1] :]
        # Kᵀ λ of the couplings acts on axes as springs do.
        efforts = efforts - (np.swapaxes(numbers.coefficient, -1, -2) @ pull[..., None])[..., 0]
        for row, curve, bent in self.bent():
            axes = list(curve.axes)
            pushed = np.zeros((*bent.gradient.shape[:-1], efforts.shape[-1]), dtype=bent.gradient.dtype)
            pushed[..., axes] = bent.gradient
            efforts = efforts - pushed * pull[..., row, None]
        result = np.zeros((*efforts.shape[:-1], self.jets.size), dtype=efforts.dtype)
        result[..., freedom] = efforts
        return result


def _turned(loose: Numeric, twists: Numeric) -> Numeric:
    """Poses with a small motion of the complex step before them."""
    step = 1j * TINY * twists
    first_order = np.eye(4) + generator(step[..., :3], None)
    return np.asarray(first_order @ rotation_part(loose) + place_part(loose) + generator(None, step[..., 3:]))


def _tension(spring: BodySpring, numbers: Numeric, length: Numeric, rate: Numeric) -> Numeric:
    """Force that pulls the ends of a spring together [N]."""
    damper = numbers[..., 1] * rate
    if spring.table is None:
        return np.asarray(numbers[..., 0] * length - numbers[..., 2] + damper)
    lengths, forces = np.array(spring.table.lengths), np.array(spring.table.forces)
    slope = np.concatenate(([0.0], np.diff(forces) / np.diff(lengths), [0.0]))
    piece = np.searchsorted(lengths, length.real)
    knot = np.clip(piece, 0, len(lengths) - 1)
    return np.asarray(forces[knot] + slope[piece] * (length - lengths[knot]) + damper)
