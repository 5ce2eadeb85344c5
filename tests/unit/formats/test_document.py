"""Bad input of every kind ends in a diagnostic, never in an exception."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simulator.collector import collector_paused
from simulator.formats.document import read_document
from simulator.formats.options import ReadingOptions
from simulator.formats.report import describe_document
from simulator.model.world import Document
from tests.helpers import documents

Write = Callable[..., Path]
LINKS = (documents.link("a"), documents.link("b"), documents.link("c"))
LEADER = documents.joint("l", "revolute", parent="a", child="b")
FOLLOWER = documents.joint("f", "revolute", documents.mimic("l", multiplier=2.0), parent="b", child="c")
SAMPLE = documents.world(documents.model("m", *LINKS, LEADER, FOLLOWER))


def codes(document: Document) -> list[str]:
    return [item.code for item in document.diagnostics]


def test_a_missing_file_names_its_neighbours(tmp_path: Path, write_document: Write) -> None:
    write_document(SAMPLE, "arm.sdf")
    document = read_document(tmp_path / "arn.sdf")
    assert codes(document) == ["FILE_READ"]
    assert "arm.sdf" in document.diagnostics[0].hint


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"   \n",
        b"\x00\x01\x02\xff" * 50,
        b"PK\x03\x04 not xml",
        SAMPLE.encode("utf-16"),
        SAMPLE.encode("utf-16")[1:],
        b'<?xml version="1.0" encoding="klingon"?>' + SAMPLE.encode(),
        SAMPLE.encode()[:200],
        b"<sdf version='1.12'><model name='\xff\xfe'><link name='a'/></model></sdf>",
        b"<a>" * 400 + b"</a>" * 400,
    ],
    ids=["empty", "blank", "binary", "zip", "utf-16", "torn utf-16", "encoding", "truncated", "bytes", "deep"],
)
def test_what_is_no_document_is_one_clear_finding(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.sdf"
    path.write_bytes(data)
    document = read_document(path, ReadingOptions(strict=True))
    if not document.worlds:
        assert 1 <= len(document.diagnostics) <= 2
        assert document.has_errors


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_left_as_it_was(write_document: Write, enabled: bool) -> None:
    path = write_document(SAMPLE)
    try:
        (gc.enable if enabled else gc.disable)()
        read_document(path)
        read_document("nowhere.sdf")
        assert gc.isenabled() is enabled
    finally:
        gc.enable()


def test_the_collector_is_on_after_two_threads_have_paused_it() -> None:
    """The second enters while the first has paused it, and leaves after it: it must not take that for "off before"."""
    entered, left = threading.Event(), threading.Event()

    def second() -> None:
        with collector_paused():
            entered.set()
            left.wait()

    assert gc.isenabled()
    with collector_paused():
        thread = threading.Thread(target=second)
        thread.start()
        entered.wait()
    assert not gc.isenabled()
    left.set()
    thread.join()
    assert gc.isenabled()


def test_reading_leaves_nothing_behind(write_document: Write) -> None:
    """Frames and scopes hold each other while names are looked up; they let go at the end."""
    path = write_document(documents.world(*(SAMPLE.split("\n")[2:-3])))
    read_document(path)
    gc.collect()
    read_document(path)  # a collection drops tuples of Python 3.12's own types, which come back once
    before = len(gc.get_objects())
    for _ in range(20):
        read_document(path)
    assert len(gc.get_objects()) - before < 200


def test_a_folder_is_no_document(tmp_path: Path) -> None:
    assert codes(read_document(tmp_path)) == ["FILE_READ"]


def test_a_path_with_a_zero_byte_is_no_document() -> None:
    assert codes(read_document("a\0b")) == ["FILE_READ"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_permission(write_document: Write) -> None:
    path = write_document(SAMPLE)
    path.chmod(0)
    assert codes(read_document(path)) == ["FILE_READ"]


def test_a_billion_laughs_are_refused(write_document: Write) -> None:
    entities = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 20))
    path = write_document(f'<!DOCTYPE sdf [<!ENTITY a0 "ha">{entities}]><sdf version="1.12">&a19;</sdf>')
    assert codes(read_document(path)) == ["PARSING_ERROR"]


def test_includes_that_multiply_are_refused(tmp_path: Path, write_document: Write) -> None:
    for level in range(25):
        two = "".join(f"<include><uri>{level + 1}.sdf</uri><name>{side}</name></include>" for side in "lr")
        write_document(
            documents.document(documents.model("m", two if level < 24 else documents.link("a"))), f"{level}.sdf"
        )
    assert "INCLUDE_LIMIT" in codes(read_document(tmp_path / "0.sdf"))


def test_a_chain_of_includes_is_cut_before_it_gets_too_deep(tmp_path: Path, write_document: Write) -> None:
    for level in range(60):
        include = f"<include><uri>{level + 1}.sdf</uri></include>"
        write_document(documents.document(documents.model("m", include)), f"{level}.sdf")
    assert "INCLUDE_LIMIT" in codes(read_document(tmp_path / "0.sdf"))


def test_deep_models_that_include_deep_models_are_cut(tmp_path: Path, write_document: Write) -> None:
    for level in range(20):
        inner = f"<include><uri>{level + 1}.sdf</uri></include>"
        for depth in range(50):
            inner = f'<model name="m{depth}">{inner}</model>'
        write_document(documents.document(inner), f"{level}.sdf")
    assert "INCLUDE_LIMIT" in codes(read_document(tmp_path / "0.sdf"))


def test_a_long_chain_of_frames_is_resolved(write_document: Write) -> None:
    links = [documents.link("l0")]
    links += [f'<link name="l{i}"><pose relative_to="l{i - 1}">0 0 1 0 0 0</pose></link>' for i in range(1, 3000)]
    document = read_document(write_document(documents.document(documents.model("chain", *reversed(links)))))
    assert not document.has_errors
    assert document.root_models[0].links[0].X_WL.position == (0.0, 0.0, 2999.0)


def test_links_of_a_urdf_that_hang_on_each_other_are_refused(write_document: Write) -> None:
    inertial = '<inertial><mass value="1"/></inertial>'
    links = "".join(f'<link name="{name}">{inertial}</link>' for name in "abc")
    ends = '<joint name="{}" type="fixed"><parent link="{}"/><child link="{}"/></joint>'
    text = f"<robot name='r'>{links}{ends.format('j', 'b', 'c')}{ends.format('k', 'c', 'b')}</robot>"
    assert codes(read_document(write_document(text, "circle.urdf"))) == ["PARSING_ERROR"]


def test_a_urdf_paints_with_named_materials(write_document: Write) -> None:
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    visual = '<visual><geometry><box size="1 1 1"/></geometry><material name="red"/></visual>'
    color = '<material name="red"><color rgba="1 0 0 1"/></material>'
    document = read_document(write_document(f'<robot name="r">{color}<link name="a">{inertial}{visual}</link></robot>'))
    material = document.root_models[0].links[0].visuals[0].material
    assert material is not None
    assert material.diffuse == (1.0, 0.0, 0.0, 1.0)


def test_elements_know_their_line(write_document: Write) -> None:
    document = read_document(write_document(SAMPLE))
    model = document.worlds[0].models[0]
    sources = [item.source for item in (model, *model.links, *model.joints)]
    assert [source.line for source in sources if source is not None] == [3, 4, 5, 6, 7, 8]
    mimic = model.joints[1].axes[0].mimic
    assert mimic is not None
    assert (mimic.leader, mimic.multiplier) == ("m::l", 2.0)


def test_resources_come_from_the_arguments_and_the_environment(
    tmp_path: Path, write_document: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = documents.document(documents.model("part", documents.link("a")))
    write_document(part, "elsewhere/part/part.sdf")
    include = "<include><uri>model://part/part.sdf</uri></include>"
    path = write_document(documents.world(include), "here/world.sdf")
    assert codes(read_document(path, ReadingOptions(strict=True))) == ["URI_LOOKUP"]
    assert codes(read_document(path, ReadingOptions((tmp_path / "elsewhere",)))) == []
    monkeypatch.setenv("GZ_SIM_RESOURCE_PATH", f"/nowhere{os.pathsep}{tmp_path / 'elsewhere'}")
    assert codes(read_document(path)) == []


@given(st.binary(max_size=400))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_bytes_never_raise(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "random.sdf"
    path.write_bytes(data)
    assert read_document(path).has_errors


MUTATIONS = [
    "",
    "nan",
    "-1e999",
    "a::b",
    "__root__",
    "world",
    "<axis/>",
    "&lt;",
    '"',
    "<",
    "1 2",
    "mimic",
    "\u0000",
    "m",
    "l",
    "f",
]


URDF = """<robot name="r">
  <link name="world"/>
  <link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="b"><inertial><mass value="1"/></inertial><visual><geometry><box size="1 1 1"/></geometry></visual></link>
  <joint name="l" type="continuous"><parent link="world"/><child link="a"/><origin xyz="0 0 1"/></joint>
  <joint name="f" type="fixed"><parent link="a"/><child link="b"/><mimic joint="l"/></joint>
  <gazebo><joint name="m" type="ball"><parent>world</parent><child>b</child></joint></gazebo>
