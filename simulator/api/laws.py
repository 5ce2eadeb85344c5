"""Other laws for the followers of a simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.api.quantities import Quantities
from simulator.errors import UsageError
from simulator.mechanism.coupling_law import with_law
from simulator.session.text.settings import find_axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self

    from simulator.api.moment import Moment
    from simulator.session.open.opening import Opened


class OtherLaws(Quantities):
    """The part of `Simulation` that exchanges laws."""

    def with_law(self, follower: str, law: str | Sequence[float]) -> Self:
        """A copy in which a follower obeys another law, as if the document said so: `sim.with_law("valve_joint",
        "0.01*sin(q)**2")`.

        `law`: the text of a polynomial, table or constraint where the document has one, else an expression over q, the
        leader's position; or the numbers multiplier, offset and reference of a straight one. The independent axes keep
        their positions and velocities, as in `varied`.

        Raises UnknownNameError for an axis that does not exist, UsageError for one that follows no other, and for a law
        that cannot be.
        """
        axis = find_axis(self.mechanism, follower)
        index = next((i for i, coupling in enumerate(self.mechanism.couplings) if coupling.follower == axis), None)
        if index is None:
            followers = [self.mechanism.axes[coupling.follower].name for coupling in self.mechanism.couplings]
            raise UsageError(f"'{follower}' follows no other joint; those that do: {', '.join(followers) or 'none'}")
        changed = with_law(self.mechanism, index, law if isinstance(law, str) else tuple(map(float, law)))
        return self._exchanged(self._opened.with_mechanism(changed), self._assembled(), moves=True)

    def _assembled(self) -> Moment | None:
        raise NotImplementedError

    def _exchanged(self, opened: Opened, before: Moment | None, *, moves: bool) -> Self:
        raise NotImplementedError
