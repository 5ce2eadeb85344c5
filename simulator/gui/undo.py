"""Undo and redo of the user's settings: one entry for every gesture, however many commands it sends."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Protocol, TypeAlias

from PyQt6.QtCore import QEvent, QObject, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QFocusEvent, QKeyEvent, QUndoCommand, QUndoStack
from PyQt6.QtWidgets import QApplication

from simulator.errors import SimulatorError
from simulator.mechanism.coupling_law import law_of
from simulator.records import dataclass
from simulator.session.commands.commands import (
    CHECKPOINTS,
    Pull,
    Reset,
    RestoreCheckpoint,
    SaveCheckpoint,
    SetCoupling,
    SetDrive,
    SetNumber,
    SetPosition,
    SetSolver,
    SetSpeed,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simulator.gui.actions import Actions
    from simulator.gui.current_laws import CurrentLaws
    from simulator.mechanism.types import Coupling
    from simulator.session.commands.commands import Command
    from simulator.session.run.client import SimulationClient, Status
    from simulator.session.save.document_edit import DocumentEdit

Step: TypeAlias = "Callable[[], object]"
LIMIT = CHECKPOINTS // 2
"""Number of gestures that can be undone: each stores two moments, before it and after it."""
TRAVELS = (SetPosition, Pull, Reset)
"""Undone by returning to the moment before, whatever time has passed since."""


@dataclass(frozen=True)
class Slot:
    """What a command sets: its kind, and of which axis, target or coupling."""

    kind: type
    name: object = None


def slot_of(command: Command) -> Slot | None:
    """Where a command sets something that can be undone; None where it does not."""
    match command:
        case Pull(link=link):
            return Slot(Pull, link)
        case SetPosition(axis=axis):
            return Slot(SetPosition, axis)
        case SetDrive(target=target):
            return Slot(SetDrive, target)
        case SetCoupling(coupling=key) | SetNumber(name=key):
            return Slot(type(command), key)
        case SetSolver() | SetSpeed() | Reset():
            return Slot(type(command))
    return None


class Simulated(Protocol):
    """The simulation whose settings are undone, and its state."""

    client: SimulationClient | None
    status: Status | None
    laws: CurrentLaws | None
    speed: float

    @property
    def running(self) -> bool:
        """Whether simulated time passes."""
        ...

    def pass_on(self, command: Command) -> int:
        """Send a command. Gives its number."""
        ...


def command_of(index: int, coupling: Coupling) -> SetCoupling:
    """The command that gives a coupling the law that it has."""
    return SetCoupling.of(index, law_of(coupling))


PRESSES = (QEvent.Type.MouseButtonPress, QEvent.Type.Wheel, QEvent.Type.FocusIn, QEvent.Type.KeyPress)


class Undo(QObject):
    """Sits between the widgets and the simulation: `send` passes commands on and notes what they replace. `rewritten`
    is emitted when files of the document have been put back to what they were, or why they could not be.

    Commands to the same slot belong to one entry until the user presses a button of the mouse or a key again. States
    are stored by the simulation itself, in the order of its commands, so that they are those of the moment of the
    change, however late the window sees it.
    """

    rewritten = pyqtSignal(str)

    def __init__(self, live: Simulated) -> None:
        super().__init__()
        self._edits: list[tuple[DocumentEdit, str]] = []
        self._edits_done, self._renewing = 0, False
        self.stack = QUndoStack(self)
        self.stack.setUndoLimit(LIMIT)
        self._live, self._keys = live, count(1)
        self._asked: dict[Slot, tuple[int, Command]] = {}
        self.gesture = 0
        self._last: Entry | None = None

    def clear(self) -> None:
        """What was set on the simulation cannot be undone any more; changes of the document can."""
        self._last = None
        self._asked.clear()
        self.stack.clear()
        self._renewing = True
        for number in range(len(self._edits)):
            self.stack.push(EditEntry(self, number))
        self.stack.setIndex(self._edits_done)
        self._renewing = False

    def forget(self) -> None:
        """Nothing can be undone any more: another document."""
        self._edits = []
        self._edits_done = 0
        self.clear()

    def note(self, edit: DocumentEdit, text: str) -> None:
        """The document was changed, as the Edit menu calls `text`."""
        self._last = None
        self._edits = [*self._edits[: self._edits_done], (edit, text)]
        self._edits_done = len(self._edits)
        self._renewing = True
        self.stack.push(EditEntry(self, self._edits_done - 1))
        self._renewing = False

    def edit_text(self, number: int) -> str:
        """What the Edit menu calls a change of the document."""
        return self._edits[number][1]

    def rewrite(self, number: int, *, back: bool) -> None:
        """Take that change of the document back, or make it again."""
        if self._renewing:
            return
        edit = self._edits[number][0]
        reason = ""
        try:
            edit.take_back() if back else edit.make_again()
            self._edits_done = number if back else number + 1
        except SimulatorError as error:
            reason = str(error)
        QTimer.singleShot(0, lambda: self.rewritten.emit(reason))  # reading anew clears the stack, which is at work now

    def send(self, command: Command) -> int:
        """Pass a command of the user on. Gives its number."""
        slot = slot_of(command)
        if slot is None or (slot.kind is Pull and self._live.running):
            return self._live.pass_on(command)
        last = self._last
        if last is not None and last.slot == slot and last.gesture == self.gesture:
            last.after = command
            return self._pass_on(slot, command)
        entry = Entry(self, slot, self._replaced(slot, command), command)
        entry.key_before = self.save()
        number = self._pass_on(slot, command)
        self._last = entry
        self.stack.push(entry)
        return number

    def together(self, text: str, commands: Sequence[Command], do: Step, undo: Step) -> None:
        """One entry, as the Edit menu calls `text`: commands, and something of the window's own that follows them."""
        self.stack.beginMacro(text)
        for command in commands:
            self.send(command)
        self.stack.push(WindowEntry(do, undo))
        self.stack.endMacro()
        self._last = None

    def _pass_on(self, slot: Slot, command: Command) -> int:
        number = self._live.pass_on(command)
        self._asked[slot] = number, command
        return number

    def _replaced(self, slot: Slot, command: Command) -> Command | None:
        """The command that sets again what `command` is about to replace; None where only a state can bring it back."""
        live = self._live
        number, asked = self._asked.get(slot, (0, None))
        if asked is not None and live.status is not None and live.status.answered < number:
            return asked
        match command:
            case SetDrive(target=target) if live.client is not None:
                return SetDrive(target, dict(live.client.asked_drives).get(target))
            case SetSpeed():
                return SetSpeed(live.speed)
            case SetSolver() if live.status is not None:
                return SetSolver(live.status.solver)
        return None if live.laws is None else _mechanism_as_now(live.laws, command)

    def save(self) -> int:
        """Keep the present state; gives its key."""
        key = next(self._keys)
        self._live.pass_on(SaveCheckpoint(key))
        return key

    def put(self, command: Command | None, key: int, slot: Slot) -> None:
        """Set something as it was, and the state with it."""
        self._last = None
        if command is not None:
            self._pass_on(slot, command)
        if slot.kind not in {SetDrive, SetSpeed}:
            self._live.pass_on(RestoreCheckpoint(key, in_place=slot.kind not in TRAVELS))

    def see(self, _watched: QObject, event: QEvent) -> bool:
        """A new gesture begins with every press: events of the kinds `PRESSES`. The focus that controls get as a window
        becomes active begins none: it may come after the press that activated it."""
        repeats = isinstance(event, QKeyEvent) and event.isAutoRepeat()
        activates = isinstance(event, QFocusEvent) and event.reason() is Qt.FocusReason.ActiveWindowFocusReason
        if not (repeats or activates):
            self.gesture += 1
        return False


