"""From the IR of the functions of a part to one shared library.

All IR of a unit is linked and optimised once, for each level of instructions. An entry gets the address of a table of
slots (see `native.calls`) and hands what stands in them to the function, as numba passes arguments.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from llvmlite import binding as llvm

from simulator.native.build.signatures import slots_of_function
from simulator.native.library import host
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from simulator.native.build.signatures import Entry, Signature
    from simulator.native.build.units import Unit


@dataclass(frozen=True)
class Level:
    """Instructions that code may use: their name, the processor that LLVM makes it for, and a number that grows with
    them, see `level.ll`."""

    name: str
    cpu: str
    number: int


@dataclass(frozen=True)
class Target:
    """What a library is for: LLVM's triple and layout of data, zig's name of it, levels from the least."""

    name: str
    triple: str
    layout: str
    zig: str
    suffix: str
    levels: tuple[Level, ...]


_X86 = (Level("v2", "x86-64-v2", 2), Level("v3", "x86-64-v3", 3))
_GENERIC = (Level("generic", "generic", 0),)
_WASM = (Level("wasm", "generic", 0),)
_LAYOUT_X86 = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
TARGETS = {
    target.name: target
    for target in (
        Target("linux-x86_64", "x86_64-unknown-linux-gnu", _LAYOUT_X86, "x86_64-linux-gnu.2.28", ".so", _X86),
        Target("linux-aarch64", "aarch64-unknown-linux-gnu",
               "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32",
               "aarch64-linux-gnu.2.28", ".so", _GENERIC),
        Target("macos-arm64", "arm64-apple-macosx11.0.0",
               "e-m:o-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-n32:64-S128-Fn32",
               "aarch64-macos.11.0", ".dylib", _GENERIC),
        Target("windows-x86_64", "x86_64-pc-windows-gnu",
               "e-m:w-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
               "x86_64-windows-gnu", ".dll", _X86),
        Target("wasm32", "wasm32-unknown-unknown",
               "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20",
               "wasm32-wasi", ".wasm", _WASM),
    )
}  # fmt: skip


def here() -> Target:
    """The target of this machine. Raises OSError where there is none."""
    found = TARGETS.get(host())
    if found is None:
        raise OSError(f"kernels have not been compiled for {host()}")
    return found


def level_here(target: Target) -> Level:
    """The highest level of this processor."""
    features = llvm.get_host_cpu_features()
    third = ("avx2", "fma", "bmi", "bmi2", "lzcnt", "movbe", "f16c")
    return target.levels[-1] if all(features.get(one) for one in third) else target.levels[0]


def object_of(unit: Unit, target: Target, level: Level) -> bytes:
    """Machine code of a unit, from the bitcode of its functions. What units call of each other is visible to them, and
    not outside of the library."""
    is_wasm = target.suffix == ".wasm"
    module = _linked(map(_with_wide_slots, unit.modules) if is_wasm else unit.modules)
    module.triple, module.data_layout = target.triple, target.layout
    for entry in unit.entries:
        module.link_in(llvm.parse_assembly(_entry_ir(module.get_function(entry.symbol), entry, level)))
    shown = {f"{entry.name}_{level.name}" for entry in unit.entries}
    for value in (*module.functions, *module.global_variables):
        if value.name in unit.borrowed:
            value.linkage = "available_externally"
        elif value.name in unit.shared:
            value.visibility = "hidden"
        elif not value.is_declaration and value.name not in shown:
            value.linkage = "internal"
        if value.name in unit.shared:
            value.name = f"{value.name}_{level.name}"
    _export(module, shown, target)
    machine = _machine(target, level)
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = True
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    code: bytes = machine.emit_object(module)
    return code


def _export(module: Any, names: Iterable[str], target: Target) -> None:
    """Show these to users of the library. Only Windows asks for it: without it, all that is not internal would be."""
    if target.suffix == ".dll":
        for value in (*module.functions, *module.global_variables):
            if value.name in names:
                value.storage_class = "dllexport"


_ALLOCA = re.compile(r"(= alloca )([^,\n]*)")


def _with_wide_slots(bitcode: bytes) -> bytes:
    """A module of 64-bit code for 32-bit addresses. LLVM has written the places of members of structures in memory as
    bytes, with addresses of eight; so structures keep that size, and an address is in the first half of its place.
    Raises ValueError for a module that moves whole structures with addresses in them."""
    text = str(llvm.parse_bitcode(bitcode))
    moved = re.search(r"\b(load|store) [{\[<][^,\n]*\bptr\b|getelementptr[^,\n]*[{][^,\n]*\bptr\b", text)
    if moved:
        raise ValueError(f"a structure with addresses is moved as a whole: {moved[0]}")
    text = _ALLOCA.sub(lambda found: found[1] + re.sub(r"\bptr\b", "i64", found[2]), text)
    made: bytes = llvm.parse_assembly(text.replace("= common global", "= internal global")).as_bitcode()
    return made


def _linked(modules: Iterable[bytes]) -> Any:
    """One module of many; numba's own functions come with each that uses them, and are taken once. They are joined two
    by two: joining takes as long as both are large."""
    joined, known = list[Any](), set[str]()
    for bitcode in modules:
        module = llvm.parse_bitcode(bitcode)
        names = {value.name for value in module.functions if not value.is_declaration}
        if not names <= known:
            if names & known:
                raise ValueError(f"two functions have the same name: {sorted(names & known)}")
            known |= names
            joined.append(module)
    while len(joined) > 1:
        for one, other in zip(joined[::2], joined[1::2], strict=False):
            one.link_in(other)
        joined = joined[::2]
    return joined[0]


def _machine(target: Target, level: Level) -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.initialize_native_asmparser()  # for the few instructions of `level`
    found = llvm.Target.from_triple(target.triple)
    return found.create_target_machine(
        cpu=level.cpu, opt=3, reloc="static" if target.suffix == ".wasm" else "pic", codemodel="default"
    )


def _entry_ir(function: Any, entry: Entry, level: Level) -> str:
    """The entry: it loads each argument of numba's function from its slot; the first takes what is returned, the second
    is for exceptions, which kernels do not raise."""
    types = [str(argument.type) for argument in function.arguments]
    lines = []
    given = ["ptr %slots", "ptr %raised"]
    for place, (slot, is_address) in enumerate(slots_of_function(entry.signature.arguments)):
        kind = types[2 + place]
        lines.append(f"  %p{place} = getelementptr i64, ptr %slots, i64 {slot}")
        lines.append(
            f"  %a{place} = " + (f"ptrtoint ptr %p{place} to i64" if is_address else f"load {kind}, ptr %p{place}")
        )
        given.append(f"{kind} %a{place}")
    body = "\n".join(lines)
    return f"""
