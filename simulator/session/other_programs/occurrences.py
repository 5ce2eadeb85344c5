"""Places of a document with a feature that some program lacks: found on the model and the mechanism, for any format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.diagnostics import Source
    from simulator.model.joint import Joint
    from simulator.model.link import Link
    from simulator.model.world import Model, World


@dataclass(frozen=True)
class Occurrence:
    """One place of a feature: its name, and its line."""

    name: str
    source: Source | None


def joints_of(world: World) -> Iterator[Joint]:
    """All joints, those of the world last."""
    for model in world.models:
        yield from model.joints
    yield from world.joints


def moving_models(world: World) -> Iterator[Model]:
    """Models that are not static."""
    return (model for model in world.models if not model.static)


def moving_links(world: World) -> Iterator[Link]:
    """Links of models that are not static."""
    for model in moving_models(world):
        yield from model.links