class Entry(QUndoCommand):
    """One gesture. The command that made it is sent before it is pushed, so the first `redo` does nothing."""

    def __init__(self, undo: Undo, slot: Slot, before: Command | None, after: Command) -> None:
        super().__init__(description(after))
        self._undo = undo
        self.slot = slot
        self.before = before
        self.after = after
        self.gesture = undo.gesture
        self.key_before = self.key_after = 0
        self._done = False

    def undo(self) -> None:
        """Set again what was there before."""
        self.key_after = self._undo.save()
        self._undo.put(self.before, self.key_before, self.slot)

    def redo(self) -> None:
        """Set again what the gesture set."""
        if not self._done:
            self._done = True
            return
        after = None if isinstance(self.after, TRAVELS) else self.after
        self._undo.put(after, self.key_after, self.slot)


class WindowEntry(QUndoCommand):
    """Something that the simulation does not know of; pushing it does it."""

    def __init__(self, do: Step, undo: Step) -> None:
        super().__init__()
        self._do, self._undo = do, undo

    def undo(self) -> None:
        """As it was before."""
        self._undo()

    def redo(self) -> None:
        """Do it, the first time too."""
        self._do()


def _mechanism_as_now(laws: CurrentLaws, command: Command) -> Command | None:
    """What sets a law or a number of the mechanism as it is now."""
    match command:
        case SetCoupling(coupling=index):
            return command_of(index, laws.coupling(index))
        case SetNumber(name=name):
            return SetNumber(name, laws.number(name))
    return None


class EditEntry(QUndoCommand):
    """One change of the document's files. They are written before it is pushed, so the first `redo` does nothing."""

    def __init__(self, undo: Undo, number: int) -> None:
        super().__init__(undo.edit_text(number))
        self._undo, self._number = undo, number

    def undo(self) -> None:
        """Put the files back."""
        self._undo.rewrite(self._number, back=True)

    def redo(self) -> None:
        """Change them again."""
        self._undo.rewrite(self._number, back=False)


def description(command: Command) -> str:
    """What the Edit menu calls a gesture."""
    translate = QApplication.translate
    text = translate("Undo", "Reset")
    name = ""
    match command:
        case SetPosition():
            text = translate("Undo", "Move a joint")
        case Pull(link=link):
            text = translate("Undo", "Drag of {name}")
            name = link.split("::")[-1]
        case SetDrive(target=target):
            text = translate("Undo", "Drive of {name}")
            name = target.split("::")[-1].split("/")[-1]
        case SetCoupling():
            text = translate("Undo", "Law of a coupling")
        case SetNumber(name=parameter):
            text = translate("Undo", "Change of {name}")
            name = parameter.split("::")[-1]
        case SetSolver(solver=solver):
            text = translate("Undo", "Strategy {name}")
            name = solver
        case SetSpeed(factor=factor):
            text = translate("Undo", "Speed {name} ×")
            name = f"{factor:g}"
    return text.format(name=name)


def connect_undo(actions: Actions, stack: QUndoStack) -> None:
    """The actions say what they would undo, and are there where they could."""
    for key, do, can, text in (
        ("undo", stack.undo, stack.canUndoChanged, stack.undoTextChanged),
        ("redo", stack.redo, stack.canRedoChanged, stack.redoTextChanged),
    ):
        plain = actions[key].text()
        actions.connect(key, do)
        can.connect(actions[key].setEnabled)
        text.connect(lambda of, key=key, plain=plain: actions[key].setText(f"{plain} {of}".strip()))
        actions.enable((key,), False)
