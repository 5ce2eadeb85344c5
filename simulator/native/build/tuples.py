"""Named tuples in machine code: an address of their members.

numba hands over a tuple member by member. One of twenty views is then a hundred and fifty registers and words of stack
in each call of a kernel, and as many copies where a kernel only hands it on. Here it is one address, of a struct on the
stack of the kernel that made it, or of the table of slots of an entry (see `native.calls`). Tuples cannot be written,
so LLVM may read a member wherever it is needed, and never reads those that are not.

The struct has the layout of an entry's slots: members of 8 bytes, those of inner named tuples in place.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.callconv import CPUCallConv
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.imputils import lower_builtin, lower_getattr_generic
from numba.cpython import tupleobj

_Model: Any = models.DataModel
_decorate: Any = CPUCallConv.decorate_function
_WORD: Any = ir.IntType(64)


class Address(_Model):  # type: ignore[misc]
    """How a named tuple is represented: by its address, but where a function returns it, by what is there."""

    def __init__(self, registry: Any, kind: Any) -> None:
        super().__init__(registry, kind)
        self.members: list[Any] = [registry.lookup(member) for member in kind]
        self.struct: Any = ir.LiteralStructType([_stored(member) for member in self.members])

    def get_value_type(self) -> Any:
        """The type of the address."""
        return self.struct.as_pointer()

    def get_data_type(self) -> Any:
        """The type of what is there."""
        return self.struct

    def get_return_type(self) -> Any:
        """The type of what is there: the memory of a function does not outlive it."""
        return self.struct

    def as_argument(self, _: Any, value: Any) -> Any:
        """The address."""
        return value

    def from_argument(self, _: Any, value: Any) -> Any:
        """The address."""
        return value

    def as_data(self, builder: Any, value: Any) -> Any:
        """What is at an address."""
        return builder.load(value)

    def from_data(self, builder: Any, value: Any) -> Any:
        """An address at which that is."""
        place = self.room(builder)
        builder.store(value, place)
        return place

    as_return, from_return = as_data, from_data

    def load_from_data_pointer(self, _: Any, pointer: Any, __: Any = None) -> Any:
        """The address itself."""
        return pointer

    def room(self, builder: Any) -> Any:
        """Memory of the function that is being made."""
        with builder.goto_entry_block():
            return builder.alloca(self.struct)

    def get(self, builder: Any, address: Any, index: int) -> Any:
        """A member."""
        place = cgutils.gep_inbounds(builder, address, 0, index)
        member = self.members[index]
        if isinstance(member, models.BooleanModel):
            return builder.trunc(builder.load(place), member.get_value_type())
        return member.load_from_data_pointer(builder, place)

    def set(self, builder: Any, address: Any, index: int, value: Any) -> None:
        """Write a member: word by word, so that LLVM sees which are used."""
        place = cgutils.gep_inbounds(builder, address, 0, index)
        member = self.members[index]
        if isinstance(member, Address):
            for inner in range(len(member.members)):
                member.set(builder, place, inner, member.get(builder, value, inner))
        elif isinstance(member, models.BooleanModel):
            builder.store(builder.zext(value, _WORD), place)
        elif isinstance(member, models.StructModel):
            for part, word in enumerate(cgutils.unpack_tuple(builder, member.as_data(builder, value))):
                builder.store(word, cgutils.gep_inbounds(builder, place, 0, part))
        else:
            builder.store(member.as_data(builder, value), place)


def _stored(member: Any) -> Any:
    return _WORD if isinstance(member, models.BooleanModel) else member.get_data_type()


def is_address(kind: Any) -> bool:
    """Whether the type of an argument is that of a named tuple."""
    return isinstance(kind, ir.PointerType) and isinstance(kind.pointee, ir.LiteralStructType)


def pass_tuples_by_address() -> None:
    """From now on, in this process."""
    assert tupleobj  # what is registered last counts
    for kind in (types.NamedTuple, types.NamedUniTuple):
        register_default(kind)(Address)
        lower_getattr_generic(kind)(_attribute)
        lower_builtin("static_getitem", kind, types.IntegerLiteral)(_item)
    lower_builtin(types.NamedTupleClass, types.VarArg(types.Any))(_made)
    CPUCallConv.decorate_function = _decorated


def _attribute(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    return context.data_model_manager[kind].get(builder, value, kind.fields.index(name))


def _item(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind = signature.args[0]
    value, index = arguments
    return context.data_model_manager[kind].get(builder, value, index % len(kind))


def _made(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind = signature.return_type
    model = context.data_model_manager[kind]
    place = model.room(builder)
    for index, (value, given, wanted) in enumerate(zip(arguments, signature.args, kind, strict=True)):
        model.set(builder, place, index, context.cast(builder, value, given, wanted))
    return place


def _decorated(self: Any, function: Any, names: Any, kinds: Any, noalias: bool = False) -> None:  # noqa: FBT001, FBT002
    """Say what LLVM cannot see of a kernel that is not in the same unit."""
    _decorate(self, function, names, kinds, noalias)
    for argument in self.get_arguments(function):
        if is_address(argument.type):
            argument.add_attribute("noalias")
            argument.add_attribute("captures(none)")
