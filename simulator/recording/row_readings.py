"""What rows of a recording say of joints, links and residuals, under the names that other programs expect; and the
same as messages of ROS."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.diagnostics import printable
from simulator.errors import UsageError
from simulator.mechanism.alignment import aligned
from simulator.mechanism.law_text import law
from simulator.model.names import distinct_tails
from simulator.recording.motion_of_rows import motion_of
from simulator.recording.ros_messages import JOINTS, RECORDING, RESIDUALS, TRANSFORMS
from simulator.records import dataclass
from simulator.spatial.pose_arrays import compose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from simulator.mechanism.types import Mechanism
    from simulator.recording.channels import Channel
    from simulator.recording.ros_messages import Form, Messages
    from simulator.spatial.arrays import Array

TOPIC = "/simulator/recording"
"""Of every channel under its name."""
LAWS_TOPIC = "/simulator/laws"
QUANTITIES = ("position", "velocity", "effort")
RESIDUAL_GROUPS = ("coupling", "loop_m", "loop_rad")


class RowReadings:
    """Of rows of `channels`. `joints`: those of whose quantities there is one column at least; `links`: all, none if
    the columns lack positions; `residuals`: names and units."""

    def __init__(self, channels: Iterable[Channel], mechanism: Mechanism) -> None:
        self.columns = tuple(channels)
        self.mechanism, _ = aligned(mechanism)
        places = {(channel.group, channel.index): i for i, channel in enumerate(self.columns)}
        axes = [i for i in range(len(self.mechanism.axes)) if any((group, i) in places for group in QUANTITIES)]
        names = distinct_tails([axis.name for axis in self.mechanism.axes])
        self.joints = tuple(printable(names[i]) for i in axes)
        self._of_joints = np.array([places.get((group, i), -1) for group in QUANTITIES for i in axes], dtype=np.intp)
        placed = self.mechanism.placed_links() if self._has_positions() else {}
        self.links = tuple(printable(name) for name in distinct_tails(list(placed)))
        self._body_of = [body for body, _ in placed.values()]
        self._X_BL = np.array([X_BL.as_list() for _, X_BL in placed.values()]).reshape(-1, 7)
        self._of_residuals = [i for i, channel in enumerate(self.columns) if channel.group in RESIDUAL_GROUPS]
        chosen = [self.columns[i] for i in self._of_residuals]
        self.residuals = tuple((printable(channel.name), channel.unit) for channel in chosen)

    def _has_positions(self) -> bool:
        try:
            motion_of(self.mechanism, self.columns, np.zeros((0, len(self.columns))), moving=False)
        except UsageError:
            return False
        return True

    def joint_numbers(self, rows: Array) -> Array:
        """All positions, velocities and efforts, shape (n, 3 n_joints); nan for those that are no column."""
        found: Array = np.where(self._of_joints < 0, np.nan, rows[:, self._of_joints])
        return found

    def poses(self, rows: Array) -> Array:
        """X_WL of each link: x, y, z, qx, qy, qz, qw, shape (n, 7 n_links)."""
        motion = motion_of(self.mechanism, self.columns, np.nan_to_num(rows), moving=False)
        bodies = {body: motion.body(body)[0] for body in set(self._body_of)}
        X_WB = np.stack([bodies[body] for body in self._body_of], axis=1)
        return compose(X_WB, self._X_BL[None]).reshape(len(rows), -1)

    def residual_numbers(self, rows: Array) -> Array:
        """All residuals, shape (n, n_residuals)."""
        found: Array = rows[:, self._of_residuals]
        return found

    def laws(self) -> tuple[list[str], list[str]]:
        """Followers of couplings, and their laws."""
        mechanism = self.mechanism
        followers = [printable(mechanism.axes[one.follower].name) for one in mechanism.couplings]
        return followers, [printable(law(one, mechanism)) for one in mechanism.couplings]


@dataclass(frozen=True)
class RosTopic:
    """Messages of one `kind`, a `form` that `numbers` of rows fill."""

    name: str
    kind: str
    form: Form
    numbers: Callable[[Array], Array]


def ros_topics(readings: RowReadings, messages: Messages) -> list[RosTopic]:
    """A message of each for every row."""
    found = []
    if readings.joints:
        found.append(RosTopic("/joint_states", JOINTS, messages.joints(readings.joints), readings.joint_numbers))
    if readings.links:
        found.append(RosTopic("/tf", TRANSFORMS, messages.transforms(readings.links), readings.poses))
    if readings.residuals:
        form = messages.residuals(readings.residuals)
        found.append(RosTopic("/simulator/residuals", RESIDUALS, form, readings.residual_numbers))
    names = [printable(channel.name) for channel in readings.columns]
    units = [channel.unit for channel in readings.columns]
    found.append(RosTopic(TOPIC, RECORDING, messages.recording(names, units), lambda rows: rows))
    return found
