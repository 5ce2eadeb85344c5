"""The actions of the menus, the toolbar and the keys: one QAction each, with its icon and shortcut."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication
from PyQt6.QtGui import QAction, QKeySequence
from PyQt6.QtWidgets import QMainWindow

from simulator.gui.resources import icon
from simulator.gui.theme import Theme, Tokens
from simulator.records import dataclass


@dataclass(frozen=True)
class ActionSpec:
    """A row of the table: `key` is the name in the code; `checked` is None for an action that is not checkable."""

    key: str
    text: str
    shortcut: str = ""
    picture: str = ""
    checked: bool | None = None
    tip: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """Its shortcuts, the usual one first."""
        return tuple(key for key in (self.shortcut, MORE_KEYS.get(self.key, "")) if key)

    def said(self) -> str:
        """What it does, in the user's language, without marks of the menu."""
        return _translated(self.tip or self.text).replace("&", "").rstrip("…")


def _(text: str) -> str:
    return str(QT_TRANSLATE_NOOP("Actions", text))


TABLE = (
    ActionSpec("new", _("New mechan&ism…"), "Ctrl+N", tip=_("Make a mechanism by its parameters")),
    ActionSpec("synthesise", _("S&ynthesise a linkage…"), tip=_("Find a linkage from what it is to do")),
    ActionSpec("open", _("&Open…"), "Ctrl+O", "open"),
    ActionSpec("gallery", _("&Start page"), "Ctrl+Home", "model"),
    ActionSpec("reload", _("&Reload"), "F5", "reload", tip=_("Read the file again")),
    ActionSpec(
        "save_document",
        _("Sa&ve document"),
        "Ctrl+S",
        "",
        tip=_("Write changed laws and numbers into the document"),
    ),
    ActionSpec(
        "save_as",
        _("Save document &as…"),
        "Ctrl+Shift+S",
        "",
        tip=_("Write a copy of the document with the changes"),
    ),
    ActionSpec("save_recording", _("Save re&cording…"), "Ctrl+Alt+S", "save", tip=_("The recording as CSV or MCAP")),
    ActionSpec("save_panel", _("Save pa&nel as CSV…"), tip=_("The contents of the front panel, as a table")),
    ActionSpec("save_picture", _("Save &picture…"), "Ctrl+Alt+Shift+S", "camera"),
    ActionSpec(
        "save_film",
        _("Save recording as fil&m…"),
        "Ctrl+Shift+M",
        "film",
        tip=_("The recording in this view, as MP4 or GIF"),
    ),
    ActionSpec("share", _("S&hare as a page…"), tip=_("One HTML file that moves in every browser")),
    ActionSpec("hand_in", _("Han&d in…"), tip=_("A folder with page, document, recording, report and your own words")),
    ActionSpec("copy_picture", _("&Copy picture"), "Ctrl+Shift+C", "", tip=_("Copy what the view shows")),
    ActionSpec("quit", _("&Quit"), "Ctrl+Q", "quit"),
    ActionSpec("undo", _("&Undo"), "Ctrl+Z", "undo"),
    ActionSpec("redo", _("&Redo"), "Ctrl+Shift+Z", "redo"),
    ActionSpec(
        "build",
        _("&Build mode"),
        "B",
        "",
        False,
        tip=_("Build mode: draw bars, pins, slides, wheels and motors; time stands"),
    ),
    ActionSpec(
        "join",
        _("&Join links"),
        "Shift+J",
        "",
        False,
        tip=_("Join links: close a chain between two places, ground a base, let a joint follow"),
    ),
    ActionSpec("run", _("&Run"), "Space", "play", tip=_("Run or pause")),
    ActionSpec("step", _("&Step"), ".", "step", tip=_("Advance by one time step")),
    ActionSpec("step_back", _("Step b&ack"), ",", "step-back", tip=_("One step back in the recording")),
    ActionSpec(
        "play_back",
        _("P&lay back"),
        "Shift+Space",
        "play-back",
        tip=_("Play the recording back, at the chosen speed"),
    ),
    ActionSpec(
        "play_file", _("Play a recordin&g…"), tip=_("Play an MCAP file, a bag of ROS or a CSV file on this mechanism")
    ),
    ActionSpec("resume_here", _("&Continue from here"), "Ctrl+Return", tip=_("Simulate from the moment on show")),
    ActionSpec("reset", _("R&eset"), "R", "reset", tip=_("Return to the start of the document; drives stay")),
    ActionSpec(
        "side_by_side", _("Side &by side…"), "Ctrl+B", tip=_("Strategies, documents or changes beside each other")
    ),
    ActionSpec("stream_foxglove", _("&Foxglove"), "", "", False, tip=_("Serve joints, poses and shapes, port 8765")),
    ActionSpec(
        "stream_rerun", _("&rerun"), "", "", False, tip=_("Send joints, poses and shapes to its viewer, port 9876")
    ),
    ActionSpec(
        "stream_plotjuggler", _("Plot&Juggler"), "", "", False, tip=_("Send recorded rows as JSON over UDP, port 9870")
    ),
    ActionSpec(
        "kinematic",
        _("&Kinematic mode"),
        "K",
        "kinematic-mode",
        False,
        tip=_("Kinematic mode: time stops while a body is dragged and the loops follow; then the simulation continues"),
    ),
    ActionSpec("harder", _("Pull &harder"), "]", tip=_("The hand on a body pulls harder")),
    ActionSpec("softer", _("Pull s&ofter"), "[", tip=_("The hand on a body pulls softer")),
    ActionSpec("fit", _("Fit &all"), "F", "fit", tip=_("Fit the whole mechanism")),
    ActionSpec("view_iso", _("&Corner"), "0", "view-iso"),
    ActionSpec("view_front", _("&Front"), "1", "view-front"),
    ActionSpec("view_right", _("&Right"), "3", "view-right"),
    ActionSpec("view_top", _("&Top"), "7", "view-top"),
    ActionSpec("axes", _("Joint a&xes"), "A", "axes", False),
    ActionSpec("frames", _("Lin&k frames"), "X", "frames", False),
    ActionSpec("grid", _("&Grid and floor"), "G", "grid", True),
    ActionSpec("labels", _("&Labels"), "L", "labels", True),
    ActionSpec(
        "dimensions",
        _("&Dimensions"),
        "D",
        "",
        True,
        tip=_("Lengths, angles, efforts and ratios on the drawing; a click changes one"),
    ),
    ActionSpec(
        "velocities", _("&Velocities"), "V", "", False, tip=_("Velocities of the centres of mass, angular velocities")
    ),
    ActionSpec(
        "accelerations",
        _("&Accelerations"),
        "Shift+V",
        "",
        False,
        tip=_("Accelerations of the centres of mass, angular accelerations"),
    ),
    ActionSpec(
        "centres", _("&Instant centres"), "I", "", False, tip=_("Centres of rotation of bodies that move in a plane")
    ),
    ActionSpec(
        "polodes",
        _("P&olodes"),
        "Shift+I",
        "",
        False,
        tip=_("Paths of instant centres over the range of the driver, on the ground and on the body"),
    ),
    ActionSpec("masses", _("Centres of &mass"), "M", "", False),
    ActionSpec("forces", _("&Forces"), "N", "", False, tip=_("Forces of joints and contacts, as arrows")),
    ActionSpec("tracing", _("&Paths of clicked points"), "P", "", False, tip=_("Click on a body to follow the point")),
    ActionSpec(
        "onion_recording",
        _("Poses over the reco&rding"),
        "Shift+O",
        "",
        False,
        tip=_("Onion skin: transparent past poses of the mechanism"),
    ),
    ActionSpec(
        "onion_range",
        _("Poses over the ra&nge"),
        "",
        "",
        False,
        tip=_("Onion skin: transparent poses over the range of the driver"),
    ),
    ActionSpec("clear_paths", _("&Clear paths")),
    ActionSpec("save_paths", _("&Save paths as CSV…")),
    ActionSpec("inertias", _("&Inertia boxes"), "", "", False, tip=_("Boxes with the mass and inertia of bodies")),
    ActionSpec("limits", _("&Joint limits"), "", "", False, tip=_("Ranges of joints, with their positions")),
    ActionSpec(
        "collisions", _("Collisio&n shapes"), "C", "", False, tip=_("The shapes that touch, beside the visuals")
    ),
    ActionSpec("transparent", _("Transparent &bodies"), "Shift+T", "", False, tip=_("See through bodies")),
    ActionSpec("section", _("&Section plane"), "Shift+C", "", False, tip=_("Cut bodies open along a plane")),
    ActionSpec("follow", _("Camera f&ollows"), "", "", False, tip=_("The camera follows the selection, or all bodies")),
    ActionSpec("orthographic", _("Orthographic &view"), "O", "", False),
    ActionSpec("shadow", _("Shado&w and smooth edges"), "", "shadow", False),
    ActionSpec("degrees", _("Angles in &degrees"), "", "", False),
    ActionSpec("millimetres", _("Lengths in &millimetres"), "", "", False),
    ActionSpec(
        "lecture", _("Lecture &mode"), "Shift+F11", "", False, tip=_("Lecture mode: view and one plot, large type")
    ),
    ActionSpec("full_screen", _("Full scr&een"), "F11", "", False),
    ActionSpec("side", _("&Joints and inspector"), "J", "area-side", False, tip=_("Joints, and the selected item")),
    ActionSpec(
        "work", _("&Plots"), "T", "area-strip", False, tip=_("Plots below the view, beside it, in its place, away")
    ),
    ActionSpec("all_panels", _("A&ll panels"), "F9"),
    ActionSpec("no_panels", _("&No panels"), "Shift+F9"),
    ActionSpec("reset_layout", _("Re&set layout")),
    ActionSpec("keys", _("&Keys"), "F1", "keyboard"),
    ActionSpec("about", _("&About"), "", "info"),
)

