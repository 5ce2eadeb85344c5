"""What numba does not say to LLVM: entries of arrays of numbers and of integers are never in the same place.

Without that, LLVM reads a size or the place of a view in a buffer of integers again after each number that is stored.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.base import BaseContext

_pack: Any = BaseContext.pack_value
_unpack: Any = BaseContext.unpack_value
_ZERO: Any = ir.Constant(ir.IntType(64), 0)
_NAMES: dict[Any, str] = {types.float64: "float64", types.int64: "int64"}


def tell_kinds_apart() -> None:
    """From now on, in this process."""
    context: Any = BaseContext
    context.pack_value, context.unpack_value = _packed, _unpacked


def _packed(self: Any, builder: Any, kind: Any, value: Any, pointer: Any, align: Any = None) -> None:
    if kind in _NAMES:
        _mark(builder, builder.store(value, pointer, align=align), kind)
    else:
        _pack(self, builder, kind, value, pointer, align)


def _unpacked(self: Any, builder: Any, kind: Any, pointer: Any, align: Any = None) -> Any:
    if kind in _NAMES:
        return _mark(builder, builder.load(pointer, align=align), kind)
    return _unpack(self, builder, kind, pointer, align)


def _mark(builder: Any, instruction: Any, kind: Any) -> Any:
    """Say of a load or store what it loads or stores: metadata `tbaa` of LLVM."""
    module = builder.module
    root = module.add_metadata(["entries of arrays"])
    named = module.add_metadata([_NAMES[kind], root, _ZERO])
    instruction.set_metadata("tbaa", module.add_metadata([named, named, _ZERO]))
    return instruction
