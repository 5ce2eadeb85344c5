"""Calls of one kernel again and again, with much the same values.

numba looks at the type of every array that a kernel is given, each time, to find the code that was compiled for these
types. Of the hundred arrays that a block of steps takes this lasts six times as long as handing them over. Most of
them are the very objects of the call before, whose types cannot have changed; of others three properties say it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numba
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable


class Repeated:
    """A kernel that returns nothing; what it was given last is kept."""

    def __init__(self, kernel: Callable[..., None]) -> None:
        self.kernel = kernel
        self._last: tuple[Any, ...] = ()
        self._code: Callable[..., None] = kernel

    def __call__(self, *values: Any) -> None:
        """Call the kernel."""
        if have_same_types(values, self._last):
            self._code(*values)
        else:
            self.kernel(*values)
            self._code = _code_for(self.kernel, values)
        self._last = values


def have_same_types(one: Any, other: Any) -> bool:
    """Whether numba compiles the same code for both, as far as that is seen at once: of numbers of Python's, writable
    arrays without gaps, and tuples of these; of all else only if it is the same object."""
    if one is other:
        return True
    kind = type(one)
    if kind is not type(other):
        return False
    if kind is np.ndarray:
        return bool(one.dtype == other.dtype and one.ndim == other.ndim and one.flags.carray and other.flags.carray)
    if issubclass(kind, tuple):
        for a, b in zip(one, other, strict=False):
            if a is not b and not have_same_types(a, b):
                return False
        return len(one) == len(other)
    return kind is int or kind is float


def _code_for(kernel: Any, values: tuple[Any, ...]) -> Callable[..., None]:
    """What numba has compiled for values of these types; of what is plain Python, itself."""
    compiled = getattr(kernel, "overloads", None)
    code: Callable[..., None] = compiled[tuple(map(numba.typeof, values))].entry_point if compiled else kernel
    return code
