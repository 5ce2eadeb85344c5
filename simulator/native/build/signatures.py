"""Types of the arguments of entries, read from their annotations."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections import namedtuple
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from numba import types

from simulator.native.calls import slots_of
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import ModuleType

    from simulator.native.calls import Described

_NUMBERS = {"float": "f8", "int": "i8", "bool": "b1"}
_ARRAYS = {
    f"{name}{dimensions if dimensions > 1 else ''}": f"{number}:{dimensions}"
    for names, number in ((("Floats", "Array"), "f8"), (("Ints", "IntArray"), "i8"), (("BoolArray",), "b1"))
    for name in names
    for dimensions in range(1, 5)
}
_BUFFERS = {"F": "f8:1", "N": "i8:1", "B": "f8:1", "C": "i8:1"}
_tuple_type: Any = types.BaseTuple.from_types
_make_class: Any = namedtuple
_NUMBA = {"f8": types.float64, "i8": types.int64, "b1": types.boolean}


@dataclass(frozen=True)
class Members:
    """A tuple: the class of a named one, and the types of its members; whether it is handed on by its address, and
    whether it is the buffers of views."""

    named: type | None
    members: tuple[Type, ...]
    is_by_address: bool = False
    is_opened: bool = False


Type: TypeAlias = "str | Members"


@dataclass(frozen=True)
class Signature:
    """Types of what an entry takes, and what it returns: a number, or nothing."""

    arguments: tuple[Type, ...]
    returns: str

    @property
    def described(self) -> dict[str, Any]:
        """As the library says it: what Python passes, each buffer of views once."""
        passed = dict(_by_name(self.arguments)).values()
        return {"arguments": [described(one) for one in passed], "returns": self.returns}

    @property
    def for_numba(self) -> tuple[types.Type, ...]:
        """Types of the arguments as numba has them."""
        return for_numba(self.arguments)


@dataclass(frozen=True)
class Entry:
    """A kernel that Python calls: its name in the library, and the symbol of what numba made of it."""

    name: str
    symbol: str
    signature: Signature


def for_numba(arguments: tuple[Type, ...]) -> tuple[types.Type, ...]:
    """Types as numba has them."""
    return tuple(map(_for_numba, arguments))


def described(one: Type) -> Described:
    """As a call has it."""
    return one if isinstance(one, str) else [described(member) for member in one.members]


def _for_numba(one: Type) -> types.Type:
    if isinstance(one, Members) and one.is_by_address:
        return _addressed(one)
    if isinstance(one, Members):
        made: types.Type = _tuple_type(tuple(map(_for_numba, one.members)), one.named)
        return made
    number, _, dimensions = one.partition(":")
    return types.Array(_NUMBA[number], int(dimensions), "C") if dimensions else _NUMBA[number]


def _addressed(one: Members) -> types.Type:
    """The type of an address; its class knows at which slot each member begins, and of which type it is."""
    named: Any = one.named
    if "addressed" not in vars(named):
        made = _make_class(named.__name__, ["address"])
        made.__module__, made.__qualname__ = named.__module__, f"{named.__qualname__}.addressed"
        firsts = accumulate((slots_of(described(member)) for member in one.members), initial=0)
        kinds = map(_for_numba, one.members)
        made.slots_of_members = dict(zip(named._fields, zip(firsts, kinds, strict=False), strict=True))
        named.addressed = made
    kind: types.Type = _tuple_type((types.int64,), named.addressed)
    return kind


def slots_of_function(arguments: Iterable[Type]) -> Iterator[tuple[int, bool]]:
    """The slot that each argument of numba's function is in, and whether it is the address of the slot."""
    first = 1
    firsts = dict[str, int]()
    for name, one in _by_name(arguments):
        if name not in firsts:
            firsts[name] = first
            first += slots_of(described(one))
        yield from _slots_in(one, firsts[name])


def _by_name(arguments: Iterable[Type]) -> Iterator[tuple[str, Type]]:
    """Arguments with the buffers of views in place of these; what is passed once has one name."""
    for place, one in enumerate(arguments):
        if isinstance(one, Members) and one.is_opened:
            yield from zip(_fields(one), one.members, strict=True)
        else:
            yield str(place), one


def _fields(one: Members) -> tuple[str, ...]:
    named: Any = one.named
    fields: tuple[str, ...] = named._fields
    return fields


def _slots_in(one: Type, first: int) -> Iterator[tuple[int, bool]]:
    if isinstance(one, Members) and one.is_by_address:
        yield first, True
    elif isinstance(one, Members):
        for member in one.members:
            yield from _slots_in(member, first)
            first += slots_of(described(member))
    else:
        for k in range(slots_of(one)):
            yield first + k, False


def signature_of(function: Callable[..., Any]) -> Signature:
    """Types of an entry's arguments, and what it returns. Raises TypeError for an annotation that says no type."""
    returns = inspect.get_annotations(function)["return"]
    if returns != "None" and returns not in _NUMBERS:
        raise TypeError(f"{function.__module__}.{function.__name__}: an entry returns a number or nothing")
    return Signature(arguments_of(function), "" if returns == "None" else _NUMBERS[returns])


def arguments_of(function: Callable[..., Any]) -> tuple[Type, ...]:
    """Types of a function's arguments. Raises TypeError for an annotation that says no type."""
    module = importlib.import_module(function.__module__)
    where = f"{function.__module__}.{function.__name__}"
    annotations = {name: text for name, text in inspect.get_annotations(function).items() if name != "return"}
    return tuple(_type(text, module, f"{where}, {name}") for name, text in annotations.items())


def _type(text: str, module: ModuleType, where: str) -> Type:
    """What an annotation says in a module."""
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _type(node.value, module, where)
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "tuple":
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return Members(None, tuple(_type(ast.unparse(one), module, where) for one in inner))
    if not isinstance(node, ast.Name):
        raise TypeError(f"{where}: {text} is no type that a kernel takes")
    known = _NUMBERS.get(node.id) or _ARRAYS.get(node.id)
    return known or _named(node.id, module, where)


def _named(name: str, module: ModuleType, where: str) -> Type:
    """A named tuple, or an alias, of a module or of one that it imports it from for its annotations."""
    found = getattr(module, name, None)
    if isinstance(found, type) and issubclass(found, tuple):
        if opened := vars(found).get("opened"):
            return Members(opened, tuple(_BUFFERS[buffer] for buffer in opened._fields), is_opened=True)
        home = importlib.import_module(found.__module__)
        fields = inspect.get_annotations(found).items()
        members = tuple(_type(text.__forward_arg__, home, f"{where}.{field}") for field, text in fields)
        return Members(found, members, "is_by_address" in vars(found))
    aliases, imported = _for_annotations(module.__name__)
    if name in aliases:
        return _type(aliases[name], module, where)
    if name in imported:
        return _named(name, importlib.import_module(imported[name]), where)
    raise TypeError(f"{where}: {name} is no type that a kernel takes")


@cache
def _for_annotations(module: str) -> tuple[dict[str, str], dict[str, str]]:
    """Aliases of types that a module has, and which names it imports from which module, for type checkers or not."""
    source = inspect.getsourcefile(importlib.import_module(module))
    aliases, imported = dict[str, str](), dict[str, str]()
    for node in ast.walk(ast.parse(Path(str(source)).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            imported.update({alias.asname or alias.name: node.module for alias in node.names})
        elif isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias" and node.value is not None:
            aliases[ast.unparse(node.target)] = ast.unparse(node.value)
    return aliases, imported
