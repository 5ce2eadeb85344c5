"""Machine code that is read from disk without the intermediate code beside it.

numba stores a function's object code together with LLVM's intermediate code, which other functions are compiled with,
and parses both when it loads the function. Parsing is a quarter of the time in which a simulation starts, and hardly
any start compiles anything: here it waits until another function is compiled with it. Only kernels of this program are
loaded so; what numba does for other code of the process does not change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llvmlite import binding
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    State = tuple[str, bytes, bytes, tuple[str, ...]]
    """A library on disk: its name, object code, intermediate code, and the symbols that are defined in that."""


class LateLibrary(JITCodeLibrary):
    """A library of numba's whose intermediate code is parsed at its first use."""

    _late: bytes
    _parsed: Any = None

    @property
    def _shared_module(self) -> Any:
        if self._parsed is None:
            self._parsed = binding.parse_bitcode(self._late)
        return self._parsed

    @_shared_module.setter
    def _shared_module(self, module: Any) -> None:
        self._parsed = module


def reduced(compiled: Any) -> tuple[object, ...]:
    """What is stored of a `CompileResult`: the state of its library, then the rest as numba has it."""
    (name, _, (code, intermediate)), *rest = compiled._reduce()
    module = compiled.library._get_module_for_linking()
    defined = [value.name for values in (module.functions, module.global_variables) for value in values
               if not value.is_declaration]  # fmt: skip
    state: State = (name, code, intermediate, tuple(defined))
    return (state, *rest)


def rebuilt(
    context: Any,
    state: State,
    fndesc: Any,
    env: object,
    signature: object,
    objectmode: bool,
    lifted: object,
    type_annotation: str,
    reload_init: Iterable[Any],
    referenced_envs: Iterable[Any],
) -> object:
    """The `CompileResult` of what `reduced` gave, as numba's own `_rebuild` makes it, but with a late library."""
    for initialize in reload_init:
        initialize()
    library = _loaded(context.codegen(), state)
    make: Callable[..., object] = CompileResult  # numba's types know some of its fields only
    made = make(
        target_context=context,
        typing_context=context.typing_context,
        library=library,
        environment=env,
        entry_point=context.get_executable(library, fndesc, env),
        fndesc=fndesc,
        type_annotation=type_annotation,
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        typing_error=None,
        call_helper=None,
        metadata=None,
        reload_init=reload_init,
        referenced_envs=referenced_envs,
    )
    for referenced in referenced_envs:
        context.codegen().set_env(referenced.env_name, referenced)
    return made


def _loaded(codegen: Any, state: State) -> LateLibrary:
    """As numba's `CPUCodeLibrary._unserialize`, but for the parsing."""
    name, code, intermediate, defined = state
    make: Callable[..., Any] = LateLibrary  # numba's methods have no types
    library = make(codegen, name)
    library._late = intermediate
    library.enable_object_caching()
    library._set_compiled_object(code)
    library._finalize_final_module()
    codegen._engine._defined_symbols.update(defined)
    made: LateLibrary = library
    return made
