"""A hand that draws: presses, moves and releases of a mouse, in the plane, made into changes of a draft."""

from __future__ import annotations

import math
from enum import Enum
from typing import TYPE_CHECKING

from simulator.building.drawing import lengths, space_verbs, verbs
from simulator.building.drawing.plan import FRONT, SAME, Sketch, distance_to, on_line
from simulator.building.drawing.space import bevel_radius, handle_of, snapped_axis
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.building.draft import Draft
    from simulator.building.drawing.plan import Place, PlanPoint
    from simulator.spatial.rotation import Vec3


class Tool(str, Enum):
    """What a press begins."""

    MOVE = "move"
    BAR = "bar"
    PLATE = "plate"
    GROUND = "ground"
    SLIDER = "slider"
    GEAR = "gear"
    RACK = "rack"
    BELT = "belt"
    SCREW = "screw"
    SPRING = "spring"
    WEIGHT = "weight"
    FORCE = "force"
    FOLLOW = "follow"
    MOTOR = "motor"
    TILT = "tilt"
    FOLD = "fold"
    DELETE = "delete"


LINES = (
    Tool.BAR, Tool.SLIDER, Tool.GEAR, Tool.RACK, Tool.BELT, Tool.SCREW, Tool.SPRING, Tool.FORCE, Tool.FOLLOW, Tool.TILT,
    Tool.FOLD,
)  # fmt: skip
"""Tools that need two places: by a drag, or by two clicks."""


ON_BODIES = (Tool.BAR, Tool.PLATE, Tool.SPRING, Tool.WEIGHT, Tool.FORCE)
"""Tools whose places may be anywhere on a bar."""


@dataclass(frozen=True)
class Gesture:
    """A change of a draft; `text` is what the Edit menu calls it. `do` raises UsageError for what cannot be."""

    text: str
    do: Callable[[Draft], object]


@dataclass(frozen=True)
class FoldLine:
    """The line about which the sheet is to be folded, from one place to another one."""

    start: Place
    end: Place


def deletion(plan: Sketch, place: Place, within: float) -> Gesture:
    """Delete what is at a place, and give the names of all that is gone; names of lengths that others follow stay."""

    def do(draft: Draft) -> list[str]:
        gone = verbs.delete_at(draft, plan, place, within)
        lengths.keep_names(draft, plan)
        return gone

    return Gesture("Deletion", do)