SWITCHES = ("axes", "frames", "grid", "labels", "dimensions")
"""Actions of the view."""
VIEW_KEYS = ("fit", "view_iso", "view_front", "view_right", "view_top", *SWITCHES, "shadow")
RUN_KEYS = (*VIEW_KEYS, "run", "step", "reset", "kinematic", "step_back", "play_back", "play_file", "reload",
            "save_document", "save_as", "save_recording", "save_panel", "save_picture", "save_film", "share",
            "hand_in", "copy_picture", "side_by_side", "join")  # fmt: skip
"""Actions that need a document."""
MOVING_KEYS = ("step", "reset", "kinematic", "step_back", "play_back", "side_by_side", "save_document", "join")
"""Actions that need time to pass; none in build mode."""
MORE_KEYS = {"reload": "Ctrl+R", "redo": "Ctrl+Y"}


class Actions:
    """The actions of one window, by key."""

    def __init__(self, window: QMainWindow, theme: Theme) -> None:
        self._actions: dict[str, QAction] = {}
        self._running = False
        for spec in TABLE:
            action = QAction(_translated(spec.text), window)
            action.setObjectName(spec.key)
            action.setShortcuts([QKeySequence(key) for key in spec.keys])
            if spec.checked is not None:
                action.setCheckable(True)
                action.setChecked(spec.checked)
                action.setIconVisibleInMenu(False)  # a menu shows an icon or a check mark
            action.setToolTip(f"{spec.said()}  ({spec.shortcut})" if spec.shortcut else spec.said())
            window.addAction(action)
            self._actions[spec.key] = action
        self._actions["run"].setIconVisibleInMenu(False)  # it has the colour of text on the accent
        theme.changed.connect(self._set_tokens)
        self._set_tokens(theme.tokens)

    def __getitem__(self, key: str) -> QAction:
        return self._actions[key]

    def connect(self, key: str, do: Callable[[], object]) -> None:
        """Call `do` when the action is triggered."""
        self._actions[key].triggered.connect(lambda _checked=False: do())

    def on_toggle(self, key: str, do: Callable[[bool], object]) -> None:
        """Call `do` with the new state when the action is switched."""
        self._actions[key].toggled.connect(do)

    def enable(self, keys: tuple[str, ...], on: bool) -> None:
        """Switch several actions on or off."""
        for key in keys:
            self._actions[key].setEnabled(on)

    def show_running(self, running: bool, tokens: Tokens) -> None:
        """The run action says what it will do: run or pause."""
        if running != self._running:
            self._running = running
            self._actions["run"].setText(_translated(_("Pa&use") if running else _("&Run")))
            self._paint_run(tokens)

    def _paint_run(self, tokens: Tokens) -> None:
        picture = icon("pause" if self._running else "play", tokens, tokens.on_accent)
        self._actions["run"].setIcon(picture)

    def _set_tokens(self, tokens: Tokens) -> None:
        for spec in TABLE:
            if spec.picture:
                self._actions[spec.key].setIcon(icon(spec.picture, tokens))
        self._paint_run(tokens)


def key_table() -> tuple[tuple[str, str], ...]:
    """(keys, effect) of every action that has a shortcut, then of the mouse."""
    named = [(" or ".join(spec.keys), spec.said()) for spec in TABLE if spec.keys]
    mouse = (
        (_("left drag on a body"), _("Move it: the loops follow; while time passes, a spring pulls")),
        (_("wheel while holding"), _("Pull harder or softer")),
        (_("left drag beside it"), _("Orbit")),
        (_("right, middle or Shift drag"), _("Pan")),
        (_("wheel, pinch"), _("Zoom to the pointer")),
        (_("click"), _("Select a link")),
        (_("click on a number"), _("Change it: Return takes it, Escape does not")),
        (_("double click"), _("Fit to a link, beside it to everything")),
    )
    return (*named, *((_translated(keys), _translated(text)) for keys, text in mouse))


def _translated(text: str) -> str:
    return QCoreApplication.translate("Actions", text)
