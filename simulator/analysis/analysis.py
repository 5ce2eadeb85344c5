"""What `sim.analyse` gives: a sweep with its columns by name, and what was found along it."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

from simulator.analysis.centres import ScrewAxis, screw_axis
from simulator.analysis.findings import Findings, findings
from simulator.analysis.special import change_points, dead_point, time_ratio, turns_of
from simulator.analysis.table import Table, TracedPoint, body_point, table_of
from simulator.errors import place_of
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.analysis.special import Turn
    from simulator.analysis.sweeps import Swept
    from simulator.spatial.arrays import Array


@dataclass(frozen=True, eq=False)
class Analysis:
    """Positions along a route. `analysis["joint/four_bar::crank_joint/effort"]` is a column of `simulator analyse
    --csv`, shape (n,).

    `swept` holds the arrays: `swept.position` (n, n_axes), `swept.effort`, `swept.wrenches` (n, n_joints, 6) and so on;
    columns beside them are worked out when they are first asked for. `points`: those that are followed.
    """

    swept: Swept
    points: tuple[TracedPoint, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.swept)

    def __repr__(self) -> str:
        first = self.swept.route.moves[0]
        axis = self.swept.mechanism.axes[first.axis]
        return f"<Analysis: {len(self)} positions of '{axis.name}' from {first.begin:g} to {first.end:g} {axis.unit}>"

    @cached_property
    def table(self) -> Table:
        """All columns with their units."""
        return table_of(self.swept, self.points)

    def __getitem__(self, name: str) -> Array:
        """A column, shape (n,): by its whole name, or `crank_joint/effort`, `reaction/crank_joint/force_x` where that
        is clear. Raises UnknownNameError, or UsageError if several could be meant."""
        return self.table[name]

    def findings(self) -> Findings:
        """What `simulator analyse --json` prints of a branch."""
        return findings(self.swept, self.table)

    def reaction(self, joint: str, component: str = "") -> Array:
        """Force [N] and moment [N m] of a joint, shape (n, 6), or one component, shape (n,). Raises
        UnknownNameError."""
        return self.swept.reaction(joint, component)

    def point(self, link: str, place: Sequence[float] = (0.0, 0.0, 0.0)) -> tuple[Array, Array, Array]:
        """Place, velocity and acceleration of a point of a link, world axes, shape (n, 3) each. Raises
        UnknownNameError."""
        x, y, z = place
        return self.swept.point_motion(*body_point(self.swept, TracedPoint(link, (x, y, z))))

    def screw_axis(self, link: str, other: str = "") -> ScrewAxis:
        """About what a link turns, against another one where that is named: instant centres of plane motion. Raises
        UnknownNameError."""
        bodies = [
            body_point(self.swept, TracedPoint(name, (0.0, 0.0, 0.0)))[0] if name else 0 for name in (link, other)
        ]
        return screw_axis(self.swept, *bodies)

    def turns(self, axis: str) -> tuple[Turn, ...]:
        """Where an axis turns round. Raises UnknownNameError."""
        return turns_of(self.swept, self._axis(axis))

    def time_ratio(self, axis: str) -> float | None:
        """Slower over quicker stroke of an axis, for a whole turn of the driver; None where it does not swing once.
        Raises UnknownNameError."""
        return time_ratio(self.swept, self._axis(axis))

    @property
    def dead_point(self) -> float | None:
        """Where the driver turns round and can go no further; None where the route was gone to its end, or ended
        elsewhere (`swept.stopped`)."""
        return dead_point(self.swept)

    @property
    def change_points(self) -> tuple[float, ...]:
        """Positions of the driver at which several motions meet, in the order in which they are passed."""
        return change_points(self.swept)

    def _axis(self, name: str) -> int:
        return place_of([info.name for info in self.swept.mechanism.axes], name, "axis")
