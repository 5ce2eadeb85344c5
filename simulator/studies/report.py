"""The report of a study: one HTML file with distributions, sensitivities, failures and the samples at the ends."""

from __future__ import annotations

import shlex
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from simulator.diagnostics import counted
from simulator.errors import UsageError
from simulator.session.look.page import digest_of, facts, shell_line, table, write_page
from simulator.studies.experiment import filled
from simulator.studies.figures import histogram, scatter_matrix, tornado
from simulator.studies.results import read_manifest, read_results
from simulator.studies.samples import FailureCauses
from simulator.studies.search_report import search_section
from simulator.studies.sensitivity import yield_interval
from simulator.studies.tolerance_report import tolerance_section
from simulator.studies.tolerance_values import read_tolerances

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from simulator.studies.results import Results

MOST_PARAMETERS, MOST_MEASURES = 6, 5
"""Columns and rows of the figure of points: the parameters that explain most."""
TRACED = "@"
"""Mark of measures that are a trace's samples, which have no figures of their own."""
CAUSES = 12


def write_study_report(folder: Path, path: Path) -> Results:
    """Write the page of a folder's results; returns the results. Raises UsageError if there are none or the page
    cannot be written."""
    manifest, results = read_manifest(folder), read_results(folder)
    measures = [name for name in results.measure_names if TRACED not in name]
    if not len(results):
        raise UsageError(f"'{folder}' holds no samples")
    varying = [name for name in results.parameter_names if np.ptp(results[name]) > 0.0]
    body = [_facts(manifest, results)]
    analysis = read_tolerances(folder, results)
    if analysis is not None:
        body += tolerance_section(analysis, lambda numbers: opening(manifest, 0, numbers))
    body += search_section(manifest.get("objective"), results, lambda place: command_of(manifest, results, place))
    if results.ok.any():
        body += ["<h2>Measures</h2>", _statistics(results, measures)]
        body += [histogram(name, "", results[name]) for name in measures if analysis is None]
        if varying and len(results) > len(varying):
            body += ["<h2>Sensitivities</h2>", *_sensitivities(results, measures, varying)]
            body += ["<h2>Measures over parameters</h2>", _points(results, measures, varying)]
        body += ["<h2>Samples at the ends</h2>", _ends(manifest, results, measures)]
    body += _failures(manifest, results)
    names = ", ".join(Path(one["document"]).stem for one in manifest["documents"])
    write_page(path, f"Study of {names}", body)
    return results


def tolerance_part(folder: Path, files: Sequence[str]) -> list[str]:
    """The section about tolerances, for the page of an analysis of the document that these `files` are. Raises
    UsageError for a folder without tolerances."""
    manifest, results = read_manifest(folder), read_results(folder)
    analysis = read_tolerances(folder, results)
    if analysis is None:
        raise UsageError(f"'{folder}' has no tolerances: `simulator tolerances STUDY.toml -o {folder}` writes them")
    section = tolerance_section(analysis, lambda numbers: opening(manifest, 0, numbers))
    if manifest["documents"][0]["sha256"] != digest_of(files):
        name = manifest["documents"][0]["document"]
        section.insert(1, f"<p><strong>These are of {escape(name)}, or of another state of this document.</strong></p>")
    return section


def _facts(manifest: dict[str, Any], results: Results) -> str:
    n = len(results)
    good = int(results.feasible.sum())
    ok = int(results.ok.sum())
    low, high = yield_interval(good, n)
    rows = [
        ("samples", f"{n} of {manifest['samples']}" if n < manifest["samples"] else str(n)),
        ("failed", str(n - ok)),
        ("sampling", f"{manifest['sampling']}, seed {manifest['seed']}"),
        ("parameters", ", ".join(results.parameter_names)),
        ("program", f"simulator {manifest['simulator']}"),
    ]
    if manifest.get("constraints"):
        share = f"{100.0 * good / n:.2f} % (95 % confidence: {100.0 * low:.2f} to {100.0 * high:.2f} %)"
        told = ("feasible", f"{good} of {n}") if manifest.get("objective") else ("yield", f"{good} of {n}, {share}")
        rows[2:2] = [("constraints", "; ".join(manifest["constraints"])), told]
    return facts(rows)


