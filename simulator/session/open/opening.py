"""Opens a document: reads it, builds its mechanism, and reports errors in either."""

from __future__ import annotations

from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.diagnostics import DiagnosticLog, counted
from simulator.errors import DocumentError
from simulator.formats.document import read_document
from simulator.formats.options import STANDARD, ReadingOptions
from simulator.kinematics.rounded_lengths import fitted
from simulator.mechanism.alignment import aligned
from simulator.mechanism.build import build_mechanism
from simulator.records import dataclass
from simulator.session.open.loop_findings import loops_are_judged, report_fit, report_loops
from simulator.session.open.overlap_findings import report_overlaps
from simulator.session.open.start_findings import DocumentStart, report_start
from simulator.transmissions.actuators import Actuators
from simulator.transmissions.binding import bind_actuators

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.diagnostics import Diagnostic
    from simulator.kinematics.state import JointState
    from simulator.mechanism.types import Mechanism
    from simulator.model.world import Document, World
    from simulator.transmissions.base import Transmission


@dataclass(frozen=True)
class Opened:
    """A document with the mechanism and the actuators of its first world. `diagnostics`: findings about reading, then
    about the mechanism and its start, then about binding actuators to it. `start`: its start by the document
    alone, if the findings needed it. `written`: the mechanism by the document alone, if numbers of
    `mechanism` differ from it."""

    path: Path
    document: Document
    world: World
    mechanism: Mechanism
    options: ReadingOptions = STANDARD
    actuators: Actuators = field(default_factory=Actuators)
    actuator_diagnostics: tuple[Diagnostic, ...] = ()
    start_diagnostics: tuple[Diagnostic, ...] = ()
    start: JointState | None = field(default=None, compare=False, repr=False)
    written: Mechanism | None = field(default=None, compare=False, repr=False)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All findings, in their order."""
        return (
            self.document.diagnostics + self.mechanism.diagnostics + self.start_diagnostics + self.actuator_diagnostics
        )

    def with_mechanism(self, mechanism: Mechanism) -> Opened:
        """The same document with the mechanism of other numbers; its start follows from these."""
        return replace(self, mechanism=mechanism, start=None, written=self.written or self.mechanism)

    @property
    def has_errors(self) -> bool:
        """Whether the document cannot be simulated."""
        return any(item.is_error for item in self.diagnostics)

    def require_valid(self) -> None:
        """Raise DocumentError if the document or its mechanism has errors."""
        errors = [item for item in self.diagnostics if item.is_error]
        if errors:
            raise DocumentError(f"{self.path} has {counted(len(errors), 'error')}", self.diagnostics)


def open_document(
    path: str | Path,
    options: ReadingOptions = STANDARD,
    *,
    transmissions: Mapping[str, type[Transmission]] | None = None,
) -> Opened:
    """Read a document and build its mechanism; never raises for errors in the document or a missing file: see
    `diagnostics`.

    `transmissions`: user-defined kinds by their names in documents, beside the built-in and the installed ones.
    """
    document = read_document(path, options)
    world = document.world()
    log, starting = DiagnosticLog(), DiagnosticLog()
    mechanism = build_mechanism(world, strict=options.strict, hold_base=options.hold_base)
    actuators = bind_actuators(world, [axis.name for axis in mechanism.axes], log, kinds=transmissions)
    found: JointState | None = None
    if not (document.has_errors or mechanism.has_errors) and loops_are_judged(mechanism, starting):
        start = DocumentStart(mechanism)
        judged = report_loops(start, starting)
        fit = fitted(mechanism) if judged.lengths else None
        if fit is not None:
            mechanism, start, starting = fit.mechanism, DocumentStart(fit.mechanism), DiagnosticLog()
            report_fit(fit, starting)
            judged = report_loops(start, starting)
        if judged.out_of_line:
            mechanism, _ = aligned(mechanism, judged.out_of_line)
        report_start(start, starting)
        found = start.found
    if not (document.has_errors or mechanism.has_errors or any(item.is_error for item in starting)):
        mechanism = report_overlaps(mechanism, found, world.physics.max_step_size, starting)
    findings = log.as_tuple(), starting.as_tuple()
    return Opened(Path(path), document, world, mechanism, options, actuators, *findings, found)
