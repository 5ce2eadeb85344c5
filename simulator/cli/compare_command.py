"""`simulator compare`: strategies side by side on one world."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from rich.console import Console

from simulator.cli.interruption import Interruption, interruptible
from simulator.cli.opened import opened_or_reported
from simulator.cli.output import DOCUMENT_ERRORS, FAILED, OK, note
from simulator.cli.page import Table, page
from simulator.native.ready import listening
from simulator.session.batch.comparison import compare_strategies, typed_strategies
from simulator.session.commands.factory import rotors_ignored
from simulator.session.text.settings import SOLVERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.formats.options import ReadingOptions
    from simulator.mechanism.types import Mechanism
    from simulator.session.batch.comparison import Comparison, Outcome
    from simulator.session.open.opening import Opened
    from simulator.session.text.settings import SessionSettings


def compare_document(
    file: str,
    settings: SessionSettings,
    options: ReadingOptions,
    *,
    solvers: str,
    duration: float,
    as_json: bool,
) -> int:
    """Run under every strategy and print the table or the object; 0 where at least one ran to the end, 3 where none
    did.

    `solvers`: names with commas between, empty for all there are.
    """
    opened = opened_or_reported(file, options, settings.numbers)
    if opened is None:
        return DOCUMENT_ERRORS
    names = typed_strategies(solvers, SOLVERS)
    with ExitStack() as stack:
        interruption = stack.enter_context(interruptible())
        comparison = compare_strategies(opened, settings, names, duration, begin=_progress(stack))
    if as_json:
        print(json.dumps(comparison.as_dict(opened.mechanism), allow_nan=False))
    else:
        _print_table(comparison, opened.mechanism)
    return _report(comparison, interruption, opened)


def _progress(stack: ExitStack) -> Callable[[str], None]:
    """What hears which strategy is at work: a line of a terminal that changes, also while kernels are made ready."""
    if not sys.stderr.isatty():
        return lambda _: None
    status = stack.enter_context(Console(stderr=True).status("…"))
    stack.enter_context(listening(lambda making: status.update(str(making))))
    return lambda solver: status.update(f"simulating with {solver}")


def _print_table(comparison: Comparison, mechanism: Mechanism) -> None:
    """One row a strategy; columns for couplings and loops only where there are any."""
    columns = _columns(comparison, mechanism)
    headings = [heading for heading, _ in columns]
    table = Table(*headings, numbers=set(headings) - {"strategy", "remark"})
    for outcome in comparison.outcomes:
        table.add_row(*(cell(outcome) for _, cell in columns))
    page().print(table)


def _columns(comparison: Comparison, mechanism: Mechanism) -> list[tuple[str, Callable[[Outcome], str]]]:
    columns: list[tuple[str, Callable[[Outcome], str]]] = [("strategy", lambda outcome: outcome.solver)]
    if mechanism.couplings:
        columns.append(("couplings", lambda o: "" if o.summary is None else f"{o.summary.max_coupling_residual:.1e}"))
    if mechanism.loop_joints:
        columns.append(("loops m", lambda o: "" if o.summary is None else f"{o.summary.max_loop_residual_m:.1e}"))
        columns.append(("loops rad", lambda o: "" if o.summary is None else f"{o.summary.max_loop_residual_rad:.1e}"))
    columns += [
        ("energy error", lambda o: "" if o.summary is None else f"{o.summary.relative_energy_error():.1e}"),
        ("steps/s", _rate),
    ]
    if comparison.reference:
        columns += [
            (f"rad from {comparison.reference}", lambda o: _number(o.difference_rad)),
            (f"m from {comparison.reference}", lambda o: _number(o.difference_m)),
        ]
    return [*columns, ("contacts", _contacts), ("remark", lambda o: o.reason)]


def _contacts(outcome: Outcome) -> str:
    """Nothing of a strategy that could not begin."""
    if outcome.summary is None:
        return ""
    return "yes" if outcome.contacts else "none"


def _rate(outcome: Outcome) -> str:
    rate = 0.0 if outcome.summary is None else outcome.summary.stepping_rate()
    return f"{rate:,.0f}".replace(",", " ") if rate > 0.0 else ""


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.1e}"


def _report(comparison: Comparison, interruption: Interruption, opened: Opened) -> int:
    """Remarks for people, and the exit code."""
    for outcome in comparison.outcomes:
        if outcome.finished:
            note(outcome.contacts_ignored)
            note(rotors_ignored(opened, outcome.solver))
    if comparison.interrupted:
        print(f"{interruption.story}; strategies that had not started are not in the table", file=sys.stderr)
        return interruption.exit_code
    if not comparison.any_finished:
        note("none of these strategies ran to the end")
        return FAILED
    return OK
