"""What generated mechanisms have in common: a base plate, and planar linkages in the x-z plane, seen from -y."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.building.draft import Draft, new
from simulator.building.shapes import PlacedShape, bar, box, cylinder
from simulator.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.building.links import LinkDraft

AXIS = (0.0, -1.0, 0.0)
"""Angles are counter-clockwise seen from the front."""
Point = tuple[float, float]
LAYER = 0.012
"""Distance of the layers of a planar linkage [m]."""


def started(name: str, title: str, notes: Sequence[str] = ()) -> Draft:
    """A new draft with its title, and notes that are written into it as a comment."""
    draft = new(name)
    draft.title(title)
    draft.notes += list(notes)
    for note in notes:
        draft.comment(note)
    return draft


def add_base_plate(draft: Draft, pivots: Sequence[Point], *, depth: float, size: float) -> LinkDraft:
    """A plate behind the mechanism with a pin at every pivot, fixed to the world; it only shows what does not move.
    `depth` [m]: how far behind the middle plane its face is; `size` [m]: of its margin."""
    xs = [x for x, _ in pivots]
    zs = [z for _, z in pivots]
    middle = ((min(xs) + max(xs)) / 2.0, (min(zs) + max(zs)) / 2.0)
    extent = (max(xs) - min(xs) + 2.0 * size, max(zs) - min(zs) + 2.0 * size)
    thickness = 0.3 * size
    shapes = [
        box((extent[0], thickness, extent[1]), (middle[0], depth + thickness / 2.0, middle[1]), color="grey"),
        *(cylinder(0.22 * size, 2.0 * depth + 0.002, (x, 0.0, z), axis=AXIS, color="steel") for x, z in pivots),
    ]
    link = draft.link("base", *shapes)
    draft.fixed("base_joint", draft.world, link)
    return link


def let_touch(draft: Draft) -> None:
    """The links of the model touch each other, and nothing rubs."""
    draft.set("self_collide", True)
    for link in draft.links.values():
        for collision in link.element.all("collision"):
            for number in ("mu", "mu2"):
                link.set(f"collision[{collision.get('name')}]/surface/friction/ode/{number}", 0.0)


class PlanarLinkage:
    """A draft of a linkage in the x-z plane: bars between points, hinges and slides across the plane. A joint that
    closes a loop is marked as the one to be cut."""

    def __init__(self, name: str, title: str, *, width: float, notes: Sequence[str] = ()) -> None:
        """`width` of the bars [m]."""
        self.draft = started(name, title, notes)
        self.width = width
        self._groups: dict[str, str] = {}

    def bar(self, name: str, *points: Point, layer: int = 0) -> LinkDraft:
        """A link from point to point: a bar between two, a plate with bars along its edges between three or more."""
        if len(points) < 2:
            raise UsageError(f"the bar '{name}' has two ends or more")
        offset = -layer * LAYER
        places = [(x, 0.0, z) for x, z in points]
        if len(points) == 2:
            shapes = [self._bar(places[0], places[1], offset)]
        else:
            pairs = zip(places, [*places[1:], places[0]], strict=True)
            shapes = [self._bar(a, b, offset) for a, b in pairs if a != b]
        return self.draft.link(name, *shapes)

    def block(self, name: str, at: Point, *, size: float = 0.0, layer: int = 0) -> LinkDraft:
        """A slider."""
        edge = size or 1.6 * self.width
        return self.draft.link(name, box((edge, 0.8 * LAYER, edge), (at[0], -layer * LAYER, at[1])))

    def pin(self, name: str, parent: object, child: object, at: Point, **options: float) -> None:
        """A hinge."""
        loop = self._joined(str(parent), str(child))
        self.draft.revolute(name, str(parent), str(child), at=(at[0], 0.0, at[1]), axis=AXIS, loop=loop, **options)

    def dyad(self, on: str, at: Point, pin: Point, pivot: Point, *, closing: str) -> None:
        """Two bars, `link` from a point of the bar `on` to a pin, which `closing` is the joint of, and `output` from
        there to a pivot of the ground; with the joints `link_joint` and `output_joint`."""
        self.bar("link", at, pin, layer=2)
        self.bar("output", pivot, pin, layer=3)
        self.pin("output_joint", "world", "output", pivot)
        self.pin("link_joint", on, "link", at)
        self.pin(closing, "link", "output", pin)

    def slide(self, name: str, parent: object, child: object, at: Point, along: Point, **options: float) -> None:
        """A slide."""
        loop = self._joined(str(parent), str(child))
        axis = (along[0], 0.0, along[1])
        self.draft.prismatic(name, str(parent), str(child), at=(at[0], 0.0, at[1]), axis=axis, loop=loop, **options)

    def base_plate(self, *pivots: Point) -> None:
        """A plate behind the pivots of the ground."""
        add_base_plate(self.draft, pivots, depth=LAYER, size=1.4 * self.width)

    def _bar(self, a: tuple[float, ...], b: tuple[float, ...], offset: float) -> PlacedShape:
        return bar(a, b, width=self.width, thickness=0.8 * LAYER, normal=(0.0, 1.0, 0.0), offset=offset)

    def _joined(self, parent: str, child: str) -> bool:
        """Whether both hang together already; they do from now on."""
        first, second = self._root(parent), self._root(child)
        self._groups[first] = second
        return first == second

    def _root(self, name: str) -> str:
        while self._groups.get(name, name) != name:
            name = self._groups[name]
        return name
