"""The tables of the buffers say how long each block is: held against the buffers of mechanisms of every kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.mechanism.clutches import inputs_of
from simulator.physics.compiled.model import CompiledMechanism
from simulator.physics.layout import buffers as at
from simulator.session.open.opening import open_document
from tests.helpers.repository import ROOT

WORLDS = sorted(path.name for path in (ROOT / "worlds").glob("*.sdf"))


def sizes_of(model: CompiledMechanism) -> dict[str, int]:
    """What shapes are written over: the head of N, and what follows from it or from tables of Python's side."""
    sizes = {size.name: int(model.N[place]) for place, size in enumerate(at.SIZES)}
    entries = len(model.parts.reduction.value)
    return sizes | {
        "rows_room": sizes["spare"],
        "guides_room": sizes["spare"] - sizes["rows"],
        "simple": sizes["nodes"] - sizes["active"],
        "entries": entries,
        "profiles": 6 * sizes["forces"] + len(inputs_of(model.mechanism)),
    }


def length(shape: str, sizes: dict[str, int]) -> int | None:
    """Numbers in a block; None where the shape has a size that is not known."""
    total = 1
    for dimension in shape.split():
        terms = [int(term) if term.isdigit() else sizes.get(term) for term in dimension.split("+")]
        known = [term for term in terms if term is not None]
        if len(known) < len(terms):
            return None
        total *= sum(known)
    return total


@pytest.mark.parametrize("world", WORLDS)
def test_blocks_are_as_long_as_their_shapes_say(world: str) -> None:
    model = model_of(ROOT / "worlds" / world)
    sizes = sizes_of(model)
    blocks = [(block, at.block(model.F, model.N, place)) for place, block in enumerate(at.FLOATS)]
    ints = [(block, at.int_block(model.N, place)) for place, block in enumerate(at.INTS)]
    free: dict[str, int] = {}
    for block, content in [*blocks, *ints]:
        wanted = length(block.shape, sizes)
        if wanted is None:  # an own size of a few tables: the same for all of them
            name, *rest = block.shape.split()
            wanted = free.setdefault(name, len(content) // (length(" ".join(rest), sizes) or 1)) * (
                length(" ".join(rest), sizes) or 1
            )
        assert len(content) == wanted, f"{block.name}: {block.shape}"


def model_of(path: Path) -> CompiledMechanism:
    return CompiledMechanism(open_document(path).mechanism)


def test_every_line_is_whole() -> None:
    for table, has_unit in ((at.FLOATS, True), (at.INTS, False)):
        assert len({block.name for block in table}) == len(table)
        assert all(block.shape and block.meaning and bool(block.unit) is has_unit for block in table)
    assert all(size.meaning for size in at.SIZES)


def test_numbers_are_the_places_of_the_lines() -> None:
    for prefix, table in (("F_", at.FLOATS), ("I_", at.INTS)):
        assert [getattr(at, prefix + block.name) for block in table] == list(range(len(table)))
    assert [getattr(at, size.name.upper()) for size in at.SIZES] == list(range(at.HEAD))


@pytest.mark.parametrize(("world", "room"), [("four_bar.sdf", 3), ("stewart.sdf", 21), ("gear_train.sdf", 0)])
def test_there_is_room_to_hold_every_freedom_at_a_singular_position(world: str, room: int) -> None:
    """A guide for each independent coordinate of the tree, 3 hinges or 6 legs of 3 freedoms and a platform of 3;
    without loops there are no singular positions."""
    model = CompiledMechanism(open_document(ROOT / "worlds" / world).mechanism)
    assert len(model.view(at.F_GUIDE_RHS)) == room
