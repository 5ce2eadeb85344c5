"""One small document per rule of SDFormat or URDF, with what it must mean beside it (`<name>.expected.json`).

`rule` says what is shown, `diagnostics` is the whole list of findings ("severity CODE line N", or "… file:N" for an
included file), `values` are values of `describe_document` by their path, `mechanism` the findings about the mechanism,
where they are the point. Documents are read by libsdformat's rules (`--strict`), except where `"strict": false` shows
what is read leniently."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from simulator.formats.document import read_document
from simulator.formats.options import ReadingOptions
from simulator.formats.report import describe_document
from simulator.session.open.opening import open_document

DOCUMENTS = Path(__file__).parent / "documents"
SUFFIXES = (".urdf", ".sdf", ".asmt")
NAMES = sorted(path.name.removesuffix(".expected.json") for path in DOCUMENTS.glob("*.expected.json"))


@pytest.mark.parametrize("name", NAMES)
def test_the_document_means_what_its_rule_says(name: str) -> None:
    expected, path = expectation_of(name), document_of(name)
    described = describe_document(read_document(path, options_of(name)))

    assert [found(item, path) for item in described["diagnostics"]] == expected["diagnostics"], expected["rule"]
    for place, value in expected["values"].items():
        assert pick(described, place) == approximately(value), f"{expected['rule']}: {place}"


WITH_MECHANISM = [name for name in NAMES if '"mechanism"' in (DOCUMENTS / f"{name}.expected.json").read_text("utf-8")]


@pytest.mark.parametrize("name", WITH_MECHANISM)
def test_the_mechanism_is_judged_as_its_rule_says(name: str) -> None:
    expected = expectation_of(name)
    findings = open_document(document_of(name), options_of(name)).mechanism.diagnostics
    judged = [f"{item.severity.value} {item.code} line {item.line}" for item in findings]
    assert judged == expected["mechanism"], expected["rule"]


def test_every_document_has_its_expectation() -> None:
    assert sorted(path.stem for path in DOCUMENTS.iterdir() if path.suffix in SUFFIXES) == NAMES


def test_every_diagnostic_says_where_and_what() -> None:
    for name in NAMES:
        for item in read_document(document_of(name), options_of(name)).diagnostics:
            assert item.line > 0, item
            assert item.message[-1] != " ", item


def expectation_of(name: str) -> dict[str, Any]:
    """What the document of that name must mean."""
    expected: dict[str, Any] = json.loads((DOCUMENTS / f"{name}.expected.json").read_text(encoding="utf-8"))
    return expected


def options_of(name: str) -> ReadingOptions:
    """How the document of that name is to be read."""
    return ReadingOptions(strict=expectation_of(name).get("strict", True))


def document_of(name: str) -> Path:
    """The document of that name."""
    return next(path for suffix in SUFFIXES if (path := DOCUMENTS / f"{name}{suffix}").exists())


def found(item: dict[str, Any], path: Path) -> str:
    """One finding as the expectation writes it."""
    place = f"line {item['line']}"
    if item["file"] != str(path):
        place = f"{Path(item['file']).relative_to(DOCUMENTS).as_posix()}:{item['line']}"
    return f"{item['severity']} {item['code']} {place}"


def pick(tree: Any, path: str) -> Any:
    """The value at a dotted path."""
    for key in path.split("."):
        tree = tree[int(key)] if isinstance(tree, list) else tree[key]
    return tree


def approximately(value: Any) -> Any:
    """Equal up to the nine digits that the expectations are written with."""
    if isinstance(value, dict):
        return {key: approximately(item) for key, item in value.items()}
    if isinstance(value, list) and all(isinstance(item, (int, float)) for item in value):
        return pytest.approx(value, abs=2e-9)
    if isinstance(value, float):
        return pytest.approx(value, abs=2e-9)
    return value
