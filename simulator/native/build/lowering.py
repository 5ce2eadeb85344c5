"""numba as a front end: it types and lowers a function, and nothing is optimised or made executable.

numba's own compilation links the intermediate code (LLVM IR) of all callees into every caller and optimises it there
again. Here the IR of a function is simplified and stays by itself, beside the libraries of what it calls, so that
`units` and `link` can put it together once. numba is changed in the process that builds only, which does nothing else.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from llvmlite import binding as llvm
from numba.core import bytecode, cgutils, codegen, cpu, dispatcher, funcdesc, itanium_mangler, types
from numba.np import arrayobj

from simulator.native.build.aliases import tell_kinds_apart
from simulator.native.build.openers import read_members
from simulator.native.digest import digest

if TYPE_CHECKING:
    from collections.abc import Callable

OPTIONS: dict[str, Any] = {
    "error_model": "numpy",
    "nogil": True,
    "_nrt": False,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
"""Kernels make no arrays, so they need none of numba's run-time memory; and Python calls them by entries of `link`. No
fast-math: results must not depend on the compiler's reordering."""

_ADDRESS = re.compile(r"0x[0-9a-f]+")
_text_of: Any = cgutils.normalize_ir_text
_long_name: Any = itanium_mangler.mangle
_identity_of_numba: Any = vars(bytecode.FunctionIdentity)["from_function"].__func__


class Kernel(NamedTuple):
    """One of our functions, lowered: numba's object of it, the types of its arguments and of what it returns, and the
    name that its code has."""

    function: Any
    arguments: tuple[Any, ...]
    returns: Any
    symbol: str

    @property
    def room(self) -> str:
        """The folder of the program that it is in."""
        return room_of(self.function)


FINDS_CONTACTS = {"shapes", "narrow", "detect", "touching"}
"""Folders of `physics` that LLVM optimises beside the others, in a process of their own."""


def room_of(function: Any) -> str:
    """The room that a function is in, or `contacts`, the part of `physics` that finds them."""
    _, room, folder, *_ = function.py_func.__module__.split(".")
    return "contacts" if room == "physics" and folder in FINDS_CONTACTS else room


class RawLibrary(codegen.JITCodeLibrary):
    """What numba collects of one function: the IR that was lowered, and the libraries of what it calls. `kernel`: what
    it is the library of, if that is one of ours."""

    def __init__(self, owner: Any, name: str) -> None:
        codegen.CodeLibrary.__init__(self, owner, name)
        self.modules: list[bytes] = []
        self.callees: dict[RawLibrary, None] = {}
        self.kernel: Kernel | None = None

    def add_ir_module(self, ir_module: Any) -> None:
        """Keep it, as bitcode."""
        self.modules.append(_simplified(llvm.parse_assembly(_text_of(str(ir_module)))).as_bitcode())

    def add_linking_library(self, library: RawLibrary) -> None:
        """Keep which library has to be linked, too."""
        self.callees[library] = None

    def finalize(self) -> None:
        """Nothing is optimised."""
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Nothing can be called."""
        return 0

    def own(self) -> list[RawLibrary]:
        """This one and those of numba's own functions that it uses; libraries of kernels are left out."""
        return reached(self, lambda library: library.kernel is None)

    def kernels(self) -> list[RawLibrary]:
        """Libraries of the kernels that this function calls itself."""
        callees = (callee for inner in self.own() for callee in inner.callees)
        return [*dict.fromkeys(callee for callee in callees if callee.kernel is not None)]


class Lowered:
    """Stands for the machine code of a function, which does not exist."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *_: object) -> None:
        """Raise TypeError."""
        raise TypeError(f"{self.__name__} was lowered, not compiled")


def _simplified(module: Any) -> Any:
    """numba stores every value in memory and loads it again, and makes many blocks of few instructions. Without that, a
    module is a third as large, and LLVM needs a third less time for all of them together."""
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.add_dead_code_elimination_pass()
    passes.run(module, _builder())
    return module


@cache
def _builder() -> Any:
    """For any processor: what is simplified is the same wherever it is done."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    return llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options())


def reached(start: RawLibrary, follow: Callable[[RawLibrary], bool] = lambda _: True) -> list[RawLibrary]:
    """A library and those that it uses, directly or not, as far as `follow` says."""
    found = dict.fromkeys([start])
    todo = [start]
    while todo:
        for callee in todo.pop().callees:
            if callee not in found and follow(callee):
                found[callee] = None
                todo.append(callee)
    return [*found]


def lowered(kernel: Any, arguments: tuple[Any, ...]) -> Any:
    """What numba makes of a kernel for these types of arguments."""
    kernel.compile(arguments)
    return kernel.overloads[arguments]


def change_numba() -> None:
    """From now on, numba in this process lowers only, and gives functions the same names as in every process."""
    read_members()
    tell_kinds_apart()
    _replace(codegen.JITCPUCodegen, _library_class=RawLibrary)
    _replace(cpu.CPUContext, get_executable=lambda _, __, descriptor, ___: Lowered(descriptor.llvm_func_name))
    _replace(dispatcher.Dispatcher, add_overload=_keep_overload)
    _replace(bytecode.FunctionIdentity, from_function=classmethod(_identity))
    _replace(funcdesc, default_mangler=_short_name)
    _replace(arrayobj, fix_integer_index=_index)


def _index(context: Any, builder: Any, kind: Any, index: Any, _size: Any) -> Any:
    """As numba's, but an index below 0 does not count from the end: none of a kernel does, and libraries with bounds
    checks raise for it. Steps take a quarter more time where the sign of every index is looked at."""
    return context.cast(builder, index, kind, types.intp)


def _replace(owner: Any, **attributes: Any) -> None:
    for name, value in attributes.items():
        setattr(owner, name, value)


def _keep_overload(self: Any, compiled: Any) -> None:
    arguments = tuple(compiled.signature.args)
    if self.py_func.__module__.startswith("simulator."):
        symbol = compiled.fndesc.llvm_func_name
        compiled.library.kernel = Kernel(self, arguments, compiled.signature.return_type, symbol)
    self.overloads[arguments] = compiled


def _identity(cls: Any, function: Any) -> Any:
    """As numba's, with a number that follows from the function in place of a count."""
    made = _identity_of_numba(cls, function)
    made.unique_id = _number_of(made.func)
    made.unique_name = f"{made.func_qualname}${made.unique_id}"
    return made


def _number_of(function: Any) -> int:
    """0 for a function of a module; for one that was made inside of another, a number that tells it apart."""
    if "<locals>" not in function.__qualname__:
        return 0
    code = function.__code__
    cells = [repr(cell.cell_contents) for cell in function.__closure__ or ()]
    described = _ADDRESS.sub("", repr((code.co_code, code.co_consts, code.co_names, code.co_firstlineno, cells)))
    return int.from_bytes(digest(described.encode())[:6], "little")


def _short_name(name: str, argtypes: Any, *, abi_tags: Any = (), uid: Any = None) -> str:
    """A symbol: numba's names say all types, thousands of characters for a kernel, which LLVM reads again and again."""
    whole = _long_name(name, argtypes, abi_tags=abi_tags, uid=uid)
    shown = "env" if name.startswith(".NumbaEnv") else name.rpartition(".")[2]
    return f"{shown}.{digest(whole.encode()).hex()[:16]}"
