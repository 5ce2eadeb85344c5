"""Machine code that is read from disk without the intermediate code beside it.

numba keeps a function's object code together with LLVM's intermediate code, which other functions are compiled with,
and parses both when it loads the function. Parsing is a quarter of the time in which a simulation starts, and hardly
any start compiles anything: here it waits until somebody asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llvmlite import binding
from numba.core.codegen import JITCodeLibrary

if TYPE_CHECKING:
    State = tuple[str, str, tuple[bytes, bytes, tuple[str, ...]]]
    """A library on disk: its name, `KIND`, and object code, intermediate code, and what is defined in that."""

KIND = "object, parsed late"


class LateLibrary(JITCodeLibrary):
    """A library of numba's, parsed late where it comes from disk."""

    _late: bytes | None = None
    _parsed: Any = None

    @property
    def _shared_module(self) -> Any:
        if self._parsed is None and self._late is not None:
            self._parsed, self._late = binding.parse_bitcode(self._late), None
        return self._parsed

    @_shared_module.setter
    def _shared_module(self, module: Any) -> None:
        self._parsed = module

    def serialize_using_object_code(self) -> State:
        """What is kept on disk."""
        library: Any = super()  # numba's methods have no types
        name, _, (code, intermediate) = library.serialize_using_object_code()
        module = library._get_module_for_linking()
        defined = [value.name for values in (module.functions, module.global_variables) for value in values
                   if not value.is_declaration]  # fmt: skip
        return name, KIND, (code, intermediate, tuple(defined))

    @classmethod
    def _unserialize(cls, codegen: Any, state: State) -> LateLibrary:
        name, kind, content = state
        if kind != KIND:
            base: Any = super()
            other: LateLibrary = base._unserialize(codegen, state)
            return other
        # As numba's `CPUCodeLibrary._unserialize`, but for the parsing.
        library: Any = codegen.create_library(name)
        code, library._late, defined = content
        library.enable_object_caching()
        library._set_compiled_object(code)
        library._finalize_final_module()
        codegen._engine._defined_symbols.update(defined)
        made: LateLibrary = library
        return made


def parse_late(codegen: Any) -> None:
    """Make the libraries of a code generator, from now on, as above."""
    codegen._library_class = LateLibrary
