"""Joins links in the view: closes chains, grounds bases, lets joints follow; each is one change of the document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PyQt6.QtCore import QObject, QSignalBlocker, Qt
from PyQt6.QtGui import QShortcut

from simulator.errors import SimulatorError, UsageError
from simulator.formats.sdf.names import SCOPE
from simulator.gui.body_placing import BodyPlacing
from simulator.gui.viewport.body_row import BODIES
from simulator.gui.viewport.join_picks import FOLLOW, GROUND
from simulator.model.joint import WORLD
from simulator.model.names import tail_name
from simulator.session.commands.commands import Pause, Reset
from simulator.session.save.document_edit import DocumentEdit, exchange, is_ours

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.building.draft import Draft
    from simulator.building.features import Feature
    from simulator.building.robot import RobotDraft
    from simulator.gui.actions import Actions
    from simulator.gui.live import LiveSession
    from simulator.gui.theme import Theme
    from simulator.gui.viewport.viewport import Viewport

STEMS = {
    "revolute": "hinge", "ball": "ball", "prismatic": "slide", "fixed": "weld", "universal": "universal",
    "planar": "plane",
}  # fmt: skip
"""Names of new joints begin with these."""


class JoinedIn(Protocol):
    """The window, as far as joining needs it."""

    live: LiveSession
    actions_: Actions
    viewport: Viewport
    theme: Theme


class Joining(QObject):
    """Connects the picks of the view to the document. Time stands while it is on, at the document's start."""

    def __init__(self, window: JoinedIn) -> None:
        super().__init__(window if isinstance(window, QObject) else None)
        self._live, self._view, self._theme = window.live, window.viewport, window.theme
        self._action = window.actions_["join"]
        self._said = ""
        self._bar, self._picks = window.viewport.join_bar, window.viewport.join
        self._escape = QShortcut(Qt.Key.Key_Escape, window.viewport)
        self._escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._escape.setEnabled(False)
        self._escape.activated.connect(self._give_up)
        window.actions_.on_toggle("join", self._switch)
        window.actions_.on_toggle("build", lambda on: self._action.setChecked(False) if on else None)
        self._bodies = BodyPlacing(self._bar.body)
        self._bar.chosen.connect(self._take)
        self._bar.body.what.clicked.connect(lambda _checked=False: self._take(self._bar.kind))
        self._bar.left.connect(lambda: self._action.setChecked(False))
        self._picks.picked.connect(self._join)
        self._picks.changed.connect(self._say_next)
        self._live.document_changed.connect(lambda _opened: self._renew())

    def _take(self, kind: str) -> None:
        """Pick for another kind; a file or a mechanism that it needs is chosen first."""
        self._bar.body.show_kind(kind, self._view.units)
        theme = self._theme.tokens.name
        if kind in BODIES and not self._bodies.choose(kind, self._view, theme, self._view.units, self._live.path):
            self._bar.kinds.setCurrentIndex(0)
            return
        self._picks.take(kind)
        self._bar.say_next(begun=False)

    def _switch(self, on: bool) -> None:
        opened = self._live.opened
        if on and opened is None:
            with QSignalBlocker(self._action):
                self._action.setChecked(False)
            return
        self._said = ""
        self._escape.setEnabled(on)
        self._view.switch_joining(opened if on else None)
        if not on:
            return
        for command in (Pause(), Reset()):  # places are those of the start of the document
            self._live.pass_on(command)
        self._bar.say_next(begun=False)
        if self._live.path is not None and is_ours(self._live.path):
            self._bar.say(self._ours(), "error")

    def _ours(self) -> str:
        return self.tr("this file comes with the program; File ▸ Save document as… makes a copy that you can change")

    def _renew(self) -> None:
        """Another document, or the same with a joint more."""
        if not self._action.isChecked():
            return
        if self._live.opened is None:
            self._action.setChecked(False)
            return
        said = self._said
        self._view.switch_joining(self._live.opened)
        self._said = said
        if said:
            self._bar.say(said)

    def _give_up(self) -> None:
        """The first pick, then joining."""
        if not self._picks.cancel():
            self._action.setChecked(False)

    def _say_next(self) -> None:
        if self._picks.first is not None:
            self._said = ""
            self._bar.say_next(begun=True)
        elif not self._said and self._picks.on and self._bar.says.property("level") != "error":
            self._bar.say_next(begun=False)

    def _join(self, first: Feature, second: Feature) -> None:
        """Change the document, or say why not."""
        path = self._live.path
        if path is None or not self._action.isChecked():
            return
        kind = self._picks.kind
        try:
            if is_ours(path):
                raise UsageError(self._ours())
            draft = draft_of(path, first, second)
            before = draft.tree.data
            text, said = self._change(draft, kind, first, second)
            draft.files.save(path.resolve().parent)  # meshes of a mechanism
            made = DocumentEdit({path: before}, {path: draft.tree.data})
            exchange(made.before, made.after)
        except SimulatorError as error:
            self._said = ""
            self._bar.say(self._view.units.in_text(str(error)), "error")
            return
        self._said = self._view.units.in_text(said)
        self._bar.say(self._said)
        self._live.edited(made, text)

    def _change(self, draft: Draft | RobotDraft, kind: str, first: Feature, second: Feature) -> tuple[str, str]:
        """What the Edit menu calls it, and what came of it."""
        if kind == GROUND:
            name = draft.ground(first.link)
            return self.tr("Ground"), self.tr("'{link}' is on the ground, by '{name}'.").format(
                link=tail_name(first.link), name=name
            )
        if kind in BODIES:
            name = self._bodies.put(draft, kind, first)
            errors = [item.message for item in draft.check().diagnostics if item.is_error]
            if errors:
                raise UsageError(errors[0])
            said = self.tr("'{name}' is welded to {place}.").format(name=name, place=first)
            return self.tr("Body {name}").format(name=name), said
        if kind == FOLLOW:
            leader, follower = (self._joint_in(draft, feature) for feature in (first, second))
            draft.mimic(follower, leader)
            errors = [item.message for item in draft.check().diagnostics if item.is_error]
            if errors:
                raise UsageError(errors[0])
            said = self.tr("'{follower}' follows '{leader}', 1 to 1; its law is in Relations.")
            return self.tr("Relation"), said.format(follower=follower, leader=leader)
        from simulator.building.closing import free_name
        from simulator.building.draft import Draft

        taken = draft.named("link", "joint", "frame", "model") if isinstance(draft, Draft) else draft.joints
        made = draft.close(free_name(STEMS[kind], taken), kind, first, second)
        said = self.tr("'{name}' closes a loop: {before} → {after} freedoms.")
        if not made.is_loop:
            said = self.tr("'{name}' hangs one on the other: {before} → {after} freedoms.")
        said = said.format(name=made.name, before=made.freedoms[0], after=made.freedoms[1])
        if made.gap > 1e-6:
            said += " " + self.tr("It was open by {gap:.4g} m; it closes before anything moves.").format(gap=made.gap)
        return self.tr("Joint {name}").format(name=made.name), said

    def _joint_in(self, draft: Draft | RobotDraft, feature: Feature) -> str:
        """The name of a joint as the draft has it."""
        from simulator.building.draft import Draft

        own = f"{draft.name}{SCOPE}"
        return feature.joint.removeprefix(own) if isinstance(draft, Draft) else tail_name(feature.joint)


def draft_of(path: Path, *features: Feature) -> Draft | RobotDraft:
    """The document; where it has several models, by that of the first feature on one. Raises UsageError."""
    from simulator.building.draft import edit

    try:
        return edit(path)
    except UsageError:
        models = [feature.link.partition(SCOPE)[0] for feature in features if feature.link != WORLD]
        if not models:
            raise
        return edit(path, model=models[0])
