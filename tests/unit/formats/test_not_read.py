"""What XML can do and readers of SDFormat do not: told the same in every encoding."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.formats.document import read_document
from simulator.formats.options import ReadingOptions
from simulator.session.batch.conversion import convert_document
from tests.helpers import documents

ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
ENTITY = '<!DOCTYPE sdf [\n<!ENTITY x "ha">\n]>\n<sdf version="1.12"><model name="&x;"><link name="l"/></model></sdf>'
XINCLUDE = "http://www.w3.org/2001/XInclude"


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("strict", [False, True])
def test_an_entity_is_the_same_finding_in_every_encoding(tmp_path: Path, encoding: str, strict: bool) -> None:
    path = tmp_path / "entity.sdf"
    path.write_bytes(ENTITY.encode(encoding))
    (found,) = read_document(path, ReadingOptions(strict=strict)).diagnostics
    assert (found.code, found.line) == ("PARSING_ERROR", 2)
    assert "entities are not expanded" in found.message


@pytest.mark.parametrize("strict", [False, True])
def test_an_entity_in_an_encoding_that_hides_it(tmp_path: Path, strict: bool) -> None:
    path = tmp_path / "hidden.sdf"
    path.write_bytes(b'<?xml version="1.0" encoding="UTF-7"?>\n' + ENTITY.replace("<!ENT", "+ADw-!ENT").encode())
    (found,) = read_document(path, ReadingOptions(strict=strict)).diagnostics
    assert "entities are not expanded" in found.message


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("prefix", ["xi", "q"])
def test_xinclude_is_named(tmp_path: Path, encoding: str, prefix: str) -> None:
    model = documents.model("m", documents.link("a"), f'<{prefix}:include xmlns:{prefix}="{XINCLUDE}" href="b.sdf"/>')
    path = tmp_path / "m.sdf"
    path.write_bytes(documents.document(model).encode(encoding))
    (found,) = read_document(path).diagnostics
    assert (found.code, found.line) == ("XML_NOT_READ", 4)
    assert f"<{prefix}:include>" in found.message


def test_elements_of_others_that_are_called_include_are_their_own(tmp_path: Path) -> None:
    path = tmp_path / "m.sdf"
    model = documents.model("m", documents.link("a"), '<mine:include xmlns:mine="urn:mine" href="b.sdf"/>')
    path.write_text(documents.document(model))
    assert read_document(path).diagnostics == ()


def test_a_conversion_that_would_lose_a_joint_says_so(tmp_path: Path) -> None:
    parts = documents.link("a::b"), documents.link("c"), documents.joint("j::k", "revolute", parent="a::b", child="c")
    path = tmp_path / "old.sdf"
    path.write_text(documents.document(documents.model("m", *parts), version="1.6"))
    done = convert_document(path, tmp_path)
    assert done.text == ""
    found = done.diagnostics[-1]
    assert (found.code, found.is_error) == ("CONVERT_DROPPED", True)
    assert "'m::j::k'" in found.message


def test_a_conversion_of_scoped_links_reads_back_as_the_same_model(tmp_path: Path) -> None:
    parts = documents.link("a::b"), documents.link("c"), documents.joint("k", "revolute", parent="a::b", child="c")
    path, again = tmp_path / "old.sdf", tmp_path / "new.sdf"
    path.write_text(documents.document(documents.model("m", *parts), version="1.6"))
    again.write_text(convert_document(path, tmp_path).text)
    assert full_names(path) == full_names(again)


def full_names(path: Path) -> set[str]:
    models = read_document(path).root_models
    links = {link.name for model in models for link in model.links}
    return links | {joint.name for model in models for joint in model.joints}
