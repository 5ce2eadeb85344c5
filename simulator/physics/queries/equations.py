"""The equations of motion of a mechanism as matrices: M v̇ + h = τ with K v = 0, v = G ẏ.

v are the freedoms of the spanning forest in the order of `Kinematics` (names: `constraint_rows.column_names`), ẏ the
independent ones. M and h come from the compiled tree without couplings and loops, K from `constraint_rows`, v̇ from the
compiled mechanism with them. h holds gravity, Coriolis and centrifugal terms, springs, dampers and loads at `time`;
Coulomb friction, stops and drives are in none of it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simulator.kinematics.constraint_rows import column_names, named_rows, scaled
from simulator.kinematics.independence import dependent_columns, kept_rows, map_of_independent
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.named import NamedMatrix
from simulator.kinematics.spectrum import Spectrum
from simulator.kinematics.state import multi_dof_joints
from simulator.mechanism.types import JointKind
from simulator.physics.build.state import CompiledState
from simulator.physics.compiled.model import CompiledMechanism
from simulator.physics.layout import buffers as at
from simulator.physics.motion.free import accelerate
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.spatial.arrays import Array


@dataclass(frozen=True, eq=False)
class Reduction:
    """v = G ẏ at one state. `K`: all rows of loops and couplings over all freedoms; `places`: which freedoms are
    independent."""

    K: NamedMatrix
    G: NamedMatrix
    places: tuple[int, ...]


class Equations:
    """The equations of one mechanism; models are compiled when they are first needed."""

    def __init__(
        self, kinematics: Kinematics, added_inertia: Array | None = None, *, pattern: Equations | None = None
    ) -> None:
        """`added_inertia` (n_axes, n_axes): of rotors, see `CompiledMechanism`. `pattern`: equations of a mechanism of
        the same structure, whose models are copied where that is possible."""
        self.kinematics = kinematics
        self.mechanism: Mechanism = kinematics.mechanism
        self.freedoms = column_names(self.mechanism)
        self._added, self._pattern = added_inertia, pattern
        self.time = 0.0
        """Simulated time at which loads are taken [s]."""

    @cached_property
    def tree(self) -> CompiledState:
        """The same bodies and joints, nothing coupled or closed; what acts on axes of loop joints acts."""
        bare = replace(self.mechanism, couplings=())
        found = None if self._pattern is None else self._pattern.tree.like(bare, self._added)
        tree = found or CompiledState(bare, self._added)
        tree.activate(np.zeros(0, dtype=np.int64))
        accelerate(tree.F, tree.N)
        return tree

    @cached_property
    def bound(self) -> CompiledMechanism:
        """The mechanism with its couplings and loops."""
        found = None if self._pattern is None else self._pattern.bound.like(self.mechanism, self._added)
        return found or CompiledMechanism(self.mechanism, added_inertia=self._added)

    def reduction(self, state: JointState) -> Reduction:
        """K, G and the independent freedoms at an assembled state: those that the document calls independent where that
        is possible."""
        rows = named_rows(self.kinematics, state)
        K = NamedMatrix(tuple(name.text for name in rows.names), self.freedoms, rows.K)
        even = scaled(self.kinematics, rows, self.kinematics.body_matrices(state))
        # Which rows and columns are chosen is judged without units; G itself is made of the rows in SI units.
        kept = kept_rows(even, Spectrum(rows.K).rank())
        dependent = dependent_columns(self.kinematics, even[kept])
        places = tuple(sorted(set(range(len(self.freedoms))) - set(dependent)))
        G = map_of_independent(rows.K[kept], dependent)
        return Reduction(K, NamedMatrix(self.freedoms, tuple(self.freedoms[i] for i in places), G), places)

    def rates(self, state: JointState) -> Array:
        """v: velocities of all freedoms, shape (n_freedoms,) [rad/s, m/s]; of balls and free joints in the inboard
        joint frame."""
        v = np.zeros(self.kinematics.layout.size)
        for axis, place in enumerate(self.kinematics.layout.of_axis):
            if place >= 0:
                v[place] = state.velocity[axis]
        for slot, joint in enumerate(multi_dof_joints(self.mechanism)):
            first = self.kinematics.layout.first[joint]
            size = self.mechanism.joints[joint].dof
            v[first : first + size] = state.loose_twist[slot, :size]
        return v

    def mass_matrix(self, state: JointState) -> Array:
        """M of the tree, rotors included, shape (n_freedoms, n_freedoms)."""
        S = self._inside(state)
        # T = ½ (S v)ᵀ M' (S v): the tree's matrix in the freedoms that users know.
        mass: Array = S.T @ self.tree.mass_matrix() @ S
        return mass

    def bias(self, state: JointState) -> Array:
        """h: the efforts on all freedoms that keep v̇ = 0, shape (n_freedoms,) [N m, N]."""
        S = self._inside(state)
        tree = self.tree
        accelerate(tree.F, tree.N)
        # Without efforts M' a + h' = 0, so h' = -M' a: one forward dynamics instead of a second inverse one.
        free_fall = tree.view(at.F_DV).copy()
        h: Array = S.T @ (tree.mass_matrix() @ (S @ self._turning(state) - free_fall))
        return h

    def accelerations(self, state: JointState, efforts: Array) -> Array:
        """v̇ under efforts on the axes, shape (n_axes,) [N m, N], couplings and loops held; shape (n_freedoms,)."""
        bound = self.bound
        layout = self.kinematics.layout
        bound.set_state(state)
        bound.set_time(self.time)
        bound.set_efforts(efforts)
        accelerate(bound.F, bound.N)
        inside = bound.parts.spread(bound.view(at.F_DV))
        tree = bound.parts.tree
        result: Array = -self._turning(state)
        for axis, place in enumerate(layout.of_axis):
            if place >= 0:
                result[place] += inside[tree.freedom_of_axis[axis]]
        for slot, joint in enumerate(multi_dof_joints(self.mechanism)):
            first = int(tree.first[tree.node_of_body[joint + 1]])
            R = state.loose_pose[slot, :3, :3]
            for block in range(self.mechanism.joints[joint].dof // 3):
                at_ = layout.first[joint] + 3 * block
                # From outboard axes, in which the compiled freedoms are, to inboard ones.
                result[at_ : at_ + 3] += R @ inside[first + 3 * block : first + 3 * block + 3]
        return result

    def _turning(self, state: JointState) -> Array:
        """What the acceleration in the turning outboard frame has that v̇ has not: -ω x v of free joints, shape
        (n_freedoms,)."""
        result = np.zeros(self.kinematics.layout.size)
        for slot, joint in enumerate(multi_dof_joints(self.mechanism)):
            if self.mechanism.joints[joint].kind is JointKind.FREE:
                first = self.kinematics.layout.first[joint] + 3
                twist = state.loose_twist[slot]
                result[first : first + 3] = -np.cross(twist[:3], twist[3:])
        return result

    def _inside(self, state: JointState) -> Array:
        """Puts the tree at `state`; S, with S v its coordinates' rates, shape (n_freedoms, n_freedoms)."""
        self.tree.put(state)
        self.tree.set_time(self.time)
        return coordinates_inside(self.kinematics, self.tree, state)