def _statistics(results: Results, measures: list[str]) -> str:
    head = ("measure", "mean", "deviation", "least", "5 %", "median", "95 %", "greatest")
    rows = []
    for name in measures:
        values = results[name][np.isfinite(results[name])]
        if len(values):
            low, middle, high = np.percentile(values, (5.0, 50.0, 95.0)).tolist()
            numbers = (values.mean(), values.std(), values.min(), low, middle, high, values.max())
            rows.append((name, *(f"{float(number):.6g}" for number in numbers)))
    return table(head, rows)


def _sensitivities(results: Results, measures: list[str], varying: list[str]) -> list[str]:
    found = []
    for name in measures:
        if results.sampling == "saltelli" and len(varying) == len(results.parameter_names):
            indices = results.sobol_indices(name)
            of_total = zip(results.parameter_names, indices.total.tolist(), indices.total_error.tolist(), strict=True)
            bars = list(of_total)
            title = f"{name}: total Sobol indices"
        else:
            fit = results.regression(name)
            pairs = zip(results.parameter_names, fit.coefficients.tolist(), strict=True)
            bars = [(parameter, value, float("nan")) for parameter, value in pairs if parameter in varying]
            title = f"{name}: standardised regression coefficients, R² = {fit.explained:.3f}"
        if all(np.isfinite(value) for _, value, _ in bars):
            found.append(tornado(title, bars))
    return found


def _points(results: Results, measures: list[str], varying: list[str]) -> str:
    weight = dict.fromkeys(varying, 0.0)
    for measure in measures:
        fit = results.regression(measure)
        for name, value in zip(results.parameter_names, fit.coefficients.tolist(), strict=True):
            if name in weight:
                weight[name] = max(weight[name], abs(value))
    chosen = sorted(varying, key=lambda name: -weight[name])[:MOST_PARAMETERS]
    return scatter_matrix(
        [(name, results[name]) for name in varying if name in chosen],
        [(name, results[name]) for name in measures[:MOST_MEASURES]],
    )


def _ends(manifest: dict[str, Any], results: Results, measures: list[str]) -> str:
    parts = []
    for name in measures:
        values = results[name]
        if np.isfinite(values).any():
            for what, place in (("least", int(np.nanargmin(values))), ("greatest", int(np.nanargmax(values)))):
                told = f"{what} {name}: {values[place]:.6g}, sample {results.sample[place]}"
                command = shell_line(command_of(manifest, results, place))
                parts.append(f"<dt>{escape(told)}</dt><dd>{command}</dd>")
    return f"<dl>{''.join(parts)}</dl>"


def command_of(manifest: dict[str, Any], results: Results, place: int) -> str:
    """The command that opens a sample in the window, with its drives and its start."""
    pairs = zip(results.parameter_names, results.parameters[place].tolist(), strict=True)
    return opening(manifest, int(results.document[place]), dict(pairs))


def opening(manifest: dict[str, Any], document: int, values: Mapping[str, float]) -> str:
    """The command that opens a document with these numbers in the window."""
    own = set(manifest["units"])
    words = ["simulator", "view", manifest["documents"][document]["document"]]
    numbers = ",".join(f"{name}={value!r}" for name, value in values.items() if name in own)
    if numbers:
        words += ["--set", numbers]
    for option, texts in manifest.get("texts", {}).items():
        for target, text in texts:
            words += [f"--{option}", f"{target}={filled(text, values)}"]
    if manifest.get("solver", "rows") != "rows":
        words += ["--solver", manifest["solver"]]
    if manifest.get("hold_base", False):
        words.append("--hold-base")
    return shlex.join(words)


def _failures(manifest: dict[str, Any], results: Results) -> list[str]:
    made = FailureCauses()
    for place, pair in enumerate(zip(results.status.tolist(), results.reason.tolist(), strict=True)):
        made.add(*pair, place)
    causes = made.by_number()
    if not causes:
        return []
    more = f"<p>and {counted(len(causes) - CAUSES, 'more cause')}</p>" if len(causes) > CAUSES else ""
    lines = ""
    for cause in causes[:CAUSES]:
        example = "e.g. " if cause.number > 1 else ""
        told = f"{escape(example + cause.reason)}<br/>sample {results.sample[cause.place]}: "
        command = shell_line(command_of(manifest, results, cause.place))
        lines += f"<tr><td>{cause.number} ×</td><td>{cause.status}</td><td>{told}{command}</td></tr>"
    return ["<h2>Failures</h2>", f'<table class="facts"><tbody>{lines}</tbody></table>{more}']
