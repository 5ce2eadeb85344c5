"""The report of an analysis: one HTML file that needs no network and prints well, with pictures of poses, plots and
tables with units."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from simulator.analysis.findings import findings
from simulator.analysis.sizing import bearing_loads, motor_needs, reflected_inertia
from simulator.analysis.table import table_of
from simulator.session.batch.analysing import Branch
from simulator.session.look.page import facts, made_by, number, passed_power, pictures, write_page
from simulator.session.look.page import table as rows_of
from simulator.session.text.plots import path, plot
from simulator.spatial.pose import Pose

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from simulator.analysis.findings import Findings
    from simulator.analysis.sweeps import Swept
    from simulator.analysis.table import Table
    from simulator.session.open.opening import Opened
    from simulator.spatial.arrays import Array


ROUND_OFF = 1e-12
"""Of the greatest force, below which a part of one is nothing."""
ABOUT_BEARINGS = (
    "Greatest force of a joint, its parts across and along the joint's axis, and the greatest moment across the axis. "
    "Mean radial load over the joint's own turning, P = (∫F³ |dq| / ∫|dq|)<sup>1/3</sup>, and the basic dynamic load "
    "rating of a ball bearing with that rating life L<sub>10</sub> under it alone, C = P (L/10⁶)<sup>1/3</sup> "
    "(ISO 281); one move is a cycle. Axial loads and moments come on top, by the factors of a catalogue."
)
CYCLES = 1e7
"""For which the load ratings of bearings are given."""
POSES = 4
"""Pictures of a branch: its ends, and poses evenly between."""


def write_report(
    path: Path,
    opened: Opened,
    branches: Sequence[Branch],
    tables: Sequence[Table],
    found: Sequence[Findings],
    *,
    conditions: Sequence[tuple[str, str]] = (),
    more: Sequence[str] = (),
) -> None:
    """Write the page. `conditions`: facts about what the document does not say; `more`: HTML of further sections.
    Raises UsageError if it cannot be written."""
    title = f"Analysis of {opened.document.title or opened.path.name}"
    body = [facts(_facts(opened, found[0], conditions))]
    for branch, table, one in zip(branches, tables, found, strict=True):
        if len(branches) > 1:
            body.append(f"<h2>Branch {branch.number}</h2>")
        body += _branch(opened, branch.swept, table, one)
    write_page(path, title, [*body, *more])


def write_sweep(path: Path, opened: Opened, swept: Swept, conditions: Sequence[tuple[str, str]] = ()) -> None:
    """Write the page of one sweep of a document's mechanism, whose laws may have changed. Raises UsageError if it
    cannot be written."""
    table = table_of(swept)
    found = findings(swept, table)
    shown = replace(opened, mechanism=swept.mechanism)
    write_report(path, shown, (Branch(1, swept),), (table,), (found,), conditions=conditions)


def _facts(opened: Opened, found: Findings, conditions: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """What was analysed, to repeat it."""
    yield "document", str(opened.path)
    yield from made_by(opened.document.files)
    yield "date", datetime.now().astimezone().strftime("%Y-%m-%d")
    for move in found["moves"]:
        yield f"move of {move['axis']}", f"{move['from']:g} to {move['to']:g} {move['unit']}"
    unit = found["moves"][0]["unit"]
    yield "velocity, acceleration", f"{found['velocity']:g} {unit}/s, {found['acceleration']:g} {unit}/s²"
    yield "positions", f"{found['reached']} of {found['points']}"
    yield from conditions


def _branch(opened: Opened, swept: Swept, table: Table, found: Findings) -> list[str]:
    first = swept.route.moves[0].axis
    info = swept.mechanism.axes[first]
    across = (f"{info.name} [{info.unit}]", swept.position[:, first])
    parts = ["<h2>Poses</h2>", _poses(opened, swept), "<h2>Motor</h2>", *_motor(swept, across)]
    parts += [
        *_losses(found),
        "<h2>Bearings</h2>",
        *_bearings(swept),
        "<h2>Positions that matter</h2>",
        _special(found),
    ]
    parts += ["<h2>Motion</h2>", *_axis_plots(swept, table, across), *_paths(table), "<h2>Efforts and reactions</h2>"]
    moved = [
        f"joint/{swept.mechanism.axes[axis].name}/effort"
        for axis in (*(m.axis for m in swept.route.moves), *swept.held_axes)
    ]
    parts.append(
        plot(
            "Effort of the driver",
            across,
            _unit(table, moved[0]),
            [(name.split("/")[1], table[name]) for name in moved],
        )
    )
    names = swept.sweeper.joints.names
    for what, part, unit in (("Force", slice(0, 3), "N"), ("Moment", slice(3, 6), "N·m")):
        sizes = [(name, np.linalg.norm(swept.wrenches[:, i, part], axis=1)) for i, name in enumerate(names)]
        parts.append(plot(f"{what} in joints", across, unit, sizes))
    angles = [(n.split("/", 1)[1], np.degrees(table[n])) for n in table.names if n.startswith("transmission_angle/")]
    if angles:
        parts.append(plot("Transmission angle", across, "degrees", angles))
    for what, unit in (("force", "N"), ("moment", "N·m")):
        shaking = [(axis, table[f"shaking/{what}_{axis}"]) for axis in "xyz"]
        parts.append(plot(f"Shaking {what}", across, unit, shaking))
    return [*parts, "<h2>Least, greatest, root mean square</h2>", _statistics(found)]


def _motor(swept: Swept, across: tuple[str, Array]) -> list[str]:
    """What the drives of the moved axes must give, and the inertia that the first feels."""
    unit = swept.mechanism.axes[swept.route.moves[0].axis].unit
    moving = swept.speed[0] != 0.0
    rows = []
    for need in motor_needs(swept):
        rows += [
            (
                f"greatest effort of {need.axis}",
                f"{need.effort:.5g} {need.effort_unit}",
                f"{need.effort_at:.5g} {unit}",
            ),
            ("root mean square", f"{need.effort_rms:.5g} {need.effort_unit}", ""),
        ]
        if moving:
            rows += [
                ("greatest speed", _speed(need.speed, need.unit), ""),
                ("greatest, mean, least power", " / ".join(f"{p:.5g}" for p in need.powers) + " W", ""),
            ]
    inertia = reflected_inertia(swept)
    kind = "kg·m²" if unit == "rad" else "kg"
    rows.append(("inertia at the driver, least and greatest", f"{inertia.min():.5g} / {inertia.max():.5g} {kind}", ""))
    note = "" if moving else "<p>The motion is infinitely slow: a velocity gives inertia forces, speed and power.</p>"
    curve = plot("Inertia at the driver", across, kind, [("inertia", inertia)])
    return [rows_of(("", "value", "driver"), rows), note, curve]


def _losses(found: Findings) -> list[str]:
    """What couplings and bearings take of what the moved axes give."""
    work = found["work"]
    if not (found["couplings"] or found["friction"]):
        return []
    rows = [("given by the moved axes", f"{work['given_J']:.6g} J"), ("heat", f"{work['heat_J']:.6g} J")]
    if work["efficiency"] is not None:
        rows.append(("share that arrives", f"{100.0 * work['efficiency']:.4g} %"))
    parts = ["<h2>Losses</h2>", facts(rows)]
    if found["couplings"]:
        parts.append(passed_power(found["couplings"]))
    if found["friction"]:
        heat = [(axis, f"{taken:.6g} J") for axis, taken in found["friction"].items()]
        parts.append(rows_of(("friction of the bearing of", "heat"), heat))
    return parts


def _speed(speed: float, unit: str) -> str:
    turns = f" ({60.0 * speed / (2.0 * math.pi):.5g} rpm)" if unit == "rad" else ""
    return f"{speed:.5g} {unit}/s{turns}"


def _bearings(swept: Swept) -> list[str]:
    """What joints carry, in the terms of a bearing catalogue."""
    head = (
        "joint", "force N", "radial N", "axial N", "moment N·m", "mean radial N", "turns a cycle",
        f"C for {CYCLES:.0e} cycles N".replace("e+0", "e"),
    )  # fmt: skip
    loads = bearing_loads(swept)
    most = max((load.force for load in loads), default=0.0)
    rows = []
    for load in loads:
        carried = (load.force, load.radial, load.axial, load.moment, load.mean, load.revolutions, load.rating(CYCLES))
        rows.append((load.joint, *(_cell(value, most) for value in carried)))
    return [rows_of(head, rows), f"<p>{ABOUT_BEARINGS}</p>"]


def _cell(value: float, greatest: float) -> str:
    return "–" if math.isnan(value) else f"{0.0 if abs(value) < ROUND_OFF * greatest else value:.5g}"


def _axis_plots(swept: Swept, table: Table, across: tuple[str, Array]) -> list[str]:
    parts = []
    for part in ("position", "velocity", "acceleration"):
        for unit in ("rad", "m"):
            names = [f"joint/{axis.name}/{part}" for axis in swept.mechanism.axes if axis.unit == unit]
            if names:
                curves = [(name.split("/")[1], table[name]) for name in names]
                parts.append(plot(part.capitalize(), across, _unit(table, names[0]), curves))
    return parts


def _paths(table: Table) -> list[str]:
    """The paths of traced points, in the two directions of the world in which each extends furthest."""
    parts = []
    number = 1
    while f"point/{number}/x" in table.names:
        place = {axis: table[f"point/{number}/{axis}"] for axis in "xyz"}
        first, second = sorted(sorted(place, key=lambda axis: -float(np.ptp(place[axis])))[:2])
        title = f"Path of point {number}"
        parts.append(path(title, (first, place[first]), (second, place[second]), "m"))
        number += 1
    return parts


def _unit(table: Table, name: str) -> str:
    return table.units[table.names.index(name)]


def _special(found: Findings) -> str:
    rows = []
    unit = found["moves"][0]["unit"]
    if found["ended"] is not None:
        rows.append((f"{found['ended']['cause']} of the driver", f"{found['ended']['driver']:.10g} {unit}", ""))
    rows += [("change point", f"{driver:.10g} {unit}", "") for driver in found["change_points"]]
    for name, axis in found["axes"].items():
        rows += [
            (
                f"{name} turns round: {turn['kind']}",
                f"{turn['driver']:.10g} {unit}",
                f"{turn['position']:.10g} {axis['unit']}",
            )
            for turn in axis["turns"]
        ]
        if axis["time_ratio"] is not None:
            rows.append((f"time ratio of {name}", "", f"{axis['time_ratio']:.7g}"))
        rows += [
            (f"{name} passes its limit", f"{item['driver']:.10g} {unit}", f"{item['limit']:g} {axis['unit']}")
            for item in axis["limits"]
        ]
    for name, angle in found["transmission_angles"].items():
        for which, at, value in (
            ("minimum", angle["minimum_at"], angle["minimum"]),
            ("maximum", angle["maximum_at"], angle["maximum"]),
        ):
            place = f"{at:.10g} {unit}"
            rows.append((f"transmission angle at {name}: {which}", place, f"{math.degrees(value):.6g}°"))
    for name, axis in found["axes"].items():
        rows.append((f"stroke of {name}", "", f"{axis['stroke']:.10g} {axis['unit']}"))
    for name, parts in found["undetermined"].items():
        rows.append((f"{name}: not determined by equilibrium, shared by stiffness", "", ", ".join(parts)))
    return rows_of(("", "driver", "value"), rows)


def _statistics(found: Findings) -> str:
    greatest: dict[str, float] = {}
    for column in found["channels"].values():
        greatest[column["unit"]] = max(greatest.get(column["unit"], 0.0), column["peak"])
    rows = [
        (name, *(number(c[key], greatest[c["unit"]]) for key in ("minimum", "maximum", "rms")), c["unit"])
        for name, c in found["channels"].items()
    ]
    return rows_of(("channel", "least", "greatest", "RMS", "unit"), rows)


def _poses(opened: Opened, swept: Swept) -> str:
    """Pictures of the mechanism along the sweep."""
    frames = [swept.body_frames(body) for body in range(len(swept.mechanism.bodies))]
    first = swept.route.moves[0].axis
    shown = []
    info = swept.mechanism.axes[first]
    for point in np.unique(np.linspace(0, len(swept) - 1, POSES).round().astype(int)).tolist():
        bodies = []
        for R, origin in frames:
            X = np.eye(4)
            X[:3, :3], X[:3, 3] = R[point], origin[point]
            bodies.append(Pose.from_matrix(X).as_list())
        bodies[0] = opened.mechanism.bodies[0].X_WB.as_list()
        shown.append((f"{info.name} at {swept.position[point, first]:.4g} {info.unit}", np.array(bodies)))
    return pictures(opened, shown)
