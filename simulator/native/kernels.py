"""Kernels: functions of numbers and arrays that exist as Python and, where a library is there, as machine code.

`compiled` marks a function that other kernels call. `entry` marks one that Python calls: its annotations state the
types and dimensions of its arguments, and the library of its part has a symbol for it. Without a library, a call runs
the function as it is written. `opener` marks one that gives parts of buffers names, and `view` is an array within
another one; both cost nothing in machine code. Where an entry takes named views, Python passes the buffers that they
are opened from, each once, and other kernels pass the views.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar, cast

from simulator.native.ready import needed

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.native.calls import Call
    from simulator.native.library import Library

    Function = TypeVar("Function", bound=Callable[..., Any])
    Result = TypeVar("Result")
    Kind = TypeVar("Kind", bound=type)

_OPENERS: dict[str, Any] = {}
"""Openers by the names of the tuples that they return."""


def compiled(function: Function) -> Function:
    """A function that is machine code inside of the entries that call it, and Python wherever else it is called."""
    return function


def opener(function: Function) -> Function:
    """A function of buffers that returns a named tuple of views of them, by keywords, after assignments of what they
    need. In machine code each view is found where it is read: opening costs nothing, and a number among the members is
    what the buffer holds then."""
    _OPENERS[function.__annotations__["return"]] = function
    return function


def by_address(tuples: Kind) -> Kind:
    """Mark a named tuple that entries take: machine code hands on the address of its slots in the table of a call (see
    `calls`), and finds a member where it is read. A tuple that is not marked is handed on as all that is in its slots,
    hundreds of words of stack for the tables of what touches. Its members are arrays, numbers and marked tuples."""
    marked: Any = tuples
    marked.is_by_address = True
    return tuples


def view(buffer: Any, first: int, shape: tuple[int, ...]) -> Any:
    """The entries of a flat array from `first` on as an array of that shape, without a copy."""
    return buffer[first : first + math.prod(shape)].reshape(shape)


def entry(part: str, *, long: bool = False) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """A function that Python calls; `part` names the library that it belongs to, see `library.PARTS`.

    `long`: its work grows with steps, states or what touches, so that it releases the interpreter lock. Others keep it:
    a thread that released it for a microsecond would wait for as long as another one likes to keep it, five
    milliseconds (`sys.getswitchinterval`).
    """

    def decorate(function: Callable[..., Result]) -> Callable[..., Result]:
        return Kernel(function, part, long=long)

    return decorate


class Kernel:
    """An entry: its machine code where the library of its part is there, else Python.

    Calls from several threads at once are safe: each takes a table of arguments of its own.
    """

    def __init__(self, function: Callable[..., Any], part: str, *, long: bool = False) -> None:
        self.function = function
        self.part = part
        self.long = long
        self.__name__ = function.__name__
        self.__qualname__ = function.__qualname__
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self.__wrapped__ = function
        self._free: list[Call] = []

    def __call__(self, *values: Any) -> Any:
        """Call it. Raises TypeError for arguments of other types or dimensions, and IndexError where a library with
        bounds checks finds an index beyond its array."""
        library = needed(self.part)
        if library is None:
            return self.in_python(*values)
        call = self.borrow(library)
        try:
            return call(*values)
        finally:
            self.give_back(call)

    def in_python(self, *values: Any) -> Any:
        """Call the function as it is written, with views of the buffers."""
        openers = self._openers()
        first = next((place for place, opener in enumerate(openers) if opener), len(values))
        if not any(openers) or isinstance(values[first], tuple):  # views, from another kernel
            return self.function(*values)
        left, arguments, buffers = [*values], list[Any](), dict[str, Any]()
        for opener in openers:
            if opener is None:
                arguments += left[:1]
                del left[:1]
                continue
            buffers |= {name: left.pop(0) for name in _parameters(opener) if name not in buffers}
            arguments.append(opener(*(buffers[name] for name in _parameters(opener))))
        return self.function(*arguments, *left)

    @property
    def parameters(self) -> list[str]:
        """Names of what Python passes."""
        names = zip(_parameters(self.function), self._openers(), strict=True)
        return [*dict.fromkeys(one for name, opener in names for one in (_parameters(opener) if opener else (name,)))]

    def _openers(self) -> list[Any]:
        """The opener of each argument that is views."""
        given = self.function.__annotations__
        return [_OPENERS.get(str(given.get(name))) for name in _parameters(self.function)]

    def borrow(self, library: Library) -> Call:
        """A table of arguments that is not in use."""
        try:
            return self._free.pop()
        except IndexError:
            return library.call(self.__name__, long=self.long)

    def give_back(self, call: Call) -> None:
        """Lend it to others."""
        self._free.append(call)


def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    return function.__code__.co_varnames[: function.__code__.co_argcount]


class Repeated:
    """A kernel for one owner that calls it again and again, never from two threads at once, with much the same objects:
    what is the same as in the call before is not looked at again."""

    def __init__(self, kernel: Callable[..., Any]) -> None:
        self._kernel = cast("Kernel", kernel)
        self._call: Call | None = None

    def for_another(self) -> Repeated:
        """The same kernel for another owner, who may call it from another thread."""
        return Repeated(self._kernel)

    def __call__(self, *values: Any) -> Any:
        """Call it, as `Kernel`."""
        if self._call is None:
            library = needed(self._kernel.part)
            if library is None:
                return self._kernel.in_python(*values)
            self._call = self._kernel.borrow(library)
        return self._call(*values)

    def __del__(self) -> None:
        # Making a table takes as long as a hundred steps of a four-bar.
        if self._call is not None:
            self._kernel.give_back(self._call)
