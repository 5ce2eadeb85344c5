"""The order in which a painter lays convex boxes over each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.rendering.camera import Camera

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_COMPARED = 250
"""With more boxes than this only their distances are compared: the pairs would take too long for a moving picture."""

_CORNERS = np.array([[x, y, z, 1.0] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


def painting_order(boxes: NDArray[np.float64], camera: Camera) -> list[int]:
    """Numbers of the boxes, what is to be painted first in front.

    `boxes` (n, 4, 4) map the cube of edge 1 around the origin to the world. Of two boxes that overlap in the picture,
    where one lies wholly beyond a face of the other, the eye's side of that face decides; where no face does, or where
    the rules run in a circle, the distance of the middle does.
    """
    eye = camera.eye
    distance = np.linalg.norm(boxes[:, :3, 3] - eye, axis=1)
    by_distance = [int(i) for i in np.argsort(-distance, kind="stable")]
    if len(boxes) > MOST_COMPARED or len(boxes) < 2:
        return by_distance
    before = _painted_before(boxes, eye) & _overlapping(boxes, camera)
    order: list[int] = []
    waiting = by_distance
    while waiting:
        left = np.array(waiting)
        place = int(np.argmin(before[np.ix_(left, left)].sum(axis=0)))
        order.append(waiting.pop(place))
    return order


def _overlapping(boxes: NDArray[np.float64], camera: Camera) -> NDArray[np.bool_]:
    """Which pairs of boxes have overlapping rectangles in the picture, shape (n, n); those not before the eye overlap
    all."""
    corners = (boxes @ _CORNERS.T)[:, :3, :].transpose(0, 2, 1)
    seen = camera.project(corners.reshape(-1, 3), 1.0)[:, :2].reshape(len(boxes), 8, 2)
    lower = np.nan_to_num(seen, nan=-np.inf).min(axis=1)
    upper = np.nan_to_num(seen, nan=np.inf).max(axis=1)
    return np.asarray(((lower[:, None] < upper[None]) & (lower[None] < upper[:, None])).all(axis=2))


def _painted_before(boxes: NDArray[np.float64], eye: NDArray[np.float64]) -> NDArray[np.bool_]:
    """[i, j] is true where box i must be painted before box j, shape (n, n)."""
    inverse = np.linalg.inv(boxes)
    local_eye = (inverse @ np.append(eye, 1.0))[:, :3]
    corners = boxes @ _CORNERS.T
    local = np.einsum("bij,ajc->abic", inverse[:, :3, :], corners)
    slack = 1e-3
    above = (local > 0.5 - slack).all(axis=3)  # box a wholly beyond the upper face of box b along each of its axes
    below = (local < -0.5 + slack).all(axis=3)
    eye_above = local_eye > 0.5
    eye_below = local_eye < -0.5
    nearer = ((above & eye_above) | (below & eye_below)).any(axis=2)
    farther = ((above & ~eye_above) | (below & ~eye_below)).any(axis=2)
    first = (farther & ~nearer) | (nearer & ~farther).T
    return np.asarray(first & ~first.T)
