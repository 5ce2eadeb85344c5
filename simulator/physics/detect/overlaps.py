"""Links that overlap at the start of a mechanism, and those of them that overlap in every position of their joints."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.state import rest_state
from simulator.mechanism.types import JointKind, MotionKind
from simulator.model.shape import Plane
from simulator.physics.shapes.features import box_around
from simulator.physics.shapes.geometry import placed_shapes
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import AxisInfo, Mechanism
    from simulator.physics.detect.own import OwnContacts
    from simulator.physics.shapes.geometry import Placed
    from simulator.spatial.arrays import Array
    from simulator.spatial.rotation import Quat

    Names = tuple[str, str]

NOTED = 1e-5
"""Overlaps that are deeper than this [m] are no rounding of a document's numbers."""
SAMPLES = 200
"""Positions at random in which links that overlap wherever their joints are have to overlap, besides each axis at its
limits. (MoveIt's setup assistant calls pairs that collide in 95 % of its samples always colliding.)"""
FAR = 1e3
"""Where a slide without limits goes [m]: nothing overlaps there."""


class Overlap(NamedTuple):
    """Two links that overlap, the names sorted, how deep [m], and whether their contact gives way."""

    first: str
    second: str
    depth: float
    gives_way: bool = False

    def __str__(self) -> str:
        depth = 1e3 * self.depth
        shown = f"{depth:.3g}" if depth < 1000.0 else f"{depth:.0f}"
        return f"'{self.first}' and '{self.second}' overlap by {shown} mm"


def overlaps_of(mechanism: Mechanism, state: JointState | None = None) -> list[Overlap]:
    """Links that overlap by more than NOTED at a state, where the document puts them by default, the deepest first."""
    poses = document_poses(mechanism) if state is None else _poses(Kinematics(mechanism), state)
    if not _may_overlap(mechanism, poses):
        return []
    return sorted(_found(_finder(mechanism), mechanism, poses).values(), key=lambda found: -found.depth)


def lasting(mechanism: Mechanism, found: Sequence[Overlap], state: JointState | None = None) -> list[Overlap]:
    """Those of the overlaps `found` at a state whose links overlap wherever the joints between them are, within limits;
    loops and couplings are not asked, so no joint is held back."""
    tied = [pair for pair in found if _are_tied(mechanism, pair)]
    if not tied:
        return []
    finder, kinematics = _finder(mechanism), Kinematics(mechanism)
    for sample in _samples(mechanism, state or rest_state(mechanism)):
        there = _found(finder, mechanism, _poses(kinematics, sample))
        tied = [pair for pair in tied if pair[:2] in there]
        if not tied:
            break
    return tied


def without(mechanism: Mechanism, pairs: Sequence[Overlap]) -> Mechanism:
    """The mechanism in which links of these pairs do not collide, as if a joint connected them."""
    apart = mechanism.non_colliding
    ends = [sorted(apart.links[apart.index[name]].end for name in pair[:2]) for pair in pairs]
    jointed = apart.jointed | {(low, high) for low, high in ends}
    return replace(mechanism, non_colliding=replace(apart, jointed=jointed)) if pairs else mechanism


def _finder(mechanism: Mechanism) -> OwnContacts:
    from simulator.physics.detect.own import OwnContacts  # needs compiled kernels, which other documents can do without

    return OwnContacts(mechanism)


