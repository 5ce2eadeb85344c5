"""`kernels.view` in machine code: an address and a shape."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

_make_array: Any = arrayobj.make_array
_populate: Any = arrayobj.populate_array
_unpack: Any = cgutils.unpack_tuple
_uniform: Any = types.UniTuple


@intrinsic
def view(_: Any, buffer: Any, first: Any, shape: Any) -> Any:
    """As `kernels.view`. numba's `reshape` calls a function of its own run-time library, which kernels do without."""
    made = types.Array(buffer.dtype, len(shape), "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = _make_array(signature.args[0])(context, builder, arguments[0])
        extents = _unpack(builder, arguments[2])
        strides = [whole.itemsize]
        for extent in reversed(extents[1:]):
            strides.insert(0, builder.mul(strides[0], extent))
        array = _make_array(signature.return_type)(context, builder)
        _populate(array, builder.gep(whole.data, [arguments[1]]), extents, strides, whole.itemsize, None)
        return array._getvalue()

    return made(buffer, types.intp, _uniform(types.intp, len(shape))), generate