declare i32 @"{entry.symbol}"({", ".join(types)})
define i32 @"{entry.name}_{level.name}"(ptr %slots) {{
  %raised = alloca ptr
{body}
  %status = call i32 @"{entry.symbol}"({", ".join(given)})
  ret i32 %status
}}
"""


def about_ir(
    entries: Mapping[str, Signature], levels: Iterable[Level], stamp: str, target: Target, *, alone: bool = True
) -> bytes:
    """Machine code of what a library says of itself: text in `about`, and `level`, which level this processor has.
    `alone`: nothing in the library is in C."""
    text = json.dumps({
        "stamp": stamp,
        "levels": [{"name": one.name, "number": one.number} for one in levels],
        "entries": {name: signature.described for name, signature in sorted(entries.items())},
    }).encode()  # fmt: skip
    escaped = "".join(f"\\{byte:02x}" for byte in text + b"\0")
    source = f'@about = constant [{len(text) + 1} x i8] c"{escaped}"\n'
    source += (Path(__file__).with_name("level_x86.ll").read_text() if target.triple.startswith("x86")
               else "define i32 @level() {\n  ret i32 0\n}\n")  # fmt: skip
    if target.suffix == ".dll" and alone:
        source += Path(__file__).with_name("windows.ll").read_text()
    module = llvm.parse_assembly(source)
    module.triple, module.data_layout = target.triple, target.layout
    _export(module, ("about", "level"), target)
    made: bytes = _machine(target, target.levels[0]).emit_object(module)
    return made


def shared_library(
    objects: Sequence[bytes],
    target: Target,
    *,
    portable: bool = False,
    exported: Sequence[str] = (),
    source: Sequence[str] = (),
) -> bytes:
    """The shared library of these objects; `portable`: also for older systems of its kind, as far as zig is there;
    `exported`: symbols that can be called, of WebAssembly, where others do not show; `source`: a file in C with the
    options of its compiler. Raises OSError with what the linker said."""
    linker = linker_for(target, portable=portable)
    if source and Path(linker[0]).name == "ld":
        raise OSError("no C compiler: install gcc, or `pip install ziglang`")
    with tempfile.TemporaryDirectory() as folder:
        names = [f"{number}.o" for number in range(len(objects))]
        for name, code in zip(names, objects, strict=True):
            Path(folder, name).write_bytes(code)
        command = [
            *linker,
            "-o",
            f"library{target.suffix}",
            *source,
            *names,
            *libraries(linker, target, alone=not source),
        ]
        command += [f"-Wl,--export={name}" for name in exported]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise OSError(f"{' '.join(linker)}: {done.stderr.strip()}")
        return Path(folder, f"library{target.suffix}").read_bytes()


def source_of_fmu(level: Level) -> tuple[str, ...]:
    """The C of an FMU around the kernels of one level. Products are not fused into sums, as in the kernels."""
    options = ("-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off")
    return (*options, f"-DLEVEL={level.name}", f"-DNEEDED={level.number}", str(Path(__file__).with_name("fmu.c")))


def libraries(linker: Sequence[str], target: Target, *, alone: bool = True) -> list[str]:
    """What a library of this target needs beside: the mathematical functions of C. On Windows they are zig's own and,
    where it has none, those of the system. (Those of MinGW use the x87 coprocessor, and zig would compile 400 files of
    it first, as it does for C beside the kernels: unless they are `alone`.)"""
    if target.suffix == ".dll":
        return [*(["-nostdlib", "-rtlib=compiler-rt"] if alone else []), "-lapi-ms-win-crt-math-l1-1-0"]
    return ["-lm"] if target.suffix in (".so", ".wasm") and Path(linker[0]).name != "ld" else []


@cache
def linker_for(target: Target, *, portable: bool) -> tuple[str, ...]:
    """The command that links for a target: a C compiler or linker of this machine, or zig, which links for all of them
    with the C libraries of older ones. Raises OSError where there is none."""
    has_zig = importlib.util.find_spec("ziglang") is not None
    if target.suffix != ".wasm" and target == here() and not (portable and has_zig):
        for name in ("cc", "gcc", "clang"):
            if shutil.which(name):
                return name, "-shared", *(["-Wl,--build-id=none"] if target.suffix == ".so" else [])
        if sys.platform == "linux" and shutil.which("ld"):
            return "ld", "-shared", "--build-id=none"
    if not has_zig and target.suffix == ".wasm":
        raise OSError("no linker for browsers: pip install ziglang")
    if not has_zig:
        raise OSError("no linker: install gcc, or `pip install ziglang`")
    kind = ("-mexec-model=reactor", "-nostartfiles") if target.suffix == ".wasm" else ("-shared",)
    return sys.executable, "-m", "ziglang", "cc", "-target", target.zig, *kind, "-s"
