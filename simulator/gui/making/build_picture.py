"""The picture of a sheet: bodies, pins, lengths, what is being drawn, and what the mechanism answers."""

from __future__ import annotations

import cmath
import math
from dataclasses import field
from functools import lru_cache
from typing import TYPE_CHECKING

from PyQt6.QtCore import QPointF, QRectF, QSizeF, Qt
from PyQt6.QtGui import QColor, QPainter, QPen, QPolygonF

from simulator.building.drawing.answers import Answers
from simulator.building.drawing.hand import LINES, Tool
from simulator.building.drawing.plan import SAME, SCREW, Sketch
from simulator.building.parts.involute import InvoluteGear, rack_outline
from simulator.gui.fields import scaled
from simulator.gui.making.driver_picture import paint_range
from simulator.gui.making.pin_picture import paint_ground, paint_motor
from simulator.gui.making.space_picture import paint_axis, paint_ends, paint_other
from simulator.gui.units import compact
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.building.drawing.hand import Pen
    from simulator.building.drawing.plan import Place, PlanForce, PlanLink, PlanPoint
    from simulator.gui.making.sheet import SheetFrame
    from simulator.gui.tokens import Tokens
    from simulator.gui.units import Units
    from simulator.spatial.rotation import Vec3

TURNS = 9
"""Corners of a spring."""
ARROW = 56
"""Length of a force [px], see `scaled`."""
OFFSETS = (QPointF(0.0, 20.0), QPointF(0.0, -20.0), QPointF(60.0, 0.0), QPointF(-60.0, 0.0), QPointF(0.0, 44.0))
"""Where words may be about a point [px], times `scaled(1)`."""
Key = tuple[str, str]
"""What a number on the sheet is: "length", "layer", "mass", "force", "tilt" or "assembly", and of what."""


@dataclass
class SheetState:
    """What the sheet shows beside its plan: `answers`; `mouse`, where it is; `chosen`, the point that keys move;
    `note`, why what is being drawn cannot be."""

    answers: Answers = field(default_factory=Answers)
    mouse: Place | None = None
    chosen: Place | None = None
    note: str = ""


