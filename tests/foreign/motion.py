"""A document of our own is run, and the motion of its links looked at: by their poses alone, so that no convention of
coordinates comes between."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.interpolate import make_interp_spline

import simulator

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from simulator.api.run import Run
    from simulator.engine.drives import Drive

    Array = NDArray[np.float64]

DEGREE = 7
"""Of the splines through poses: their second derivatives are wrong by some step^6."""


@dataclass(frozen=True)
class Motion:
    """A run of a document, sampled at every step."""

    run: Run

    @classmethod
    def of(
        cls, text: str, duration: float, *, dt: float = 1e-3, every: float = 1e-3,
        positions: Mapping[str, float] | None = None, velocities: Mapping[str, float] | None = None,
        twists: Mapping[str, Sequence[float]] | None = None, drives: Mapping[str, Drive] | None = None,
        reactions: bool = True, still_balls: bool = False,
        spin: Sequence[float] = (0.0, 0.0, 0.0),
    ) -> Motion:  # fmt: skip
        """Write the document, load it and run it with strategy `reduced`, a sample each millisecond.

        `still_balls`: ball joints start without turning, and not as an impulse on the given axes would leave them;
        with `spin` the only ball has that angular velocity in the frame of its inboard side.
        """
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "mechanism.sdf")
            path.write_text(text, encoding="utf-8")
            sim = simulator.load(path, dt=dt, solver="reduced")
        if positions or velocities or twists:
            sim.set(positions, velocity=velocities, twist=twists)
        if still_balls or any(spin):
            state = sim.moment.state
            twist = np.zeros_like(state.loose_twist)
            twist[:, :3] = spin
            sim.restore(replace(sim.moment, state=replace(state, loose_twist=twist)))
        return cls(sim.run(duration, drives=drives, every=every, reactions=reactions))

    def link(self, name: str) -> LinkMotion:
        """The motion of a link."""
        return LinkMotion(self.run.time, self.run.poses(name))

    def reaction(self, joint: str) -> tuple[Array, Array]:
        """Force [N] and moment [N m] on the child at the origin of the joint frame on it, in world axes, by time."""
        parts = [[self.run[f"reaction/{joint}/{kind}_{axis}"] for axis in "xyz"] for kind in ("force", "moment")]
        return np.array(parts[0]).T, np.array(parts[1]).T

    def at(self, times: Array, values: Array) -> Array:
        """Values of samples at these times, which are among them."""
        places = np.rint(times / (self.run.time[1] - self.run.time[0])).astype(int)
        return np.asarray(values[places])


@dataclass(frozen=True)
class LinkMotion:
    """Poses of a link by time: 4 x 4 matrices or rows x y z qx qy qz qw."""

    time: Array
    poses: Array

    @property
    def _position(self) -> Array:
        return self.poses[:, :3, 3]

    @property
    def _quaternion(self) -> Array:
        """w x y z, without jumps of sign."""
        from scipy.spatial.transform import Rotation

        quaternion = Rotation.from_matrix(self.poses[:, :3, :3]).as_quat()[:, [3, 0, 1, 2]]
        turns = np.sign(np.sum(quaternion[1:] * quaternion[:-1], axis=1))
        quaternion[1:] *= np.cumprod(np.where(turns == 0.0, 1.0, turns))[:, None]
        return np.asarray(quaternion)

    def values(self, times: Array) -> dict[str, Array]:
        """Position, velocity, acceleration [m, s], quaternion w x y z, angular velocity and acceleration [rad, s] in
        the world, of the link's origin."""
        place, turn = (make_interp_spline(self.time, values, DEGREE) for values in (self._position, self._quaternion))
        q, dq, ddq = turn(times), turn(times, 1), turn(times, 2)
        spin = 2.0 * product(dq, conjugate(q))
        change = 2.0 * (product(ddq, conjugate(q)) + product(dq, conjugate(dq)))
        return {
            "Pos": place(times), "Vel": place(times, 1), "Acc": place(times, 2), "Quat": q,
            "Avel": spin[:, 1:], "Aacc": change[:, 1:],
        }  # fmt: skip


def conjugate(q: Array) -> Array:
    """Of quaternions w x y z."""
    return np.asarray(q * np.array([1.0, -1.0, -1.0, -1.0]))


def product(p: Array, q: Array) -> Array:
    """Of quaternions w x y z, by rows."""
    w, v = p[:, :1] * q[:, :1] - np.sum(p[:, 1:] * q[:, 1:], axis=1, keepdims=True), np.cross(p[:, 1:], q[:, 1:])
    return np.hstack([w, p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] + v])


def rms(difference: Array) -> float:
    """The largest root mean square of a column."""
    return float(np.sqrt(np.mean(np.atleast_2d(difference) ** 2, axis=0)).max())
