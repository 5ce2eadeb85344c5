"""`simulator analyse`: positions without time, as tables, a file of columns, a JSON object and a page."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.findings import Findings, findings
from simulator.analysis.sensors import JointSensors
from simulator.analysis.sweeps import Route, Sweeper
from simulator.analysis.table import Table, table_of
from simulator.analysis.wrenches import compliances_of
from simulator.cli.opened import opened_or_reported
from simulator.cli.output import DOCUMENT_ERRORS, OK, note
from simulator.cli.page import Table as Rows
from simulator.cli.page import page
from simulator.engine.rotors import rotor_inertia
from simulator.errors import UsageError
from simulator.formats.profile_text import format_number
from simulator.kinematics.kinematics import Kinematics
from simulator.kinematics.start import starting_pose
from simulator.model.loads import Load
from simulator.recording.channels import Channel
from simulator.recording.csv_file import CsvWriter
from simulator.session.batch.analysing import Branch, parsed_move, parsed_point, sweeps_of
from simulator.session.batch.report import write_report
from simulator.session.text.force_text import with_loads
from simulator.session.text.inputs import refuse_input
from simulator.session.text.settings import SessionSettings, find_axis

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from simulator.cli.options import MovesOptions, WrittenOptions
    from simulator.formats.options import ReadingOptions
    from simulator.kinematics.state import JointState
    from simulator.session.open.opening import Opened

BRANCHES = ("this", "all")
ROUND_OFF = 1e-12
"""Radians, metres, newtons and newton metres below this are shown as none."""


def analyse_document(
    file: str, settings: SessionSettings, options: ReadingOptions, moves: MovesOptions, written: WrittenOptions
) -> int:
    """Sweep, write, tell; returns the exit code.

    Raises UsageError for moves and points that cannot be read and files that cannot be written, AssemblyError where the
    begin of the moves cannot be reached.
    """
    if moves.branch not in BRANCHES:
        raise UsageError(f"--branch is this or all, not '{moves.branch}'")
    if written.tolerances is not None and written.report is None:
        raise UsageError("--tolerances adds to a page: give --report OUT.html, too")
    if not moves.move:
        raise UsageError("nothing moves: give --move AXIS=FROM:TO")
    opened = opened_or_reported(file, options, settings.numbers)
    if opened is None:
        return DOCUMENT_ERRORS
    opened = replace(opened, mechanism=with_loads(opened.mechanism, settings.forces))
    for path in (written.csv, written.report):
        if path is not None:
            refuse_input(path, opened, settings)
    route = Route(
        tuple(parsed_move(opened.mechanism, text) for text in moves.move),
        moves.points,
        moves.velocity,
        moves.acceleration,
    )
    traced = tuple(map(parsed_point, moves.point or ()))
    sweeper, start = _prepared(opened, settings)
    branches = sweeps_of(sweeper, start, route, every_branch=moves.branch == "all")
    tables = [table_of(branch.swept, traced) for branch in branches]
    if written.csv is not None:
        _write(written.csv, branches, tables, numbered=moves.branch == "all")
    found = [findings(branch.swept, table) for branch, table in zip(branches, tables, strict=True)]
    if written.report is not None:
        more = _tolerances(written.tolerances, opened)
        write_report(
            written.report, opened, branches, tables, found, conditions=tuple(_conditions(settings)), more=more
        )
    if written.as_json:
        numbered = [{"branch": branch.number, **one} for branch, one in zip(branches, found, strict=True)]
        print(json.dumps(_finite({"file": str(opened.path), "branches": numbered})))
    for branch, one in zip(branches, found, strict=True):
        _show(branch.number, one)
        if not written.as_json:
            _print_tables(one)
    return OK


def _tolerances(folder: Path | None, opened: Opened) -> list[str]:
    """The section of the page about tolerances."""
    if folder is None:
        return []
    from simulator.studies.report import tolerance_part

    return tolerance_part(folder, opened.document.files)


def _conditions(settings: SessionSettings) -> Iterator[tuple[str, str]]:
    """What differs from the document."""
    for name, value in settings.numbers:
        yield name, format_number(value)
    for name, value in settings.initial:
        yield f"start of {name}", format_number(value)
    for load in settings.forces:
        yield "force on" if isinstance(load, Load) else "spring on", load.link


def _prepared(opened: Opened, settings: SessionSettings) -> tuple[Sweeper, JointState]:
    mechanism = opened.mechanism
    kinematics = Kinematics(mechanism).as_meant
    initial = {find_axis(mechanism, name): value for name, value in settings.initial}
    rotors = rotor_inertia(opened.actuators, mechanism)
    compliances = compliances_of(opened.world)
    sensors = JointSensors(opened.world, mechanism)
    return Sweeper(kinematics, rotors, compliances, sensors), starting_pose(kinematics, initial).state


def _write(path: Path, branches: Sequence[Branch], tables: Sequence[Table], *, numbered: bool) -> None:
    channels = [Channel(name, "analysis", unit) for name, unit in zip(tables[0].names, tables[0].units, strict=True)]
    if numbered:
        channels.insert(0, Channel("branch", "analysis", "1"))
    with CsvWriter(path, channels) as writer:
        for branch, table in zip(branches, tables, strict=True):
            number = np.full((len(table.array), int(numbered)), float(branch.number))
            writer.write_rows(np.concatenate((number, table.array), axis=1))


def _finite(value: object) -> object:
    """JSON knows no infinity."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _show(branch: int, found: Findings) -> None:
    """A summary for people on standard error."""
    moves = ", ".join(
        f"{move['axis']} from {move['from']:g} to {move['to']:g} {move['unit']}" for move in found["moves"]
    )
    print(f"branch {branch}: {moves}; {found['reached']} of {found['points']} points", file=sys.stderr)
    unit = found["moves"][0]["unit"]
    end = found["ended"]
    if end is not None:
        note(f"'{found['moves'][0]['axis']}' cannot move beyond {end['driver']:.12g} {unit}: a {end['cause']}")
    for driver in found["change_points"]:
        note(f"change point at {driver:.12g} {unit}: another motion begins there, too")
    for driver in found["unbounded"]:
        note(f"reactions grow without bound towards {driver:.12g} {unit}: nan at that point")
    for name, axis in found["axes"].items():
        for crossing in axis["limits"]:
            way = "leaves" if crossing["way"] == "out" else "comes back within"
            note(
                f"'{name}' {way} its limit {crossing['limit']:g} {axis['unit']} where the driver is at "
                f"{crossing['driver']:.9g} {unit}"
            )
    for name, angle in found["transmission_angles"].items():
        low, high = math.degrees(angle["minimum"]), math.degrees(angle["maximum"])
        print(f"transmission angle at {name}: {low:.4f}° to {high:.4f}°", file=sys.stderr)
    if found["undetermined"]:
        note(
            f"{len(found['undetermined'])} joints share loads that equilibrium does not determine; "
            "as many as --json names under 'undetermined' are shared as if all joints were equally stiff"
        )


