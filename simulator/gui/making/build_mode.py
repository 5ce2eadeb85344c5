"""Build mode: a page with tools and a sheet, on which a document is drawn; every gesture is in its file at once."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from PyQt6.QtCore import QPoint, QRectF, QTimer, pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from simulator.building.draft import Draft, edit
from simulator.building.drawing import lengths, space_verbs, verbs
from simulator.building.drawing.answers import Answers, answers_of
from simulator.building.drawing.hand import Gesture, Tool, deletion
from simulator.building.drawing.plan import FRONT, PLANES, Plane, Sketch, plane_across
from simulator.building.drawing.reading import plan_of
from simulator.building.mounting import on_model
from simulator.errors import SimulatorError, UsageError
from simulator.formats.files import read_regular
from simulator.gui.fields import label, mark, scaled
from simulator.gui.making.build_picture import Key
from simulator.gui.making.build_sheet import BuildSheet
from simulator.gui.making.build_tools import FACE, BuildTools, PlaceMenu, tool_names
from simulator.gui.making.length_column import LengthColumn
from simulator.gui.making.length_field import LengthField
from simulator.gui.units import compact
from simulator.model.names import tail_name
from simulator.session.commands.commands import Pause, Reset, Run
from simulator.session.open.reading_choices import EMPTY_MODEL
from simulator.session.save.document_edit import DocumentEdit, exchange, is_ours

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.building.drawing.hand import FoldLine
    from simulator.building.drawing.plan import Place
    from simulator.building.features import Feature
    from simulator.gui.live import LiveSession
    from simulator.gui.theme import Theme, Tokens
    from simulator.gui.units import Units
    from simulator.session.open.opening import Opened

SOON = 20
"""Pause of the mouse after which what is being drawn is answered [ms]; as long as the last answer took, if that was
longer."""


class BuildMode(QWidget):
    """The page of build mode. `path`: the document that is drawn, None while the mode is off; time stands as long as
    it is on. `answers`: what the mechanism does as it is drawn. `drawn` is emitted where
    the sheet shows something else than before, `face_wanted` where a face is to be picked for the sheet."""

    drawn = pyqtSignal()
    face_wanted = pyqtSignal()

    def __init__(self, live: LiveSession, theme: Theme, units: Units) -> None:
        super().__init__()
        self._live, self._units = live, units
        self.path: Path | None = None
        self._plane: Plane = FRONT
        self._sheets: dict[str, Plane] = {}  # planes other than the standard ones, by their names
        self._data, self._took = b"", 0.0
        self.answers = Answers()
        self.sheet, self.bar = BuildSheet(theme.tokens, units), BuildTools()
        self.tools = self.bar.buttons
        self.column, self.card = LengthColumn(), LengthField(self.sheet)
        self.field, self.menu = self.card.text, PlaceMenu(self, self.apply, self._edit)
        self.says = label("", "muted")
        self._edited: Key | None = None
        self._wanted: Gesture | None = None
        self._fold: FoldLine | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._answer_soon)
        self._arrange()
        self._connect()
        theme.changed.connect(self._set_tokens)
        live.undo.rewritten.connect(lambda _reason: self.read(evaluate=False))

    def _connect(self) -> None:
        sheet = self.sheet
        self.bar.taken.connect(self.take)
        self.bar.plane_chosen.connect(self._choose_plane)
        sheet.gesture.connect(self.apply)
        sheet.changed.connect(self._on_hand)
        sheet.number.connect(self._ask)
        sheet.menu.connect(self._ask_menu)
        sheet.nudged.connect(self._nudge)
        sheet.erased.connect(self._erase)
        sheet.layered.connect(self._pull)
        sheet.folded.connect(self._ask_fold)
        self.field.entered.connect(self._entered)
        self.field.closed.connect(self._close_field)
        self.card.locked.connect(self._lock)
        self.column.moved.connect(lambda name, length: self._answer(self._named(name, length)))
        self.column.chosen.connect(lambda name, length: self.apply(self._named(name, length)))

    @property
    def is_on(self) -> bool:
        """Whether the mode is on."""
        return self.path is not None

    def begin(self, path: Path) -> None:
        """Draw in a document. Raises UsageError for one that cannot be changed, and what to do instead."""
        if is_ours(path):
            raise UsageError(f"{path.name} comes with the program; File ▸ Save document as… makes a copy to draw in")
        _draft(path)
        if path != self.path:
            self._show_front()
        self.path = path
        self._live.reading.held[path.absolute()] = False  # what hangs on nothing yet is not asked about
        for command in (Pause(), Reset()):  # the sheet shows the start of the document
            self._live.pass_on(command)
        self.take(Tool.BAR)
        self.read(fit=True)
        self.sheet.setFocus()

    def end(self, *, run: bool) -> None:
        """Leave the mode; time passes again with `run`."""
        self._close_field()
        self.sheet.hand.cancel()
        self.path = None
        if run:
            self._live.send(Run())

    def wrote(self, path: Path) -> bool:
        """Whether a file is as the sheet shows it: then it was changed by a gesture."""
        if path != self.path or not path.is_file() or path.stat().st_size != len(self._data):
            return False
        return read_regular(path, len(self._data)) == self._data

    def take_focus(self) -> None:
        """Keys are for the sheet, but not while a length is being typed."""
        if self.card.isHidden():
            self.sheet.setFocus()

    def take(self, tool: Tool) -> None:
        """Take a tool."""
        self.sheet.hand.take(tool)
        self.tools[tool].setChecked(True)
        self._say_hint()

    def read(self, *, fit: bool = False, evaluate: bool = True) -> None:
        """Show what the file has now; `evaluate`: with lengths as their names say, which its text may have changed."""
        if self.path is None:
            return
        try:
            draft = _draft(self.path)
        except SimulatorError as error:
            self._say(str(error), "error")
            return
        opened = draft.check()
        self._show(draft, opened, fit=fit)
        if opened.has_errors or not evaluate:
            return
        plan = self.sheet.plan
        try:
            is_true = not lengths.differing(plan)
        except UsageError as error:
            self._say(str(error), "error")
            return
        if not is_true:
            self.apply(Gesture("Lengths by their names", lambda draft: lengths.make_lengths_true(draft, plan)))

    def apply(self, gesture: Gesture) -> None:
        """Do what a gesture wants in the file, or say why not."""
        if self.path is None:
            return
        self._soon.stop()
        self.sheet.preview(None, self.answers)
        try:
            draft = _draft(self.path)
            before = draft.tree.data
            gone = gesture.do(draft)
            opened = draft.check()
            wrong = [found.message for found in opened.diagnostics if found.is_error and found.code != EMPTY_MODEL]
            if wrong:
                raise UsageError(wrong[0])
            draft.files.save(self.path.resolve().parent)  # meshes of teeth
            edit_made = DocumentEdit({self.path: before}, {self.path: draft.tree.data})
            exchange(edit_made.before, edit_made.after)
        except SimulatorError as error:
            self._say(str(error), "error")
            return
        self._show(draft, opened)
        self._live.edited(edit_made, gesture.text)
        if isinstance(gone, list) and len(gone) > 1:
            self._say(self.tr("Gone: {names}").format(names=", ".join(name.rpartition(":")[2] for name in gone)))

    def set_units(self, units: Units) -> None:
        """Show lengths in other units."""
        self._units = units
        self.sheet.set_units(units)
        self.column.show_plan(self.sheet.plan, units)

    def _show(self, draft: Draft, opened: Opened, *, fit: bool = False) -> None:
        self._data = draft.tree.data
        try:
            plan = plan_of(opened, self._plane, draft.name)
        except UsageError:  # the body on which the sheet lay is gone
            self._show_front()
            plan = plan_of(opened, self._plane, draft.name)
        begin = time.perf_counter()
        self.answers = answers_of(draft, plan, opened)
        self._took = time.perf_counter() - begin
        self._wanted = None
        self.sheet.show_plan(plan, self.answers, fit=fit)
        self.column.show_plan(plan, self._units)
        self._say_hint()
        self.drawn.emit()

    # --- while something is drawn -------------------------------------------------------------------------------------

    def _on_hand(self) -> None:
        """What is being drawn is answered as soon as the mouse rests."""
        self._wanted = self.sheet.hand.pending
        if self._wanted is None:
            self._soon.stop()
            self.sheet.preview(None, self.answers)
            self._say_hint()
        else:
            self._soon.start(max(SOON, round(1000.0 * self._took)))

    def _answer_soon(self) -> None:
        if self._wanted is not None:
            self._answer(self._wanted)

    def _answer(self, gesture: Gesture) -> None:
        """Show what a gesture would do, or why it cannot."""
        if self.path is None:
            return
        try:
            draft = _draft(self.path)
            gesture.do(draft)
            opened = draft.check()
            plan = plan_of(opened, self._plane, draft.name)
        except SimulatorError as error:
            self.sheet.preview(None, self.answers, str(error))
            self._say(str(error), "error")
            return
        answers = answers_of(draft, plan, opened)
        self.sheet.preview(plan, answers)
        self._say_facts(plan, answers)

    def _arrange(self) -> None:
        body = QHBoxLayout()
        body.setSpacing(scaled(12))
        body.addWidget(self.sheet, 1)
        body.addWidget(self.column)
        column = QVBoxLayout(self)
        column.setContentsMargins(scaled(8), scaled(6), scaled(8), scaled(6))
        column.setSpacing(scaled(6))
        column.addWidget(self.bar)
        column.addLayout(body, 1)
        self.says.setWordWrap(True)
        column.addWidget(self.says)

    def _choose_plane(self, name: str) -> None:
        chosen = PLANES.get(name) or self._sheets.get(name)
        if chosen is not None:
            self._plane = chosen
            self.read(fit=True)
        elif name == FACE:
            self.face_wanted.emit()

    def _lay(self, plane: Plane, name: str, *, fit: bool) -> None:
        """Lay the sheet into another plane, which is called `name`."""
        names = (name, *(f"{name} ({number})" for number in range(2, len(self._sheets) + 2)))
        free = next(it for it in names if it not in self._sheets or self._sheets[it] == plane)
        self._plane = self._sheets[free] = plane
        self.stay()
        self.read(fit=fit)

    def _show_front(self) -> None:
        """Lay the sheet into the front plane; other sheets are forgotten."""
        self._plane, self._sheets = FRONT, {}
        self.stay()

    def stay(self) -> None:
        """Leave the sheet in its plane, where none was picked."""
        known = {**PLANES, **self._sheets}
        self.bar.show_plane(next(key for key, plane in known.items() if plane == self._plane), self._sheets)

    def lay_on(self, feature: Feature) -> None:
        """Lay the sheet across a feature of a link, on which is drawn then. Raises UsageError for one without a
        direction, and for links of other models."""
        if self.path is None:
            return
        draft = _draft(self.path)
        if not feature.has_axis:
            raise UsageError(f"{feature} has no direction: pick a face, an edge, an axis or a joint")
        link, seen = on_model(draft.check().world, draft.name, feature)
        self._lay(plane_across(seen.direction, seen.at, link), tail_name(feature.link), fit=True)

    def _say(self, text: str, level: str = "") -> None:
        self.says.setText(f"{text[:1].upper()}{self._units.in_text(text)[1:]}")
        mark(self.says, "level", level)

    def _say_hint(self) -> None:
        """What the tool does, and what the mechanism is."""
        self._say_facts(self.sheet.plan, self.answers)

    def _say_facts(self, plan: Sketch, answers: Answers) -> None:
        about, facts = tool_names()[self.sheet.hand.tool][1], facts_of(plan, answers)
        self._say(f"{about}.    {facts}" if facts else f"{about}.")

    # --- numbers ------------------------------------------------------------------------------------------------------

    def _ask(self, key: Key, box: QRectF) -> None:
        """A number was clicked on: type another one, or take the assembly that it stands for."""
        plan, units = self.sheet.plan, self._units
        what, name = key
        if what == "assembly":
            places = self.answers.assemblies[int(name)]
            self.apply(Gesture("Assembly", lambda draft: lengths.assemble(draft, plan, places)))
            return
        self._edited = key
        if what == "mass":
            self.card.begin(box, compact(plan.masses[name], 10), self.tr("Mass [kg]"), lock=None)
        elif what == "force":
            force = next(item for item in plan.forces if item.number == int(name))
            size = (force.force[0] ** 2 + force.force[1] ** 2) ** 0.5
            self.card.begin(box, compact(size, 10), self.tr("Force [N]"), lock=None)
        elif what == "tilt":
            self.card.begin(box, compact(_tilt(plan, name), 10), self.tr("Tilt of the axis [°]"), lock=None)
        elif what == "layer":
            link = plan.link(name)
            self.card.begin(
                box, str(0 if link is None else link.layer), self.tr("Layer: 1 is in front of 0"), lock=None
            )
        else:
            about = self.tr("A length [{unit}], a name, or name = expression").format(unit=units.name_of("m"))
            lock = plan.parameter(name) is not None
            self.card.begin(box, lengths.length_text(plan, name, units.factor_of("m")), about, lock=lock)

    def _entered(self, text: str) -> None:
        edited, plan = self._edited, self.sheet.plan
        self._close_field()
        if edited is None:
            return
        what, name = edited
        if what == "length":
            factor = self._units.factor_of("m")
            self.apply(Gesture("Length", lambda d: lengths.say_length(d, plan, name, lengths.in_metres(text, factor))))
        elif what == "layer":
            self.apply(Gesture("Layer", lambda d: verbs.set_layer(d, plan, name, round(lengths.number_of(text)))))
        elif what == "fold":
            self._lay_fold(text)
        elif what == "tilt":
            self.apply(Gesture("Tilt of an axis", lambda d: space_verbs.tilt_by(d, plan, name, _radians(text))))
        elif what == "mass":
            self.apply(Gesture("Mass", lambda d: verbs.set_mass(d, plan, name, lengths.number_of(text))))
        else:
            self.apply(Gesture("Force", lambda d: verbs.set_force(d, plan, int(name), lengths.number_of(text))))

    def _lock(self, on: bool) -> None:
        edited, plan = self._edited, self.sheet.plan
        self._close_field()
        if edited is not None:
            self.apply(Gesture("Lock", lambda draft: lengths.set_lock(draft, plan, edited[1], on=on)))

    def _close_field(self) -> None:
        if self._edited is not None:
            self._edited = None
            self.card.hide()
            self.sheet.setFocus()

    def _edit(self, key: Key) -> None:
        what, name = key
        if what == "tilt":
            at = self.sheet.pixel(next(point.place for point in self.sheet.plan.points if name in point.joints))
            self._ask(key, QRectF(at, at))
        else:
            self._ask(key, self.sheet.number_box(name))

    def _ask_fold(self, fold: FoldLine) -> None:
        """By how much the sheet is to be folded about a line."""
        self._fold, self._edited = fold, ("fold", "")
        at = self.sheet.pixel(fold.end)
        self.card.begin(QRectF(at, at), "90", self.tr("Fold about this line by [°]"), lock=None)

    def _lay_fold(self, text: str) -> None:
        fold = self._fold
        if fold is None:
            return
        try:
            angle = _radians(text)
        except UsageError as error:
            self._say(str(error), "error")
            return
        name = self.tr("Folded by {n}°").format(n=text.strip(" °"))
        self._lay(self._plane.folded(fold.start, fold.end, angle), name, fit=False)

    def _named(self, name: str, length: float) -> Gesture:
        plan = self.sheet.plan
        return Gesture("Length", lambda draft: lengths.set_named(draft, plan, name, length))

    # --- keys and menus -----------------------------------------------------------------------------------------------

    def _nudge(self, place: Place, to: Place) -> None:
        plan, shown = self.sheet.plan, self.sheet.shown
        self.apply(Gesture("Move of a point", lambda draft: lengths.move_point(draft, plan, place, to)))
        if self.sheet.plan is not plan:
            shown.chosen = next((point.place for point in self.sheet.plan.points if _near(point.place, to)), None)
            self.sheet.update()

    def _pull(self, name: str, step: int) -> None:
        """To the next layer in front, or behind."""
        plan = self.sheet.plan
        link = plan.link(name)
        layer = 0 if link is None or link.layer is None else link.layer + step
        self.apply(Gesture("Layer", lambda draft: verbs.set_layer(draft, plan, name, layer)))

    def _erase(self, place: Place) -> None:
        plan, reach = self.sheet.plan, self.sheet.hand.reach
        self.apply(deletion(plan, place, reach))

    def _ask_menu(self, place: Place, at: QPoint) -> None:
        self.menu.clear()
        self.menu.fill(self.sheet.plan, place, self.sheet.hand.reach)
        self.menu.pop_up(at)

    def _set_tokens(self, tokens: Tokens) -> None:
        self.sheet.set_tokens(tokens)


def facts_of(plan: Sketch, answers: Answers) -> str:
    """What the mechanism is: links, joints, mobility by count and by rank, the class of a four-bar, the range of its
    driver, open ends that miss, and bars that collide."""
    if plan.is_empty:
        return ""
    links, joints = (
        f"{count} {word}{'s' * (count != 1)}" for count, word in ((len(plan.movers), "link"), (plan.joints, "joint"))
    )
    found = [f"{links}, {joints}", f"mobility {compact(plan.freedoms())} by count"]
    if answers.loose:
        found.append(answers.loose)
    elif answers.rank is not None:
        found.append(f"{answers.rank} by rank")
    if kind := plan.grashof():
        found.append(kind)
    driver = answers.driver
    if driver is not None and driver.is_full:
        found.append(f"'{driver.joint}' turns fully")
    elif driver is not None and all(driver.limited):
        unit = "rad" if driver.turns else "m"
        low, high = (compact(end, 3) for end in (driver.low, driver.high))
        found.append(f"'{driver.joint}' goes from {low} {unit} to {high} {unit}")
    if answers.miss:
        found.append(answers.miss)
    if answers.collisions:
        one, other = answers.collisions[0]
        more = f", and {len(answers.collisions) - 1} more" if len(answers.collisions) > 1 else ""
        found.append(f"'{one}' and '{other}' collide{more}: Page Up or Page Down over a bar changes its layer")
    return " · ".join(found)


def _radians(text: str) -> float:
    return math.radians(lengths.number_of(text.strip().removesuffix("°")))


def _tilt(plan: Sketch, joint: str) -> float:
    """By how much the axis of a hinge is tilted [degrees]."""
    return math.degrees(math.asin(min(math.hypot(*plan.tilts.get(joint, (0.0, 0.0))), 1.0)))


def _near(place: Place, other: Place) -> bool:
    return abs(place[0] - other[0]) < 1e-9 and abs(place[1] - other[1]) < 1e-9


def _draft(path: Path) -> Draft:
    """Raises UsageError where the document is no SDFormat with a world."""
    draft = edit(path)
    if not isinstance(draft, Draft):
        raise UsageError("a URDF is a tree and has no loops: `simulator convert` makes an SDFormat document to draw in")
    _ = draft.world
    return draft
