"""Documents of xacro: expanded in a separate process, with findings at the lines of the source, and isolated from the
rest of the system.

Macros, properties, arguments and substitutions are those of https://github.com/ros/xacro/wiki.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.formats.document import read_document
from simulator.formats.expansion import expand
from simulator.formats.expansion.guard import RefusedExpressionError, check_expression
from simulator.formats.options import ReadingOptions
from simulator.formats.writing import document as writing
from simulator.model.world import Document
from tests.helpers.repository import ROOT

Write = Callable[..., Path]
MESH = (ROOT / "tests" / "conformance" / "documents" / "triangle.obj").read_text(encoding="utf-8")
INERTIAL = '<inertial><mass value="{}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def xacro(*lines: str) -> str:
    """A robot with a base; the first of the lines is line 3."""
    base = f'<link name="base">{INERTIAL.format(1)}</link>'
    return "\n".join(['<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="r">', base, *lines, "</robot>"])


LEG = (
    '<xacro:macro name="leg" params="side mass:=2 kind:=fixed">',
    '<link name="${side}_leg">' + INERTIAL.format("${mass * 2}") + "</link>",
    '<joint name="${side}_hip" type="${kind}">',
    '<parent link="base"/><child link="${side}_leg"/></joint>',
    "</xacro:macro>",
)


@pytest.fixture(autouse=True)
def _repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def told(document: Document) -> list[str]:
    return [f"{item.severity.value} {item.code} {Path(item.file).name}:{item.line}" for item in document.diagnostics]


def masses(document: Document) -> float:
    return sum(link.inertial.mass for link in document.root_models[0].links)


@pytest.mark.parametrize("name", ["r.urdf.xacro", "r.xacro", "r.urdf"])
def test_macros_and_expressions_are_expanded(name: str, write_document: Write) -> None:
    text = xacro(*LEG, '<xacro:leg side="left"/>', '<xacro:leg side="right" mass="${radians(180) / pi}"/>')
    document = read_document(write_document(text, name))
    assert told(document) == []
    assert masses(document) == pytest.approx(1 + 4 + 2)


def test_sdformat_may_be_written_with_macros(write_document: Write) -> None:
    text = (
        '<sdf version="1.12" xmlns:xacro="http://www.ros.org/wiki/xacro"><model name="m">'
        "<xacro:property name=\"names\" value=\"${['a', 'b']}\"/>"
        '<link name="${names[0]}"/><link name="${names[1]}"/>'
        '<joint name="j" type="fixed"><parent>a</parent><child>b</child></joint></model></sdf>'
    )
    document = read_document(write_document(text, "m.sdf.xacro"))
    assert told(document) == []
    assert [link.name for link in document.root_models[0].links] == ["m::a", "m::b"]


def test_a_file_named_xacro_without_macros_is_read_as_it_is(
    write_document: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert told(read_document(write_document(xacro(), "r.urdf.xacro"))) == []


def test_findings_name_the_line_of_the_macro_and_its_call(write_document: Write) -> None:
    write_document(xacro(*LEG).replace(f'<link name="base">{INERTIAL.format(1)}</link>', ""), "macros/leg.xacro")
    text = xacro('<xacro:include filename="macros/leg.xacro"/>', "", '<xacro:leg side="left" kind="hinge"/>')
    path = write_document(text, "r.urdf.xacro")
    document = read_document(path)
    found = document.diagnostics[0]
    assert (Path(found.file).name, found.line) == ("leg.xacro", 5)
    assert found.included_from == (f"{path}:5",)
    assert document.files == (str(path), str(path.parent / "macros" / "leg.xacro"))


def test_arguments_have_defaults_and_are_given_by_name(write_document: Write) -> None:
    text = xacro('<xacro:arg name="mass" default="3"/>', *LEG, '<xacro:leg side="left" mass="$(arg mass)"/>')
    path = write_document(text, "r.xacro")
    assert masses(read_document(path)) == pytest.approx(1 + 6)
    assert masses(read_document(path, ReadingOptions(arguments=(("mass", "5"),)))) == pytest.approx(1 + 10)


def test_a_missing_argument_is_named_with_its_flag(write_document: Write) -> None:
    text = xacro('<xacro:arg name="side" default="left"/>', *LEG, '<xacro:leg side="$(arg side)" mass="$(arg mass)"/>')
    (found,) = read_document(write_document(text, "r.xacro")).diagnostics
    assert (found.code, found.line) == ("XACRO_ARGUMENT", 9)
    assert "--arg mass=VALUE" in found.hint
    assert "side=left" in found.hint


def test_all_missing_arguments_are_named_in_one_line(write_document: Write) -> None:
    """Also those that only another value of the first would lead to, and that are in no comment."""
    parts = '<xacro:if value="$(arg crane)"><xacro:leg side="$(arg side)" mass="$(arg mass)"/></xacro:if>'
    text = xacro(
        '<xacro:arg name="side" default="left"/><!-- $(arg old) -->', *LEG, parts, '<xacro:leg side="$(arg end)"/>'
    )
    (found,) = read_document(write_document(text, "r.xacro")).diagnostics
    assert found.message == "3 arguments of the xacro document have no value"
    assert found.hint.startswith("give --arg crane=VALUE --arg end=VALUE --arg mass=VALUE; arguments met so far:")


def test_an_argument_that_the_document_does_not_have_is_told(write_document: Write) -> None:
    text = xacro('<xacro:arg name="mass" default="3"/>')
    document = read_document(write_document(text, "r.xacro"), ReadingOptions(arguments=(("masss", "5"),)))
    assert told(document) == ["warning XACRO_ARGUMENT r.xacro:1"]
    assert "did you mean 'mass'?" in document.diagnostics[0].hint


def test_packages_are_found_as_those_of_meshes_are(write_document: Write) -> None:
    write_document("<package><name>arm_parts</name></package>", "parts/package.xml")
    write_document(xacro(*LEG).replace(f'<link name="base">{INERTIAL.format(1)}</link>', ""), "parts/urdf/leg.xacro")
    write_document(MESH, "parts/meshes/part.obj")
    mesh = '<visual><geometry><mesh filename="file://$(find arm_parts)/meshes/part.obj"/></geometry></visual>'
    text = xacro('<xacro:include filename="$(find arm_parts)/urdf/leg.xacro"/>', '<xacro:leg side="left"/>')
    text = text.replace('<link name="base">', f'<link name="base">{mesh}')
    document = read_document(write_document(text, "arm/urdf/r.xacro"))
    assert told(document) == []
    assert Path(document.files[-1]).name == "part.obj"


def test_a_folder_of_its_own_name_inside_a_package_is_not_the_package(write_document: Write) -> None:
    """Packages of ROS 2 have one for modules of Python."""
    write_document("<package><name>arm_parts</name></package>", "arm_parts/package.xml")
    write_document("", "arm_parts/arm_parts/__init__.py")
    write_document(
        xacro(*LEG).replace(f'<link name="base">{INERTIAL.format(1)}</link>', ""), "arm_parts/urdf/leg.xacro"
    )
    text = xacro('<xacro:include filename="$(find arm_parts)/urdf/leg.xacro"/>', '<xacro:leg side="left"/>')
    assert told(read_document(write_document(text, "arm_parts/robots/r.xacro"))) == []


def test_a_package_that_is_nowhere_is_named(write_document: Write) -> None:
    text = xacro('<xacro:include filename="$(find nowhere)/leg.xacro"/>')
    (found,) = read_document(write_document(text, "r.xacro")).diagnostics
    assert (found.code, found.line) == ("URI_LOOKUP", 3)
    assert "'nowhere'" in found.message
    assert "--resource-path" in found.hint


def test_a_macro_that_does_not_exist_is_told_with_its_line(write_document: Write) -> None:
    (found,) = read_document(write_document(xacro("", "<xacro:wheel/>"), "r.xacro")).diagnostics
    assert (found.code, found.line) == ("XACRO_FAILED", 4)
    assert "xacro:wheel" in found.message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('<xacro:include filename="nowhere.xacro"/>', "nowhere.xacro' cannot be read: No such file"),
        ('<xacro:property name="a" value="${1 / 0}"/><link name="${a}"/>', "division by zero"),
        ('<xacro:property name="a" value="${b}"/><link name="${a}"/>', "'b' is not defined"),
        ('<xacro:include filename="."/>', "it is a folder"),
        ("<xacro:if value='maybe'><link name='x'/></xacro:if>", "maybe"),
    ],
)
def test_a_fault_is_told_where_it_is(line: str, message: str, write_document: Write) -> None:
    (found,) = read_document(write_document(xacro(line), "r.xacro")).diagnostics
    assert (found.code, found.line) == ("XACRO_FAILED", 3)
    assert message in found.message


def test_a_document_that_only_defines_macros_says_so(write_document: Write) -> None:
    text = xacro(*LEG).replace(f'<link name="base">{INERTIAL.format(1)}</link>', "")
    (found,) = read_document(write_document(text, "leg.xacro")).diagnostics
    assert found.code == "XACRO_EMPTY"
    assert "nothing is left" in found.message


def test_a_document_without_a_link_is_a_part(write_document: Write) -> None:
    text = xacro('<material name="red"/>', *LEG).replace(f'<link name="base">{INERTIAL.format(1)}</link>', "")
    (found,) = read_document(write_document(text, "materials.xacro")).diagnostics
    assert found.code == "XACRO_EMPTY"
    assert "no link is left" in found.message


def test_without_the_package_one_is_told_how_to_get_it(write_document: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    path = write_document(xacro(*LEG, '<xacro:leg side="left"/>'), "r.urdf.xacro")
    (found,) = read_document(path).diagnostics
    assert (found.code, found.line) == ("XACRO_NOT_EXPANDED", 3)
    assert "pip install 'simulator[xacro]'" in found.hint
    assert f"xacro {path} > r.urdf" in found.hint
    (found,) = read_document(path.rename(path.with_name("r.urdf"))).diagnostics
    assert found.hint.endswith("> expanded_r.urdf")


def test_strict_reading_expands_nothing(write_document: Write) -> None:
    path = write_document(xacro(*LEG, '<xacro:leg side="left"/>'), "r.urdf.xacro")
    assert told(read_document(path, ReadingOptions(strict=True))) == ["error XACRO_NOT_EXPANDED r.urdf.xacro:3"]


def test_a_world_may_include_a_document_of_xacro(write_document: Write) -> None:
    part = write_document(xacro(*LEG, '<xacro:leg side="left" kind="hinge"/>'), "leg.urdf.xacro")
    text = '<sdf version="1.12"><world name="w">\n<include><uri>leg.urdf.xacro</uri></include></world></sdf>'
    path = write_document(text, "w.sdf")
    found = read_document(path).diagnostics[0]
    assert found.included_from == (f"{part}:8", f"{path}:2")


def test_the_result_is_written_as_sdformat(tmp_path: Path, write_document: Write) -> None:
    path = write_document(xacro(*LEG, '<xacro:leg side="left"/>'), "r.xacro")
    source = writing.read_source(path)
    written = writing.write_document(source.document, tmp_path, source)
    assert "left_leg" in written.text
    assert "xacro" not in written.text
    assert written.diagnostics == ()


OUTSIDE = [
    "().__class__",
    "(lambda: ().__class__.__base__.__subclasses__())()",
    "[x.__class__ for x in [1]]",
    "(x for x in [1]).gi_frame.f_back.f_builtins",
    "(lambda: 0).__globals__",
    "__import__('os')",
    "f'{().__class__}'",
    "'x' * 5" + " " * 20_000,
]


@pytest.mark.parametrize("expression", OUTSIDE)
def test_expressions_do_not_reach_the_inside_of_python(expression: str) -> None:
    with pytest.raises(RefusedExpressionError):
        check_expression(expression)


@pytest.mark.parametrize("expression", ["2 * pi", " a.b['c'] ", "[i for i in python.range(3)]", "xacro.load_yaml(f)"])
def test_expressions_that_compute_are_evaluated(expression: str) -> None:
    check_expression(expression)


@pytest.mark.parametrize("expression", ["(lambda: ().__class__)()", "python.type(1)", "python.vars(python)"])
@pytest.mark.parametrize("substitution", ["${{{}}}", "$(eval {})"])
def test_what_is_refused_is_a_finding(substitution: str, expression: str, write_document: Write) -> None:
    line = f'<link name="{substitution.format(expression)}"/>'
    (found,) = read_document(write_document(xacro(line), "r.xacro")).diagnostics
    assert (found.code, found.line) == ("XACRO_FAILED", 3)


def test_an_expansion_cannot_fill_the_memory(write_document: Write) -> None:
    line = '<link name="${[0] * 10**10}"/>'
    (found,) = read_document(write_document(xacro(line), "r.xacro")).diagnostics
    assert found.code == "XACRO_FAILED"


def test_an_expansion_ends_in_time(write_document: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expand, "SECONDS", 0.5)
    line = '<link name="${[0 for a in python.range(10**9)]}"/>'
    (found,) = read_document(write_document(xacro(line), "r.xacro")).diagnostics
    assert found.code == "XACRO_FAILED"
    assert "0.5 s" in found.message


def test_a_macro_that_calls_itself_ends(write_document: Write) -> None:
    text = xacro('<xacro:macro name="a"><xacro:a/></xacro:macro>', "<xacro:a/>")
    assert [item.code for item in read_document(write_document(text, "r.xacro")).diagnostics] == ["XACRO_FAILED"]


def test_entities_and_pipes_are_refused(tmp_path: Path, write_document: Write) -> None:
    os.mkfifo(tmp_path / "pipe.xacro")
    entity = '<!DOCTYPE robot [<!ENTITY x "y">]>' + xacro("<link name='&x;'/>")
    write_document(entity, "entity.xacro")
    for name in ("pipe", "entity"):
        text = xacro(f'<xacro:include filename="{name}.xacro"/>')
        assert [item.code for item in read_document(write_document(text, "r.xacro")).diagnostics] == ["XACRO_FAILED"]


def test_modules_beside_the_document_are_not_imported(write_document: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write_document("raise SystemExit('imported')", "yaml.py")
    path = write_document(xacro(*LEG, '<xacro:leg side="left"/>'), "r.xacro")
    monkeypatch.chdir(path.parent)
    assert told(read_document(path)) == []
