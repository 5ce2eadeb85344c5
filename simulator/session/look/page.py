"""The common part of pages that the program writes: one HTML file that needs no network and prints well."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import importlib.metadata
import io
from html import escape
from typing import TYPE_CHECKING

from simulator.errors import UsageError
from simulator.formats.files import read_regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from PIL.Image import Image

    from simulator.session.open.opening import Opened
    from simulator.spatial.arrays import Array


PICTURE = (480, 320)
ROUND_OFF = 1e-14
LARGEST = 2_000_000_000
"""Of a file that counts in a digest [bytes]."""
STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1f2937}
h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:2rem;border-bottom:1px solid #d1d5db}h3{font-size:1.05rem}
svg{width:100%%;height:auto;font-size:12px}svg text{fill:#374151}
.path{max-width:32rem}.title{font-weight:600}.grid{stroke:#e5e7eb}
.legend span{display:inline-block;margin-right:1rem;font-size:13px}
.legend i{display:inline-block;width:1rem;height:3px;margin-right:.35rem;vertical-align:middle}
table{border-collapse:collapse;width:100%%;font-size:14px}
th,td{padding:.25rem .5rem;text-align:right;border-bottom:1px solid #e5e7eb}
th:first-child,td:first-child{text-align:left}
.facts{width:auto}.facts td{text-align:left}
.facts td:first-child{color:#4b5563;padding-right:1.5rem;white-space:nowrap}
.poses{display:grid;grid-template-columns:repeat(2,1fr);gap:.75rem}.poses img{width:100%%}
dt{margin-top:.5rem}dd{margin:0}code{font-size:13px;overflow-wrap:anywhere;color:#4b5563}
.option{white-space:nowrap}
figure{margin:0}figcaption{font-size:13px;color:#4b5563}
@page{size:A4;margin:16mm}
@media print{body{margin:0;max-width:none;font-size:11pt}h2{break-after:avoid}svg,figure,table{break-inside:avoid}}
@media screen and (prefers-color-scheme:dark){
:root{color-scheme:dark}body{background:#15171c;color:#e5e7eb}
h2,th,td{border-color:#3a3f49}svg text{fill:#c7ccd4}.grid{stroke:#2c3038}
.facts td:first-child,code,figcaption{color:#a3aab5}
%s
}
"""
ON_DARK = {
    "#1f5fa8": "#5b9bdf", "#c2410c": "#f0803c", "#15803d": "#4ade80", "#7e22ce": "#c084fc", "#0e7490": "#22d3ee",
    "#a16207": "#facc15", "#be185d": "#f472b6", "#4b5563": "#9ca3af", "#6b7280": "#9ca3af", "#d1d5db": "#3a3f49",
    "#dcfce7": "#14391f", "#111827": "#e5e7eb", "#b91c1c": "#f87171",
}  # fmt: skip
"""Colours of figures where the reader's screen is dark, by what they are on a light one."""


def write_page(path: Path, title: str, body: Sequence[str]) -> None:
    """Write a page. Raises UsageError if it cannot be written."""
    page = (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{STYLE % _on_dark()}</style></head>"
        f"<body><h1>{escape(title)}</h1>{''.join(body)}</body></html>\n"
    )
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error


def _on_dark() -> str:
    rules = [f'svg [{key}="{light}"]{{{key}:{dark}}}' for light, dark in ON_DARK.items() for key in ("fill", "stroke")]
    rules += [f'.legend [style="background:{light}"]{{background:{dark}!important}}' for light, dark in ON_DARK.items()]
    return "".join(rules)


def made_by(files: Sequence[str]) -> list[tuple[str, str]]:
    """The program's version, and a digest of all files that a document was read from, as facts."""
    return [("program", program_name()), ("SHA-256 of the document and its files", digest_of(files))]


def program_name() -> str:
    """With its version."""
    return f"simulator {importlib.metadata.version('simulator')}"


def digest_of(files: Sequence[str]) -> str:
    """SHA-256 of the contents of files, one after the other; without those that are no longer there."""
    found = hashlib.sha256()
    for file in files:
        with contextlib.suppress(OSError):
            found.update(read_regular(file, LARGEST))
    return found.hexdigest()


def number(value: float, greatest: float) -> str:
    """Six digits; 0 for round-off relative to the greatest of that unit."""
    return f"{0.0 if abs(value) < ROUND_OFF * greatest else value:.6g}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows of text under a head; the first column aligned left, others right."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>"


def passed_power(couplings: Mapping[str, Mapping[str, float]]) -> str:
    """What couplings with losses passed on, by name, as `analysis.losses.power_summary` has it."""
    rows = []
    for name, sums in couplings.items():
        for way in ("forward", "backward"):
            if f"efficiency_{way}" in sums:
                passed = [f"{sums[f'{way}_{end}_J']:.6g} J" for end in ("in", "out")]
                rows.append((name, way, *passed, f"{100.0 * sums[f'efficiency_{way}']:.4g} %"))
        power = f"{sums['heat_W']:.6g} W" if "heat_W" in sums else ""
        rows.append((name, "heat", f"{sums['heat_J']:.6g} J", power, ""))
    return table(("coupling", "power flows", "in", "out", "efficiency"), rows)


def shell_line(text: str) -> str:
    """A line for a shell, which is broken before an option, not in it."""
    words = (f'<span class="option">{escape(w)}</span>' if w[:1] == "-" else escape(w) for w in text.split(" "))
    return f"<code>{' '.join(words)}</code>"


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Names and values, one for each row."""
    lines = "".join(f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>" for name, value in rows)
    return f'<table class="facts"><tbody>{lines}</tbody></table>'


def pictures(opened: Opened, shown: Sequence[tuple[str, Array]]) -> str:
    """Pictures of the mechanism at body poses, shape (n_bodies, 7), each with its caption, from one point of view."""
    from PIL.Image import fromarray

    from simulator.rendering.offscreen import camera_for, render_picture
    from simulator.rendering.theme import LIGHT
    from simulator.session.look.link_poses import LinkPoses
    from simulator.session.look.scene_of import scene_of

    scene = scene_of(opened)
    figures = []
    links = LinkPoses(opened.mechanism, scene.links)
    placed = [(text, links.at(bodies)) for text, bodies in shown]
    camera = camera_for(scene, [poses for _, poses in placed], PICTURE[0] / PICTURE[1])
    for text, poses in placed:
        drawn = render_picture(scene, poses, size=PICTURE, theme=LIGHT, camera=camera)
        figures.append(figure(fromarray(drawn), text, escape(text)))
    return f'<div class="poses">{"".join(figures)}</div>'


def figure(picture: Image, alternative: str, caption: str) -> str:
    """A picture with its caption, in HTML, and words for those who do not see it."""
    stream = io.BytesIO()
    picture.save(stream, format="PNG")
    data = base64.b64encode(stream.getvalue()).decode()
    shown = f'<img alt="{escape(alternative)}" src="data:image/png;base64,{data}">'
    return f"<figure>{shown}<figcaption>{caption}</figcaption></figure>"
