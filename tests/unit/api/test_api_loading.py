from __future__ import annotations

from pathlib import Path

import pytest

import simulator
from simulator.errors import DocumentError, UsageError
from tests.helpers.documents import joint, link, model, world
from tests.helpers.repository import ROOT

ARM = world(model("arm", link("tip", pose="0 0 1 0 0 0"), joint("hip", "revolute", parent="world", child="tip")))


def test_an_example_a_path_and_a_text_are_the_same() -> None:
    path = ROOT / "worlds" / "rack_and_pinion.sdf"
    texts = {repr(simulator.load(source)) for source in ("rack_and_pinion", path, str(path))}
    assert len(texts) == 1
    assert "mobility 1" in texts.pop()


def test_a_text() -> None:
    sim = simulator.load(ARM)
    assert (sim.links, sim.positions.names, sim.mobility, sim.name) == (("arm::tip",), ("arm::hip",), 1, "default")


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(DocumentError, match=r"missing\.sdf:0: error\[FILE_READ\]: there is no file"):
        simulator.load("missing.sdf")


def test_a_name_that_is_no_example() -> None:
    with pytest.raises(UsageError, match=r"no file or example world is named 'four_baar'.*did you mean 'four_bar'"):
        simulator.load("four_baar")


def test_all_findings_with_their_lines() -> None:
    text = world(
        model("arm", link("tip"), joint("a", "revolute", parent="world", child="hand")),
        model("leg", link("foot"), joint("b", "revolute", parent="world", child="toe")),
    )
    with pytest.raises(DocumentError) as caught:
        simulator.load(text)
    lines = str(caught.value).splitlines()
    assert lines[0] == "<text> has 2 errors"
    assert [line.partition("]")[0] for line in lines[1:]] == [
        "<text>:5: error[JOINT_CHILD_LINK_INVALID",
        "<text>:9: error[JOINT_CHILD_LINK_INVALID",
    ]
    assert len(caught.value.diagnostics) == 2


def test_warnings_do_not_keep_a_document_from_being_loaded() -> None:
    sim = simulator.load(ARM.replace("<axis><xyz>0 0 1</xyz></axis>", ""))
    assert [(str(item.severity.value), item.file) for item in sim.diagnostics] == [("warning", "<text>")]


def test_resource_paths_and_a_held_base(tmp_path: Path) -> None:
    folder = tmp_path / "arm"
    folder.mkdir()
    (folder / "model.sdf").write_text(ARM.replace('<world name="default">', "").replace("</world>", ""))
    (folder / "model.config").write_text("<model><name>arm</name><sdf version='1.12'>model.sdf</sdf></model>")
    included = world("<include><uri>model://arm</uri></include>")
    with pytest.raises(DocumentError, match="model://arm"):
        simulator.load(included, strict=True)
    assert simulator.load(included, resource_paths=[tmp_path]).mobility == 1


def test_a_robot_whose_base_is_held() -> None:
    """A base on nothing, and an arm on a hinge: seven degrees of freedom, or one."""
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    hinge = '<joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>'
    robot = f'<robot name="r"><link name="base">{mass}</link><link name="arm">{mass}</link>{hinge}</robot>'
    assert simulator.load(robot).mobility == 7
    assert simulator.load(robot, hold_base=True).mobility == 1


def test_a_solver_and_a_step() -> None:
    assert simulator.load(ARM).dt == 0.001
    assert simulator.load(ARM, dt=0.002).dt == 0.002
    with pytest.raises(UsageError, match="no solver is named 'fast'"):
        simulator.load(ARM, solver="fast")
    with pytest.raises(UsageError, match="a step of 0 s cannot be simulated"):
        simulator.load(ARM, dt=0.0)


SPARE = """<sdf version="1.12"><model name="m">
<link name="l"><inertial><mass>1</mass></inertial><spare/></link><spares/></model></sdf>"""


def test_what_check_warns_of_load_warns_of_in_one_line() -> None:
    """As Python's warnings, which can be filtered, made errors or shown at the line that loads."""
    with pytest.warns(simulator.DocumentWarning) as found:
        sim = simulator.load(SPARE)
    (one,) = found
    warned = [item for item in sim.diagnostics if item.severity.value == "warning"]
    assert str(one.message).startswith("<text>:2: warning[ELEMENT_INCORRECT_TYPE]: <model> has no child <spares>")
    assert f"{len(warned) - 1} more warning" in str(one.message)
    assert "\n" not in str(one.message)
    assert one.filename == __file__


def test_a_clean_document_is_loaded_without_a_word(recwarn: pytest.WarningsRecorder) -> None:
    simulator.load("four_bar")
    assert not recwarn.list
