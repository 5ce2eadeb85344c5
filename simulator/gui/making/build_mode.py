"""Build mode: a page with tools and a sheet, on which a document is drawn; every gesture is in its file at once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PyQt6.QtCore import QRectF, Qt, pyqtSignal
from PyQt6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from simulator.building.draft import Draft, edit
from simulator.building.drawing import verbs
from simulator.building.drawing.hand import Gesture, Tool
from simulator.building.drawing.plan import FRONT, PLANES, Plane, Sketch, plan_of
from simulator.errors import SimulatorError, UsageError
from simulator.formats.files import read_regular
from simulator.gui.fields import NoWheelComboBox, label, mark, scaled
from simulator.gui.making.build_sheet import BuildSheet
from simulator.gui.viewport.dimension_fields import PlacedField
from simulator.session.commands.commands import Pause, Reset, Run
from simulator.session.look.freedoms import free_axes_at_start
from simulator.session.open.reading_choices import FALLS
from simulator.session.save.document_edit import DocumentEdit, exchange, is_ours

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.gui.live import LiveSession
    from simulator.gui.theme import Theme, Tokens
    from simulator.gui.units import Units
    from simulator.session.open.opening import Opened

EMPTY_MODEL = "MODEL_WITHOUT_LINK"
"""The finding about a sheet on which nothing is drawn yet."""
FIELD = 110
"""Width of the field of a length, see `scaled`."""


class BuildMode(QWidget):
    """The page of build mode. `path`: the document that is drawn, None while the mode is off; time stands as long as
    it is on. `left` is emitted when the user is done."""

    left = pyqtSignal()

    def __init__(self, live: LiveSession, theme: Theme, units: Units) -> None:
        super().__init__()
        self._live, self._units = live, units
        self.path: Path | None = None
        self._plane: Plane = FRONT
        self._facts, self._data = "", b""
        self.sheet = BuildSheet(theme.tokens, units)
        self.tools: dict[Tool, QPushButton] = {}
        self.planes, self.done = NoWheelComboBox(), QPushButton(self.tr("Run it"))
        self.says = label("", "muted")
        self.field = PlacedField()
        self._edited = ""
        self._arrange()
        self.sheet.gesture.connect(self.apply)
        self.sheet.changed.connect(self._say_hint)
        self.sheet.length.connect(self._ask_length)
        self.field.entered.connect(self._set_length)
        self.field.closed.connect(lambda _back: self._close_field())
        theme.changed.connect(self._set_tokens)
        live.undo.rewritten.connect(lambda _reason: self.read())

    @property
    def is_on(self) -> bool:
        """Whether the mode is on."""
        return self.path is not None

    def begin(self, path: Path) -> None:
        """Draw in a document. Raises UsageError for one that cannot be changed, and what to do instead."""
        if is_ours(path):
            raise UsageError(f"{path.name} comes with the program; File ▸ Save document as… makes a copy to draw in")
        _draft(path)
        self.path = path
        self._live.reading.held[path] = False  # what hangs on nothing yet is not asked about
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
        if self.field.isHidden():
            self.sheet.setFocus()

    def take(self, tool: Tool) -> None:
        """Take a tool."""
        self.sheet.hand.take(tool)
        self.tools[tool].setChecked(True)
        self._say_hint()

    def read(self, *, fit: bool = False) -> None:
        """Show what the file has now."""
        if self.path is None:
            return
        try:
            draft = _draft(self.path)
        except SimulatorError as error:
            self._say(str(error), "error")
            return
        self._show(draft, draft.check(), fit=fit)

    def apply(self, gesture: Gesture) -> None:
        """Do what a gesture wants in the file, or say why not."""
        if self.path is None:
            return
        try:
            draft = _draft(self.path)
            before = draft.tree.data
            gesture.do(draft)
            opened = draft.check()
            wrong = [found.message for found in opened.diagnostics if found.is_error and found.code != EMPTY_MODEL]
            if wrong:
                raise UsageError(wrong[0])
            edit_made = DocumentEdit({self.path: before}, {self.path: draft.tree.data})
            exchange(edit_made.before, edit_made.after)
        except SimulatorError as error:
            self._say(str(error), "error")
            return
        self._show(draft, opened)
        self._live.edited(edit_made, gesture.text)

    def set_units(self, units: Units) -> None:
        """Show lengths in other units."""
        self._units = units
        self.sheet.set_units(units)

    def _show(self, draft: Draft, opened: Opened, *, fit: bool = False) -> None:
        self._data = draft.tree.data
        plan = plan_of(opened, self._plane, draft.name)
        self.sheet.show_plan(plan, fit=fit)
        self._facts = facts_of(plan, opened)
        self._say_hint()

    def _arrange(self) -> None:
        names = {
            Tool.MOVE: (self.tr("Move"), self.tr("Drag a point; a click on a length changes it")),
            Tool.BAR: (self.tr("Bar"), self.tr("Drag from one end to the other; ends on points become pins")),
            Tool.GROUND: (self.tr("Ground"), self.tr("Click on a point, or beside: ends snap to it")),
            Tool.SLIDER: (self.tr("Slide"), self.tr("Press on a point and drag along the slide")),
            Tool.GEAR: (self.tr("Gear"), self.tr("Press at the centre and drag; pitch circles that touch mesh")),
            Tool.RACK: (self.tr("Rack"), self.tr("Draw the pitch line; it meshes with the wheel that it touches")),
            Tool.SPRING: (self.tr("Spring"), self.tr("Drag from a body to another one, or to the ground")),
            Tool.FOLLOW: (self.tr("Follow"), self.tr("Drag from the leading pin to the one that follows")),
            Tool.MOTOR: (self.tr("Motor"), self.tr("Click on a pin or slide; again to remove the motor")),
            Tool.DELETE: (self.tr("Delete"), self.tr("Click on a pin or a body")),
        }
        row, group = QHBoxLayout(), QButtonGroup(self)
        row.setSpacing(scaled(4))
        for tool, (name, about) in names.items():
            button = QPushButton(name)
            button.setCheckable(True)
            button.setProperty("tool", "true")
            button.setToolTip(about)
            button.clicked.connect(partial(self.take, tool))
            group.addButton(button)
            row.addWidget(button)
            self.tools[tool] = button
        self._abouts = {tool: about for tool, (_, about) in names.items()}
        row.addStretch(1)
        self.planes.setAccessibleName(self.tr("Plane"))
        for key, name in zip(
            PLANES, (self.tr("Front: x, z"), self.tr("Top: x, y"), self.tr("Right: y, z")), strict=True
        ):
            self.planes.addItem(name, key)
        self.planes.currentIndexChanged.connect(lambda _index: self._set_plane())
        row.addWidget(self.planes)
        self.done.setProperty("primary", "true")
        self.done.setToolTip(self.tr("Leave build mode and run  (B)"))
        self.done.clicked.connect(lambda _checked=False: self.left.emit())
        row.addWidget(self.done)
        column = QVBoxLayout(self)
        column.setContentsMargins(scaled(8), scaled(6), scaled(8), scaled(6))
        column.setSpacing(scaled(6))
        column.addLayout(row)
        column.addWidget(self.sheet, 1)
        self.says.setWordWrap(True)
        column.addWidget(self.says)
        self.field.setParent(self.sheet)
        self.field.setFixedWidth(scaled(FIELD))
        self.field.hide()

    def _set_plane(self) -> None:
        self._plane = PLANES[str(self.planes.currentData())]
        self.read(fit=True)

    def _say(self, text: str, level: str = "") -> None:
        self.says.setText(f"{text[:1].upper()}{self._units.in_text(text)[1:]}")
        mark(self.says, "level", level)

    def _say_hint(self) -> None:
        """What the tool does, and what the mechanism is."""
        about = self._abouts[self.sheet.hand.tool]
        self._say(f"{about}.    {self._facts}" if self._facts else f"{about}.")

    def _ask_length(self, name: str, box: QRectF) -> None:
        link = self.sheet.plan.link(name)
        if link is None:
            return
        self._edited = name
        self.field.show_value(link.length * self._units.factor_of("m"))
        self.field.move(round(box.center().x() - self.field.width() / 2), round(box.top()))
        self.field.show()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.field.selectAll()

    def _set_length(self, value: float) -> None:
        name, plan = self._edited, self.sheet.plan
        length = value / self._units.factor_of("m")
        if name:
            self.apply(Gesture("Length", lambda draft: verbs.set_length(draft, plan, name, length)))

    def _close_field(self) -> None:
        if self._edited:
            self._edited = ""
            self.field.hide()
            self.sheet.setFocus()

    def _set_tokens(self, tokens: Tokens) -> None:
        self.sheet.set_tokens(tokens)


def facts_of(plan: Sketch, opened: Opened) -> str:
    """What the mechanism is: links, joints, mobility by count and by rank, the class of a four-bar."""
    if not plan.links:
        return ""
    found = [f"{len(plan.links)} links, {plan.joints} joints", f"mobility {plan.freedoms()} by count"]
    loose = next((item for item in opened.diagnostics if item.code == FALLS), None)
    if loose is not None:
        found.append(loose.message.replace(f"{opened.world.models[0].name}::", ""))
    elif not opened.has_errors:
        found.append(f"{len(free_axes_at_start(opened.mechanism, start=opened.start))} by rank")
    if kind := plan.grashof():
        found.append(kind)
    return " · ".join(found)


def _draft(path: Path) -> Draft:
    """Raises UsageError where the document is no SDFormat with a world."""
    draft = edit(path)
    if not isinstance(draft, Draft):
        raise UsageError("a URDF is a tree and has no loops: `simulator convert` makes an SDFormat document to draw in")
    _ = draft.world
    return draft