class Pen:
    """`start` and `end` are the places [m] of what is being drawn, None while nothing is; `corners` are those of a
    plate so far. `grid` [m] is the spacing to which places snap, `reach` [m] the distance from which points and bars
    attract, `width` [m] that of new bars; the handle of an axis that is tilted by a quarter of a turn is `quarter` [m]
    from its pin."""

    def __init__(self) -> None:
        self.tool = Tool.BAR
        self.plan = Sketch(FRONT)
        self.grid, self.reach, self.width, self.quarter = 0.01, 0.01, 0.02, 0.1
        self.start: Place | None = None
        self.end: Place | None = None
        self.corners: list[Place] = []
        self._clicked = False

    @property
    def is_drawing(self) -> bool:
        """Whether something is begun."""
        return self.start is not None or bool(self.corners)

    def take(self, tool: Tool) -> None:
        """Take a tool; what was begun is given up."""
        self.tool = tool
        self.cancel()

    def cancel(self) -> None:
        """Give up what was begun."""
        self.start = self.end = None
        self.corners = []
        self._clicked = False

    def snap(self, place: Place) -> Place:
        """The point near a place, else the nearest place of the grid, or of a bar for what is put on one; for the rim
        of a wheel, where it touches."""
        point = self.plan.point_at(place, self.reach)
        if self.tool in (Tool.GEAR, Tool.TILT) and self.start is not None:
            return self._rim(place) if self.tool is Tool.GEAR else self.handle_place(self.start, self._axis(place))
        if point is not None and not (self.tool is Tool.MOVE and self.start is not None):
            return point.place
        begun = next((corner for corner in self.corners if math.dist(corner, place) <= self.reach), None)
        if begun is not None:
            return begun
        if self.tool is Tool.BELT and (wheel := self.plan.link_at(place, 0.0)) is not None:
            return wheel.places[0]
        x, y = (round(round(value / self.grid) * self.grid, 12) + 0.0 for value in place)
        body = self.plan.link_at(place, self.reach) if self.tool in ON_BODIES else None
        if body is not None and body.is_bar and distance_to(body, (x, y)) > SAME:
            return on_line(place, *body.ends)
        return (x, y)

    def press(self, place: Place) -> None:
        """The button goes down."""
        if self.tool is Tool.MOVE or (self.tool is Tool.TILT and self.start is None):
            outside = self._outside(place)
            self.start = self.end = outside or (None if self._point(place) is None else self.snap(place))
        elif self.tool in LINES and self.start is None:
            self.start = self.end = self.snap(place)
        elif self.tool in LINES:
            self.end = self.snap(place)

    def move(self, place: Place) -> None:
        """The mouse is elsewhere."""
        if self.is_drawing:
            self.end = self.snap(place)

    def release(self, place: Place) -> Gesture | FoldLine | None:
        """The button is up; gives what is to be done, if that is all that is needed."""
        if self.tool is Tool.PLATE:
            return self._corner(self.snap(place))
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
        made = FoldLine(start, end) if self.tool is Tool.FOLD else self._between(start, end)
        self.cancel()
        return made

    @property
    def pending(self) -> Gesture | None:
        """What a release here would do."""
        if self.start is None or self.end is None or self.start == self.end or self.tool is Tool.FOLD:
            return None
        return self._between(self.start, self.end)

    def _corner(self, place: Place) -> Gesture | None:
        """One more corner; the first one again closes the plate."""
        if place not in self.corners:
            self.corners.append(place)
            return None
        corners, plan, width = tuple(self.corners), self.plan, self.width
        if place != corners[0] or len(corners) < 3:
            return None
        self.cancel()
        return Gesture("Plate", lambda draft: verbs.add_plate(draft, plan, corners, width))

    def _outside(self, place: Place) -> Place | None:
        """Where the end of a bar of another plane is seen that is to be moved, where no point of this plane is."""
        if self.tool is not Tool.MOVE or self._point(place) is not None:
            return None
        number = self.plan.outside_at(place, self.reach)
        return None if number is None else self.plan.outside[number]

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
        if self.tool is Tool.WEIGHT:
            width = self.width
            return Gesture("Weight", lambda draft: verbs.add_weight(draft, plan, at, width))
        return deletion(plan, place, self.reach)

    def _between(self, start: Place, end: Place) -> Gesture:
        plan, width = self.plan, self.width
        way = (end[0] - start[0], end[1] - start[1])
        axis = self._axis(end) if self.tool is Tool.TILT else (0.0, 0.0, 1.0)
        radius = round(math.hypot(*way), 12)
        changes: dict[Tool, tuple[str, Callable[[Draft], object]]] = {
            Tool.BAR: ("Bar", lambda draft: verbs.add_bar(draft, plan, (start, end), width)),
            Tool.SLIDER: ("Slide", lambda draft: verbs.add_slider(draft, plan, start, way, width)),
            Tool.GEAR: ("Wheel", lambda draft: verbs.add_wheel(draft, plan, start, radius, width)),
            Tool.RACK: ("Rack", lambda draft: verbs.add_rack(draft, plan, (start, end), width)),
            Tool.BELT: ("Belt", lambda draft: verbs.add_belt(draft, plan, (start, end))),
            Tool.SCREW: ("Screw", lambda draft: verbs.add_screw(draft, plan, start, way, width)),
            Tool.FORCE: ("Force", lambda draft: verbs.add_force(draft, plan, start, way)),
            Tool.SPRING: ("Spring", lambda draft: verbs.add_spring(draft, plan, (start, end))),
            Tool.FOLLOW: ("Relation", lambda draft: verbs.set_follower(draft, plan, start, end)),
            Tool.TILT: ("Tilt of an axis", lambda draft: space_verbs.tilt_pin(draft, plan, start, axis)),
            Tool.MOVE: ("Move of a point", lambda draft: lengths.move_point(draft, plan, start, end)),
        }
        return Gesture(*changes[self.tool])

    def handle_place(self, pin: Place, axis: Vec3) -> Place:
        """Where the handle of an axis is that goes through a pin."""
        x, y = handle_of(axis)
        return (pin[0] + self.quarter * x, pin[1] + self.quarter * y)

    @property
    def axis(self) -> Vec3:
        """The axis that is being tilted, by its components along u, v and the normal."""
        return (0.0, 0.0, 1.0) if self.start is None or self.end is None else self._axis(self.end)

    def _axis(self, place: Place) -> Vec3:
        """The axis whose handle is dragged to a place: across the lines of both links, or by steps."""
        assert self.start is not None
        point = self.plan.point_at(self.start)
        known = [
            axis for name in (point.joints if point is not None else ()) for axis in self.plan.across.get(name, ())
        ]
        handle = ((place[0] - self.start[0]) / self.quarter, (place[1] - self.start[1]) / self.quarter)
        return snapped_axis(handle, known, self.reach / self.quarter)

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
        for wheel in self.plan.wheels:
            touching = bevel_radius(wheel, centre)
            if touching and abs(touching - far) <= self.reach:
                radius = touching
        return (centre[0] + radius * (place[0] - centre[0]) / far, centre[1] + radius * (place[1] - centre[1]) / far)
