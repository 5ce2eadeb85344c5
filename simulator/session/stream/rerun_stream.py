"""A run sent to a viewer of rerun: a tree of links with their shapes, and curves of joints and residuals."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.errors import MissingLibraryError, UsageError
from simulator.recording.row_readings import QUANTITIES, RowReadings
from simulator.session.stream.shapes import shapes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.recording.channels import Channel
    from simulator.session.open.opening import Opened
    from simulator.spatial.arrays import Array

WORLD = "world"
TIMELINE = "time"
"""Simulated seconds."""
PATIENCE = 5.0
"""Seconds that a viewer has to answer, and to take what waits at the end."""


class RerunStream:
    """A recording of its own.

    Raises UsageError where no viewer listens, MissingLibraryError without the extra `rerun`.
    """

    def __init__(self, opened: Opened, channels: Sequence[Channel], host: str, port: int) -> None:
        try:
            import rerun
        except ImportError as error:
            raise MissingLibraryError("--stream rerun needs its library: pip install 'simulator[rerun]'") from error
        try:
            socket.create_connection((host, port), timeout=PATIENCE).close()
        except OSError:
            raise UsageError(f"no viewer of rerun listens at {host}:{port}: start one with `rerun`") from None
        self._rerun: Any = rerun
        self._readings = RowReadings(channels, opened.mechanism)
        self._recording: Any = rerun.RecordingStream(f"simulator: {opened.world.name}")
        self._recording.connect_grpc(f"rerun+http://{host}:{port}/proxy")
        self.says = f"sends to the viewer of rerun at {host}:{port}"
        self._recording.log(WORLD, rerun.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
        names = dict(zip(opened.mechanism.placed_links(), self._readings.links, strict=True))
        for shape in shapes_of(opened):
            colour = np.rint(255.0 * np.array(shape.colour)).astype(np.uint8)
            mesh = rerun.Mesh3D(
                vertex_positions=shape.points, triangle_indices=shape.triangles, albedo_factor=colour.tolist()
            )
            self._recording.log(self._path(WORLD, names[shape.link], shape.name), mesh, static=True)

    def _path(self, *parts: str) -> str:
        path: str = self._rerun.new_entity_path(list(parts))
        return path

    def write_rows(self, rows: Array) -> None:
        """Send samples, shape (n, n_channels)."""
        readings, rerun = self._readings, self._rerun
        times = [rerun.TimeColumn(TIMELINE, duration=rows[:, 0])]
        if readings.links:
            poses = readings.poses(rows).reshape(len(rows), -1, 7)
            for place, link in enumerate(readings.links):
                moved = rerun.Transform3D.columns(translation=poses[:, place, :3], quaternion=poses[:, place, 3:])
                self._recording.send_columns(self._path(WORLD, link), times, moved)
        numbers = readings.joint_numbers(rows).reshape(len(rows), len(QUANTITIES), -1)
        for column, quantity in enumerate(QUANTITIES):
            for place, joint in enumerate(readings.joints):
                self._curve(times, numbers[:, column, place], "joints", quantity, joint)
        residuals = readings.residual_numbers(rows)
        for place, (name, _) in enumerate(readings.residuals):
            self._curve(times, residuals[:, place], "residuals", name)

    def _curve(self, times: Sequence[Any], values: Array, *path: str) -> None:
        if np.isfinite(values).any():
            self._recording.send_columns(self._path(*path), times, self._rerun.Scalars.columns(scalars=values))

    def close(self) -> str:
        """Send what waits, and end; a remark if the viewer did not take it."""
        try:
            self._recording.flush(timeout_sec=PATIENCE)
        except RuntimeError:
            return "the viewer of rerun did not take all: it was closed, or is too slow"
        finally:
            self._recording.disconnect()
        return ""
