"""What else a stranger may hand over: meshes of every format with lies in them, motions, drives, `<ros2_control>`
blocks, command lines."""

from __future__ import annotations

import contextlib
import io
import random
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from simulator.cli.app import run_app
from simulator.errors import SimulatorError, UsageError
from simulator.formats.mesh.loader import FORMATS, MeshError, load_mesh
from simulator.formats.motion_file import read_motion
from simulator.session.text.drive_text import parse_drive
from tests.helpers.mutants import NUMBERS, Seed, changed, seeds
from tests.helpers.repository import ROOT

KINDS = ("mesh", "motion", "drive", "control", "command")
LIES = (0, 1, 2, 3, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFF, 10**6)
"""Counts, lengths and offsets of 32 bits."""
MOTION = b"time,crank_joint/position,other\n# a remark\n0,0,1\n0.5,1.5,2\n1,0,3\n"
DRIVES = (
    b"crank=velocity:1.5", b"crank=position:sine(0.5, 1, 0)", b"crank=velocity:ramp(0, 1, 2)",
    b"crank=effort:step(0, 1, 1)",
    b"crank=position:chirp(1, 0.5, 2, 3)", b"m::crank=position:@motion.csv#other,cubic",
    b"crank=velocity:square(1, 2, 0, 0.5)",
)  # fmt: skip
COMMANDS = (
    ("check",), ("describe", "--json"), ("run", "--duration", "0.003"),
    ("run", "--duration", "0.002", "--csv", "out.csv"),
    ("convert",), ("run", "--duration", "0.002", "--solver", "gear"), ("render", "-o", "out.png", "--size", "32x24"),
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """Something to hand over; `extra` are the arguments of a command, or the format of a mesh."""

    kind: str
    data: bytes
    extra: tuple[str, ...] = ()


def strangers(count: int, seed: int) -> Iterator[Case]:
    """`count` cases, the kinds by turns; the same ones for the same arguments."""
    for number in range(count):
        chance = random.Random(f"stranger/{seed}/{number}")
        yield _MAKERS[KINDS[number % len(KINDS)]](chance)


def judged_case(case: Case, folder: Path) -> str:
    """Hand it over: "accepted" or "refused". Raises what should not have been raised."""
    try:
        return "accepted" if _JUDGES[case.kind](case, folder) else "refused"
    except (MeshError, UsageError):
        return "refused"


@cache
def _meshes() -> dict[str, bytes]:
    """A box in every format, and as text where a format has both."""
    import trimesh

    box = trimesh.creation.box((1.0, 2.0, 3.0))
    found = {kind: box.export(file_type=kind) for kind in ("stl", "stl_ascii", "obj", "ply", "glb", "dae")}
    found["ply_ascii"] = box.export(file_type="ply", encoding="ascii")
    gltf = trimesh.exchange.gltf.export_gltf(trimesh.Scene(box), embed_buffers=True)
    found["gltf"] = gltf["model.gltf"]
    return {kind: data.encode() if isinstance(data, str) else data for kind, data in found.items()}


def _mesh(chance: random.Random) -> Case:
    kind = chance.choice(sorted(_meshes()))
    data = _meshes()[kind]
    for _ in range(chance.choice((1, 1, 2, 4))):
        data = _lied(data, chance) if chance.random() < 0.6 else changed(data, chance, [Seed(ROOT, data)])
    return Case("mesh", data, (kind.partition("_")[0],))


def _lied(data: bytes, chance: random.Random) -> bytes:
    """Four bytes that are another number; or, in text, a number that is."""
    if chance.random() < 0.5 or len(data) < 8:
        words = data.split(b" ")
        words[chance.randrange(len(words))] = chance.choice([*NUMBERS, *map(str, LIES), "-1"]).encode()
        return b" ".join(words)
    place = chance.choice((80, chance.randrange(0, min(len(data) - 4, 200)), chance.randrange(0, len(data) - 4)))
    return data[:place] + struct.pack("<I", chance.choice(LIES)) + data[place + 4 :]


def _text(kind: str, good: tuple[bytes, ...]) -> Callable[[random.Random], Case]:
    def make(chance: random.Random) -> Case:
        data = chance.choice(good)
        for _ in range(chance.choice((1, 2, 3))):
            data = changed(data, chance, [Seed(ROOT, item) for item in good])
        return Case(kind, data)

    return make


@cache
def _documents(word: bytes) -> list[Seed]:
    return [item for item in seeds() if word in item.data and len(item.data) < 20_000]


def _control(chance: random.Random) -> Case:
    population = _documents(b"<ros2_control")
    data = chance.choice(population).data
    for _ in range(chance.choice((1, 2, 4))):
        data = changed(data, chance, population)
    return Case("control", data)


def _command(chance: random.Random) -> Case:
    data, arguments = chance.choice(_documents(b"<joint")).data, chance.choice(COMMANDS)
    for _ in range(chance.choice((0, 1, 3))):
        data = changed(data, chance, _documents(b"<joint"))
    if chance.random() < 0.3:
        words = list(arguments)
        words.insert(
            chance.randint(1, len(words)), chance.choice([*NUMBERS, "--drive", "a=b", "--initial", "\x1b", ""])
        )
        arguments = tuple(words)
    return Case("command", data, arguments)


def _judge_mesh(case: Case, folder: Path) -> bool:
    assert case.extra[0] in FORMATS
    path = folder / f"mesh.{case.extra[0]}"
    path.write_bytes(case.data)
    load_mesh(path)
    return True


def _judge_motion(case: Case, folder: Path) -> bool:
    (folder / "motion.csv").write_bytes(case.data)
    read_motion(folder / "motion.csv")
    return True


def _judge_drive(case: Case, folder: Path) -> bool:
    (folder / "motion.csv").write_bytes(MOTION)
    with contextlib.chdir(folder) if hasattr(contextlib, "chdir") else contextlib.nullcontext():
        try:
            parse_drive(case.data.decode("utf-8", "replace"))
        except SimulatorError:
            return False
    return True


def _judge_command(case: Case, folder: Path) -> bool:
    """The real command line; what it says for people stays within bounds, and is harmless to a terminal."""
    path, said, told = folder / "document.sdf", io.StringIO(), io.StringIO()
    path.write_bytes(case.data)
    first, *rest = case.extra or ("check",)
    rest = [str(folder / word) if word in ("out.csv", "out.png") else word for word in rest]
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(told):
        code = run_app([first, str(path), *rest])
    assert code in (0, 1, 2, 3), code
    assert "Traceback" not in told.getvalue(), told.getvalue()
    assert all(line.isprintable() for line in told.getvalue().splitlines()), ascii(told.getvalue())
    return code == 0


_MAKERS: dict[str, Callable[[random.Random], Case]] = {
    "mesh": _mesh,
    "motion": _text("motion", (MOTION,)),
    "drive": _text("drive", DRIVES),
    "control": _control,
    "command": _command,
}
_JUDGES: dict[str, Callable[[Case, Path], bool]] = {
    "mesh": _judge_mesh,
    "motion": _judge_motion,
    "drive": _judge_drive,
    "control": _judge_command,
    "command": _judge_command,
}