def _found(own: OwnContacts, mechanism: Mechanism, poses: Array) -> dict[Names, Overlap]:
    """By the names of their links."""
    from simulator.physics.layout import row_layout as row_at
    from simulator.physics.narrow.plane import NAMES

    planes, shapes, _ = placed_shapes(mechanism)
    count = own.detect_within(poses, NOTED, None)
    n = len(shapes)
    ints = own.work.ints[:count]
    floats = own.work.floats[:count]
    found = dict[tuple[str, str], Overlap]()
    for row in np.flatnonzero(floats[:, row_at.GAP] < -NOTED).tolist():
        # Names are those of both shapes, or of a plane behind them and a shape: see `narrow.plane`.
        first, second = divmod(int(ints[row, row_at.NAME]) // NAMES, n)
        links = (shapes[first] if first < n else planes[first - n])[1], shapes[second][1]
        a, b = sorted(links)
        new = Overlap(a, b, -float(floats[row, row_at.GAP]), bool(floats[row, row_at.STIFF] > 0.0))
        found[a, b] = max(found.get((a, b), new), new, key=lambda pair: pair.depth)
    return found


# -- where links are ---------------------------------------------------------------------------------------------------


def document_poses(mechanism: Mechanism) -> Array:
    """X_WB of all bodies where the document puts them, shape (n_bodies, 7)."""
    return np.array([[*body.X_WB.position, *body.X_WB.orientation] for body in mechanism.bodies], dtype=float)


def _poses(kinematics: Kinematics, state: JointState) -> Array:
    """X_WB of all bodies, shape (n_bodies, 7)."""
    placed = [Pose.from_matrix(X_WB) for X_WB in kinematics.body_matrices(state)]
    return np.array([[*pose.position, *pose.orientation] for pose in placed], dtype=float)


def _samples(mechanism: Mechanism, state: JointState) -> Iterator[JointState]:
    """Each axis of the tree at both of its limits, then all of them, and balls, at random."""
    tree = [i for i, info in enumerate(mechanism.axes) if info.in_tree]
    ranges = [_range(mechanism.axes[axis]) for axis in tree]
    for axis, both in zip(tree, ranges, strict=True):
        for limit in both:
            position = state.position.copy()
            position[axis] = limit
            yield replace(state, position=position)
    random = np.random.default_rng(0)
    loose = [j for j in mechanism.joints if j.kind is not JointKind.CHAIN]
    balls = [i for i, joint in enumerate(loose) if joint.kind is JointKind.BALL]
    for _ in range(SAMPLES):
        position, turned = state.position.copy(), state.loose_pose.copy()
        position[tree] = [random.uniform(*both) for both in ranges]
        for ball in balls:
            turned[ball] = Pose(orientation=_unit(random.normal(size=4))).matrix()
        yield replace(state, position=position, loose_pose=turned)


def _unit(vector: Array) -> Quat:
    x, y, z, w = (vector / np.linalg.norm(vector)).tolist()
    return x, y, z, w


def _range(info: AxisInfo) -> tuple[float, float]:
    """Where an axis may be."""
    far = math.pi if info.kind is MotionKind.ROTATION else FAR
    lower = info.axis.lower if math.isfinite(info.axis.lower) else -far
    upper = info.axis.upper if math.isfinite(info.axis.upper) else far
    return min(lower, upper), max(lower, upper)


def _are_tied(mechanism: Mechanism, pair: Overlap) -> bool:
    """Whether joints that do not let go decide where the links of a pair are against each other."""
    roots = list(range(len(mechanism.bodies)))
    for i, joint in enumerate(mechanism.joints):
        roots[i + 1] = i + 1 if joint.kind is JointKind.FREE else roots[joint.parent]
    apart = mechanism.non_colliding
    a, b = (roots[apart.links[apart.index[name]].body] for name in pair[:2])
    return a == b


# -- what cannot overlap -----------------------------------------------------------------------------------------------


def _may_overlap(mechanism: Mechanism, poses: Array) -> bool:
    """Whether boxes around shapes that may meet overlap, along the axes of the world, or reach below planes."""
    apart = mechanism.non_colliding
    (planes, shapes, _) = placed_shapes(mechanism)
    places = np.array([apart.index[row[1]] for row in shapes], dtype=np.int64)
    low, high = _boxes(shapes, poses)
    order = np.argsort(low[:, 0])
    places = places[order]
    low = low[order] + NOTED
    high = high[order]
    ends = np.searchsorted(low[:, 0], high[:, 0])
    for i, end in enumerate(ends.tolist()):
        near = slice(i + 1, end)
        meets = (low[near] < high[i]).all(axis=1) & (low[i] < high[near]).all(axis=1)
        if meets.any() and not apart.among(int(places[i]), places[near][meets]).all():
            return True
    return any(_is_below(plane, poses, apart.among(apart.index[plane[1]], places), low, high) for plane in planes)


def _boxes(shapes: Sequence[Placed], poses: Array) -> tuple[Array, Array]:
    """Lowest and highest coordinates of all shapes, shape (n, 3) each [m]."""
    low, high = np.zeros((2, len(shapes), 3))
    for i, (body, _, X_BC, collision) in enumerate(shapes):
        X = (_pose(poses[body]) @ X_BC).matrix()
        middle, half = box_around(collision.shape)
        centre = X[:3, :3] @ middle + X[:3, 3]
        reach = np.abs(X[:3, :3]) @ half
        low[i] = centre - reach
        high[i] = centre + reach
    return low, high


def _pose(numbers: Array) -> Pose:
    x, y, z, *turn = numbers.tolist()
    return Pose((x, y, z), (turn[0], turn[1], turn[2], turn[3]))


def _is_below(plane: Placed, poses: Array, apart: NDArray[np.bool_], low: Array, high: Array) -> bool:
    body, _, X_BC, collision = plane
    X = _pose(poses[body]) @ X_BC
    normal = np.array(X.rotate(collision.shape.normal if isinstance(collision.shape, Plane) else (0.0, 0.0, 1.0)))
    lowest = np.where(normal > 0.0, low, high) @ normal - float(normal @ np.array(X.position))
    return bool((lowest[~apart] < 0.0).any())
