"""Many states at once, as arrays over the axes in the order of `Simulation.q`: compiled loops over the single-state
kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.analysis.body_motions import BodyMotions
from simulator.analysis.wrenches import JointWrenches
from simulator.errors import UsageError, place_of
from simulator.kinematics.free_bodies import joint_poses
from simulator.physics.queries.loose_freedoms import MovedColumns
from simulator.physics.queries.posed import Places
from simulator.physics.sweep.poses import ACCELERATIONS, EFFORTS, POSES, WRENCHES
from simulator.session.text.settings import find_axis
from simulator.spatial.pose_arrays import cross

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.physics.layout.sweep_layout import Points
    from simulator.physics.queries.posed import Plan, Posed
    from simulator.spatial.arrays import Array

    Flags = NDArray[np.bool_]
    Given = Mapping[str, ArrayLike] | ArrayLike | None
    Placed = Mapping[str, ArrayLike] | None

CLOSED = 1e-6
"""Largest opening of loops in given positions [m, or 1 for directions], and largest error of dependent axes relative
to the largest value: figures from a file have about so many digits."""


class _Rows(NamedTuple):
    """`values` (n, n_axes), whether they were given as `one` row, which rows are numbers, and poses of loose joints (n,
    4, 4) by place among them."""

    values: Array
    one: bool
    numbers: Flags
    poses: dict[int, Array]


class StateArrays:
    """Quantities of one mechanism; `here`: the present state, whose branch is used; loads are those of the `time` [s].

    Columns are those of all axes, then of the freedoms of floating bodies and balls that are independent, n_columns
    together.
    """

    def __init__(
        self,
        posed: Posed,
        independent: Sequence[int],
        here: JointState,
        time: float,
        effort_on: Callable[[str], Array],
    ) -> None:
        """`independent`: freedoms that determine the motion, as `Kinematics` counts them. `effort_on`: by name of an
        axis or actuator, the efforts on all axes for a unit effort on it, shape (n_axes,)."""
        self._posed = posed
        self._here = here
        self._time = time
        self._mechanism: Mechanism = posed.mechanism
        self._width = len(here.position)
        of_axis = posed.swept.kinematics.layout.of_axis
        self._loose = posed.loose_among(independent)
        self._names = (*(info.name for info in self._mechanism.axes), *self._loose.names)
        columns = {place: column for column, place in enumerate((*of_axis, *self._loose.places)) if place >= 0}
        self._columns = tuple(columns[place] for place in independent if place in columns)
        self._independent = tuple(column for column in self._columns if column < self._width)
        self._effort_on = effort_on

    # -- what is asked -------------------------------------------------------------------------------------------------

    def assemble(self, positions: Given, velocity: Given = None) -> tuple[Array, Array]:
        """Positions and velocities of all axes, shape (n, n_axes) or (n_axes,); nan in rows that are not reached."""
        posed, given, one = self._posed, *self._named(positions, "positions")
        plan = posed.plan(list(given))
        extra = [self._mechanism.axes[axis].name for axis in given if axis not in plan.axes]
        if extra:
            raise UsageError(f"leave out {', '.join(extra)}: the other given axes determine it")
        if not given:
            raise UsageError("name at least one axis to assemble")
        targets = np.stack([given[axis] for axis in plan.axes], axis=1)
        posed.begin(self._here)
        found = posed.reach(plan, targets, self._here)
        moved = np.zeros_like(found.axes)
        if velocity is not None:
            moved = self._completed(found, velocity)
        return (found.axes[0], moved[0]) if one else (found.axes, moved)

    def inverse(self, q: ArrayLike, v: Given, a: Given, pose: Placed = None) -> Array:
        """Efforts on the independent coordinates, 0 on others, shape (n, n_columns) or (n_columns,) [N m or N]."""
        rows = self._rows(q, pose)
        plan = self._plan()
        held = self._observed(rows, plan, lambda points: points.held, EFFORTS, v, a, on_moves=True)
        result = np.zeros((len(held), len(self._names)))
        result[:, self._moved(plan)] = held
        result[np.isnan(held).any(axis=1)] = np.nan
        return _shaped(rows, result)

    def forward(self, q: ArrayLike, v: Given, efforts: Given, pose: Placed = None) -> Array:
        """Accelerations of everything, shape (n, n_columns) or (n_columns,) [rad/s² or m/s²]."""
        rows = self._rows(q, pose)
        width = self._width
        loose = self._loose
        if isinstance(efforts, Mapping):
            acting = np.zeros((len(rows.values), len(self._names)))
            for name, value in efforts.items():
                column = self._column(value, len(acting), "efforts")
                acting[:, :width] += np.broadcast_to(column, (len(acting),))[:, None] * self._effort_on(name)
        else:
            acting = self._spread(efforts, rows, range(len(self._names)), "efforts")

        def pick(points: Points) -> Array:
            given = loose.outside(points.y, points.given[:, loose.codes]) + loose.turning(loose.rates(points))
            return np.concatenate((points.bend, given[:, loose.chosen]), axis=1)

        return _shaped(rows, self._observed(rows, self._plan(), pick, ACCELERATIONS, v, None, acting))

    def wrenches(self, q: ArrayLike, v: Given, a: Given, pose: Placed = None) -> Array:
        """Reactions of joints, shape (n, n_joints, 6) or (n_joints, 6) [N, N m]."""
        rows = self._rows(q, pose)
        joints = JointWrenches(self._posed.swept)
        return _shaped(rows, self._observed(rows, self._plan(), joints.of, WRENCHES, v, a))

    def poses(self, q: ArrayLike, pose: Placed = None) -> Array:
        """X_WL of all links, shape (n, n_links, 4, 4) or (n_links, 4, 4)."""
        rows = self._rows(q, pose)
        tree = self._posed.model.parts.tree
        placed = self._mechanism.placed_links()
        links = [(placed[name][0], placed[name][1].matrix()) for name in self._mechanism.link_bodies()]

        def pick(points: Points) -> Array:
            motion = BodyMotions(tree, points)
            X_WB = np.zeros((len(points.position), len(links), 4, 4))
            X_WB[..., 3, 3] = 1.0
            for place, (body, _) in enumerate(links):
                X_WB[:, place, :3, :3], X_WB[:, place, :3, 3] = motion.frames(body)
            found: Array = X_WB @ np.array([X for _, X in links]).reshape(-1, 4, 4)
            return found

        return _shaped(rows, self._observed(rows, self._posed.plan(self._independent), pick, POSES))

    def jacobians(self, q: ArrayLike, body: int, point: Array, pose: Placed = None) -> Array:
        """Jacobian of a `point` (3,) in the frame of a `body`, over the independent coordinates, shape (n, 6,
        n_independent)."""
        rows = self._rows(q, pose)
        plan = self._plan()
        tree = self._posed.model.parts.tree

        def pick(points: Points, twists: Array) -> Array:
            if body == 0:
                return np.zeros((len(twists), 6, len(plan.sweep.move)))
            R, origin = BodyMotions(tree, points).frames(body)
            node = int(tree.node_of_body[body])
            arm = origin + R @ point - points.frame[:, node, 9:]
            twist = twists[:, :, node].copy()
            twist[..., 3:] += cross(twist[..., :3], np.broadcast_to(arm[:, None], twist[..., :3].shape))
            return np.swapaxes(twist, 1, 2)

        places = self._places(rows)
        seen = self._posed.rates(plan, places, pick)
        values = np.zeros((len(places.y), 6, len(self._names)))
        values[..., self._moved(plan)] = self._change(plan, places).of_columns(seen.values)
        values = values[..., list(self._columns)]
        values[~(rows.numbers & seen.regular)] = np.nan
        return _shaped(rows, values)

    # -- inside --------------------------------------------------------------------------------------------------------

    def _plan(self, axes: Sequence[int] | None = None) -> Plan:
        """Map from the independent coordinates, with these axes instead of those among them. Raises UsageError if they
        do not determine the motion."""
        plan = self._posed.plan(self._independent if axes is None else axes, self._loose.codes)
        if not plan.is_whole:
            raise UsageError("the given velocities do not determine the motion: name one for each degree of freedom")
        return plan

    def _moved(self, plan: Plan) -> list[int]:
        """The columns of what a plan moves, in its order."""
        return [*plan.axes, *range(self._width, len(self._names))][: len(plan.sweep.move)]

    def _rows(self, q: ArrayLike, pose: Placed = None) -> _Rows:
        values = np.asarray(q, dtype=float)
        width = self._width
        if values.ndim not in (1, 2) or values.shape[-1] != width:
            raise UsageError(
                f"positions must be arrays of shape ({width},) or (n, {width}), all axes in the order of `q`, not "
                f"{values.shape}: `assemble` completes partial ones"
            )
        rows = np.atleast_2d(values)
        placed: dict[int, Array] = {}
        for name, given in (pose or {}).items():
            X = np.asarray(given, dtype=float)
            if X.shape not in ((4, 4), (len(rows), 4, 4)):
                raise UsageError(f"the poses of '{name}' must be of shape (4, 4) or ({len(rows)}, 4, 4), not {X.shape}")
            slot, held = joint_poses(self._mechanism, name, np.broadcast_to(X, (len(rows), 4, 4)))
            placed[slot] = held
        return _Rows(rows, values.ndim == 1, np.isfinite(rows).all(axis=1), placed)

    def _places(self, rows: _Rows) -> Places:
        """Replace rows that are not numbers by the present state, for the kernels."""
        posed = self._posed
        posed.begin(self._here, self._time)
        usable = np.where(rows.numbers[:, None], rows.values, self._here.position)
        if posed.has_balls or self._loose.splits_joint:
            # What turns on balls, or floats with loops, is known where the rest has been assembled.
            plan = posed.plan(self._independent)
            found = posed.reach(plan, usable[:, list(plan.axes)], self._here)
            posed.begin(self._here, self._time)
            lost = np.isnan(found.axes).any(axis=1)
            rows.numbers[lost] = False
            found.y[lost], found.axes[lost] = posed.swept.y, self._here.position
        else:
            found = posed.placed(usable, self._here)
        self._loose.put(found.y, rows.poses)
        return found

    def _observed(
        self,
        rows: _Rows,
        plan: Plan,
        pick: Callable[[Points], Array],
        what: int,
        v: Given = None,
        a: Given = None,
        efforts: Array | None = None,
        *,
        on_moves: bool = False,
    ) -> Array:
        """The selected rows; nan for rows that are not numbers, or in which the independent axes do not determine the
        motion. `on_moves`: what is picked are efforts on what the plan moves, to be those on its columns."""
        width = self._width
        loose = self._loose
        columns = self._moved(plan)
        places = self._places(rows)
        rate, bend = self._spread(v, rows, columns, "velocities"), self._spread(a, rows, columns, "accelerations")
        change = self._change(plan, places)
        moving, bending = change.moved(rate[:, columns]), bend[:, columns]
        if len(columns) > len(plan.axes):
            bending[:, len(plan.axes) :] -= self._drift(plan, places, change, moving)
            bending = change.moved(bending)
        pushed = None if efforts is None else loose.inside(places.y, self._of_joints(efforts[:, width:]))
        kept: list[tuple[Array, Array, Array]] = []

        def keep(points: Points) -> Array:
            kept.append((points.position, points.rate, points.bend))
            return pick(points)

        seen = self._posed.observe(
            plan,
            places,
            keep,
            what,
            rates=moving,
            accelerations=bending,
            efforts=None if efforts is None else efforts[:, :width],
            loose=None if pushed is None else (loose.codes, pushed),
        )
        known = rows.numbers & seen.regular & np.isfinite(moving + bending).all(axis=1)
        position, moving, bending = (np.concatenate(parts) for parts in zip(*kept, strict=True))
        self._require_closed(seen.gap, known)
        self._require_following(position, rows.values, known, "position")
        if what != POSES:
            self._require_following(moving, rate[:, :width], known, "velocity")
        if what in (EFFORTS, WRENCHES):
            self._require_following(bending, bend[:, :width], known, "acceleration")
        values = change.of_columns(seen.values) if on_moves else seen.values
        values[~known] = np.nan
        return values

    def _change(self, plan: Plan, places: Places) -> MovedColumns:
        loose = self._loose
        is_split = loose.splits_joint and len(plan.sweep.move) > len(plan.axes)
        inside = self._posed.spread(plan, places, loose.codes) if is_split else None
        return MovedColumns(loose, places.y, len(plan.axes), inside)

    def _drift(self, plan: Plan, places: Places, change: MovedColumns, moving: Array) -> Array:
        given = None
        if self._loose.splits_joint:
            codes = self._loose.codes
            given = self._posed.observe(
                plan, places, lambda points: points.given[:, codes], EFFORTS, rates=moving
            ).values
        return change.drift(moving, given)

    def _of_joints(self, values: Array) -> Array:
        """Values of loose columns (n, k) among all freedoms of their joints, 0 for others."""
        result = np.zeros((len(values), len(self._loose.codes)))
        result[:, self._loose.chosen] = values
        return result

    def _require_closed(self, gap: Array, known: Flags) -> None:
        """Raise UsageError if loops are open."""
        open_ = np.where(known, gap, 0.0)
        if open_.max(initial=0.0) > max(CLOSED, self._posed.slack):
            row = int(np.argmax(open_))
            raise UsageError(
                f"positions of row {row} leave loops open by {open_[row]:.3g} m or rad: `assemble` returns positions "
                "that close them"
            )

    def _require_following(self, found: Array, asked: Array, known: Flags, what: str) -> None:
        """Raise UsageError for requested values that axes cannot have; nan requests nothing."""
        missed = np.nan_to_num(np.abs(found - asked))
        if what == "position":
            turns = np.array([axis.unit == "rad" and not axis.in_tree for axis in self._mechanism.axes], dtype=bool)
            missed[:, turns] = np.abs(np.remainder(missed[:, turns] + np.pi, 2.0 * np.pi) - np.pi)
        missed = np.where(known[:, None], missed, 0.0)
        if missed.size and missed.max() > CLOSED * max(
            1.0, float(np.abs(np.nan_to_num(asked[known])).max(initial=0.0))
        ):
            row, axis = np.unravel_index(int(np.argmax(missed)), missed.shape)
            raise UsageError(
                f"row {row}: '{self._mechanism.axes[axis].name}' cannot have the {what} {asked[row, axis]:.6g}: "
                f"couplings, loops and the independent axes give it {found[row, axis]:.6g}"
            )

    def _completed(self, places: Places, velocity: Given) -> Array:
        """Velocities of all axes at `places`."""
        rows = _Rows(places.axes, False, np.isfinite(places.axes.sum(axis=1)), {})
        asked = self._independent
        if isinstance(velocity, Mapping):
            asked = tuple(find_axis(self._mechanism, name) for name in velocity)
        return self._observed(rows, self._plan(asked), lambda points: points.rate, EFFORTS, velocity)

    def _spread(self, given: Given, rows: _Rows, columns: Sequence[int], what: str) -> Array:
        """Values of all columns, shape (n, n_columns): 0 for `columns` without a value, nan for others."""
        count, width, total = len(rows.values), self._width, len(self._names)
        result = np.full((count, total), np.nan)
        result[:, list(columns)] = 0.0
        if given is None:
            return result
        if not isinstance(given, Mapping):
            values = np.asarray(given, dtype=float)
            if values.shape not in ((width,), (count, width), (total,), (count, total)):
                more = "" if width == total else f", or with {total} columns for floating bodies and balls as well"
                raise UsageError(
                    f"{what} must be an array of shape ({width},) or ({count}, {width}), not {values.shape}{more}"
                )
            result[:, : values.shape[-1]] = values
            return result
        for name, column in given.items():
            place = self._column_named(name)
            if place not in columns:
                raise UsageError(
                    f"{what} must be of independent axes, not of '{self._names[place]}': "
                    f"{', '.join(self._names[each] for each in columns)}"
                )
            result[:, place] = self._column(column, count, what)
        return result

    def _column_named(self, name: str) -> int:
        loose = self._loose.names
        if any(each == name or each.endswith(f"::{name}") for each in loose):
            return self._width + place_of(loose, name, "axis")
        return find_axis(self._mechanism, name)

    def _named(self, given: Given, what: str) -> tuple[dict[int, Array], bool]:
        """Columns by axis, and whether all are single numbers; an array has a column for each independent axis."""
        if not isinstance(given, Mapping):
            values = np.asarray(given, dtype=float)
            width = len(self._independent)
            if values.ndim not in (1, 2) or values.shape[-1] != width:
                raise UsageError(f"{what} to assemble must be named, or of shape (n, {width}): the independent axes")
            return dict(zip(self._independent, np.atleast_2d(values).T, strict=True)), values.ndim == 1
        columns = {find_axis(self._mechanism, name): np.asarray(value, dtype=float) for name, value in given.items()}
        counts = {column.shape for column in columns.values()} - {()}
        if len(counts) > 1 or any(len(shape) != 1 for shape in counts):
            raise UsageError(f"{what} to assemble must be numbers, or arrays of one length")
        count = counts.pop()[0] if counts else 1
        one = all(column.shape == () for column in columns.values())
        return {axis: np.broadcast_to(column, (count,)) for axis, column in columns.items()}, one

    @staticmethod
    def _column(values: ArrayLike, count: int, what: str) -> Array:
        column = np.asarray(values, dtype=float)
        if column.shape not in ((), (count,)):
            raise UsageError(f"{what} of an axis must be a number or an array of shape ({count},), not {column.shape}")
        return column


def _shaped(rows: _Rows, result: Array) -> Array:
    found: Array = result[0] if rows.one else result
    return found