def _print_tables(found: Findings) -> None:
    """Where axes go, what moves them and what joints carry, on standard output."""
    unit = found["moves"][0]["unit"]
    console = page()
    spans = ("minimum", "maximum", "stroke", "time ratio")
    ranges = Rows("axis", *spans, "unit", numbers=spans)
    for name, axis in found["axes"].items():
        ratio = "" if axis["time_ratio"] is None else f"{axis['time_ratio']:.6g}"
        ranges.add_row(name, *map(_figure, (axis["minimum"], axis["maximum"], axis["stroke"])), ratio, axis["unit"])
    console.print(ranges)
    sizes = ("peak", f"at {unit}", "root mean square")
    efforts = Rows("effort of", *sizes, "unit", numbers=sizes)
    for name in [move["axis"] for move in found["moves"]]:
        for kind, said in (("effort", name), ("effort_with_friction", f"{name} with dry friction")):
            effort = found["channels"].get(f"joint/{name}/{kind}")
            if effort is not None:
                at = effort["maximum_at"] if effort["maximum"] >= -effort["minimum"] else effort["minimum_at"]
                efforts.add_row(said, *map(_figure, (effort["peak"], at, effort["rms"])), effort["unit"])
    console.print(efforts)
    if found["couplings"]:
        console.print(_passed(found))
    most_of = ("largest force N", f"at {unit}", "largest moment N·m", f"then at {unit}")
    carried = Rows("joint", *most_of, numbers=most_of)
    for name, most in found["envelope"].items():
        carried.add_row(name, *map(_figure, (most["force"], most["force_at"], most["moment"], most["moment_at"])))
    console.print(carried)


def _passed(found: Findings) -> Rows:
    """What went through couplings with losses."""
    kinds = ("forward in J", "out J", "efficiency %", "backward in J", "out J ", "efficiency % ", "heat J")
    table = Rows("coupling", *kinds, numbers=kinds)
    for name, sums in found["couplings"].items():
        cells = [
            *(_figure(sums[f"forward_{way}_J"]) for way in ("in", "out")),
            _percent(sums.get("efficiency_forward")),
            *(_figure(sums[f"backward_{way}_J"]) for way in ("in", "out")),
            _percent(sums.get("efficiency_backward")),
            _figure(sums["heat_J"]),
        ]
        table.add_row(name, *cells)
    return table


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100.0 * share:.4g}"


def _figure(value: float) -> str:
    """Six digits; round-off is nothing."""
    return f"{0.0 if abs(value) < ROUND_OFF else value:.6g}"
