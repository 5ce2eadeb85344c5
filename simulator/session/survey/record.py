"""The result for one document of a survey, and the word that summarises it."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from simulator.formats.report import json_object
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

OUTCOMES = {
    "clean": "no error and no warning; runs to the end with finite, bounded values",
    "warned": "has warnings, and runs to the end with finite, bounded values",
    "picture failed": "runs to the end; no picture could be drawn",
    "part": "a xacro document without a link, or one that fails by itself and that another includes: a part of that",
    "stuck": "an exercised axis did not cover half of its range, or could not be driven",
    "unstable": "passes check; cannot be started, stops with a simulation error, or its speeds or energy run away",
    "refused": "has errors",
    "slow": "did not finish within the time limit",
    "memory": "needs more memory than the limit",
    "crashed": "ended the process that examined it, or raised an unexpected exception",
}
"""The outcomes, best first, and what each means. A document has the worst that applies."""
PART, FAILED = "XACRO_EMPTY", "XACRO_FAILED"
"""The codes of files that are not documents by themselves: always, and where another document includes them."""
PASSED = ("clean", "warned")
"""Verdicts of `check` for documents without errors."""


@dataclass(frozen=True)
class Record:
    """A line of the survey; stages that were not reached have defaults.

    `check`: clean, warned or refused. `run`: finished (all values finite at every step), unstable, slow or "" for no
    run; `runaway`: why a run counts as unstable although it finished. `reason`: the outcome in a line. `code`,
    `message`: of the first error, or of the first warning. `dof`: mobility by count; `rank`: by rank of the constraints
    at the start. `created_energy`: most energy beyond gravity, springs and drives [J]. `top_speed`: of any axis or body
    [rad/s or m/s]. `exercised`: axes that were driven through their range; `stuck`: names of those that did not move,
    and of these `stuck_at_limit` where the drive gave all that the document allows, `stuck_by_contact` where something
    touched. `unread_loops`: loops that the document hints at in ways that are not read. `missing_files`: places that
    name a file that is not found. `energy_error_relative` is the largest error of the energy balance over the largest
    kinetic energy, `energy_error_of_given` over all that went into the motion. `picture`: its path from the survey's
    folder."""

    file: str
    folder: str
    outcome: str = ""
    check: str = ""
    run: str = ""
    reason: str = ""
    errors: int = 0
    warnings: int = 0
    infos: int = 0
    code: str = ""
    message: str = ""
    bodies: int = 0
    joints: int = 0
    axes: int = 0
    dof: int | None = None
    rank: int | None = None
    couplings: int = 0
    loops: int = 0
    unread_loops: int = 0
    check_s: float = 0.0
    run_s: float = 0.0
    picture_s: float = 0.0
    simulated_s: float = 0.0
    steps_per_s: float = 0.0
    max_coupling_residual: float = 0.0
    max_loop_residual_m: float = 0.0
    max_loop_residual_rad: float = 0.0
    energy_error_relative: float = 0.0
    energy_error_of_given: float = 0.0
    created_energy: float = 0.0
    top_speed: float = 0.0
    runaway: str = ""
    exercised: int = 0
    stuck: str = ""
    stuck_at_limit: str = ""
    stuck_by_contact: str = ""
    peak_memory_mb: float = 0.0
    missing_files: int = 0
    picture: str = ""
    findings: tuple[dict[str, object], ...] = ()

    @property
    def passed_check(self) -> bool:
        """Whether the document has no errors."""
        return self.check in PASSED

    @property
    def ran_finite(self) -> bool:
        """Whether it was simulated to the end with finite values."""
        return self.run == "finished"

    @property
    def found(self) -> int:
        """Number of findings, equal ones reported once."""
        return self.errors + self.warnings + self.infos

    def as_json(self) -> dict[str, object]:
        """Ready for JSON, by the names of the fields."""
        return json_object(asdict(self))


COLUMNS = tuple(item.name for item in fields(Record) if item.name != "findings")
"""The columns of the table."""
_NUMBERS = {item.name for item in fields(Record) if item.type == "float"}


def record_of(data: Mapping[str, object]) -> Record:
    """The inverse of `as_json`; unknown names are left out. Raises TypeError or ValueError for other data."""
    known: dict[str, Any] = {name: data[name] for name in (*COLUMNS, "findings") if name in data}
    numbers = {name: float(value) for name, value in known.items() if name in _NUMBERS}
    return Record(**{**known, **numbers, "findings": tuple(known.get("findings", ()))})


def judged(parts: Mapping[str, object], ended: str, because: str, *, is_included: bool = False) -> Record:
    """The record from the report of a process, how it `ended` ("" well, else slow, memory or crashed) and `because` of
    what. `is_included`: see `Task`."""
    record = record_of(parts)
    stage, picture_failure = (str(parts.get(name, "")) for name in ("stage", "picture_failure"))
    outcome, reason = _verdict(record, picture_failure, ended, f"{because}{stage and f', {stage}'}")
    if outcome == "refused" and (record.code == PART or (is_included and record.code == FAILED)):
        outcome = "part"
    return record_of({**parts, "outcome": outcome, "reason": " ".join(reason.split())})


def _verdict(record: Record, picture_failure: str, ended: str, because: str) -> tuple[str, str]:
    first = f"{record.code}: {record.message}" if record.code else ""
    if ended:
        return ended, because
    if record.check == "refused":
        return "refused", first
    if record.run != "finished":
        return record.run or "unstable", record.reason
    if record.runaway or record.stuck:
        return ("unstable", record.runaway) if record.runaway else ("stuck", _why_stuck(record))
    if picture_failure:
        return "picture failed", picture_failure
    return record.check, first


def _why_stuck(record: Record) -> str:
    """The axes that did not move, and what is known of the causes."""
    causes = (
        ("effort limit reached", record.stuck_at_limit),
        ("links in contact", record.stuck_by_contact),
    )
    told = [f"{cause}: {names}" if names != record.stuck else cause for cause, names in causes if names]
    return f"did not move: {record.stuck}" + (f" ({'; '.join(told)})" if told else "")
