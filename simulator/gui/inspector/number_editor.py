"""Fields for the numbers of the selected link or joint, live: mass, inertia, damping, limits, places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QCoreApplication, QEvent
from PyQt6.QtGui import QFontMetrics, QResizeEvent
from PyQt6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QPushButton, QSizePolicy

from simulator.errors import SimulatorError
from simulator.gui.document_saving import about_shapes
from simulator.gui.fields import ElidingLabel, label
from simulator.gui.number_field import DIGITS, NumberField
from simulator.gui.panels.panel import clear_layout, column_layout
from simulator.gui.selection import Item, ItemKind
from simulator.gui.sent_command import SentCommand
from simulator.gui.units import compact
from simulator.mechanism.types import JointKind
from simulator.mechanism.varied import parameters_of as numbers_of
from simulator.mechanism.varied_couplings import is_table
from simulator.records import dataclass
from simulator.session.commands.commands import SetNumber
from simulator.session.save.saving_numbers import is_of_urdf, save_numbers

if TYPE_CHECKING:
    from simulator.gui.live import LiveSession
    from simulator.gui.relations import Relations
    from simulator.gui.units import Units
    from simulator.mechanism.types import AxisInfo, Mechanism
    from simulator.model.world import World
    from simulator.session.run.client import Status

NOTHING = 1e-12
"""Lengths and angles below are round-off, such as 5.55e-17, and are shown as 0 [unit on show]."""
WIDTH = 6
"""Columns of the grid: two numbers beside each other have three each, x, y and z two."""
MARGIN, GAP = 12, 8
"""Beside the grid, and between its columns [px]."""


@dataclass(frozen=True)
class ShownNumber:
    """A number that can be changed: its name (`mechanism.varied`), its label, and its SI unit. `in_units`:
    it is shown in the units of the View menu. `group`: label of up to three of them beside each other, as x, y, z."""

    name: str
    caption: str
    unit: str
    in_units: bool = False
    group: str = ""


def _tr(text: str) -> str:
    return QCoreApplication.translate("NumberEditor", text)


def parameters_of(relations: Relations, item: Item | None) -> tuple[ShownNumber, ...]:
    """The numbers of an item that physics can follow."""
    if item is None:
        return ()
    if item.kind is ItemKind.LINK:
        return _of_link(relations.mechanism, relations.world, item.name)
    if item.kind is ItemKind.COUPLING:
        followers = [info for info in relations.mechanism.axes if info.name == item.name]
        return tuple(n for info in followers for n in _of_coupling(relations.mechanism, relations.world, info))
    if item.kind not in {ItemKind.JOINT, ItemKind.AXIS, ItemKind.LOOP}:
        return ()
    axes = [relations.mechanism.axes[index] for index in relations.axes_of(item)]
    found = [parameter for info in axes if not info.hidden for parameter in _of_axis(info, several=len(axes) > 1)]
    for info in axes:
        found += _of_rubbing(relations.mechanism, relations.world, info)
        found += _of_coupling(relations.mechanism, relations.world, info)
    joint = item.name if item.kind is not ItemKind.AXIS else relations.axis_joint(item.name)
    return (*found, *_of_place(relations.mechanism, relations.world, joint))


def _of_link(mechanism: Mechanism, world: World, name: str) -> tuple[ShownNumber, ...]:
    has_length = f"{name}.length" in _known(mechanism, world, name)
    length = (ShownNumber(f"{name}.length", _tr("length"), "m", True),) if has_length else ()
    if mechanism.link_bodies().get(name, 0) == 0:
        return length  # part of the ground
    moments = [
        ShownNumber(f"{name}.inertia.{entry}", entry, "kg·m²", group=_tr("ixx, iyy, izz"))
        for entry in ("ixx", "iyy", "izz")
    ]
    centre = _tr("centre of mass")
    places = [ShownNumber(f"{name}.com.{part}", f"{centre} {part}", "m", True, centre) for part in "xyz"]
    return (ShownNumber(f"{name}.mass", _tr("mass"), "kg"), *length, *moments, *places)


def _of_axis(info: AxisInfo, *, several: bool) -> tuple[ShownNumber, ...]:
    unit, effort = info.unit, info.effort_unit
    first = f"{info.name.rpartition(':')[2]} " if several else ""
    fields = (
        ("damping", _tr("damping"), f"{effort}·s/{unit}", False),
        ("friction", _tr("friction"), effort, False),
        ("spring_stiffness", _tr("spring"), f"{effort}/{unit}", False),
        ("spring_reference", _tr("spring at rest"), unit, True),
        ("lower", _tr("lower limit"), unit, True),
        ("upper", _tr("upper limit"), unit, True),
        ("effort", _tr("effort limit"), effort, False),
        ("velocity", _tr("velocity limit"), f"{unit}/s", True),
        ("initial_position", _tr("start after reset"), unit, True),
    )
    return tuple(ShownNumber(f"{info.name}.{field}", first + text, si, shown) for field, text, si, shown in fields)


def _faces(what: str) -> dict[str, str]:
    """Captions of the numbers of a clutch or brake."""
    return {
        "force": _tr("{what} force").format(what=what),
        "limit": _tr("{what} limit").format(what=what),
        "friction": _tr("{what} friction").format(what=what),
        "radius": _tr("{what} radius").format(what=what),
        "faces": _tr("{what} faces").format(what=what),
        "peak": _tr("{what} peak").format(what=what),
    }


def _of_rubbing(mechanism: Mechanism, world: World, info: AxisInfo) -> tuple[ShownNumber, ...]:
    """Brake, bearing and falling friction of an axis, as far as the document states them."""
    if not info.axis.rubs:
        return ()
    captions = {
        **{f"brake.{field}": caption for field, caption in _faces(_tr("brake")).items()},
        "stribeck.static": _tr("static friction"),
        "stribeck.speed": _tr("Stribeck speed"),
        "stribeck.exponent": _tr("Stribeck exponent"),
        "bearing.friction": _tr("bearing friction"),
        "bearing.radius": _tr("bearing radius"),
    }
    known = {parameter.name: parameter.unit for parameter in numbers_of(mechanism, world, info.name)}
    named = {f"{info.name}.{field}": caption for field, caption in captions.items()}
    return tuple(ShownNumber(name, caption, known[name]) for name, caption in named.items() if name in known)


def _of_coupling(mechanism: Mechanism, world: World, info: AxisInfo) -> tuple[ShownNumber, ...]:
    """Losses, play and elasticity of the coupling by which an axis follows, as far as the document states them."""
    efficiency, friction = _tr("forward and backward efficiency"), _tr("forward and backward bearing friction")
    flanks, spring = _tr("flank stiffness"), _tr("coupling stiffness")
    flank_damping, damping = _tr("flank damping"), _tr("coupling damping")
    names = {  # caption, and a label above fields whose captions are too long for a column
        "efficiency.forward": (_tr("forward efficiency"), efficiency),
        "efficiency.backward": (_tr("backward efficiency"), efficiency),
        "bearing_friction.forward": (_tr("forward bearing friction"), friction),
        "bearing_friction.backward": (_tr("backward bearing friction"), friction),
        "thread.friction": (_tr("thread friction"), ""),
        "thread.flank_angle": (_tr("flank angle"), ""),
        "thread.mean_diameter": (_tr("mean diameter"), ""),
        "thread.lead_angle": (_tr("lead angle"), ""),
        "thread.collar_friction": (_tr("collar friction"), ""),
        "thread.collar_diameter": (_tr("collar diameter"), ""),
        "backlash.width": (_tr("backlash"), ""),
        "backlash.restitution": (_tr("restitution"), ""),
        "backlash.stiffness": (flanks, flanks),
        "backlash.damping": (flank_damping, flank_damping),
        "compliance.stiffness": (spring, spring),
        "compliance.damping": (damping, damping),
        "freewheel.pitch": (_tr("tooth pitch"), ""),
        "freewheel.restitution": (_tr("pawl restitution"), ""),
        **{f"clutch.{field}": (caption, "") for field, caption in _faces(_tr("clutch")).items()},
    }
    follower = next((c for c in mechanism.couplings if mechanism.axes[c.follower].name == info.name), None)
    if follower is None or follower.is_rigid_law:
        return ()
    known = {parameter.name: parameter.unit for parameter in numbers_of(mechanism, world, info.name)}
    shown = []
    for field, (stated, over) in names.items():
        name = f"{info.name}.{field}"
        if name not in known:
            continue
        caption, group = stated, over
        if is_table(follower.real, field):
            caption = _tr("largest {}").format(stated)
            group = _tr("{}, a table").format(stated)
        shown.append(ShownNumber(name, caption, known[name], in_units=known[name] in ("rad", "m"), group=group))
    return tuple(shown)


def _of_place(mechanism: Mechanism, world: World, name: str) -> tuple[ShownNumber, ...]:
    """Where the joint is in both of its links, and in each of them."""
    joints = (*mechanism.joints, *mechanism.loop_joints)
    joint = next((joint for joint in joints if joint.name == name), None)
    if joint is None or joint.kind is JointKind.FREE:
        return ()
    known = _known(mechanism, world, name)
    places = (
        {"parent_pose": _tr("origin")}  # all that the document says
        if is_of_urdf(world, name)
        else {"pose": _tr("in both links"), "parent_pose": _tr("in parent"), "child_pose": _tr("in child")}
    )
    shown = [
        ShownNumber(f"{name}.{group}.{part}", f"{text} {part}", "m", True, text)
        for group, text in places.items()
        for part in "xyz"
    ]
    return tuple(number for number in shown if number.name in known)


def _known(mechanism: Mechanism, world: World, name: str) -> set[str]:
    return {parameter.name for parameter in numbers_of(mechanism, world, name)}


class NumberEditor(QFrame):
    """Typed numbers are sent at once; the fields show the simulation's values, and a refused number is reverted."""

    def __init__(self, live: LiveSession, units: Units) -> None:
        super().__init__()
        self.setObjectName("numberEditor")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # never wider than the panel
        self._live, self._units = live, units
        self.fields: dict[str, NumberField] = {}
        self._parameters: tuple[ShownNumber, ...] = ()
        self._sent = SentCommand()
        self._grid = QGridLayout()
        self._abreast = True
        self.restore, self.save = (
            QPushButton(self.tr("Restore")),
            QPushButton(self.tr("Save into document")),
        )
        self.message = label("", "muted")
        self._arrange()
        live.ticked.connect(lambda _snapshot, status: self._on_status(status))
        live.laws_changed.connect(lambda _laws: self._show_values())

    def show_item(self, item: Item | None) -> None:
        """The fields of another item; hidden where it has none."""
        relations = self._live.relations
        parameters = () if relations is None else parameters_of(relations, item)
        if parameters != self._parameters:
            self._parameters = parameters
            self._fill()
        self.setVisible(bool(parameters))
        self._show_values()

    def rows(self) -> list[tuple[str, float, str]]:
        """Names, as `mechanism.varied` has them, values and SI units of the numbers that hold now."""
        laws = self._live.laws
        return [] if laws is None else [(one.name, laws.number(one.name), one.unit) for one in self._parameters]

    def set_units(self, units: Units) -> None:
        """Show other units."""
        self._units = units
        self._fill()
        self._show_values()

    def _arrange(self) -> None:
        column = column_layout(self, spacing=7)
        column.setContentsMargins(MARGIN, 2, MARGIN, 10)
        self._grid.setHorizontalSpacing(GAP)
        self._grid.setVerticalSpacing(4)
        column.addLayout(self._grid)
        row = QHBoxLayout()
        row.addWidget(self.restore)
        row.addWidget(self.save)
        row.addStretch(1)
        column.addLayout(row)
        self.message.setWordWrap(True)
        self.message.hide()
        column.addWidget(self.message)
        self.restore.setToolTip(self.tr("Restore the numbers of the document"))
        self.save.setToolTip(self.tr("Write the changed numbers into the file, and nothing else"))
        self.restore.clicked.connect(lambda _checked=False: self._restore())
        self.save.clicked.connect(lambda _checked=False: self._save())

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Two numbers are beside each other where there is room for what they are called."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent | None) -> None:
        """Names in other type need other room."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        if self._abreast != self._has_room():
            self._fill()
            self._show_values()

    def _has_room(self) -> bool:
        column = self.width() - 2 * MARGIN - GAP
        wide = QFontMetrics(self.font()).horizontalAdvance
        return all(2 * wide(self._title(one)) <= column for one in self._parameters if not one.group)

    def _title(self, parameter: ShownNumber) -> str:
        """What a number, or the group that it belongs to, is called, with its unit."""
        unit = self._unit(parameter)
        name = parameter.group or parameter.caption
        return f"{name} [{unit}]" if unit != "1" or parameter.group else name

    def _unit(self, parameter: ShownNumber) -> str:
        return self._units.name_of(parameter.unit) if parameter.in_units else parameter.unit

    def _fill(self) -> None:
        clear_layout(self._grid)
        self._abreast = self._has_room()
        self.fields = {}
        self.message.hide()
        row = 0
        column = 0
        group = ""
        for parameter in self._parameters:
            wide = WIDTH // (3 if parameter.group else 2 if self._abreast else 1)
            if column + wide > WIDTH or parameter.group != group:
                row = row + 2 if column else row
                column = 0
            if not parameter.group:
                self._grid.addWidget(ElidingLabel(self._title(parameter), "muted"), row, column, 1, wide)
            elif parameter.group != group:
                self._grid.addWidget(ElidingLabel(self._title(parameter), "muted"), row, 0, 1, WIDTH)
            self._grid.addWidget(self._field(parameter, self._unit(parameter)), row + 1, column, 1, wide)
            column = column + wide
            group = parameter.group

    def _field(self, parameter: ShownNumber, unit: str) -> NumberField:
        field = NumberField()
        field.setMinimumWidth(48)
        field.setAccessibleName(f"{parameter.caption} [{unit}]")
        field.entered.connect(lambda value: self._entered(parameter, value))
        self.fields[parameter.name] = field
        return field

    def _factor(self, parameter: ShownNumber) -> float:
        return self._units.factor_of(parameter.unit) if parameter.in_units else 1.0

    def _show_values(self) -> None:
        laws = self._live.laws
        if laws is None:
            return
        for parameter in self._parameters:
            field = self.fields[parameter.name]
            value = laws.number(parameter.name) * self._factor(parameter)
            if parameter.in_units and abs(value) < NOTHING:
                value = 0.0
            if field.shown != compact(value, DIGITS):
                field.show_value(value)
        mine = {parameter.name for parameter in self._parameters}
        self.restore.setEnabled(any(name in mine for name, _ in laws.numbers))
        self.save.setEnabled(bool(laws.numbers))

    def _entered(self, parameter: ShownNumber, value: float) -> None:
        self.message.hide()
        self._sent.wait_for(self._live.send(SetNumber(parameter.name, value / self._factor(parameter))))

    def _restore(self) -> None:
        laws = self._live.laws
        if laws is None:
            return
        mine = {parameter.name for parameter in self._parameters}
        for name, _ in laws.numbers:
            if name in mine:
                self._sent.wait_for(self._live.send(SetNumber(name, laws.written(name))))

    def _on_status(self, status: Status) -> None:
        """What the simulation says; it may have refused the number that was sent."""
        refusal = self._sent.answer(status)
        if refusal:
            self.message.setText(self._units.in_text(refusal))
            self.message.show()
            self._show_values()

    def _save(self) -> None:
        opened, laws = self._live.opened, self._live.laws
        if opened is None or laws is None:
            return
        try:
            edit = save_numbers(opened, dict(laws.numbers))
        except SimulatorError as error:
            text = str(error)
        else:
            about = about_shapes(laws.numbers)
            self._live.edited(edit, self.tr("Saving of numbers"))
            text = self.tr("Saved into {files}.").format(files=", ".join(file.name for file in edit.files))
            text = f"{text} {about}".strip()
        self.message.setText(text)
        self.message.show()
