"""What XML forbids and tinyxml2 reads: https://github.com/leethomason/tinyxml2, functions Identify, ParseText,
ParseAttributes, GetStr."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.formats.document import read_document
from simulator.formats.mending import mended
from simulator.formats.options import ReadingOptions
from simulator.formats.writing.document import read_source, write_document

ROOT = b'<sdf version="1.12"><model name="m">\n<link name="%s"/></model></sdf>'
PLAIN = ROOT % b"l"

MENDED = {
    "a blank line first": (b'\n<?xml version="1.0"?>\n' + PLAIN, 2, "l"),
    "a comment first": (b"<!-- licence -->\n<?xml version='1.0'?>\n" + PLAIN, 2, "l"),
    "two declarations": (b"<?xml version='1.0'?>\n<?xml version='1.0'?>" + PLAIN, 2, "l"),
    "a declaration without its bracket": (b'?xml version="1.0"?>\n' + PLAIN, 1, "l"),
    "a declaration without its version": (b'<?xml encoding="UTF-8"?>\n' + PLAIN, 1, "l"),
    "hyphens in a comment": (b"\n<!-- a\n -- b --->" + PLAIN, 3, "l"),
    "an ampersand alone": (b"\n<!-- x -->" + ROOT % b"a & b", 3, "a & b"),
    "an ampersand before a name": (ROOT % b"a&b;", 2, "a&b;"),
    "a bracket in a value": (ROOT % b"a<b", 2, "a<b"),
    "no quotes": (ROOT.replace(b'"%s"', b"l"), 2, "l"),
    "no blank between attributes": (ROOT.replace(b'"%s"', b'"l"other:x="1"'), 2, "l"),
    "a blank behind a bracket": (PLAIN.replace(b"<link", b"< link"), 2, "l"),
    "a closing tag with an attribute": (PLAIN.replace(b"</sdf>", b"</sdf version='1'>"), 2, "l"),
    "a control character": (PLAIN.replace(b"\n", b"\n\x08"), 2, "l"),
    "latin-1 in UTF-8": (b'<?xml version="1.0" encoding="UTF-8"?>\n' + ROOT % b"\xe4\xc3\xb6", 3, "äö"),
    "an unknown encoding": (b'<?xml version="1.0" encoding="utf-42"?>\n' + ROOT % b"\xe4", 3, "ä"),
    "a closed cdata section in a text": (PLAIN.replace(b"/></model>", b"><pose>]]></pose></link></model>"), 2, "l"),
}


@pytest.mark.parametrize(("data", "line", "name"), MENDED.values(), ids=MENDED)
def test_what_tinyxml2_reads_is_read_with_a_warning_at_its_line(
    tmp_path: Path, data: bytes, line: int, name: str
) -> None:
    path = tmp_path / "x.sdf"
    path.write_bytes(data)
    document = read_document(path)
    first = document.diagnostics[0]
    assert (first.code, first.severity.value, first.line) == ("XML_MENDED", "warning", line)
    assert document.root_models[0].links[0].name == f"m::{name}"
    assert document.root_models[0].links[0].source.line == data[: data.index(b"link")].count(b"\n") + 1


@pytest.mark.parametrize(("data", "line", "name"), MENDED.values(), ids=MENDED)
def test_strict_reading_refuses_it(tmp_path: Path, data: bytes, line: int, name: str) -> None:
    path = tmp_path / "x.sdf"
    path.write_bytes(data)
    document = read_document(path, ReadingOptions(strict=True))
    assert {item.code for item in document.diagnostics if item.is_error} >= {"FILE_READ"}


PLAIN_ENOUGH = {
    "a byte order mark": b"\xef\xbb\xbf<?xml version='1.0'?>\n" + PLAIN,
    "a named encoding": b"<?xml version='1.0' encoding='ISO-8859-1'?>\n" + ROOT % b"\xe4",
    "utf-16": PLAIN.decode().encode("utf-16"),
    "an undeclared prefix": PLAIN.replace(b"<link", b"<other:x/><link"),
    "a document type": b"<!DOCTYPE sdf>\n" + PLAIN,
}


@pytest.mark.parametrize("data", PLAIN_ENOUGH.values(), ids=PLAIN_ENOUGH)
def test_what_is_xml_needs_no_mending(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.sdf"
    path.write_bytes(data)
    document = read_document(path)
    assert document.diagnostics == ()
    assert len(document.root_models) == 1


REFUSED = {
    "an attribute twice": (b'<sdf version="1.12"><model name="a" name="b"/></sdf>', "PARSING_ERROR", 1),
    "tags that do not match": (b'<!-- -- -->\n<sdf version="1.12">\n<model name="a"></sdf>', "PARSING_ERROR", 3),
    "a tag that is not closed": (b'<!-- -- -->\n<sdf version="1.12"><model name="a"', "PARSING_ERROR", 2),
    "an entity": (b'\n<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]>' + ROOT % b"&a;", "PARSING_ERROR", 2),
    "an entity in another encoding": (
        '\n<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><sdf/>'.encode("utf-16"),
        "PARSING_ERROR",
        2,
    ),
    "no tag": (b"-- & --", "PARSING_ERROR", 1),
}


@pytest.mark.parametrize(("data", "code", "line"), REFUSED.values(), ids=REFUSED)
def test_what_tinyxml2_refuses_is_an_error_at_its_line(tmp_path: Path, data: bytes, code: str, line: int) -> None:
    path = tmp_path / "x.sdf"
    path.write_bytes(data)
    found = read_document(path).diagnostics
    assert [(item.code, item.line) for item in found if item.is_error] == [(code, line)]
    assert not any(item.code == "XML_MENDED" for item in found)


def test_mending_twice_changes_nothing_more() -> None:
    for data, _, _ in MENDED.values():
        once = mended(data)
        assert mended(once.data) == type(once)(once.data, ())


def test_a_million_brackets_are_quick() -> None:
    """One pass: what would be looked at again and again takes minutes."""
    for data in (b"<a " * 300_000, b'<a "' * 300_000, b"<!-- " * 300_000, b"<a b='" * 300_000, b"&" * 1_000_000):
        mended(b"<sdf>" + data)


def test_the_comments_of_a_mended_document_are_written(tmp_path: Path) -> None:
    path = tmp_path / "x.sdf"
    path.write_bytes(b"\n<?xml version='1.0'?><!-- a --title -->\n<!-- run --this -->\n" + PLAIN)
    source = read_source(path)
    text = write_document(source.document, tmp_path, source).text
    assert "<!-- a - -title -->" in text
    assert "<!-- run \u2010\u2010this -->" in text
