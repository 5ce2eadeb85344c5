"""Scoped names, `model::link`, in the shortest form that tells them apart."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def tail_name(name: str) -> str:
    """A scoped name without its model, whether that leaves it distinct or not: for places that show which one is
    meant."""
    return name.rpartition("::")[2]


def distinct_tails(names: Sequence[str]) -> tuple[str, ...]:
    """Names without their model where that leaves them distinct."""
    tails = [tail_name(name) for name in names]
    seen = Counter(tails)
    return tuple(tail if seen[tail] == 1 else name for tail, name in zip(tails, names, strict=True))