class BuildPicture:
    """Paints one frame; `boxes` are where numbers are that a click changes, `room` is what is seen of the sheet
    [px]."""

    def __init__(self, painter: QPainter, frame: SheetFrame, tokens: Tokens, units: Units, hand: Pen) -> None:
        self._painter, self._frame, self._tokens, self._units = painter, frame, tokens, units
        self._hand = hand
        self._size = float(scaled(1))
        self.boxes: dict[Key, QRectF] = {}
        self.room = QRectF()
        self._words: list[QRectF] = []
        self._meeting: set[str] = set()
        self._chips: list[tuple[str, str, list[Place]]] = []

    def paint(self, plan: Sketch, shown: SheetState) -> None:
        """All of a plan, with what is being drawn on it."""
        answers, painter = shown.answers, self._painter
        for link in plan.links:
            paint_other(painter, self._frame, self._tokens, link.ghost)
        paint_other(painter, self._frame, self._tokens, plan.base, is_base=True)
        near = (
            plan.outside_at(shown.mouse, self._hand.reach)
            if shown.mouse is not None and self._hand.tool is Tool.MOVE
            else None
        )
        paint_ends(painter, self._frame, self._tokens, plan, near)
        self._paint_paths(answers)
        for number, places in enumerate(answers.assemblies):
            self._paint_ghost(plan, places, number, len(answers.assemblies))
        for place, way in plan.slides.values():
            self._paint_guide(place, way)
        self._paint_belts(plan)
        self._meeting = {name for pair in answers.collisions for name in pair}
        for number, link in enumerate(plan.links):
            if link.ghost:
                continue
            series = self._tokens.series[number % len(self._tokens.series)]
            self._paint_link(plan, link, QColor(self._tokens.error if link.name in self._meeting else series))
        for ends in plan.springs:
            self._paint_spring(*map(self._pixel, ends))
        self._paint_follows(plan)
        if answers.driver is not None:
            self._words = paint_range(painter, answers.driver, self._frame, self._tokens, self._units)
        for point in plan.points:
            self._paint_point(plan, point, shown)
        self._paint_tilts(plan)
        self._paint_begun(shown)
        self._paint_numbers(plan)
        self._paint_chips()

    def _pixel(self, place: Place) -> QPointF:
        return self._frame.place(*place)

    # --- answers ------------------------------------------------------------------------------------------------------

    def _paint_paths(self, answers: Answers) -> None:
        """Of all points that move."""
        color = QColor(self._tokens.selected)
        color.setAlphaF(0.8)
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.setPen(QPen(color, 1.5 * self._size))
        for path in answers.paths:
            self._painter.drawPolyline(QPolygonF([self._pixel(place) for place in path]))

    def _paint_ghost(self, plan: Sketch, places: tuple[Place, ...], number: int, count: int) -> None:
        """Another assembly, and a chip that takes it."""
        color = QColor(self._tokens.muted)
        ghost = plan.moved(places)
        pen = QPen(color, 2.0 * self._size, Qt.PenStyle.DashLine, Qt.PenCapStyle.RoundCap)
        changed = []
        for before, link in zip(plan.links, ghost.links, strict=True):
            if before.places == link.places or link.radius:
                continue
            changed += [place for place in link.places if place not in before.places]
            self._painter.setPen(pen)
            self._painter.setBrush(Qt.BrushStyle.NoBrush)
            spots = [self._pixel(place) for place in link.outline]
            self._painter.drawPolyline(QPolygonF([*spots, spots[0]] if len(spots) > 2 else spots))
        if changed:
            words = "other assembly" if count == 1 else f"assembly {number + 2}"
            self._chips.append((str(number), words, changed))

    def _paint_chips(self) -> None:
        """Words that take another assembly, each where no other number is."""
        metrics, color = self._painter.fontMetrics(), QColor(self._tokens.muted)
        for key, words, places in self._chips:
            size = QSizeF(metrics.horizontalAdvance(words) + 10.0, metrics.height() + 4.0)
            half = QPointF(size.width() / 2.0, size.height() / 2.0)
            spots = [self._inside(self._pixel(place) + self._size * off) for off in OFFSETS for place in places]
            free = (at for at in spots if not self._is_taken(QRectF(at - half, size)))
            self.boxes["assembly", key] = self._paint_text(next(free, spots[0]), words, color, framed=True)

    def _is_taken(self, box: QRectF) -> bool:
        return any(box.intersects(other) for other in (*self.boxes.values(), *self._words))

    def _inside(self, at: QPointF) -> QPointF:
        """The nearest place at which a few words are seen."""
        room = self.room.adjusted(80.0, 40.0, -80.0, -20.0)
        return QPointF(min(max(at.x(), room.left()), room.right()), min(max(at.y(), room.top()), room.bottom()))

    # --- bodies -------------------------------------------------------------------------------------------------------

    def _paint_link(self, plan: Sketch, link: PlanLink, color: QColor) -> None:
        painter, fill = self._painter, QColor(color)
        fill.setAlphaF(0.25)
        spots = [self._pixel(place) for place in link.outline]
        width = max(self._hand.width * self._frame.factor[0], 4.0)
        if link.radius and spots:
            self._paint_wheel(link, spots[0], color, fill)
            return
        if link.rider and spots:
            self._paint_weight(plan, link, spots[0], width)
            return
        if len(spots) == 1:
            self._paint_block(plan, link, spots[0], width, color)
            return
        if link.teeth is not None:
            painter.setPen(QPen(color, scaled(2)))
            painter.setBrush(fill)
            painter.drawPolygon(QPolygonF([self._pixel(place) for place in outline_of(link)]))
            painter.setPen(QPen(color, scaled(1), Qt.PenStyle.DashDotLine))
            painter.drawPolyline(QPolygonF(spots))
            return
        if len(spots) > 2:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(fill)
            painter.drawPolygon(QPolygonF(spots))
            spots.append(spots[0])
        wide = QPen(fill, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
        for pen in (wide, QPen(color, scaled(3), Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)):
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPolyline(QPolygonF(spots))

    def _paint_wheel(self, link: PlanLink, at: QPointF, color: QColor, fill: QColor) -> None:
        """Its pitch circle, and its teeth, if it has some."""
        painter, factor = self._painter, self._frame.factor[0]
        painter.setPen(QPen(color, scaled(2)))
        painter.setBrush(fill)
        if link.teeth is not None:
            painter.drawPolygon(QPolygonF([self._pixel(place) for place in outline_of(link)]))
            painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(color, scaled(2) if link.teeth is None else scaled(1), Qt.PenStyle.DashDotLine))
        painter.drawEllipse(at, link.radius * factor, link.radius * factor)
        painter.setPen(QPen(color, scaled(2)))
        painter.drawLine(at, self._pixel(_on_rim(link)))

    def _paint_block(self, plan: Sketch, link: PlanLink, at: QPointF, width: float, color: QColor) -> None:
        """Of a slide, or the thread of a screw along it."""
        painter, fill = self._painter, QColor(color)
        fill.setAlphaF(0.25)
        painter.setPen(QPen(color, scaled(2)))
        painter.setBrush(fill)
        if not link.name.startswith(SCREW):
            painter.drawRect(QRectF(at.x() - width, at.y() - 0.6 * width, 2.0 * width, 1.2 * width))
            return
        way = next(
            (unit for place, unit in plan.slides.values() if math.dist(place, link.places[0]) <= SAME), (1.0, 0.0)
        )
        along, across = QPointF(way[0], -way[1]), QPointF(way[1], way[0])
        for turn in range(-TURNS, TURNS + 1):
            middle = at + (4.0 * width * turn / TURNS) * along
            lean = 0.25 * width * across + 0.12 * width * along
            painter.drawLine(middle - lean, middle + lean)

    def _paint_weight(self, plan: Sketch, link: PlanLink, at: QPointF, width: float) -> None:
        color, radius = QColor(self._tokens.text), max(0.8 * width, 9.0 * self._size)
        fill = QColor(color)
        fill.setAlphaF(0.3)
        self._painter.setPen(QPen(color, 1.4 * self._size))
        self._painter.setBrush(fill)
        self._painter.drawEllipse(at, radius, radius)
        spot = at + QPointF(0.0, radius + 11.0 * self._size)
        text = f"{compact(plan.masses.get(link.name, 0.0), 4)} kg"
        self.boxes["mass", link.name] = self._paint_text(spot, text, color)

    def _paint_guide(self, place: Place, way: Place) -> None:
        """A slide: a dashed line both ways."""
        self._painter.setPen(QPen(QColor(self._tokens.muted), scaled(1), Qt.PenStyle.DashLine))
        along = QPointF(way[0], -way[1]) * (4.0 * self._hand.width * self._frame.factor[0])
        at = self._pixel(place)
        self._painter.drawLine(at - along, at + along)

    def _paint_belts(self, plan: Sketch) -> None:
        """The outer tangents of two wheels."""
        self._painter.setPen(QPen(QColor(self._tokens.text), 2.0 * self._size))
        for mesh in plan.meshes:
            first, second = plan.link(mesh.first), plan.link(mesh.second)
            if not mesh.belt or first is None or second is None:
                continue
            (ax, ay), (bx, by) = first.places[0], second.places[0]
            far = math.dist((ax, ay), (bx, by))
            if far <= abs(first.radius - second.radius):
                continue
            line = math.atan2(by - ay, bx - ax)
            lean = math.acos((first.radius - second.radius) / far)
            for angle in (line + lean, line - lean):
                out = (math.cos(angle), math.sin(angle))
                ends = [(x + r * out[0], y + r * out[1]) for (x, y), r in
                        (((ax, ay), first.radius), ((bx, by), second.radius))]  # fmt: skip
                self._painter.drawLine(*map(self._pixel, ends))

    def _paint_spring(self, a: QPointF, b: QPointF) -> None:
        """A zigzag between straight ends."""
        way = b - a
        across = QPointF(-way.y(), way.x()) / (math.hypot(way.x(), way.y()) or 1.0) * scaled(6)
        turns = [a + (0.2 + 0.6 * k / TURNS) * way + (across if k % 2 else -across) for k in range(1, TURNS)]
        self._painter.setPen(QPen(QColor(self._tokens.ok), scaled(2)))
        self._painter.drawPolyline(QPolygonF([a, a + 0.2 * way, *turns, a + 0.8 * way, b]))

    def _paint_follows(self, plan: Sketch) -> None:
        """From a leader to what follows it."""
        places = {name: point.place for point in plan.points for name in (*point.joints, *point.slides)}
        self._painter.setPen(QPen(QColor(self._tokens.follower), scaled(2), Qt.PenStyle.DashLine))
        for follower, leader in plan.follows.items():
            if follower in places and leader in places:
                self._painter.drawLine(self._pixel(places[leader]), self._pixel(places[follower]))

    # --- points -------------------------------------------------------------------------------------------------------

    def _paint_point(self, plan: Sketch, point: PlanPoint, shown: SheetState) -> None:
        """A pin is filled, a weld a square, an end that is free a ring; ground stands on hatching."""
        at, size, painter = self._pixel(point.place), self._size, self._painter
        if point.is_ground:
            paint_ground(painter, at, self._tokens, size)
        if any(name in plan.motors for name in (*point.joints, *point.slides)):
            paint_motor(painter, at, self._tokens, size)
        is_near = shown.mouse is not None and plan.point_at(shown.mouse, self._hand.reach) is point
        color = QColor(self._tokens.accent if is_near else self._tokens.text)
        painter.setPen(QPen(color, (3.0 if is_near else 2.0) * size))
        painter.setBrush(QColor(self._tokens.text if point.joints else self._tokens.surface))
        if point.joints and all(plan.kinds.get(name) == "fixed" for name in point.joints):
            painter.drawRect(QRectF(at.x() - 5.0 * size, at.y() - 5.0 * size, 10.0 * size, 10.0 * size))
        else:
            painter.drawEllipse(at, 5.0 * size, 5.0 * size)
        if shown.chosen is not None and math.dist(shown.chosen, point.place) <= SAME:
            painter.setPen(QPen(QColor(self._tokens.accent), 2.0 * size))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(at, 11.0 * size, 11.0 * size)

    def _paint_tilts(self, plan: Sketch) -> None:
        """The axes of hinges that are not across the sheet, by their handles, and by how much they are tilted."""
        for point in plan.points:
            for name in point.joints:
                if name in plan.tilts:
                    u, v = plan.tilts[name]
                    axis = (u, v, math.sqrt(max(1.0 - u * u - v * v, 0.0)))
                    self.boxes["tilt", name] = self._paint_axis(point.place, axis, self._ink())

    def _paint_axis(self, place: Place, axis: Vec3, color: QColor) -> QRectF:
        """An axis that is tilted; gives where its angle is written."""
        ends = (self._pixel(place), self._pixel(self._hand.handle_place(place, axis)))
        at, text = paint_axis(self._painter, ends, axis, color, self._size)
        return self._paint_text(at, text, color)

    # --- what is being drawn ------------------------------------------------------------------------------------------

    def _paint_begun(self, shown: SheetState) -> None:
        hand, painter = self._hand, self._painter
        start, end = hand.start, hand.end
        accent = QColor(self._tokens.accent)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if hand.corners:
            spots = [self._pixel(place) for place in (*hand.corners, end or hand.corners[-1])]
            painter.setPen(QPen(accent, scaled(3), Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawPolyline(QPolygonF(spots))
            for spot in spots:
                painter.drawEllipse(spot, scaled(5), scaled(5))
            return
        if start is None or end is None:
            if shown.mouse is not None and hand.tool in (*LINES, Tool.PLATE):
                painter.setPen(QPen(accent, scaled(1)))
                painter.drawEllipse(self._pixel(hand.snap(shown.mouse)), scaled(4), scaled(4))
            return
        a, b = self._pixel(start), self._pixel(end)
        if hand.tool is Tool.TILT:
            self._paint_axis(start, hand.axis, accent)
            return
        painter.setPen(QPen(accent, scaled(3), Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        if hand.tool is Tool.GEAR:
            far = math.dist(start, end) * self._frame.factor[0]
            painter.drawEllipse(a, far, far)
        if hand.tool is not Tool.MOVE:
            painter.drawLine(a, b)
        painter.drawEllipse(b, scaled(5), scaled(5))
        if end != start and hand.tool is not Tool.MOVE:
            self._paint_text(0.5 * (a + b), self._text_of(math.dist(start, end)), accent)
        if shown.note:
            below = b + self._size * QPointF(0.0, 26.0)
            self._paint_text(below, self._units.in_text(shown.note), QColor(self._tokens.error), framed=True)

    # --- numbers ------------------------------------------------------------------------------------------------------

    def _paint_numbers(self, plan: Sketch) -> None:
        """Lengths, above or to the left of their bars; radii of wheels; forces."""
        for link in plan.links:
            if link.is_bar:
                self._paint_length(plan, link)
            elif link.true_length:
                self._paint_other_length(plan, link)
            elif link.radius and link.places:
                at = self._pixel(link.places[0]) - QPointF(0.0, 0.55 * link.radius * self._frame.factor[0])
                self.boxes["length", link.name] = self._paint_text(at, self._radius_of(plan, link), self._ink())
        for force in plan.forces:
            self._paint_force(force)
        for link in plan.links:
            if link.layer is not None:
                self._paint_layer(link)

    def _paint_other_length(self, plan: Sketch, link: PlanLink) -> None:
        """Of a bar of another plane, in the middle of where it is seen."""
        assert plan.skeleton is not None
        a, b = (self._pixel(plan.plane.place(plan.skeleton.points[n])) for n in plan.skeleton.bars[link.name])
        known, color = plan.parameter(link.name), QColor(self._tokens.muted)
        box = self._paint_text(0.5 * (a + b), self._words_of(plan, link), color, framed=known is not None)
        self.boxes["length", link.name] = box

    def _words_of(self, plan: Sketch, link: PlanLink) -> str:
        """The length of a bar, with its name and what it follows."""
        known, text = plan.parameter(link.name), self._text_of(link.length)
        if known is not None and known.number is None:
            text = f"{known.value} = {text}"
        return f"{known.name} = {text}" if known is not None and known.name else text

    def _paint_length(self, plan: Sketch, link: PlanLink) -> None:
        bar = 0.5 * self._hand.width * self._frame.factor[0]
        metrics = self._painter.fontMetrics()
        a, b = (self._pixel(place) for place in link.ends)
        far = math.dist((a.x(), a.y()), (b.x(), b.y())) or 1.0
        out = QPointF(b.y() - a.y(), a.x() - b.x()) / far
        if out.y() > 1e-9 or (abs(out.y()) <= 1e-9 and out.x() > 0.0):
            out = -out
        if link.teeth is not None:  # behind the teeth of a rack
            out = QPointF(math.sin(link.turn), math.cos(link.turn))
        known, text = plan.parameter(link.name), self._words_of(plan, link)
        half = 0.5 * (abs(out.x()) * (metrics.horizontalAdvance(text) + 10) + abs(out.y()) * metrics.height())
        middle, off = 0.5 * (a + b), (bar + half + 4.0) * out
        wide = QRectF(0.0, 0.0, metrics.horizontalAdvance(text) + 10.0, metrics.height() + 4.0)
        wide.moveCenter(middle + off)
        spot = middle - off if self._is_taken(wide) else middle + off
        box = self._paint_text(spot, text, self._ink(), framed=known is not None)
        if known is not None and not known.name and known.number is not None:
            self._paint_lock(box)
        self.boxes["length", link.name] = box

    def _paint_layer(self, link: PlanLink) -> None:
        """Its number, beside the length of a bar and away from it, or in the middle of a plate."""
        text = f"L{link.layer}"
        wide = self._painter.fontMetrics().horizontalAdvance(text) + 10.0
        corners = [self._pixel(place) for place in link.outline]
        at = sum(corners, QPointF()) / len(corners)
        beside = self.boxes.get(("length", link.name))
        if beside is not None:
            off = 0.5 * wide + 2.0
            is_left = beside.center().x() < at.x() - off
            at = QPointF(beside.left() - off if is_left else beside.right() + off, beside.center().y())
        color = QColor(self._tokens.error if link.name in self._meeting else self._tokens.muted)
        self.boxes["layer", link.name] = self._paint_text(at, text, color, framed=link.name in self._meeting)

    def _paint_lock(self, box: QRectF) -> None:
        """A padlock in front of a length."""
        size, painter = self._size, self._painter
        at = QPointF(box.left() - 8.0 * size, box.center().y() + 1.0)
        painter.setPen(QPen(self._ink(), 1.5 * size))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawArc(QRectF(at.x() - 3.0 * size, at.y() - 7.0 * size, 6.0 * size, 9.0 * size), 0, 180 * 16)
        painter.setBrush(self._ink())
        painter.drawRect(QRectF(at.x() - 4.0 * size, at.y() - 2.0 * size, 8.0 * size, 6.0 * size))

    def _radius_of(self, plan: Sketch, link: PlanLink) -> str:
        known = plan.parameter(link.name)
        teeth = link.teeth
        if teeth is not None:
            return f"m {compact(1000.0 * teeth[0], 4)} mm · z {teeth[1]}"
        name = f"{known.name} = " if known is not None and known.name else "r "
        return f"{name}{self._text_of(link.radius)}"

    def _paint_force(self, force: PlanForce) -> None:
        """An arrow from where it acts, of one length, with its size."""
        size = math.hypot(*force.force) or 1.0
        unit = QPointF(force.force[0] / size, -force.force[1] / size)
        at, color = self._pixel(force.place), QColor(self._tokens.error)
        tip = at + scaled(ARROW) * unit
        across = QPointF(-unit.y(), unit.x())
        self._painter.setPen(QPen(color, 2.5 * self._size))
        self._painter.drawLine(at, tip - 8.0 * self._size * unit)
        self._painter.setBrush(color)
        foot = tip - 10.0 * self._size * unit
        self._painter.drawPolygon(QPolygonF([tip, foot + 5.0 * self._size * across, foot - 5.0 * self._size * across]))
        text = f"{compact(size, 4)} N"
        self.boxes["force", str(force.number)] = self._paint_text(tip + 14.0 * self._size * unit, text, color)

    def _text_of(self, length: float) -> str:
        return f"{compact(length * self._units.factor_of('m'), 4)} {self._units.name_of('m')}"

    def _ink(self) -> QColor:
        return QColor(self._tokens.text)

    def _paint_text(self, at: QPointF, text: str, color: QColor, *, framed: bool = False) -> QRectF:
        metrics, painter = self._painter.fontMetrics(), self._painter
        box = QRectF(0.0, 0.0, metrics.horizontalAdvance(text) + 10.0, metrics.height() + 4.0)
        box.moveCenter(at)
        back = QColor(self._tokens.surface)
        back.setAlphaF(0.85)
        painter.setPen(QPen(QColor(self._tokens.border), 1.0) if framed else Qt.PenStyle.NoPen)
        painter.setBrush(back)
        painter.drawRoundedRect(box, 4.0, 4.0)
        painter.setPen(color)
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)
        return box


@lru_cache(maxsize=64)
def _corners(module: float, teeth: int, *, is_rack: bool) -> tuple[complex, ...]:
    outline = rack_outline(module, teeth, 2.0 * module) if is_rack else InvoluteGear(module, teeth).outline(6)
    return tuple(complex(x, y) for x, y in outline.tolist())


def outline_of(link: PlanLink) -> list[Place]:
    """The corners of the teeth of a wheel or rack [m]."""
    assert link.teeth is not None
    middle, turn = complex(*link.cut_at), cmath.rect(1.0, link.turn)
    corners = [middle + corner * turn for corner in _corners(*link.teeth, is_rack=not link.radius)]
    return [(corner.real, corner.imag) for corner in corners]


def _on_rim(link: PlanLink) -> Place:
    """Where the first tooth of a wheel is on its pitch circle."""
    x, y = link.places[0]
    return (x + link.radius * math.cos(link.turn), y + link.radius * math.sin(link.turn))
