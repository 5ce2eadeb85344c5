"""Arrays of rigid motions and their derivatives by time, complex ones too: nothing is conjugated and nothing branches.

All may have dimensions before those that are given, which are broadcast against each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numeric = NDArray[Any]
    Jet = tuple[Numeric, Numeric, Numeric]
    """A matrix (4, 4) with its first and second derivative by time."""


def times(jet: Jet, constant: Numeric) -> Jet:
    """A jet times a matrix that does not move."""
    X, dX, ddX = jet
    return X @ constant, dX @ constant, ddX @ constant


def leibniz(a: Jet, b: Jet) -> Jet:
    """Leibniz' rule."""
    return a[0] @ b[0], a[1] @ b[0] + a[0] @ b[1], a[2] @ b[0] + 2.0 * (a[1] @ b[1]) + a[0] @ b[2]


def generator(turn: Numeric | None, slide: Numeric | None) -> Numeric:
    """[ω] and v of a twist as a matrix (4, 4)."""
    given = turn if turn is not None else slide
    assert given is not None, "a twist turns or slides"
    result = np.zeros((*given.shape[:-1], 4, 4), dtype=given.dtype)
    if turn is not None:
        x = turn[..., 0]
        y = turn[..., 1]
        z = turn[..., 2]
        result[..., 0, 1] = -z
        result[..., 0, 2] = y
        result[..., 1, 2] = -x
        result[..., 1, 0] = z
        result[..., 2, 0] = -y
        result[..., 2, 1] = x
    if slide is not None:
        result[..., :3, 3] = slide
    return result


def inverse(X: Numeric) -> Numeric:
    """X⁻¹ = [Rᵀ, -Rᵀ p]."""
    back = np.swapaxes(X[..., :3, :3], -1, -2)
    result = np.zeros_like(X)
    result[..., :3, :3] = back
    result[..., 3, 3] = 1.0
    result[..., :3, 3] = -(back @ X[..., :3, 3:])[..., 0]
    return result


def rotation_part(X: Numeric) -> Numeric:
    """R of X as a matrix (4, 4) of a linear map."""
    result = np.zeros_like(X)
    result[..., :3, :3] = X[..., :3, :3]
    return result


def place_part(X: Numeric) -> Numeric:
    """The last column of X as a matrix (4, 4)."""
    result = np.zeros_like(X)
    result[..., :, 3] = X[..., :, 3]
    return result


def applied(X: Numeric, vector: Numeric) -> Numeric:
    """R v."""
    return np.asarray((X[..., :3, :3] @ vector[..., None])[..., 0])


def wrench_of(moments: Numeric) -> Numeric:
    """∫ x fᵀ, shape (4, 3 or 4), as moment about the world's origin and force, shape (6,)."""
    M = moments
    turn = [M[..., i, j] - M[..., j, i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return np.stack([*turn, *(M[..., 3, k] for k in range(3))], axis=-1)


def twist_of(along: Numeric, through: Numeric | None) -> Numeric:
    """A turn about, or without `through` a slide along, a direction."""
    return beside(np.zeros(3), along) if through is None else beside(along, cross(through, along))


def beside(first: Numeric, second: Numeric) -> Numeric:
    """Two vectors as one of six."""
    return np.concatenate(np.broadcast_arrays(first, second), axis=-1)


def cross(a: Numeric, b: Numeric) -> Numeric:
    """a x b."""
    parts = [a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return np.stack(parts, axis=-1)


def dot(a: Numeric, b: Numeric) -> Numeric:
    """a · b, nothing conjugated."""
    return np.asarray(np.sum(a * b, axis=-1))


def stacked(parts: list[Numeric], like: Numeric) -> Numeric:
    """One entry after the other along a last dimension; of none, an empty one."""
    return np.stack(np.broadcast_arrays(*parts), axis=-1) if parts else np.zeros((*like.shape[:-1], 0))


def joined(parts: tuple[Numeric, ...]) -> Numeric:
    """Parts of different lengths along their last dimension."""
    before = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    return np.concatenate([np.broadcast_to(part, (*before, part.shape[-1])) for part in parts], axis=-1)
