"""The page of a mechanism: one HTML file that needs no network."""

from __future__ import annotations

import json
from dataclasses import field
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.records import dataclass
from simulator.session.commands.factory import make_engine
from simulator.session.look.freedoms import free_axes_at_start
from simulator.session.look.link_poses import LinkPoses
from simulator.session.look.page import program_name
from simulator.session.look.scene_of import scene_of
from simulator.session.share.content import live_content, names_content, recorded_content
from simulator.session.share.pictures import motion_corners, scene_content, shaders
from simulator.session.text.notes import MATHML, notes_html
from simulator.session.text.settings import SessionSettings, find_axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.rendering.scene import Scene
    from simulator.session.open.opening import Opened

    Plain = dict[str, Any]

HERE = Path(__file__).parent
SCRIPTS = ("physics.js", "view.js", "page.js")
DURATION = 10.0
"""Seconds of the recording that a page has."""
MOST_TRACES = 6
"""Axes that a page plots where none are named."""


@dataclass(frozen=True)
class PageStep:
    """What one step of a page shows: a document, with the drives and the start of `settings` or at `start`, assembled;
    words of a teacher as notes (paragraphs, lists, formulas between `$`), whose pictures are below `folder`; where it
    is seen from, which axes are plotted, and whether it runs at once."""

    opened: Opened
    settings: SessionSettings = field(default_factory=SessionSettings)
    start: JointState | None = None
    title: str = ""
    notes: str = ""
    question: str = ""
    answer: str = ""
    camera: str = "iso"
    traces: tuple[str, ...] = ()
    run: bool = False
    folder: Path = field(default_factory=Path)


def page_of(steps: Sequence[PageStep], title: str, *, duration: float = DURATION) -> str:
    """The page as text, with a recording of `duration` seconds for each step.

    Raises what `make_engine` raises, for a document with errors or a start that cannot be assembled.
    """
    scenes = _Scenes()
    contents = [_step(step, duration, scenes) for step in steps]
    kernels = next(
        (one["content"]["live"].pop("kernels") for one in contents if "kernels" in one["content"]["live"]), ""
    )
    for one in contents:
        one["content"]["live"].pop("kernels", None)
    shared = {"kernels": kernels, "shaders": shaders(), "scenes": scenes.contents, "steps": contents}
    text = json.dumps(shared, ensure_ascii=False, separators=(",", ":"), default=_plain).replace("</", "<\\/")
    thinned = _thinning(scenes.contents)
    footer = f"Made with {escape(program_name())}. Everything is in this file; it asks no network.{thinned}"
    return Template((HERE / "page.html").read_text(encoding="utf-8")).substitute(
        title=escape(title),
        version=escape(program_name()),
        style=(HERE / "style.css").read_text(encoding="utf-8"),
        script="\n".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS),
        footer=footer,
        shared=text,
    )


class _Scenes:
    """The scenes of a page: `contents`, each once, whichever steps show it, and what they are made of."""

    def __init__(self) -> None:
        self.contents: list[Plain] = []
        self.made: list[tuple[Scene, LinkPoses]] = []
        self._number: dict[int, int] = {}

    def number(self, opened: Opened) -> int:
        """The place in `contents` of the scene of a document, made for the first step that shows it."""
        if id(opened) not in self._number:
            scene = scene_of(opened)
            self._number[id(opened)] = len(self.contents)
            self.made.append((scene, LinkPoses(opened.mechanism, scene.links)))
            self.contents.append(scene_content(*self.made[-1]))
        return self._number[id(opened)]


def _thinning(scenes: Sequence[Plain]) -> str:
    """What the page says where shapes were thinned."""
    shown, given = max(((scene["triangles"], scene["given"]) for scene in scenes), key=lambda pair: pair[1])
    if shown == given:
        return ""
    return f" Shapes are drawn with {shown:,} of their {given:,} triangles; the physics has all of them."


def _step(step: PageStep, duration: float, scenes: _Scenes) -> Plain:
    opened = step.opened
    mechanism = opened.mechanism
    scene = scenes.number(opened)
    radius = scenes.contents[scene]["radius"]
    engine = make_engine(opened, step.settings, start=step.start)
    try:
        recording, seen = recorded_content(engine, duration)
        places = engine.places
        live_engine = make_engine(opened, step.settings, start=step.start)
        try:
            live = live_content(live_engine, radius, round(max(duration, 1.0) / engine.dt))
        finally:
            live_engine.close()
    finally:
        engine.close()
    names = ("coupling", "loop", "energy", "actuator", "body", "width")
    content = {
        **names_content(mechanism),
        "places": {name: getattr(places, name) for name in names},
        "slack": [places.coupling + i for i, one in enumerate(mechanism.couplings) if not one.is_rigid_law],
        "scene": scene,
        "corners": motion_corners(*scenes.made[scene], seen),
        "recording": recording,
        "live": live,
    }
    return {
        "title": step.title,
        "notes": notes_html(step.notes, MATHML, step.folder),
        "question": notes_html(step.question, MATHML, step.folder),
        "answer": notes_html(step.answer, MATHML, step.folder),
        "camera": step.camera,
        "traces": _traces(mechanism, step),
        "run": step.run,
        "content": content,
    }


def _traces(mechanism: Mechanism, step: PageStep) -> list[int]:
    """Axes to plot: those that are named, else leaders and followers, axes that the mechanism is moved by, and
    others."""
    if step.traces:
        return [find_axis(mechanism, name) for name in step.traces]
    coupled = [axis for coupling in mechanism.couplings for axis in (coupling.leader, coupling.follower)]
    visible = [axis for axis, info in enumerate(mechanism.axes) if not info.hidden]
    driven = [find_axis(mechanism, name) for name, _ in step.settings.drives]
    free = free_axes_at_start(mechanism, driven, step.start)
    return [*dict.fromkeys([*coupled, *free, *visible])][:MOST_TRACES]


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(type(value).__name__)
