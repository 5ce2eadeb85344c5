"""Which geoms touch: MuJoCo's `contype` and `conaffinity`, pairs and exclusions → bits that two collisions share, and
pairs of links that never touch.

MuJoCo lets two geoms touch where a bit of `contype` of either is in `conaffinity` of the other, and by name. Here two
collisions touch where their masks share a bit, which cannot say that things of one kind touch others but not each
other: what the bits let touch too much is excluded by pairs of links.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations, combinations_with_replacement, product
from typing import TYPE_CHECKING

from simulator.formats.mjcf.flags import has_contacts
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.mjcf.compiling import Compiled

BITS = 16
"""Of a mask."""
Pairs = set[tuple[int, int]]
"""Pairs of numbers, the smaller one first."""


@dataclass(frozen=True)
class MjcfContacts:
    """Bits of geoms, by number; pairs of bodies that never touch although their geoms share bits."""

    masks: dict[int, int]
    excluded: tuple[tuple[int, int], ...]


def touching_of(compiled: Compiled, neighbours: Iterable[tuple[int, int]], log: DiagnosticLog) -> MjcfContacts:
    """`neighbours`: bodies that joints tie through links between, which MuJoCo does not let touch."""
    model = compiled.model
    if not has_contacts(model, compiled.mujoco):
        return MjcfContacts({}, ())
    pairs = {_ordered(int(a), int(b)) for a, b in zip(model.pair_geom1, model.pair_geom2, strict=True)}
    of_pairs = defaultdict(set)
    for a, b in pairs:
        of_pairs[a].add(b)
        of_pairs[b].add(a)
    kinds: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for geom in range(model.ngeom):
        bits = int(model.geom_contype[geom]), int(model.geom_conaffinity[geom])
        if any(bits) or geom in of_pairs:
            kinds[bits[0], bits[1], frozenset(of_pairs[geom])].append(geom)
    groups = list(kinds.values())
    meeting = {
        (i, j)
        for i, a in enumerate(groups)
        for j, b in enumerate(groups)
        if i <= j and (len(a) > 1 or i != j) and _touch(a[0], b[-1], pairs, compiled)
    }
    masks = _masks(len(groups), meeting)
    by_geom = {geom: masks[i] for i, group in enumerate(groups) for geom in group if masks[i]}
    group_of = {geom: i for i, group in enumerate(groups) for geom in group}
    excluded = _excluded(compiled, by_geom, group_of, meeting, pairs, log)
    excluded |= {_ordered(*pair) for pair in neighbours} | _written(compiled)
    return MjcfContacts(by_geom, tuple(sorted(excluded)))


def _ordered(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a <= b else (b, a)


def _touch(a: int, b: int, pairs: Pairs, compiled: Compiled) -> bool:
    model = compiled.model
    by_bits = model.geom_contype[a] & model.geom_conaffinity[b] or model.geom_contype[b] & model.geom_conaffinity[a]
    return bool(by_bits) or _ordered(a, b) in pairs


def _masks(count: int, meeting: Pairs) -> list[int]:
    """A bit for each set of kinds that all touch each other, until every pair has one; the last bit takes the rest."""
    masks = [0] * count
    left = set(meeting)
    bit = 0
    while left:
        a, b = min(left)
        members = {a, b}
        for kind in range(count):
            if all(_ordered(kind, other) in meeting for other in members):
                members.add(kind)
        if bit == BITS - 1:
            members = {kind for pair in left for kind in pair}
        for kind in members:
            masks[kind] |= 1 << bit
        left -= {_ordered(x, y) for x in members for y in members}
        bit += 1
    return masks


def _excluded(
    compiled: Compiled,
    masks: dict[int, int],
    group_of: dict[int, int],
    meeting: Pairs,
    pairs: Pairs,
    log: DiagnosticLog,
) -> Pairs:
    """Pairs of bodies whose geoms share a bit, and of which MuJoCo lets none touch, with what is fixed to them.

    A finding says where it lets some."""
    model = compiled.model
    kinds: dict[int, set[int]] = defaultdict(set)
    for geom in masks:
        kinds[_carrier(int(model.geom_bodyid[geom]), compiled)].add(group_of[geom])
    bits = {group_of[geom]: mask for geom, mask in masks.items()}
    alike: dict[frozenset[int], list[int]] = defaultdict(list)
    for body, own in sorted(kinds.items()):
        alike[frozenset(own)].append(body)
    found: Pairs = set()
    mixed = 0
    for one, other in combinations_with_replacement(alike, 2):
        shared = [_ordered(i, j) for i in one for j in other if bits[i] & bits[j]]
        right = [pair for pair in shared if pair in meeting]
        bodies = combinations(alike[one], 2) if one == other else product(alike[one], alike[other])
        if shared and not right:
            found |= {_ordered(*pair) for pair in bodies}
        elif len(right) < len(shared):
            mixed += sum(1 for _ in bodies)
    if mixed:
        message = (
            f"contype and conaffinity let some geoms of {mixed} pairs of bodies touch and others not: here all of them "
            "may touch"
        )
        log.warning("MJCF_CONTACT", compiled.places.of_kind("geoms", min(masks)), message)
    return found


def _carrier(body: int, compiled: Compiled) -> int:
    """The body that carries one that is fixed to it; what is fixed to the world stays apart."""
    welded = int(compiled.model.body_weldid[body])
    return welded or body


def _written(compiled: Compiled) -> Pairs:
    """`<exclude>`: the numbers of two bodies in one."""
    signatures = (int(value) for value in compiled.model.exclude_signature)
    return {_ordered(value >> 16, value & 0xFFFF) for value in signatures}
