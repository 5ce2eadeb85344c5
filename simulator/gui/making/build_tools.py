"""The row of tools of build mode, and the menu of a place."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PyQt6.QtCore import QCoreApplication, QPoint, pyqtSignal
from PyQt6.QtWidgets import QButtonGroup, QMenu, QPushButton, QWidget

from simulator.building.drawing import lengths, space_verbs, verbs
from simulator.building.drawing.hand import Gesture, Tool, deletion
from simulator.building.drawing.plan import PLANES
from simulator.gui.fields import NoWheelComboBox, scaled
from simulator.gui.panels.flow import FlowLayout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from simulator.building.drawing.plan import Place, PlanPoint, Sketch
    from simulator.gui.making.build_picture import Key

FACE = "face"
"""In the list of planes: one that is picked in the view."""
KINDS = ("revolute", "prismatic", "fixed", "ball", "universal")
"""What a joint of the sheet can become."""


def tool_names() -> dict[Tool, tuple[str, str]]:
    """What a tool is called, and what one does with it."""
    tr = partial(QCoreApplication.translate, "BuildTools")
    return {
        Tool.MOVE: (tr("Move"), tr("Drag a point; a click on a length changes it")),
        Tool.BAR: (tr("Bar"), tr("Drag from one end to the other; ends on points become pins")),
        Tool.PLATE: (tr("Plate"), tr("Click on each corner, and on the first one again")),
        Tool.GROUND: (tr("Ground"), tr("Click on a point, or beside: ends snap to it")),
        Tool.SLIDER: (tr("Slide"), tr("Press on a point and drag along the slide")),
        Tool.GEAR: (tr("Gear"), tr("Press at the centre and drag; pitch circles that touch mesh")),
        Tool.RACK: (tr("Rack"), tr("Draw the pitch line; it meshes with the wheel that it touches")),
        Tool.BELT: (tr("Belt"), tr("Drag from one wheel to the other")),
        Tool.SCREW: (tr("Screw"), tr("Press on a point and drag along the spindle: 5 mm for each turn")),
        Tool.SPRING: (tr("Spring"), tr("Drag from a body to another one, or to the ground")),
        Tool.WEIGHT: (tr("Weight"), tr("Click on a body; a click on its number changes the mass")),
        Tool.FORCE: (tr("Force"), tr("Press on a body and drag along the force")),
        Tool.FOLLOW: (tr("Follow"), tr("Drag from the leading pin to the one that follows")),
        Tool.MOTOR: (tr("Motor"), tr("Click on a pin or slide; again to remove the motor")),
        Tool.DELETE: (tr("Delete"), tr("Click on a pin or a body")),
        Tool.TILT: (tr("Tilt"), tr("Press on a pin and drag its axis; it snaps across the lines of both links")),
        Tool.FOLD: (tr("Fold"), tr("Drag the line about which the sheet folds, and type the angle: draw in space")),
    }


class BuildTools(QWidget):
    """`taken` carries a tool, `plane_chosen` the name of a plane."""

    taken = pyqtSignal(object)
    plane_chosen = pyqtSignal(str)

    def __init__(self) -> None:
        super().__init__()
        self.buttons: dict[Tool, QPushButton] = {}
        self.planes = NoWheelComboBox()
        self.planes.setSizeAdjustPolicy(NoWheelComboBox.SizeAdjustPolicy.AdjustToContents)
        row, group = FlowLayout(self, margin=0, spacing=scaled(4)), QButtonGroup(self)
        for tool, (name, about) in tool_names().items():
            button = QPushButton(name)
            button.setCheckable(True)
            button.setProperty("tool", "true")
            button.setToolTip(about)
            button.clicked.connect(partial(self.taken.emit, tool))
            group.addButton(button)
            row.addWidget(button)
            self.buttons[tool] = button
        row.spring()
        self.planes.setAccessibleName(self.tr("Plane"))
        names = (self.tr("Front: x, z"), self.tr("Top: x, y"), self.tr("Right: y, z"))
        for key, name in zip(PLANES, names, strict=True):
            self.planes.addItem(name, key)
        self.planes.addItem(self.tr("On a face…"), FACE)
        self.planes.setToolTip(self.tr("The plane of the sheet: a face, an axis or a joint is picked in the view"))
        self.planes.activated.connect(lambda _index: self.plane_chosen.emit(self.planes.currentData()))
        row.addWidget(self.planes)

    def show_plane(self, key: str, sheets: Iterable[str] = ()) -> None:
        """The plane of the sheet by its key, or by its name among the other `sheets` that there are."""
        while self.planes.count() > len(PLANES) + 1:
            self.planes.removeItem(len(PLANES) + 1)
        for name in sheets:
            self.planes.addItem(name, name)
        self.planes.setCurrentIndex(self.planes.findData(key))


class PlaceMenu(QMenu):
    """What can be done at a place: the kind of its joints, ground and motor, lengths, deletion. `do` takes a gesture,
    `edit` the length or the tilt that is to be
    typed."""

    def __init__(self, parent: QWidget, do: Callable[[Gesture], object], edit: Callable[[Key], object]) -> None:
        super().__init__(parent)
        self._do, self._edit = do, edit

    def fill(self, plan: Sketch, place: Place, reach: float) -> None:
        """The entries for a place."""
        point, link = plan.point_at(place, reach), plan.link_at(place, reach)
        if point is not None:
            self._fill_point(plan, point)
        elif link is not None:
            self._fill_link(plan, link.name)
        where = place if point is None else point.place
        if point is not None or link is not None or plan.spring_at(place, reach) is not None:
            gesture = deletion(plan, where, reach)
            self._entry(self.tr("Delete"), gesture.text, gesture.do)

    def pop_up(self, at: QPoint) -> None:
        """Show the entries, if there are any."""
        if self.actions():
            self.popup(at)

    def _fill_point(self, plan: Sketch, point: PlanPoint) -> None:
        place = point.place
        names = {"revolute": self.tr("Hinge"), "prismatic": self.tr("Slide"), "fixed": self.tr("Weld"),
                 "ball": self.tr("Ball joint"), "universal": self.tr("Universal joint")}  # fmt: skip
        for joint in (*point.joints, *point.slides):
            menu = self.addMenu(self.tr("{joint} becomes").format(joint=joint))
            for kind in KINDS:
                self._kind(menu, plan, joint, (kind, names[kind]))
        if not point.is_ground:
            self._entry(self.tr("Ground"), "Ground", lambda draft: verbs.add_ground(draft, plan, place))
        if point.joints or point.slides:
            has = any(name in plan.motors for name in (*point.joints, *point.slides))
            rate = None if has else verbs.MOTOR
            text = self.tr("No motor") if has else self.tr("Motor")
            self._entry(text, "Motor", lambda draft: verbs.set_motor(draft, plan, place, rate))
        for joint in (name for name in point.joints if plan.kinds.get(name) in space_verbs.HINGES):
            tilt = self.addAction(self.tr("Tilt the axis of {joint}…").format(joint=joint))
            if tilt is not None:
                tilt.triggered.connect(partial(lambda key, _checked=False: self._edit(key), ("tilt", joint)))
        self.addSeparator()

    def _kind(self, menu: QMenu | None, plan: Sketch, joint: str, kind: tuple[str, str]) -> None:
        action = None if menu is None else menu.addAction(kind[1])
        if action is not None:
            action.setCheckable(True)
            action.setChecked(plan.kinds.get(joint) == kind[0])
            gesture = Gesture("Kind of a joint", lambda draft: verbs.set_kind(draft, plan, joint, kind[0]))
            action.triggered.connect(lambda _checked=False: self._do(gesture))

    def _fill_link(self, plan: Sketch, name: str) -> None:
        link = plan.link(name)
        if link is None or not (link.is_bar or link.radius):
            return
        action = self.addAction(self.tr("Length…"))
        if action is not None:
            action.triggered.connect(lambda _checked=False: self._edit(("length", name)))
        locked = plan.parameter(name) is not None
        text = self.tr("Unlock the length") if locked else self.tr("Lock the length")
        self._entry(text, "Lock", lambda draft: lengths.set_lock(draft, plan, name, on=not locked))
        if link.layer is not None:
            front, back = link.layer + 1, link.layer - 1
            self._entry(self.tr("To the front"), "Layer", lambda draft: verbs.set_layer(draft, plan, name, front))
            self._entry(self.tr("To the back"), "Layer", lambda draft: verbs.set_layer(draft, plan, name, back))
        self.addSeparator()

    def _entry(self, text: str, name: str, do: Callable[..., object]) -> None:
        action = self.addAction(text)
        if action is not None:
            action.triggered.connect(lambda _checked=False: self._do(Gesture(name, do)))
