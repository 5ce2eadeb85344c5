"""`simulator describe`: what documents mean."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from simulator.cli.output import DOCUMENT_ERRORS, OK, print_diagnostics
from simulator.cli.page import Table, page
from simulator.cli.tables import describe_as_text
from simulator.mechanism.varied import parameters_of
from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
from simulator.session.text.description import describe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.formats.options import ReadingOptions
    from simulator.mechanism.parameters import Parameter
    from simulator.session.open.opening import Opened


def describe_documents(
    files: Sequence[str], options: ReadingOptions, *, as_json: bool, parameters: bool = False
) -> int:
    """Print what documents mean, or which `parameters` they have, as JSON Lines or as text; exit code 1 where one has
    errors."""
    code = OK
    for path in [find_file(file) for file in files]:
        opened = open_document(path, options)
        if as_json:
            print(json.dumps(_parameters(opened) if parameters else describe(opened)), flush=True)
        else:
            print_diagnostics(opened.diagnostics)
            if parameters:
                _print_parameters(opened)
            elif opened.document.worlds or opened.document.root_models:
                describe_as_text(opened)
        code = DOCUMENT_ERRORS if opened.has_errors else code
    return code


def _parameters(opened: Opened) -> dict[str, object]:
    """The object of `describe --parameters --json`; what is infinite is null."""
    rows = parameters_of(opened.mechanism, opened.world)
    return {"file": str(opened.path), "parameters": {row.name: _data(row) for row in rows}}


def _data(row: Parameter) -> dict[str, object]:
    numbers = {"value": row.value, "lower": row.lower, "upper": row.upper}
    return {"unit": row.unit, **{key: number if math.isfinite(number) else None for key, number in numbers.items()}}


def _print_parameters(opened: Opened) -> None:
    table = Table("parameter", "value", "unit", "bounds", numbers=("value",))
    for row in parameters_of(opened.mechanism, opened.world):
        table.add_row(row.name, f"{row.value:.6g}", row.unit, row.bounds)
    page().print(table)
