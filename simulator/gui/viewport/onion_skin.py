"""Ghosts of the mechanism in the view: its poses over the recording, or over the range of its driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.session.look.onion_skin import poses_over_range, poses_over_recording

if TYPE_CHECKING:
    from simulator.gui.live import LiveSession
    from simulator.spatial.arrays import Array


SKINS = ("onion_recording", "onion_range")
"""Switches."""
OFTEN = 50
"""Ghosts of a recording that grows are moved on when it is longer by this part."""


class OnionSkin:
    """`onion_recording` and `onion_range`: whether these ghosts are shown."""

    def __init__(self, live: LiveSession) -> None:
        self._live = live
        self.onion_recording = self.onion_range = False
        self._recorded: tuple[tuple[object, ...], Array] | None = None
        self._ranged: tuple[tuple[object, ...], Array] | None = None

    def switch(self, name: str, on: bool) -> None:
        """Show ghosts, or no longer."""
        setattr(self, name, on)
        if name == "onion_range":
            self._live.kinematics.want("onion", on)

    def poses(self) -> Array:
        """Poses of the links, shape (n, n_links, 7)."""
        found = [part for part in (self._over_recording(), self._over_range()) if len(part)]
        return np.concatenate(found) if found else np.zeros((0, 0, 7))

    def _over_recording(self) -> Array:
        client = self._live.client
        status = self._live.status
        live = self._live
        if not self.onion_recording or client is None or status is None:
            return np.zeros((0, 0, 7))
        first, last = client.history.span()
        known = self._recorded
        key: tuple[object, ...] = (client, first, live.kinematics.ghosts)
        end = float(known[0][-1]) if known is not None and isinstance(known[0][-1], float) else -1.0
        if known is None or known[0][:-1] != key or not end <= last <= end + (end - first) / OFTEN:
            self._recorded = known = (
                (*key, last),
                self._links(poses_over_recording(client.history, status.dt, live.kinematics.ghosts)),
            )
        return known[1]

    def _over_range(self) -> Array:
        found, count = self._live.kinematics.found, self._live.kinematics.ghosts
        if not self.onion_range or found is None:
            return np.zeros((0, 0, 7))
        known = self._ranged
        if known is None or known[0][0] is not found or known[0][1] != count:
            self._ranged = known = (found, count), self._links(poses_over_range(found.sweeps, count))
        return known[1]

    def _links(self, body_poses: Array) -> Array:
        poses = self._live.poses
        if poses is None or not len(body_poses):
            return np.zeros((0, 0, 7))
        return np.array([poses.at(bodies) for bodies in body_poses])
