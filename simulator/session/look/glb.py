"""A document as a binary glTF file, at its start or in motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.rendering.gltf import glb_of
from simulator.session.look.film import moments_of
from simulator.session.look.link_poses import LinkPoses
from simulator.session.look.page import program_name
from simulator.session.look.scene_of import scene_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.engine.engine import Engine
    from simulator.engine.snapshot import Snapshot
    from simulator.errors import SimulationError
    from simulator.session.open.opening import Opened

SUFFIX = ".glb"


def glb_at_start(opened: Opened) -> bytes:
    """As the document has its links."""
    scene = scene_of(opened)
    return glb_of(scene, scene.initial_link_poses(), generator=program_name(), title=opened.world.name)


def glb_of_moments(opened: Opened, moments: Sequence[Snapshot]) -> bytes:
    """At one moment, or in motion through several."""
    scene = scene_of(opened)
    places = LinkPoses(opened.mechanism, scene.links)
    poses = np.array([places.at(moment.body_poses) for moment in moments])
    known = np.isfinite(poses).all(axis=(1, 2))
    times = np.array([moment.time for moment in moments])[known]
    return glb_of(scene, poses[known], times, generator=program_name(), title=opened.world.name)


def glb_of_motion(opened: Opened, engine: Engine, duration: float, fps: float) -> tuple[bytes, SimulationError | None]:
    """Simulate `duration` seconds, with `fps` poses for each of them; and why the run ended early, if it did."""
    moments, failure = moments_of(engine, duration, fps)
    return glb_of_moments(opened, moments), failure
