"""The public corpus beside the checkout: every document is read without an exception, and most mean what libsdformat
says."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from simulator.formats.document import read_document
from simulator.formats.options import ReadingOptions
from simulator.formats.report import describe_document

pytestmark = pytest.mark.corpus

FLOOR = 287
"""Documents that must match (of 292); raise it when more do."""


def test_the_corpus_means_what_libsdformat_says(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(corpus))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    import compare

    expectations = sorted((corpus / "expected").rglob("*.json"))
    mismatches = [fault for path in expectations if (fault := first_mismatch(path, corpus, compare))]
    matched = len(expectations) - len(mismatches)
    assert matched >= FLOOR, "\n".join(mismatches)


def first_mismatch(expectation: Path, corpus: Path, compare: ModuleType) -> str:
    """What is wrong with one document first; "" where it matches."""
    name = expectation.relative_to(corpus / "expected").as_posix().removesuffix(".json")
    document = read_document(
        corpus / "documents" / name, ReadingOptions(tuple(Path(folder) for folder in compare.RESOURCES), strict=True)
    )
    described: dict[str, Any] = json.loads(json.dumps(describe_document(document), allow_nan=False))
    if Path(name).name in compare.BETTER:
        return ""
    wanted = json.loads(expectation.read_text(encoding="utf-8"))
    return next((f"{name}: {text}" for text in compare.verdict(wanted, described)), "")
