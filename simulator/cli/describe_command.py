"""`simulator describe`: what documents mean."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from simulator.cli.output import DOCUMENT_ERRORS, OK, print_diagnostics
from simulator.cli.tables import describe_as_text
from simulator.session.description import describe
from simulator.session.examples import find_file
from simulator.session.opening import open_document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.formats.options import ReadingOptions


def describe_documents(files: Sequence[str], options: ReadingOptions, *, as_json: bool) -> int:
    """Print what documents mean, as JSON Lines or as text; exit code 1 where one has errors."""
    code = OK
    for path in [find_file(file) for file in files]:
        opened = open_document(path, options)
        if as_json:
            print(json.dumps(describe(opened)), flush=True)
        else:
            print_diagnostics(opened.diagnostics)
            if opened.document.worlds or opened.document.root_models:
                describe_as_text(opened)
        code = DOCUMENT_ERRORS if opened.has_errors else code
    return code
