"""The door for files: pipes, devices and files without an end are refused wherever they are named, and a document has
a budget."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from simulator.diagnostics import Diagnostic
from simulator.errors import UsageError
from simulator.formats import files
from simulator.formats.document import read_document
from simulator.formats.files import RefusedError, is_regular, read_head, read_regular
from simulator.formats.motion_file import read_motion
from simulator.session.open.opening import open_document
from tests.helpers import documents
from tests.helpers.fuzzing import time_limit

Write = Callable[..., Path]
TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl paint\nf 1/1 2/1 3/1\n"
GLTF = (
    '{"asset":{"version":"2.0"},"buffers":[{"uri":"pipe","byteLength":36}],'
    '"bufferViews":[{"buffer":0,"byteLength":36}],'
    '"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],'
    '"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}],"scene":0}'
)


@pytest.fixture(autouse=True)
def _no_waiting() -> Iterator[None]:
    with time_limit(20.0):
        yield


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def meshed(uri: str, more: str = "") -> str:
    shape = f'<visual name="v"><geometry><mesh><uri>{uri}</uri></mesh></geometry>{more}</visual>'
    return documents.world(documents.model("m", documents.link("a", shape)))


def binary_stl(path: Path, triangles: int, *, sparse: bool = False) -> Path:
    """A file of triangles; with `sparse` they are holes in the file, which take no room on the disk."""
    path.write_bytes(b"\0" * 80 + struct.pack("<I", triangles))
    os.truncate(path, 84 + 50 * triangles)
    if not sparse:
        path.write_bytes(path.read_bytes())
    return path


def findings(path: Path, *codes: str) -> list[Diagnostic]:
    return [item for item in read_document(path).diagnostics if item.code in codes]


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/tty", "/"])
def test_only_files_are_read(path: str) -> None:
    with pytest.raises(OSError, match=r"folder|device"):
        read_regular(path, 100)
    with pytest.raises(OSError, match=r"folder|device"):
        read_head(path, 100)
    assert not is_regular(path, 100)


def test_a_pipe_is_refused_without_waiting_for_its_other_end(pipe: Path) -> None:
    with pytest.raises(RefusedError, match="pipe"):
        read_regular(pipe, 100)


def test_no_more_is_read_than_the_system_says_that_there_is() -> None:
    assert read_regular("/proc/self/status", 100) == b""  # as /proc/kmsg, which never ends


def test_a_file_that_becomes_a_pipe_is_judged_after_it_was_opened(
    tmp_path: Path, pipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, judged = tmp_path / "plain", os.stat
    plain.write_text("text")
    monkeypatch.setattr(files.os, "stat", lambda path: judged(plain if path == pipe else path))
    with pytest.raises(RefusedError, match="pipe"):
        read_regular(pipe, 100)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.obj", f"mtllib pipe\n{TRIANGLE}"),
        ("a.obj", f"mtllib paint.mtl\n{TRIANGLE}"),
        ("a.gltf", GLTF),
    ],
    ids=["material library", "picture of a material", "buffer"],
)
def test_a_mesh_that_names_a_pipe(write_document: Write, pipe: Path, name: str, text: str) -> None:
    write_document("newmtl paint\nKd 1 0 0\nmap_Kd pipe\n", "paint.mtl")
    write_document(text, name)
    found = findings(write_document(meshed(name)), "URI_LOOKUP", "MESH_UNREADABLE")
    assert [pipe.name in item.message for item in found] == [True]


@pytest.mark.parametrize("target", ["pipe", "/proc/kmsg"])
def test_a_link_to_something_endless(tmp_path: Path, write_document: Write, pipe: Path, target: str) -> None:
    for name in ("part.stl", "part.sdf", "skin.png", "look.material"):
        (tmp_path / name).symlink_to(target)
    material = "<material><script><uri>look.material</uri><name>x</name></script></material>"
    picture = "<material><pbr><metal><albedo_map>skin.png</albedo_map></metal></pbr></material>"
    assert findings(write_document(meshed("part.stl", material)), "MESH_UNREADABLE")
    read_document(write_document(meshed("part.stl", picture)))
    include = documents.world("<include><uri>part.sdf</uri></include>")
    found = findings(write_document(include, "world.sdf"), "FILE_READ")
    assert [item.included_from[0].endswith("world.sdf:3") for item in found] == [True]


def test_a_manifest_and_a_package_that_are_pipes(tmp_path: Path, write_document: Write) -> None:
    for place in ("pipes_only/model.config", "share/package.xml"):
        (tmp_path / place).parent.mkdir()
        os.mkfifo(tmp_path / place)
    assert findings(write_document(documents.world("<include><uri>pipes_only</uri></include>")), "URI_LOOKUP")
    assert findings(write_document(meshed("package://elsewhere/part.stl")), "URI_LOOKUP")


@pytest.mark.parametrize("what", ['<xacro:include filename="pipe"/>', "<link name=\"${xacro.load_yaml('pipe')}\"/>"])
def test_a_xacro_document_that_names_a_pipe(write_document: Write, pipe: Path, what: str) -> None:
    pytest.importorskip("xacro")
    text = f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{what}<link name="a"/></robot>'
    found = findings(write_document(text, "r.xacro"), "XACRO_FAILED")
    assert [f"'{pipe}' cannot be read: it is a device or a pipe" in item.message for item in found] == [True]


def test_a_motion_that_is_a_pipe(pipe: Path) -> None:
    with pytest.raises(UsageError, match="pipe"):
        read_motion(pipe)


def test_a_sparse_mesh_is_as_large_as_it_says(tmp_path: Path, write_document: Write) -> None:
    binary_stl(tmp_path / "part.stl", 10_000_000, sparse=True)
    (found,) = findings(write_document(meshed("part.stl")), "MESH_UNREADABLE")
    assert "larger than 80 MiB" in found.message
    assert "fewer triangles" in found.hint
    assert found.line == 4


def test_the_triangles_of_all_meshes_are_added_up(
    tmp_path: Path, write_document: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_TRIANGLES", 250)
    for name in "abc":
        data = binary_stl(tmp_path / f"{name}.stl", 100).read_bytes()
        (tmp_path / f"{name}.stl").write_bytes(data[:84] + struct.pack("<12fH", *range(12), 0) * 100)
    shapes = "".join(
        f'<visual name="{i}{name}"><geometry><mesh><uri>{name}.stl</uri></mesh></geometry></visual>'
        for i in range(3)
        for name in "abc"
    )
    path = write_document(documents.world(documents.model("m", documents.link("a", shapes))))
    (found,) = findings(path, "MESH_UNREADABLE")
    assert "'c.stl' is one too many: the meshes of the document have together more than 250 triangles" in found.message
    assert [item.code for item in open_document(path).diagnostics] == ["MESH_UNREADABLE"]


def test_a_mesh_in_many_scales_counts_for_each(
    tmp_path: Path, write_document: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_TRIANGLES", 250)
    (tmp_path / "a.stl").write_bytes(b"\0" * 80 + struct.pack("<I", 100) + struct.pack("<12fH", *range(12), 0) * 100)
    shapes = "".join(
        f'<visual name="{i}"><geometry><mesh><uri>a.stl</uri><scale>{i + 1} 1 1</scale></mesh></geometry></visual>'
        for i in range(3)
    )
    path = write_document(documents.world(documents.model("m", documents.link("a", shapes))))
    assert len(findings(path, "MESH_UNREADABLE")) == 1


@pytest.mark.parametrize(("limit", "most"), [("MAX_FILES", 3), ("MAX_BYTES", 2000), ("MAX_ELEMENTS", 60)])
def test_a_document_leads_to_so_much_and_no_more(
    write_document: Write, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    monkeypatch.setattr(files, limit, most)
    for i in range(9):
        write_document(documents.document(documents.model("part", documents.link("a"))) + " " * 300, f"{i}.sdf")
    includes = "".join(f"<include><uri>{i}.sdf</uri><name>n{i}</name></include>\n" for i in range(9))
    document = read_document(write_document(documents.world(includes), "world.sdf"))
    (found,) = document.diagnostics
    assert found.code in ("INCLUDE_LIMIT", "FILE_TOO_LARGE")
    assert found.is_error
    assert found.line >= 1
    assert "divide" in found.hint
    assert document.worlds == ()


def test_a_document_with_too_many_elements_is_not_parsed(
    write_document: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_ELEMENTS", 1000)
    monkeypatch.setattr("simulator.formats.xml.parse_bytes", lambda *_, **__: pytest.fail("it is parsed"))
    for text in ("<a/>" * 1001, "<a " + "".join(f"b{i}='' " for i in range(1001)) + "/>"):
        (found,) = read_document(write_document(f"<sdf>{text}</sdf>")).diagnostics
        assert found.code == "FILE_TOO_LARGE"


def test_a_ruler_of_equals_signs_is_no_attribute(write_document: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_ELEMENTS", 100)
    text = documents.document(f"<!-- {'=' * 1000} -->" + documents.model("m", documents.link("a")))
    assert read_document(write_document(text)).diagnostics == ()


@pytest.mark.parametrize(
    "text",
    [
        "<sdf version='1.12'><world name='w'>" + "<model name='m'><link name='l'/></model>" * 100 + "</world></sdf>",
        "<robot name='r'>" + "".join(f"<link name='l{i}'/>" for i in range(200)) + "</robot>",
    ],
    ids=["models", "roots"],
)
def test_a_document_with_too_many_parts_is_refused(
    write_document: Write, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(files, "MAX_PARTS", 150)
    (found,) = read_document(write_document(text)).diagnostics
    assert (found.code, found.is_error) == ("FILE_TOO_LARGE", True)
    assert "more than 150 models, links, joints and frames" in found.message


def test_an_include_counts_as_three_parts(write_document: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "<sdf version='1.12'><world name='w'>" + "<include><uri>model://nowhere</uri></include>" * 50 + "</world></sdf>"
    )
    monkeypatch.setattr(files, "MAX_PARTS", 150)
    assert "FILE_TOO_LARGE" not in [found.code for found in read_document(write_document(text)).diagnostics]
    monkeypatch.setattr(files, "MAX_PARTS", 149)
    assert [found.code for found in read_document(write_document(text)).diagnostics] == ["FILE_TOO_LARGE"]


def test_only_so_many_files_are_searched_for(write_document: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulator.formats.cursor.SEARCHED", 3)
    includes = "".join(f"<include><uri>model://nowhere{i}</uri></include>" for i in range(9))
    found = findings(write_document(documents.world(includes)), "URI_LOOKUP")
    assert sum(item.count for item in found) == 9
