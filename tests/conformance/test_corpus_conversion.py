"""The public corpus, converted: a document that means what libsdformat says still does after it was written as SDFormat
1.12."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from simulator.formats.document import read_document
from simulator.formats.options import ReadingOptions
from simulator.formats.report import describe_document
from simulator.formats.writing.document import read_source, write_document

pytestmark = pytest.mark.corpus

FLAT_NAMES = "probes/p37_colon_1_7.sdf"
"""Left out. SDFormat 1.12 forbids `::` in names, so the link `a::b` of the model `m` becomes the link `b` of a nested
model `a`: the same scoped name `m::a::b`, but one model more in libsdformat's list."""
ACCEPTED = 201
"""Documents without errors that match directly; raise it when more do."""


def test_the_corpus_still_means_the_same_after_conversion(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(corpus))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    import compare

    resources = [Path(folder) for folder in compare.RESOURCES]
    accepted, mismatches, unequal = 0, [], []
    for expectation in sorted((corpus / "expected").rglob("*.json")):
        name = expectation.relative_to(corpus / "expected").as_posix().removesuffix(".json")
        path = corpus / "documents" / name
        source = read_source(path, ReadingOptions(tuple(resources), strict=True))
        wanted = json.loads(expectation.read_text(encoding="utf-8"))
        better = Path(name).name in compare.BETTER
        if (
            name == FLAT_NAMES
            or source.document.has_errors
            or (list(compare.verdict(wanted, described(source.document))) and not better)
        ):
            continue
        accepted += 1
        result = tmp_path / "converted.sdf"
        result.write_text(write_document(source.document, path.parent, source).text, encoding="utf-8")
        again = read_document(result, ReadingOptions((path.parent, *resources), strict=True))
        if not better:
            mismatches += [f"{name}: {text}" for text in compare.verdict(wanted, described(again))][:1]
        if (again.worlds, again.root_models) != (source.document.worlds, source.document.root_models):
            unequal.append(name)
    assert mismatches == []
    assert unequal == []
    assert accepted >= ACCEPTED


def described(document: Any) -> Any:
    return json.loads(json.dumps(describe_document(document), allow_nan=False))
