"""Numbers with names: vectors and matrices that are indexed by name or by place, and act as plain arrays everywhere
else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from simulator.diagnostics import counted
from simulator.errors import UnknownNameError, UsageError, place_of
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import DTypeLike, NDArray

    from simulator.spatial.arrays import Array


WIDEST = 12
"""Columns that `repr` shows; of a wider matrix it says how many there are more."""
TALLEST, ENDS = 60, 10
"""Rows that `repr` shows; of a taller matrix, so many of the first and of the last."""


def column_of(names: Sequence[str], name: str, kind: str, short: Sequence[str] = ("joint",)) -> int:
    """Index of the column `name` among `names`, `group/model::item/quantity`: the model may be omitted, and the group
    if it is one of `short`, if only one column matches.

    Raises UnknownNameError, which lists what exists, or UsageError if several match.
    """
    for whole in (name, f"joint/{name}"):
        if whole in names:
            return names.index(whole)
    groups = {known.partition("/")[0] for known in names}
    head, _, rest = name.partition("/")
    wanted = ((head, rest),) if rest and head in groups else tuple((group, name) for group in short)
    found = [
        i
        for i, known in enumerate(names)
        for group, item in wanted
        if known.startswith(f"{group}/") and known.endswith(f"::{item}")
    ]
    if len(found) > 1:
        raise UsageError(f"'{name}' is ambiguous: {', '.join(names[i] for i in found)}")
    if not found:
        inside = [known for known in names if f"/{known}".rpartition("/")[0].endswith((f"/{name}", f"::{name}"))]
        if inside:
            raise UsageError(f"'{name}' has several {kind}s: {', '.join(inside)}")
        raise UnknownNameError(kind, name, names)
    return found[0]


class _Named(NDArrayOperatorsMixin):
    """Common base of vectors and matrices: arithmetic and numpy's functions give plain arrays."""

    array: Array

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        if copy is False and dtype not in (None, self.array.dtype):
            raise ValueError("another type of numbers needs a copy")
        return np.array(self.array, dtype=dtype, copy=True) if copy else np.asarray(self.array, dtype=dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **options: object) -> object:
        plain = [item.array if isinstance(item, _Named) else item for item in inputs]
        return getattr(ufunc, method)(*plain, **options)

    def __len__(self) -> int:
        return len(self.array)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self.array.shape

    @property
    def ndim(self) -> int:
        """1 for a vector, 2 for a matrix."""
        return self.array.ndim


@dataclass(frozen=True, eq=False, repr=False)
class NamedVector(_Named):
    """Numbers, shape (len(names),), each with a name: `v["crank_joint"]`, `v[0]`, `v.array`, `dict(v)`."""

    names: tuple[str, ...]
    array: Array

    @overload
    def __getitem__(self, key: str | int) -> float: ...
    @overload
    def __getitem__(self, key: slice | Sequence[int] | NDArray[np.bool_ | np.int64]) -> Array: ...
    def __getitem__(self, key: str | int | slice | Sequence[int] | NDArray[np.bool_ | np.int64]) -> float | Array:
        """By name a float, by place or slice what the array gives. Raises UnknownNameError for a name that does not
        exist."""
        if isinstance(key, str):
            return float(self.array[place_of(self.names, key, "entry")])
        found: float | Array = self.array[key]
        return found

    def __iter__(self) -> Iterator[float]:
        return iter(self.array)

    def keys(self) -> tuple[str, ...]:
        """As `names`: with it `dict(v)` works."""
        return self.names

    def items(self) -> Iterator[tuple[str, float]]:
        """(name, value) pairs in order."""
        return zip(self.names, self.array.tolist(), strict=True)

    def __repr__(self) -> str:
        widest = max(map(len, self.names), default=0)
        return "\n".join(f"{name:<{widest}}  {value: .6g}" for name, value in self.items()) or "(no entries)"


@dataclass(frozen=True, eq=False, repr=False)
class NamedMatrix(_Named):
    """Numbers, shape (len(rows), len(columns)), with a name for every row and column: `m["row", "column"]`, `m["row"]`,
    `m.array`."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    array: Array

    @overload
    def __getitem__(self, key: str) -> NamedVector: ...
    @overload
    def __getitem__(self, key: tuple[str | int, str | int]) -> float: ...
    @overload
    def __getitem__(self, key: object) -> Any: ...
    def __getitem__(self, key: Any) -> object:
        """By two names a float, by one a `NamedVector`, `m[:, "column"]` likewise; by places and slices what the array
        gives.

        Raises UnknownNameError for a name that does not exist.
        """
        row, column = key if isinstance(key, tuple) and len(key) == 2 else (key, slice(None))
        if not isinstance(row, str) and not isinstance(column, str):
            return self.array[key]
        if isinstance(row, str):
            row = place_of(self.rows, row, "row")
        if isinstance(column, str):
            column = place_of(self.columns, column, "column")
        found = self.array[row, column]
        if found.ndim == 0:
            return float(found)
        whole_row = isinstance(column, slice) and column == slice(None)
        whole_column = isinstance(row, slice) and row == slice(None)
        if whole_row or whole_column:
            return NamedVector(self.columns if whole_row else self.rows, found)
        return found

    def __iter__(self) -> Iterator[Array]:
        return iter(self.array)

    def __repr__(self) -> str:
        shown = self.columns[:WIDEST]
        count = len(self.rows)
        hidden = count - 2 * ENDS if count > TALLEST else 0
        places = [*range(ENDS), *range(count - ENDS, count)] if hidden else list(range(count))
        cells = [[f"{value: .6g}" for value in row] for row in self.array[places, :WIDEST].tolist()]
        widths = [max([len(name), *(len(row[i]) for row in cells)]) for i, name in enumerate(shown)]
        left = max(map(len, self.rows), default=0)
        lines = [" " * left + "".join(f"  {name:>{width}}" for name, width in zip(shown, widths, strict=True))]
        lines += [
            f"{name:<{left}}" + "".join(f"  {cell:>{width}}" for cell, width in zip(row, widths, strict=True))
            for name, row in zip((self.rows[place] for place in places), cells, strict=True)
        ]
        if hidden:
            lines.insert(1 + ENDS, f"… {counted(hidden, 'more row')} …")
        if len(self.columns) > WIDEST:
            lines.append(f"… and {counted(len(self.columns) - WIDEST, 'more column')}")
        return "\n".join(lines)
