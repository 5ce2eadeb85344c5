"""Strategies side by side on one world: their residuals, their cost, and how far apart they end."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import EngineDiedError, MissingLibraryError, SimulationError, UnknownNameError, UsageError
from simulator.mechanism.types import MotionKind
from simulator.records import dataclass
from simulator.session.batch.batch import RunSummary, run_batch
from simulator.session.commands.factory import WITHOUT_CONTACTS, contacts_ignored, make_engine
from simulator.session.text.settings import SOLVERS, step_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simulator.engine.snapshot import Snapshot
    from simulator.errors import SimulatorError
    from simulator.mechanism.types import Mechanism
    from simulator.session.open.opening import Opened
    from simulator.session.text.settings import SessionSettings

ALIKE = 1e-6
"""Residuals and relative energy errors below this do not make one strategy more exact than another."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one strategy. `refused`: why it could not start; `summary` is then empty.

    `difference_rad`, `difference_m`: how far it ended from the reference, the largest over rotating axes, and over
    sliding axes and the origins of all bodies; None if there is nothing to compare.
    """

    solver: str
    contacts: bool
    contacts_ignored: str = ""
    refused: SimulatorError | None = None
    summary: RunSummary | None = None
    difference_rad: float | None = None
    difference_m: float | None = None

    @property
    def finished(self) -> bool:
        """Whether it ran to the end."""
        return self.summary is not None and self.summary.failure is None and not self.summary.interrupted

    @property
    def reason(self) -> str:
        """Why it did not run to the end; empty if it did."""
        if self.summary is None:
            return str(self.refused or "")
        if self.summary.interrupted:
            return f"interrupted at {self.summary.simulated:.6g} s"
        return str(self.summary.failure or "")

    def worst_residual(self) -> float:
        """Largest residual of couplings [unit of the follower] and loops [m, rad], whichever number is largest."""
        seen = self.summary or RunSummary()
        return max(seen.max_coupling_residual, seen.max_loop_residual_m, seen.max_loop_residual_rad)


@dataclass(frozen=True)
class Comparison:
    """One world under several strategies, in the order of the request. `reference`: the strategy the others are
    compared with."""

    duration: float
    dt: float
    outcomes: tuple[Outcome, ...]
    reference: str = ""

    @property
    def any_finished(self) -> bool:
        """Whether at least one ran to the end."""
        return any(outcome.finished for outcome in self.outcomes)

    @property
    def interrupted(self) -> bool:
        """Whether the user ended it."""
        return any(outcome.summary is not None and outcome.summary.interrupted for outcome in self.outcomes)

    def as_dict(self, mechanism: Mechanism) -> dict[str, object]:
        """The object of `compare --json`, without infinities and nan."""
        return {
            "duration": self.duration,
            "dt": self.dt,
            "reference": self.reference or None,
            "solvers": [_outcome_data(outcome, mechanism) for outcome in self.outcomes],
        }


def typed_strategies(text: str, default: Sequence[str]) -> Sequence[str]:
    """Names of strategies separated by commas, `default` for an empty text."""
    return [name.strip() for name in text.split(",") if name.strip()] if text else default


def require_strategies(solvers: Sequence[str]) -> None:
    """Raise UsageError for names that do not exist, or an empty list."""
    for solver in solvers:
        if solver not in SOLVERS:
            raise UnknownNameError("solver", solver, SOLVERS)
    if not solvers:
        raise UsageError(f"no strategy to compare. Available: {', '.join(SOLVERS)}")


def compare_strategies(
    opened: Opened,
    settings: SessionSettings,
    solvers: Sequence[str],
    duration: float,
    *,
    begin: Callable[[str], None] = lambda _: None,
) -> Comparison:
    """Run the world from its start for `duration` seconds under each strategy, one after the other; `begin` is called
    with each name.

    A strategy that cannot simulate the world, or fails on the way, is an outcome with its reason. Steps per second are
    those of the step loop alone (`RunSummary.stepping`): drives, the step, reading the state and its
    ledger of energies, as in every run; snapshots, residuals and recording are not included.

    Raises DocumentError for a document with errors, UsageError for names or values that do not exist.
    """
    opened.require_valid()
    require_strategies(solvers)
    outcomes: list[Outcome] = []
    for solver in dict.fromkeys(solvers):
        begin(solver)
        outcomes.append(_outcome(opened, replace(settings, solver=solver), duration))
        if outcomes[-1].summary is not None and outcomes[-1].summary.interrupted:
            break
    reference = most_exact(opened, outcomes)
    return Comparison(
        duration,
        step_of(opened, settings),
        tuple(_beside(outcome, reference, opened.mechanism) for outcome in outcomes),
        "" if reference is None else reference.solver,
    )


def _outcome(opened: Opened, settings: SessionSettings, duration: float) -> Outcome:
    solver = settings.solver
    outcome = Outcome(solver, solver not in WITHOUT_CONTACTS, contacts_ignored(opened, solver))
    try:
        engine = make_engine(opened, settings)
    except (SimulationError, EngineDiedError, MissingLibraryError) as refused:
        return replace(outcome, refused=refused)
    try:
        return replace(outcome, summary=run_batch(engine, duration))
    except EngineDiedError as died:
        return replace(outcome, refused=died)
    finally:
        engine.close()


def most_exact(opened: Opened, outcomes: Sequence[Outcome]) -> Outcome | None:
    """The outcome that the others are compared with, among those that ran to the end; None if none did.

    A strategy that omits contacts that could matter comes last. Then the residual counts, and the energy error
    in worlds without possible contacts (impacts dissipate energy outside of the ledger), both only above
    `ALIKE`; among the rest, the strategy that is first in `SOLVERS`, whose order is from the most exact to the least.
    """
    touching = any(contacts_ignored(opened, solver) for solver in WITHOUT_CONTACTS)

    def inexactness(outcome: Outcome) -> tuple[bool, float, int]:
        energy = outcome.summary.relative_energy_error() if outcome.summary is not None and not touching else 0.0
        worst = max(outcome.worst_residual(), energy)
        return bool(outcome.contacts_ignored), worst if worst > ALIKE else 0.0, SOLVERS.index(outcome.solver)

    return min((outcome for outcome in outcomes if outcome.finished), key=inexactness, default=None)


def _beside(outcome: Outcome, reference: Outcome | None, mechanism: Mechanism) -> Outcome:
    """The outcome with its difference from the reference."""
    if reference is None or reference.summary is None or not outcome.finished or outcome.summary is None:
        return outcome
    here, there = outcome.summary.last, reference.summary.last
    if here is None or there is None:
        return outcome
    rad, m = _difference(here, there, mechanism)
    return replace(outcome, difference_rad=rad, difference_m=m)


def _difference(here: Snapshot, there: Snapshot, mechanism: Mechanism) -> tuple[float, float]:
    apart = np.abs(here.position - there.position)
    turning = np.array([axis.kind is MotionKind.ROTATION for axis in mechanism.axes], dtype=bool)
    bodies = np.linalg.norm(here.body_poses[:, :3] - there.body_poses[:, :3], axis=1)
    return float(apart[turning].max(initial=0.0)), float(max(apart[~turning].max(initial=0.0), bodies.max(initial=0.0)))


def _outcome_data(outcome: Outcome, mechanism: Mechanism) -> dict[str, object]:
    summary = outcome.summary
    data: dict[str, object] = {
        "solver": outcome.solver,
        "finished": outcome.finished,
        "reason": outcome.reason or None,
        "contacts": outcome.contacts,
        "contacts_ignored": outcome.contacts_ignored or None,
    }
    if summary is None:
        return data
    final = (
        {} if summary.last is None else dict(zip((a.name for a in mechanism.axes), summary.last.position, strict=True))
    )
    return {
        **data,
        "steps": summary.steps,
        "simulated_s": summary.simulated,
        "steps_per_s": summary.stepping_rate(),
        **summary.worst(),
        "final_difference_rad": outcome.difference_rad,
        "final_difference_m": outcome.difference_m,
        "final": {name: float(value) for name, value in final.items()},
    }
