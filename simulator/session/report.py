"""The report of an analysis: one HTML file that needs no network and prints well, with pictures of poses, plots and
tables with units."""

from __future__ import annotations

import base64
import io
import math
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from simulator.errors import UsageError
from simulator.session.plots import path, plot

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from simulator.analysis.findings import Findings
    from simulator.analysis.sweeps import Swept
    from simulator.analysis.table import Table
    from simulator.session.analysing import Branch
    from simulator.session.opening import Opened

    Array = NDArray[np.float64]

POSES = 4
"""Pictures of a branch: its ends, and poses evenly between."""
PICTURE = (480, 320)
ROUND_OFF = 1e-14
STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1f2937}
h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:2rem;border-bottom:1px solid #d1d5db}h3{font-size:1.05rem}
svg{width:100%;height:auto;font-size:12px}svg text{fill:#374151}
.path{max-width:32rem}.title{font-weight:600}.grid{stroke:#e5e7eb}
.legend span{display:inline-block;margin-right:1rem;font-size:13px}
.legend i{display:inline-block;width:1rem;height:3px;margin-right:.35rem;vertical-align:middle}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{padding:.25rem .5rem;text-align:right;border-bottom:1px solid #e5e7eb}
th:first-child,td:first-child{text-align:left}
.poses{display:grid;grid-template-columns:repeat(2,1fr);gap:.75rem}.poses img{width:100%}
figure{margin:0}figcaption{font-size:13px;color:#4b5563}
@media print{body{margin:0;max-width:none}h2{break-after:avoid}svg,figure,table{break-inside:avoid}}
"""


def write_report(
    path: Path, opened: Opened, branches: Sequence[Branch], tables: Sequence[Table], found: Sequence[Findings]
) -> None:
    """Write the page. Raises UsageError where it cannot be written."""
    title = f"Analysis of {opened.document.title or opened.path.name}"
    body = [f"<h1>{escape(title)}</h1>", _head(found[0])]
    for branch, table, one in zip(branches, tables, found, strict=True):
        if len(branches) > 1:
            body.append(f"<h2>Branch {branch.number}</h2>")
        body += _branch(opened, branch.swept, table, one)
    page = (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>{''.join(body)}</body></html>\n"
    )
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error


def _head(found: Findings) -> str:
    moves = ", ".join(f"{escape(m['axis'])} from {m['from']:g} to {m['to']:g} {m['unit']}" for m in found["moves"])
    unit = found["moves"][0]["unit"]
    speed = f"velocity {found['velocity']:g} {unit}/s, acceleration {found['acceleration']:g} {unit}/s²"
    return f"<p>{moves}; {speed}; {found['reached']} of {found['points']} positions.</p>"


def _branch(opened: Opened, swept: Swept, table: Table, found: Findings) -> list[str]:
    first = swept.route.moves[0].axis
    info = swept.mechanism.axes[first]
    across = (f"{info.name} [{info.unit}]", swept.position[:, first])
    parts = ["<h2>Poses</h2>", _poses(opened, swept), "<h2>Positions that matter</h2>", _special(found)]
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
    """The paths of points that are followed, in the two directions of the world in which each goes furthest."""
    parts, number = [], 1
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
    return _table(("", "driver", "value"), rows)


def _statistics(found: Findings) -> str:
    greatest: dict[str, float] = {}
    for column in found["channels"].values():
        greatest[column["unit"]] = max(greatest.get(column["unit"], 0.0), column["peak"])
    rows = [
        (name, *(_number(c[key], greatest[c["unit"]]) for key in ("minimum", "maximum", "rms")), c["unit"])
        for name, c in found["channels"].items()
    ]
    return _table(("channel", "least", "greatest", "RMS", "unit"), rows)


def _number(value: float, greatest: float) -> str:
    """Six digits; 0 for what is round-off beside the greatest of that unit."""
    return f"{0.0 if abs(value) < ROUND_OFF * greatest else value:.6g}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>"


def _poses(opened: Opened, swept: Swept) -> str:
    """Pictures of the mechanism along the sweep."""
    from PIL import Image

    from simulator.rendering.build import build_scene
    from simulator.rendering.offscreen import camera_for, render_picture
    from simulator.rendering.theme import LIGHT
    from simulator.session.link_poses import LinkPoses
    from simulator.spatial.pose import Pose

    scene, figures, shown = build_scene(opened.world), [], []
    frames = [swept.body_frames(body) for body in range(len(swept.mechanism.bodies))]
    first = swept.route.moves[0].axis
    for point in np.unique(np.linspace(0, len(swept) - 1, POSES).round().astype(int)).tolist():
        bodies = []
        for R, origin in frames:
            X = np.eye(4)
            X[:3, :3], X[:3, 3] = R[point], origin[point]
            bodies.append(Pose.from_matrix(X).as_list())
        bodies[0] = opened.mechanism.bodies[0].X_WB.as_list()
        shown.append((point, LinkPoses(opened.mechanism, scene.links).at(np.array(bodies))))
    camera = camera_for(scene, [poses for _, poses in shown], PICTURE[0] / PICTURE[1])
    for point, poses in shown:
        stream = io.BytesIO()
        Image.fromarray(render_picture(scene, poses, size=PICTURE, theme=LIGHT, camera=camera)).save(
            stream, format="PNG"
        )
        data = base64.b64encode(stream.getvalue()).decode()
        info = swept.mechanism.axes[first]
        text = f"{info.name} at {swept.position[point, first]:.4g} {info.unit}"
        figures.append(
            f'<figure><img alt="{escape(text)}" src="data:image/png;base64,{data}">'
            f"<figcaption>{escape(text)}</figcaption></figure>"
        )
    return f'<div class="poses">{"".join(figures)}</div>'
