"""Documents from strangers: whatever would reach out, climb out, blow up or hang is refused with a diagnostic,
quickly."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from simulator.diagnostics import MOST_OF_A_CODE
from simulator.formats import files, xml
from simulator.formats.document import read_document
from simulator.formats.mesh import loader
from simulator.formats.mesh.loader import MeshError, load_mesh
from simulator.formats.options import ReadingOptions
from simulator.formats.uris import climbs, refusal
from simulator.model.world import Document
from tests.helpers import documents

Write = Callable[..., Path]
SECONDS = 2.0
"""No document of this file may take longer, on a busy machine too; each takes some milliseconds to a few tenths."""
PART = documents.document(documents.model("part", documents.link("a")))


@pytest.fixture(autouse=True)
def _in_time() -> Iterator[None]:
    start = time.process_time()
    yield
    assert time.process_time() - start < SECONDS


def codes(document: Document) -> set[str]:
    return {item.code for item in document.diagnostics}


def including(uri: str) -> str:
    return documents.world(f"<include><uri>{uri}</uri></include>")


def meshed(uri: str) -> str:
    shape = f'<visual name="v"><geometry><mesh><uri>{uri}</uri></mesh></geometry></visual>'
    return documents.world(documents.model("m", documents.link("a", shape)))


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE sdf [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE sdf SYSTEM "http://localhost:9/x.dtd">',
        '<!DOCTYPE sdf [<!ENTITY % x SYSTEM "http://localhost:9/x.dtd"> %x;]>',
    ],
    ids=["external entity", "external document type", "parameter entity"],
)
def test_nothing_is_fetched_for_a_document_type(write_document: Write, doctype: str) -> None:
    name = "&x;" if "ENTITY x" in doctype else "m"
    path = write_document(f'{doctype}<sdf version="1.12"><model name="{name}"><link name="l"/></model></sdf>')
    document = read_document(path)
    assert "root:" not in repr(document)
    assert codes(document) == ({"PARSING_ERROR"} if "ENTITY" in doctype else set())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_not_expanded_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    entities = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 20))
    text = f'<!DOCTYPE sdf [<!ENTITY a0 "ha">{entities}]><sdf version="1.12"><model name="&a19;"/></sdf>'
    path = tmp_path / "laughs.sdf"
    path.write_bytes(text.encode(encoding))
    document = read_document(path)
    assert document.has_errors
    assert "hahaha" not in repr(document)


@pytest.mark.parametrize("uri", ["http://x/y", "https://x/y", "ftp://x/y", "HTTP://x/y", "fuel://x/y"])
def test_the_network_is_never_asked(write_document: Write, monkeypatch: pytest.MonkeyPatch, uri: str) -> None:
    def no_socket(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr("socket.socket", no_socket)
    for text in (including(uri), meshed(uri)):
        found = read_document(write_document(text)).diagnostics
        assert [item.code for item in found] == ["URI_LOOKUP"]
        assert "network" in found[0].hint


@pytest.mark.parametrize(
    "uri", ["model://part/../../secret.sdf", "package://part/../secret.sdf", "model://../secret.sdf"]
)
def test_a_path_does_not_climb_out_of_a_package(tmp_path: Path, write_document: Write, uri: str) -> None:
    write_document(PART, "secret.sdf")
    write_document(PART, "library/part/model.sdf")
    path = write_document(including(uri), "library/world.sdf")
    found = read_document(path, ReadingOptions((tmp_path / "library",))).diagnostics
    assert [item.code for item in found] == ["URI_INVALID"]
    assert "'..'" in found[0].hint


def test_a_relative_path_climbs_from_the_document_but_not_from_a_resource_folder(
    tmp_path: Path, write_document: Write
) -> None:
    write_document(PART, "parts/part.sdf")
    beside = write_document(including("../parts/part.sdf"), "worlds/w.sdf")
    assert codes(read_document(beside)) == set()
    elsewhere = write_document(including("../parts/part.sdf"), "deep/below/w.sdf")
    (tmp_path / "library").mkdir()
    assert codes(read_document(elsewhere, ReadingOptions((tmp_path / "library",), strict=True))) == {"URI_LOOKUP"}


@pytest.mark.parametrize(
    ("name", "within", "of_package"),
    [
        ("a/b", False, False),
        ("a/../b", False, True),
        ("a/b/../c", False, False),
        ("../a", True, True),
        ("a/../../b", True, True),
        ("./a/..", False, True),
    ],
)
def test_which_paths_climb(name: str, within: bool, of_package: bool) -> None:
    assert climbs(name) is within
    assert climbs(name, package=True) is of_package


def test_what_is_no_file_name_is_refused() -> None:
    for uri in ("", "model://", "a\0b", "x" * 5000, "model://a%00b"):
        assert refusal(uri)


def test_a_manifest_names_files_of_its_own_folder(tmp_path: Path, write_document: Write) -> None:
    write_document(PART, "secret.sdf")
    write_document("<model><sdf version='1.12'>../secret.sdf</sdf></model>", "part/model.config")
    document = read_document(write_document(including("part")))
    assert codes(document) == {"URI_INVALID"}


def test_a_large_file_is_not_read(write_document: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml, "MAX_BYTES", 1000)
    assert codes(read_document(write_document(PART + " " * 1000))) == {"FILE_TOO_LARGE"}
    path = write_document(including("part.sdf"), "world.sdf")
    write_document(PART + " " * 1000, "part.sdf")
    assert "FILE_TOO_LARGE" in codes(read_document(path))


def test_devices_and_pipes_are_not_included(tmp_path: Path, write_document: Write) -> None:
    os.mkfifo(tmp_path / "pipe.sdf")
    os.mkfifo(tmp_path / "pipe.stl")
    for uri in ("pipe.sdf", "/dev/zero"):
        assert "FILE_READ" in codes(read_document(write_document(including(uri))))
    for uri in ("pipe.stl", "/dev/zero"):
        assert "MESH_UNREADABLE" in codes(read_document(write_document(meshed(uri))))


def test_an_endless_device_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml, "MAX_BYTES", 2**20)
    assert codes(read_document("/dev/zero")) == {"FILE_TOO_LARGE"}


def test_a_large_mesh_and_a_mesh_with_entities_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.dae"
    path.write_text('<!DOCTYPE COLLADA [<!ENTITY x SYSTEM "/etc/passwd">]><COLLADA>&x;</COLLADA>', encoding="utf-8")
    with pytest.raises(MeshError, match="entity"):
        load_mesh(path)
    monkeypatch.setattr(loader, "MAX_BYTES", 10)
    with pytest.raises(MeshError, match="larger"):
        load_mesh(path)


@pytest.mark.parametrize("depth", [61, 5000, 200_000])
def test_deep_nesting_is_one_finding(tmp_path: Path, depth: int) -> None:
    path = tmp_path / "deep.sdf"
    path.write_text("<a>" * depth + "</a>" * depth, encoding="ascii")
    document = read_document(path)
    assert document.has_errors
    assert len(document.diagnostics) <= 2


def test_names_with_thousands_of_scopes_in_an_old_file(write_document: Write) -> None:
    model = documents.model("m", documents.link("a::" * 3000 + "b"), documents.link("c::" * 20 + "d"))
    document = read_document(write_document(documents.world(model, version="1.7")))
    assert len(document.worlds[0].models) > 20


def test_an_endless_name_is_cut(write_document: Write) -> None:
    links = [documents.link(f"{'x' * 100_000}{i}") for i in range(20)]
    document = read_document(write_document(documents.world(documents.model("y" * 300_000, *links))))
    assert "ATTRIBUTE_INVALID" in codes(document)
    assert all(len(item.message) < 1000 for item in document.diagnostics)


def test_thousands_of_faults_stay_cheap(write_document: Write) -> None:
    faulty = [documents.joint(f"j{i}", "revolute", parent=f"nobody{i}", child=f"none{i}") for i in range(1500)]
    links = [documents.link("same") for _ in range(1500)]
    document = read_document(
        write_document(documents.world(documents.model("m", documents.link("l"), *links, *faulty)))
    )
    child = [item.count for item in document.diagnostics if item.code == "JOINT_CHILD_LINK_INVALID"]
    assert len(child) == MOST_OF_A_CODE + 1
    assert sum(child) == 1500
    assert sum(item.count for item in document.diagnostics if item.code == "DUPLICATE_NAME") == 1499


def test_includes_that_multiply_stay_below_the_limit(
    tmp_path: Path, write_document: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_ELEMENTS", 2000)
    for level in range(15):
        two = "".join(f"<include><uri>{level + 1}.sdf</uri><name>{side}</name></include>" for side in "lr")
        write_document(
            documents.document(documents.model("m", two if level < 14 else documents.link("a"))), f"{level}.sdf"
        )
    assert "INCLUDE_LIMIT" in codes(read_document(tmp_path / "0.sdf"))


def test_a_file_that_includes_itself_through_others(tmp_path: Path, write_document: Write) -> None:
    for name, other in (("a", "b"), ("b", "c"), ("c", "a")):
        include = f"<include><uri>{other}.sdf</uri></include>"
        write_document(documents.document(documents.model(name, documents.link("l"), include)), f"{name}.sdf")
    found = [item for item in read_document(tmp_path / "a.sdf").diagnostics if item.code == "INCLUDE_CYCLE"]
    assert len(found) == 1
    assert "a.sdf → b.sdf → c.sdf → a.sdf" in found[0].message
    assert [Path(place).name for place in found[0].included_from] == ["b.sdf:4", "a.sdf:4"]
