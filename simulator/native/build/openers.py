"""Openers of views in machine code: each member is found where it is read.

An opener returns a named tuple of views of its buffers (`kernels.opener`). As numba has it, a kernel would find all of
them, on every call, and hand each of them to the kernels that it calls: some hundred registers and words of stack.
Here, such a tuple is the buffers, and each member is a function of them, which becomes part of the kernels that read
it.
"""

from __future__ import annotations

import ast
import copy
import inspect
import sys
import textwrap
from collections import namedtuple
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from llvmlite import ir
from numba.core import types
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.cpython import tupleobj
from numba.np import arrayobj

from simulator.native.calls import NUMBERS, OWNERS_AND_SIZES
from simulator.native.image import WORD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_Template: Any = AttributeTemplate
_make_class: Any = namedtuple
_infer: Any = infer_getattr
_lower: Any = lower_getattr_generic
_make_array: Any = arrayobj.make_array
_populate: Any = arrayobj.populate_array
_WORD: Any = ir.IntType(64)
_CODES: dict[Any, str] = {types.float64: "f8", types.int64: "i8", types.boolean: "b1"}


def opened(function: Callable[..., Any], kernel: Callable[[Callable[..., Any]], Any]) -> Any:
    """The kernel of an opener: it returns its buffers. `kernel` makes one of a function, as part of its callers."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    last = tree.body[-1]
    if not (isinstance(last, ast.Return) and isinstance(last.value, ast.Call) and not last.value.args):
        raise TypeError(f"{function.__module__}.{function.__name__} returns no tuple of named views")
    views = function.__globals__[ast.unparse(last.value.func)]
    buffers = [argument.arg for argument in tree.args.args]
    made = _make_class(views.__name__, buffers)
    made.__module__ = function.__module__
    made.__qualname__ = f"{function.__name__}.views"
    views.opened = made
    begin = [statement for statement in tree.body[:-1] if isinstance(statement, ast.Assign)]
    made.members = {
        keyword.arg: kernel(_function(f"{function.__name__}.{keyword.arg}", tree, begin, keyword.value, function))
        for keyword in last.value.keywords
    }
    found = kernel(_returning(function, made, tree, buffers))
    found.views = made
    return found


def _function(
    name: str, like: ast.FunctionDef, begin: list[ast.Assign], value: ast.expr, opener: Callable[..., Any]
) -> Callable[..., Any]:
    """A function of the buffers that returns one member, in a tuple (without its run-time library, numba lets functions
    return no array that they made), after those assignments of the opener that it needs."""
    needed, body = _names(value), list[ast.stmt]()
    for statement in reversed(begin):
        if needed & _names(statement.targets[0]):
            needed |= _names(statement.value)
            body.insert(0, statement)
    return _compiled(name, like, [*body, ast.Return(ast.Tuple([value], ast.Load()))], opener)


def _returning(opener: Callable[..., Any], made: Any, like: ast.FunctionDef, buffers: list[str]) -> Callable[..., Any]:
    """The opener, with the buffers for views."""
    call = ast.parse(f"views_of_{opener.__name__}({', '.join(buffers)})", mode="eval")
    opener.__globals__[f"views_of_{opener.__name__}"] = made
    return _compiled(opener.__name__, like, [ast.Return(call.body)], opener)


def _compiled(name: str, like: ast.FunctionDef, body: list[ast.stmt], opener: Callable[..., Any]) -> Callable[..., Any]:
    tree = copy.deepcopy(like)
    tree.body = body
    tree.decorator_list = []
    tree.returns = None
    for argument in tree.args.args:
        argument.annotation = None
    module = ast.fix_missing_locations(ast.Module([tree], []))
    code = next(one for one in compile(module, "<opener>", "exec").co_consts if isinstance(one, CodeType))
    made = FunctionType(code, opener.__globals__, name)
    made.__qualname__ = name
    return made


def _names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def kernel_of(module: str, name: str) -> Any:
    """A kernel by its module and name, also one that finds a member. Raises AttributeError or KeyError for one that
    does not exist."""
    opener, _, member = name.partition(".")
    found = getattr(sys.modules[module], opener)
    return found.views.members[member] if member else found


def read_members() -> None:
    """From now on, numba in this process knows members of views."""
    assert tupleobj  # what is registered last counts
    _infer(_Members)
    for kind in (types.NamedTuple, types.NamedUniTuple):
        _lower(kind)(_member)


class _Members(_Template):  # type: ignore[misc]
    key = types.BaseNamedTuple

    def generic_resolve(self, views: Any, name: str) -> Any:
        """The type of a member; None for what is none."""
        places = getattr(views.instance_class, "slots_of_members", {})
        if name in places:
            return places[name][1]
        found = _call(self.context, views, name)
        return found and found[1].return_type[0]


def _call(context: Any, views: Any, name: str) -> Any:
    """The function that finds a member, and its signature, as numba has them."""
    member = getattr(views.instance_class, "members", {}).get(name)
    if member is None:
        return None
    function = context.resolve_value_type(member)
    return function, function.get_call_type(context, tuple(views), {})


def _member(context: Any, builder: Any, views: Any, value: Any, name: str) -> Any:
    """Machine code for a member, or for one of a tuple that no opener made."""
    places = getattr(views.instance_class, "slots_of_members", {})
    if name in places:
        return _at_address(context, builder, builder.extract_value(value, 0), *places[name])
    if name in views.fields:
        return builder.extract_value(value, views.fields.index(name))
    call = context.get_function(*_call(context.typing_context, views, name))
    context.add_linking_libs(getattr(call, "libs", ()))
    return builder.extract_value(call(builder, [*_parts(builder, value, len(views))]), 0)


def _at_address(context: Any, builder: Any, address: Any, slot: int, kind: Any) -> Any:
    """A member of a tuple that is handed on by its address, see `kernels.by_address`. What is in the table of a call
    does not change while it runs: LLVM need not read it again after something was stored."""

    def read(place: int, of: Any) -> Any:
        where = builder.add(address, ir.Constant(_WORD, WORD * (slot + place)))
        found = builder.load(builder.inttoptr(where, of.as_pointer()))
        found.set_metadata("invariant.load", builder.module.add_metadata([]))
        return found

    if isinstance(kind, types.BaseNamedTuple):
        return context.make_tuple(builder, kind, [builder.add(address, ir.Constant(_WORD, WORD * slot))])
    if not isinstance(kind, types.Array):
        found = read(0, context.get_data_type(kind) if kind != types.boolean else _WORD)
        return found if kind != types.boolean else builder.trunc(found, ir.IntType(1))
    array = _make_array(kind)(context, builder)
    extents = [read(OWNERS_AND_SIZES + k, _WORD) for k in range(kind.ndim)]
    size = context.get_constant(types.intp, NUMBERS[_CODES[kind.dtype]].itemsize)
    strides = [size]
    for extent in reversed(extents[1:]):
        strides.insert(0, builder.mul(strides[0], extent))
    _populate(array, read(4, array.data.type), extents, strides, size, None)
    return array._getvalue()


def _parts(builder: Any, value: Any, count: int) -> Iterator[Any]:
    for index in range(count):
        yield builder.extract_value(value, index)
