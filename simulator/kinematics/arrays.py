"""Types of the arrays that kernels take, as a kernel sees them: an entry is a number, a part is an array again.

NumPy's own annotations say `Any` for an entry. A kernel never asks for more than what these protocols offer, and every
ndarray of the kind has it, so callers pass theirs as they are. Only for annotations: nothing here exists when a kernel
is compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias, overload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Index: TypeAlias = "int | tuple[int, ...]"
Vector: TypeAlias = "tuple[float, float, float]"
Pair: TypeAlias = "tuple[float, float]"
Spatial: TypeAlias = "tuple[float, float, float, float, float, float]"
"""A twist (angular, linear) or a wrench (moment, force)."""
Rotation: TypeAlias = "tuple[float, float, float, float, float, float, float, float, float]"
"""A matrix, row by row."""


class Floats(Protocol):
    """An array of float64, of one dimension or more."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Entries along each dimension."""

    def __len__(self) -> int: ...

    @overload
    def __getitem__(self, index: Index, /) -> float: ...
    @overload
    def __getitem__(self, index: slice | tuple[int, slice], /) -> Floats: ...

    def __setitem__(self, index: Index, value: float, /) -> None: ...


class Ints(Protocol):
    """An array of int64, of one dimension or more."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Entries along each dimension."""

    def __len__(self) -> int: ...

    @overload
    def __getitem__(self, index: Index, /) -> int: ...
    @overload
    def __getitem__(self, index: slice, /) -> Ints: ...

    def __setitem__(self, index: Index, value: int, /) -> None: ...


Floats2: TypeAlias = Floats
Floats3: TypeAlias = Floats
Ints2: TypeAlias = Ints
"""Those of two or three dimensions, where Python hands them to a kernel: an entry of the library is made for one number
of dimensions of each array."""

Array2: TypeAlias = "NDArray[np.float64]"
Array3: TypeAlias = "NDArray[np.float64]"
IntArray: TypeAlias = "NDArray[np.int64]"
IntArray2: TypeAlias = "NDArray[np.int64]"
BoolArray: TypeAlias = "NDArray[np.bool_]"
BoolArray2: TypeAlias = "NDArray[np.bool_]"
"""Arrays as Python sees them, in named tuples that both use; of one dimension, or as many as the name says."""

Table: TypeAlias = "tuple[Ints2, Floats2]"
"""Lines of axes, (RI, RF), or contact points, (CI, CF): see `layout.row_layout`."""