def coordinates_inside(kinematics: Kinematics, tree: CompiledState, state: JointState) -> Array:
    """S from freedoms as `Kinematics` has them to the coordinates of a compiled tree without couplings: another order,
    and balls and free joints in the outboard frame, shape (n_freedoms, n_freedoms)."""
    mechanism, layout = kinematics.mechanism, kinematics.layout
    inside = np.zeros((layout.size, layout.size))
    for place, freedom in enumerate(tree.parts.independent_freedom):
        axis = tree.parts.axis_of_freedom.get(int(freedom), -1)
        if axis >= 0:
            inside[place, layout.of_axis[axis]] = 1.0
    for slot, joint in enumerate(multi_dof_joints(mechanism)):
        places = tree.parts.independent_of_node(int(tree.parts.tree.node_of_body[joint + 1]))
        back = state.loose_pose[slot, :3, :3].T
        first = layout.first[joint]
        for block in range(len(places) // 3):
            columns = slice(first + 3 * block, first + 3 * block + 3)
            inside[places[3 * block : 3 * block + 3], columns] = back
    return inside


def point_jacobian(kinematics: Kinematics, state: JointState, poses: Array, body: int, point: Array) -> Array:
    """Geometric Jacobian of a point of a body that is at `point` in the world [m]: its angular velocity and its
    velocity in world axes per unit of each freedom, shape (6, n_freedoms). `poses`: X_WB of all bodies at `state`."""
    result = np.zeros((6, kinematics.layout.size))
    while body != 0:
        for column, twist in kinematics.joint_jacobian(body - 1, state, poses):
            result[:3, column] = twist[:3]
            result[3:, column] = twist[3:] + np.cross(twist[:3], point)
        body = kinematics.mechanism.joints[body - 1].parent
    return result
