"""A hand that draws: presses, moves and releases of a mouse, in the plane, made into changes of a draft."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from simulator.building.drawing import verbs
from simulator.building.drawing.plan import FRONT, Sketch

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.building.draft import Draft
    from simulator.building.drawing.plan import Place, PlanPoint


class Tool(str, Enum):
    """What a press begins."""

    MOVE = "move"
    BAR = "bar"
    GROUND = "ground"
    SLIDER = "slider"
    GEAR = "gear"
    RACK = "rack"
    SPRING = "spring"
    FOLLOW = "follow"
    MOTOR = "motor"
    DELETE = "delete"


LINES = (Tool.BAR, Tool.SLIDER, Tool.GEAR, Tool.RACK, Tool.SPRING, Tool.FOLLOW)
"""Tools that need two places: by a drag, or by two clicks."""


@dataclass(frozen=True)
class Gesture:
    """A change of a draft; `text` is what the Edit menu calls it. `do` raises UsageError for what cannot be."""

    text: str
    do: Callable[[Draft], object]


class Pen:
    """`start` and `end` are the places [m] of what is being drawn, None while nothing is. `grid` [m] is the spacing to
    which places snap, `reach` [m] the distance from which points attract, `width` [m] that of new bars."""

    def __init__(self) -> None:
        self.tool = Tool.BAR
        self.plan = Sketch(FRONT)
        self.grid, self.reach, self.width = 0.01, 0.01, 0.02
        self.start: Place | None = None
        self.end: Place | None = None
        self._clicked = False

    @property
    def is_drawing(self) -> bool:
        """Whether something is begun."""
        return self.start is not None

    def take(self, tool: Tool) -> None:
        """Take a tool; what was begun is given up."""
        self.tool = tool
        self.cancel()

    def cancel(self) -> None:
        """Give up what was begun."""
        self.start = self.end = None
        self._clicked = False

    def snap(self, place: Place) -> Place:
        """The point near a place, else the nearest place of the grid; for the rim of a wheel, where it touches."""
        point = self.plan.point_at(place, self.reach)
        if self.tool is Tool.GEAR and self.start is not None:
            return self._rim(place)
        if point is not None and not (self.tool is Tool.MOVE and self.start is not None):
            return point.place
        x, y = (round(round(value / self.grid) * self.grid, 12) + 0.0 for value in place)
        return (x, y)

    def press(self, place: Place) -> None:
        """The button goes down."""
        if self.tool is Tool.MOVE:
            self.start = self.end = None if self._point(place) is None else self.snap(place)
        elif self.tool in LINES and self.start is None:
            self.start = self.end = self.snap(place)
        elif self.tool in LINES:
            self.end = self.snap(place)

    def move(self, place: Place) -> None:
        """The mouse is elsewhere."""
        if self.start is not None:
            self.end = self.snap(place)

    def release(self, place: Place) -> Gesture | None:
        """The button is up; gives what is to be done, if that is all that is needed."""
        if self.tool not in (*LINES, Tool.MOVE):
            return self._at(place)
        if self.start is None:
            return None
        start, end = self.start, self.snap(place)
        if end == start:
            if self._clicked or self.tool is Tool.MOVE:
                self.cancel()
            else:
                self._clicked = True
            return None
        self.cancel()
        return self._between(start, end)

    def _point(self, place: Place) -> PlanPoint | None:
        return self.plan.point_at(place, self.reach)

    def _at(self, place: Place) -> Gesture:
        plan, at = self.plan, self.snap(place)
        if self.tool is Tool.GROUND:
            return Gesture("Ground", lambda draft: verbs.add_ground(draft, plan, at))
        if self.tool is Tool.MOTOR:
            point = self._point(place)
            names = [] if point is None else [*point.joints, *point.slides]
            rate = None if any(name in plan.motors for name in names) else verbs.MOTOR
            text = "Motor" if rate is not None else "Removal of a motor"
            return Gesture(text, lambda draft: verbs.set_motor(draft, plan, at, rate))
        return Gesture("Deletion", lambda draft: verbs.delete_at(draft, plan, place, self.reach))

    def _between(self, start: Place, end: Place) -> Gesture:
        plan, width = self.plan, self.width
        way = (end[0] - start[0], end[1] - start[1])
        radius = round(math.hypot(*way), 12)
        changes: dict[Tool, tuple[str, Callable[[Draft], object]]] = {
            Tool.BAR: ("Bar", lambda draft: verbs.add_bar(draft, plan, (start, end), width)),
            Tool.SLIDER: ("Slide", lambda draft: verbs.add_slider(draft, plan, start, way, width)),
            Tool.GEAR: ("Wheel", lambda draft: verbs.add_wheel(draft, plan, start, radius, width)),
            Tool.RACK: ("Rack", lambda draft: verbs.add_rack(draft, plan, (start, end), width)),
            Tool.SPRING: ("Spring", lambda draft: verbs.add_spring(draft, plan, (start, end))),
            Tool.FOLLOW: ("Relation", lambda draft: verbs.set_follower(draft, plan, start, end)),
            Tool.MOVE: ("Move of a point", lambda draft: verbs.move_point(draft, plan, start, end)),
        }
        return Gesture(*changes[self.tool])

    def _rim(self, place: Place) -> Place:
        """On the ray to a place, where the wheel touches another one, or at a radius of the grid."""
        assert self.start is not None
        centre = self.start
        far = math.dist(centre, place)
        if far <= 0.5 * self.grid:
            return centre
        radius = round(far / self.grid) * self.grid or self.grid
        for other in self.plan.links:
            if other.radius and other.places:
                touching = math.dist(other.places[0], centre) - other.radius
                if touching > 0.0 and abs(touching - far) <= self.reach:
                    radius = touching
        return (centre[0] + radius * (place[0] - centre[0]) / far, centre[1] + radius * (place[1] - centre[1]) / far)
