"""Our element for links that never touch: `<simulator:exclude link="model::a" other="model::b"/>` of a world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.cursor import offered
from simulator.formats.sdf.extensions import EXCLUDE
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.diagnostics import DiagnosticLog, Source
    from simulator.formats.cursor import Cursor
    from simulator.model.world import Model

INVALID = "EXCLUDE_INVALID"


@dataclass(frozen=True)
class Exclusion:
    """The names of two links as written, and where."""

    link: str
    other: str
    source: Source


def read_exclusions(world: Cursor) -> tuple[Exclusion, ...]:
    """All of a world, names as written."""
    return tuple(
        Exclusion(element.get("link"), element.get("other"), element.source) for element in world.children(EXCLUDE)
    )


def resolved_exclusions(
    exclusions: Sequence[Exclusion], models: Sequence[Model], log: DiagnosticLog
) -> tuple[tuple[str, str], ...]:
    """Scoped names of pairs; an error for a link that does not exist, whose pair is left out."""
    links = {link.name for model in models for link in model.links} if exclusions else set()
    found = []
    for item in exclusions:
        unknown = [name for name in (item.link, item.other) if name not in links]
        if unknown:
            message = f"<{EXCLUDE}> names the link '{unknown[0]}', which does not exist"
            hint = offered(log, unknown[0], links, "links, with the names of their models before them")
            log.error(INVALID, item.source, message, hint)
        else:
            found.append((item.link, item.other))
    return tuple(found)
