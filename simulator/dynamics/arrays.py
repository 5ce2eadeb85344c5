"""Types of the arrays that kernels take, as a kernel sees them: an entry is a number, a part is an array again.

NumPy's own annotations say `Any` for an entry. A kernel never asks for more than what these protocols offer, and every
ndarray of the kind has it, so callers pass theirs as they are. Only for annotations: nothing here exists when a kernel
is compiled.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias, overload

Index: TypeAlias = "int | tuple[int, ...]"
Vector: TypeAlias = "tuple[float, float, float]"
Pair: TypeAlias = "tuple[float, float]"


class Floats(Protocol):
    """An array of float64, of one dimension or more."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Entries along each dimension."""

    def __len__(self) -> int: ...

    @overload
    def __getitem__(self, index: Index, /) -> float: ...
    @overload
    def __getitem__(self, index: slice, /) -> Floats: ...

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


Table: TypeAlias = "tuple[Ints, Floats]"
"""Lines of axes, (RI, RF), or contact points, (CI, CF): see `compiled.bounded_layout`. A plain tuple, for numba takes
one from Python ten times as fast as a named one."""
Buffers: TypeAlias = "tuple[Floats, Ints, Floats, Ints]"
"""Those of a mechanism, F and N, and of its bounded rows, B and C."""