</robot>
"""


@pytest.mark.parametrize("sample", [SAMPLE, URDF], ids=["sdf", "urdf"])
@given(
    changes=st.lists(
        st.tuples(st.integers(0, 10**6), st.integers(0, 12), st.sampled_from(MUTATIONS)), min_size=1, max_size=4
    )
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_mutated_documents_never_raise(tmp_path: Path, sample: str, changes: list[tuple[int, int, str]]) -> None:
    text = sample
    for place, length, new in changes:
        start = place % len(text)
        text = text[:start] + new + text[start + length :]
    path = tmp_path / "mutated.sdf"
    path.write_text(text, encoding="utf-8")
    describe_document(read_document(path))


def test_the_title_is_what_the_document_is_about(write_document: Write) -> None:
    """Not its licence, and not a whole page."""
    legal = "<!-- Copyright 2020 A. Body. Licensed under the Apache License, Version 2.0 -->"
    path = write_document(f"<sdf version='1.12'>{legal}<!-- A crank that turns a wheel. --><world name='w'/></sdf>")
    assert read_document(path).title == "A crank that turns a wheel."
    long = read_document(write_document(f"<sdf version='1.12'><!-- {'word ' * 100} --><world name='w'/></sdf>")).title
    assert len(long) <= 200
    assert long.endswith("word…")
