"""Quantities of a simulation at many states at once, as arrays over all axes in the order of `q`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast, overload

import numpy as np

from simulator.api.branching import branches_of
from simulator.api.quantities import PARTS, Quantities
from simulator.api.state_arrays import StateArrays
from simulator.errors import AssemblyError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from numpy.typing import ArrayLike, NDArray

    from simulator.kinematics.named import NamedVector

    Array = NDArray[np.float64]
    Given = Mapping[str, ArrayLike] | ArrayLike | None
    Placed = Mapping[str, ArrayLike] | None


class ArrayQuantities(Quantities):
    """Quantities of a `Simulation` for arrays of states: one, shape (n_axes,), or n, shape (n, n_axes).

    Rows that contain nan give nan, and so do rows in which the independent axes do not determine the motion: dead
    points and change points.

    Floating bodies have no axes. They are where they are now, or where `pose` puts them: X_WL by link, shape (4, 4) or
    (n, 4, 4), as `set` takes it. Arrays of velocities, accelerations and efforts may have columns behind those of the
    axes for the freedoms of floating bodies and balls among `independent`, in that order and with that meaning:
    rotations `rx`, `ry`, `rz` about and translations `tx`, `ty`, `tz` along the axes of the joint's inboard frame,
    which for a floating body is its pose in the document. Without these columns they are 0. Results have them.
    Mappings take their names, `{"box:free:tz": 1.0}`.
    """

    @overload
    def inverse_dynamics(self, accelerations: Mapping[str, float] | None = None, /) -> NamedVector: ...
    @overload
    def inverse_dynamics(self, q: ArrayLike, v: Given = None, a: Given = None, /, *, pose: Placed = None) -> Array: ...
    def inverse_dynamics(
        self, q: Given = None, v: Given = None, a: Given = None, /, *, pose: Placed = None
    ) -> NamedVector | Array:
        """Efforts on the independent coordinates [N m or N] that produce these accelerations, 0 for unnamed ones;
        with gravity, springs, dampers and loads; without friction, stops and contacts.

        `inverse_dynamics({"crank_joint": 1.0})` is at the present state, `inverse_dynamics(Q, V, A)` at many: arrays
        of shape (n, n_axes), or (n_axes,), over all axes in the order of `q` [rad or m]; the efforts are 0 on axes that
        are not `independent` at the present state. `Q` must close couplings and loops, as `assemble` returns it. `V`,
        `A`: such arrays, in which nan follows from the independent axes, or numbers or columns of independent axes by
        name; 0 by default. Columns behind the axes are those of floating bodies and balls, shape (n, n_axes + 6) for
        one floating body: see `ArrayQuantities`.

        Raises UnknownNameError for a name that is not an independent coordinate, UsageError for rows that couplings and
        loops do not allow.
        """
        if isinstance(q, np.ndarray | list | tuple):
            return self._arrays().inverse(q, v, a, pose)
        return super().inverse_dynamics(cast("Mapping[str, float] | None", q))

    @overload
    def forward_dynamics(self, efforts: Mapping[str, float] | None = None, /) -> NamedVector: ...
    @overload
    def forward_dynamics(
        self, q: ArrayLike, v: Given = None, efforts: Given = None, /, *, pose: Placed = None
    ) -> Array: ...
    def forward_dynamics(
        self, q: Given = None, v: Given = None, efforts: Given = None, /, *, pose: Placed = None
    ) -> NamedVector | Array:
        """Accelerations of all axes of the tree [rad/s² or m/s²] under efforts on axes, or on actuators
        (`actuator/NAME`) [N m or N], gravity, springs, dampers and loads; without drives, friction, stops and contacts.

        `forward_dynamics({"crank_joint": 0.1})` is at the present state, `forward_dynamics(Q, V, T)` at many: arrays
        of shape (n, n_axes), or (n_axes,), over all axes in the order of `q`, as is the result, which has columns for
        floating bodies and balls behind them; see `inverse_dynamics`.

        Raises UnknownNameError for a name that does not exist.
        """
        if isinstance(q, np.ndarray | list | tuple):
            return self._arrays().forward(q, v, efforts, pose)
        return super().forward_dynamics(cast("Mapping[str, float] | None", q))

    @overload
    def assemble(self, positions: Mapping[str, ArrayLike] | ArrayLike) -> Array: ...
    @overload
    def assemble(
        self, positions: Mapping[str, ArrayLike] | ArrayLike, *, velocity: Mapping[str, ArrayLike]
    ) -> tuple[Array, Array]: ...
    def assemble(
        self,
        positions: Mapping[str, ArrayLike] | ArrayLike,
        *,
        velocity: Mapping[str, ArrayLike] | None = None,
    ) -> Array | tuple[Array, Array]:
        """Positions of all axes from given positions of some, on the branch of the present state, which does not
        change: `Q = sim.assemble({"crank_joint": angles})` of shape (n, n_axes), or (n_axes,) for a number [rad or m].

        An array (n, n_independent) gives all independent axes. Axes that are not determined stay as they are now. With
        `velocity` of axes [rad/s or m/s]: (Q, V), also the velocities of all axes. Every row is reached from the
        row before it or, if that is impossible, from the present state; limits are ignored. Rows that cannot be
        reached without passing a singular position are nan; a single row raises AssemblyError instead.
        """
        q, v = self._arrays().assemble(positions, velocity)
        if q.ndim == 1 and np.isnan(q).any():
            raise AssemblyError(
                "couplings and loops do not reach these positions on the present branch: `set` explains why"
            )
        return q if velocity is None else (q, v)

    def branches(self, positions: Mapping[str, float] | None = None, **axes: float) -> Array:
        """All ways to assemble the mechanism within its limits with axes at these positions, shape (n, n_axes) [rad or
        m], the branch of the document's start first: `sim.set(sim.branches(crank_joint=0.5)[1])`. The search begins
        at 400 places at random, always the same ones. `positions` takes names that are not identifiers, as in `set`.

        Raises UsageError if the axes do not determine all others, AssemblyError if nothing is found.
        """
        given = {**self._by_axis(positions, "a position"), **self._by_axis(axes, "a position")}
        return branches_of(self._posed, given)

    def poses(self, q: ArrayLike, *, pose: Placed = None) -> Array:
        """X_WL of all links in the order of `links`, shape (n, n_links, 4, 4), or (n_links, 4, 4) for one state.
        Floating bodies stay where they are now, or are where `pose` puts them."""
        return self._arrays().poses(q, pose)

    def jacobians(
        self,
        link: str,
        q: ArrayLike,
        point: Sequence[float] = (0.0, 0.0, 0.0),
        *,
        part: Literal["both", "angular", "linear"] = "both",
        pose: Placed = None,
    ) -> Array:
        """`jacobian` at many positions, shape (n, 6, n_independent), over the columns that it has at the present
        state."""
        if np.shape(point) != (3,) or part not in PARTS:
            raise UsageError(f"a Jacobian takes a point (x, y, z) and one of {', '.join(PARTS)}")
        body, X_BL = self._place_of_link(link)
        place = (X_BL @ np.append(np.asarray(point, dtype=float), 1.0))[:3]
        first, last = PARTS[part]
        return self._arrays().jacobians(q, body, place, pose)[..., first:last, :]

    def wrenches(self, q: ArrayLike, v: Given = None, a: Given = None, *, pose: Placed = None) -> Array:
        """Reactions of every joint in a motion, force [N] and moment [N m] as rows of `reactions().wrenches`, shape (n,
        n_joints, 6). Arguments as those of `inverse_dynamics`."""
        return self._arrays().wrenches(q, v, a, pose)

    def _arrays(self) -> StateArrays:
        """Quantities for arrays of states, on the branch of the present one, with loads as they are at the simulated
        time."""
        independent = self._reduction.places
        time = self.moment.steps * self._dt
        return StateArrays(self._posed, independent, self._state, time, lambda name: self._axis_efforts({name: 1.0}))
