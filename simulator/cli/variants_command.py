"""`simulator compare` with several documents, or with variants of them: what each does under the same drives."""

from __future__ import annotations

import json
import sys
from itertools import product
from typing import TYPE_CHECKING

from simulator.cli.opened import opened_or_reported
from simulator.cli.output import DOCUMENT_ERRORS, FAILED, OK, note
from simulator.cli.page import Table, page
from simulator.errors import UnknownNameError
from simulator.model.names import tail_name
from simulator.session.batch.comparison import require_strategies, typed_strategies
from simulator.session.batch.side_by_side import Contender, drifts, run_side_by_side
from simulator.session.text.settings import DEFAULT_SOLVER
from simulator.session.text.variants import parse_numbers, with_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from simulator.formats.options import ReadingOptions
    from simulator.session.batch.side_by_side import Drift, Lane
    from simulator.session.open.opening import Opened
    from simulator.session.text.settings import SessionSettings


def compare_variants(
    files: Sequence[str],
    variants: Sequence[str],
    settings: SessionSettings,
    options: ReadingOptions,
    *,
    solvers: str,
    duration: float,
    as_json: bool,
) -> int:
    """Run every document as it is and with the numbers of each of `variants`, and print the table or the object; 0
    where all ran to the end, 3 where one did not.

    `solvers`: names with commas between, empty for the default strategy.

    Raises UsageError for names and numbers that do not exist.
    """
    names = typed_strategies(solvers, (DEFAULT_SOLVER,))
    require_strategies(names)
    documents = [opened_or_reported(file, options, settings.numbers) for file in files]
    found = [opened for opened in documents if opened is not None]
    if len(found) < len(documents):
        return DOCUMENT_ERRORS
    contenders = list(_contenders(files, found, variants, names, settings))
    _require_drives(contenders, settings)
    show = sys.stderr.isatty()
    lanes = run_side_by_side(contenders, duration, apart=False, begin=lambda name: _begin(name) if show else None)
    if as_json:
        rows = [_data(lane, drift) for lane, drift in zip(lanes, drifts(lanes), strict=True)]
        print(json.dumps({"duration": duration, "reference": lanes[0].contender.label, "contenders": rows}))
    else:
        _print_table(lanes)
    for lane in lanes:
        for name in lane.contender.left_out():
            note(f"'{lane.contender.label}' has no '{name}': its drive is left out there")
    if any(lane.reason for lane in lanes):
        note("not all ran to the end")
        return FAILED
    return OK


def _contenders(
    files: Sequence[str],
    documents: Sequence[Opened],
    variants: Sequence[str],
    solvers: Sequence[str],
    settings: SessionSettings,
) -> Iterator[Contender]:
    """Documents as they are first, then their variants; the first is what the others are measured against."""
    numbers = [("", ()), *((text, parse_numbers([text])) for text in variants)]
    for (text, changes), (file, opened), solver in product(numbers, zip(files, documents, strict=True), solvers):
        label = " ".join(part for part in (file if len(files) > 1 or not text else "", text) if part)
        label = f"{label} ({solver})" if len(solvers) > 1 else label
        yield Contender(label, with_numbers(opened, changes), solver, settings.drives, settings)


def _require_drives(contenders: Sequence[Contender], settings: SessionSettings) -> None:
    """Raise UnknownNameError for a drive of what no document has."""
    for name, _ in settings.drives:
        if all(name in contender.left_out() for contender in contenders):
            axes = [axis.name for axis in contenders[0].opened.mechanism.axes]
            raise UnknownNameError("axis", name, axes)


def _begin(name: str) -> None:
    print(f"simulating {name}", file=sys.stderr)


def _print_table(lanes: Sequence[Lane]) -> None:
    """One row a contender; columns for couplings, loops and drives only where there are any."""
    columns = {"variant": [lane.contender.label for lane in lanes]}
    summaries = [lane.summary for lane in lanes]
    apart = drifts(lanes)
    columns["couplings"] = [_figure(summary.max_coupling_residual) for summary in summaries]
    columns["loops m"] = [_figure(summary.max_loop_residual_m) for summary in summaries]
    columns["energy error"] = [_figure(summary.relative_energy_error()) for summary in summaries]
    for joint in dict.fromkeys(tail_name(name) for summary in summaries for name in summary.drives):
        found = [next((told for name, told in s.drives.items() if tail_name(name) == joint), {}) for s in summaries]
        for key, heading in (("peak", f"peak of {joint}"), ("rms", f"rms of {joint}"), ("energy", f"J by {joint}")):
            columns[heading] = [f"{told[key]:.4g}" if told else "" for told in found]
    columns["rad from first"] = ["" if drift.rad is None else f"{drift.rad:.3g}" for drift in apart]
    columns["m from first"] = ["" if drift.m is None else f"{drift.m:.3g}" for drift in apart]
    columns["most at"] = [tail_name(drift.axis) for drift in apart]
    columns["remark"] = [lane.reason for lane in lanes]
    kept = {heading: cells for heading, cells in columns.items() if heading == "variant" or any(cells)}
    table = Table(*kept, numbers=set(kept) - {"variant", "most at", "remark"})
    for row in zip(*kept.values(), strict=True):
        table.add_row(*row)
    page().print(table)


def _figure(value: float) -> str:
    return f"{value:.1e}" if value > 0.0 else ""


def _data(lane: Lane, drift: Drift) -> dict[str, object]:
    contender, summary = lane.contender, lane.summary
    final = lane.position[-1].tolist() if len(lane.position) else []
    return {
        "label": contender.label,
        "file": str(contender.opened.path),
        "solver": contender.solver,
        "finished": not lane.reason,
        "reason": lane.reason or None,
        "steps": summary.steps,
        "simulated_s": summary.simulated,
        **summary.worst(),
        "drives": summary.drives,
        "difference_rad": drift.rad,
        "difference_m": drift.m,
        "difference_axis": drift.axis or None,
        "final": dict(zip(lane.axes, final, strict=False)),
    }
