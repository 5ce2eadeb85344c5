"""Totals of a survey: documents of each outcome, how many pass, number of findings."""

from __future__ import annotations

import math
import os
from collections import Counter
from typing import TYPE_CHECKING

from simulator.records import dataclass
from simulator.session.survey.record import OUTCOMES, Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

ALL = "all"


@dataclass(frozen=True)
class Statistics:
    """Totals of a folder, or of all documents. `name`: of the folder, without the common part; `outcomes`: documents of
    each; `passed`: without errors; `ran`: of these, to the end with finite values; `runaway`: of these, with speeds or
    energy that run away; `exercised`: axes that were driven through their range, `stuck`: those that did not move,
    `stuck_at_limit`: those of them whose drives gave all that they have; `unread_loops`: loops that documents hint at;
    `findings`: their number for each document, in order of size."""

    name: str
    folder: str
    documents: int
    outcomes: Mapping[str, int]
    passed: int
    ran: int
    runaway: int
    exercised: int
    stuck: int
    stuck_at_limit: int
    unread_loops: int
    findings: tuple[int, ...]

    @property
    def pass_percent(self) -> float:
        """Share of documents, without parts of others, that pass check [%]; nan without documents."""
        return percent(self.passed, self.documents - self.outcomes.get("part", 0))

    @property
    def run_percent(self) -> float:
        """Share of those that pass check that run to the end with finite values [%]; nan if none passes."""
        return percent(self.ran, self.passed)

    def findings_at(self, share: float) -> int:
        """The smallest number of findings that this share of the documents does not exceed."""
        if not self.findings:
            return 0
        return self.findings[max(math.ceil(share * len(self.findings)) - 1, 0)]


def statistics_of(name: str, folder: str, records: Sequence[Record]) -> Statistics:
    """Totals of these records."""
    counted = Counter(record.outcome for record in records)
    ran = [record for record in records if record.ran_finite]
    return Statistics(
        name,
        folder,
        len(records),
        {outcome: counted[outcome] for outcome in OUTCOMES},
        sum(record.passed_check for record in records),
        len(ran),
        sum(bool(record.runaway) for record in ran),
        sum(record.exercised for record in records),
        sum(len(record.stuck.split()) for record in records),
        sum(len(record.stuck_at_limit.split()) for record in records),
        sum(record.unread_loops for record in records),
        tuple(sorted(record.found for record in records)),
    )


def by_folder(records: Sequence[Record], folders: Sequence[str]) -> list[Statistics]:
    """Totals of all, then of each folder in this order."""
    common = os.path.commonpath([os.path.abspath(folder) for folder in folders]) if len(folders) > 1 else ""
    found = [statistics_of(ALL, "", records)]
    for folder in folders:
        name = os.path.relpath(folder, common) if common else folder
        found.append(statistics_of(name, folder, [record for record in records if record.folder == folder]))
    return found


def reasons_of(records: Iterable[Record], outcome: str) -> list[tuple[str, int]]:
    """The first codes of the documents with this outcome, the most frequent first."""
    return Counter(record.code or "no code" for record in records if record.outcome == outcome).most_common()


def percent(part: int, whole: int) -> float:
    """`part` of `whole` [%]; nan for none."""
    return 100.0 * part / whole if whole else math.nan
