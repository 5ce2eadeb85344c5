"""Input of a view: a scene, the poses of its links, the camera, and marks."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from simulator.records import dataclass
from simulator.rendering.camera import Camera
from simulator.rendering.overlays import Polyline
from simulator.rendering.scene import Scene
from simulator.rendering.section import Section
from simulator.rendering.theme import LIGHT, Theme

if TYPE_CHECKING:
    from simulator.gui.viewport.dimension_plan import Drawing

EMPTY_POSES: NDArray[np.float64] = np.zeros((0, 7))

BETWEEN = "   "
"""Between the parts of the text of a label, of which the first says most."""


@dataclass(frozen=True)
class Label:
    """A short text at a point of the world [m]; `strong` for the selected thing, `follower` in the follower's colour.
    If there is no room for all texts, those of small `weight` (at most 1) are left out. `key` identifies the text while
    its wording changes; `spare`: left out if there is no room beside the bodies."""

    point: tuple[float, float, float]
    text: str
    strong: bool = False
    follower: bool = False
    weight: float = 1.0
    key: str = ""
    spare: bool = False


@dataclass
class ViewState:
    """Shared by the drawing widget, the navigator and the overlay; only the view that owns it changes it.

    `movable`: which links of the scene can be dragged; `hint`: a hint on its use; `scale`: what the
    length of arrows represents; `unlabelled`: number of things without a label for lack of room, whatever the view;
    `dimensions`: numbers on the drawing, if they are on; `ghosts` and `section` as in `Renderer`.
    """

    scene: Scene | None = None
    poses: NDArray[np.float64] = field(default_factory=lambda: EMPTY_POSES)
    movable: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    camera: Camera = field(default_factory=Camera)
    theme: Theme = LIGHT
    selected: frozenset[str] = frozenset()
    hovered: str | None = None
    lines: tuple[Polyline, ...] = ()
    labels: tuple[Label, ...] = ()
    unlabelled: int = 0
    hint: str = ""
    scale: str = ""
    dimensions: Drawing | None = None
    shadows: bool | None = None
    grid: bool = True
    ghosts: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0, 7)))
    section: Section | None = None
