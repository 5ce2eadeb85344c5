"""The command on documents: every example passes, and whatever is wrong with a file is one line with its place, never a
traceback."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.session.text.condition_data import LARGEST
from tests.helpers import documents
from tests.helpers.command import WORLDS, Finished, called, simulator
from tests.helpers.documents import joint, link, mimic, model, world

ERROR = re.compile(r"^(?P<file>[^\n]+?):(?P<line>\d+): error\[(?P<code>[A-Z0-9_]+)\]: .+$", re.MULTILINE)


def strictly(text: str) -> object:
    """JSON as the standard has it: no NaN, no Infinity."""

    def refuse(constant: str) -> object:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def no_traceback(done: Finished) -> None:
    assert "Traceback" not in done.stderr + done.stdout, done.stderr


def test_every_example_is_without_fault() -> None:
    done = simulator("check", *WORLDS)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert done.stderr.count(": 0 errors, 0 warnings") == len(WORLDS), done.stderr


@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.stem)
def test_every_example_runs(path: Path) -> None:
    done = called("run", path.stem, "--duration", "0.2", "--json")
    assert done.returncode == 0, done.stderr
    told = strictly(done.stdout)
    assert isinstance(told, dict)
    assert told["simulated_s"] == pytest.approx(0.2)
    assert told["steps"] == pytest.approx(0.2 / told["dt"])
    assert done.stdout.count("\n") == 1
    assert "steps, 0.2 s simulated" in done.stderr


def test_bullet_alone_says_which_example_is_too_long_for_it() -> None:
    done = simulator("run", "gear_train_1024", "--duration", "0.01", "--solver", "gear")
    no_traceback(done)
    assert done.returncode != 0
    assert "Bullet holds at most 120 links" in done.stderr
    assert "'train::gear_1_joint'" in done.stderr


def test_descriptions_are_one_object_a_line() -> None:
    done = simulator("describe", "--json", *WORLDS)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(WORLDS)
    for line in lines:
        told = strictly(line)
        assert isinstance(told, dict)
        assert "diagnostics" in told
        assert set(told["mechanism"]) == {
            "bodies", "tree_joints", "loop_joints", "couplings", "clusters", "mobility", "redundant_rows", "condition",
            "loops",
            "diagnostics", "actuators", "transmissions", "reflected_inertia", "actuator_diagnostics",
        }  # fmt: skip
        assert set(told["mechanism"]["mobility"]) == {"count", "rank"}
        condition = told["mechanism"]["condition"]
        assert {
            "sigma_min",
            "condition_number",
            "distance_to_singularity",
            "independent",
            "redundant",
            "contradictory",
        } <= set(condition)
        assert len(condition["independent"]) == told["mechanism"]["mobility"]["rank"]
        assert len(condition["redundant"]) == told["mechanism"]["redundant_rows"]
        if sum(joint["dof"] for joint in told["mechanism"]["tree_joints"]) > LARGEST:
            assert "K and G are left out" in condition["note"]
        else:
            assert set(condition["K"]) == set(condition["G"]) == {"rows", "columns", "values"}
        assert len(told["mechanism"]["loops"]) == len(told["mechanism"]["loop_joints"])


def test_a_four_bar_is_described_with_its_class() -> None:
    (line,) = called("describe", "--json", "four_bar").stdout.splitlines()
    told = strictly(line)
    assert isinstance(told, dict)
    (loop,) = told["mechanism"]["loops"]
    assert (loop["type"], loop["planar"], loop["grashof"], loop["branch"]) == ("four-bar", True, "crank-rocker", "open")
    assert loop["shortest"] == ["four_bar::crank"]
    assert told["mechanism"]["condition"]["independent"] == ["four_bar::crank_joint"]
    assert told["mechanism"]["condition"]["redundant"] == [
        f"four_bar::closing_joint: {row}" for row in ("turn about x", "turn about z", "gap along y")
    ]  # fmt: skip


def test_many_freedoms_are_described_without_matrices(tmp_path: Path) -> None:
    links = [link(f"l{i}") for i in range(61)]
    hinges = [joint(f"j{i}", "revolute", parent="world", child=f"l{i}") for i in range(61)]
    path = tmp_path / "many.sdf"
    path.write_text(world(model("m", *links, *hinges)))
    done = called("describe", "--json", path)
    condition = json.loads(done.stdout)["mechanism"]["condition"]
    assert {"K", "G"} & set(condition) == set()
    assert "61 freedoms" in condition["note"]


def test_a_description_for_people() -> None:
    done = simulator("describe", "four_bar")
    assert done.returncode == 0
    assert "mobility 1 by count" in done.stdout
    assert "four_bar::closing_joint" in done.stdout
    for said in (
        "redundant: ",
        "crank-rocker",
        "assembled open",
        "independent: four_bar::crank_joint",
        "σ_min",
        "distance to singularity",
    ):
        assert said in done.stdout


@pytest.mark.parametrize(
    "surroundings", [{}, {"FORCE_COLOR": "1", "COLUMNS": "80"}, {"FORCE_COLOR": "1", "TERM": "dumb"}]
)
def test_a_description_in_a_pipe_keeps_each_row_on_its_line(tmp_path: Path, surroundings: dict[str, str]) -> None:
    # Like a checkout deep in a user's folders: the path of a row's line is longer than any terminal is wide.
    file = tmp_path.joinpath(*[f"{'far':_<40}"] * 4, "rack.sdf")
    file.parent.mkdir(parents=True)
    source = next(path for path in WORLDS if path.stem == "rack_and_pinion")
    file.write_text(
        source.read_text(encoding="utf-8").replace("../assets", str(source.parents[1] / "assets")), encoding="utf-8"
    )
    described = simulator("describe", file, **surroundings)
    assert described.returncode == 0, described.stderr
    (row,) = (line for line in described.stdout.splitlines() if line.startswith("mimic "))
    assert re.search(rf"rack_joint = \S+·\S+pinion_joint +{re.escape(str(file))}:\d+ *$", row), row


def test_a_description_prints_names_with_brackets_as_they_are(write_document: Callable[..., Path]) -> None:
    joints = joint("[red]", "revolute", parent="world", child="[/a]")
    file = write_document(world(model("m", link("[/a]"), joints), name="[/bold] of the [dim]"))
    described = called("describe", file)
    assert described.returncode == 0, described.stderr
    assert "m::[red]" in described.stdout
    assert "m::[/a]" in described.stdout


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("geneva", "contacts: 1 pair of links can touch\n"),
        (
            "gripper",
            "contacts: 8 pairs of links can touch; links of 'gripper' pass through each other (no <self_collide>)\n",
        ),
        ("four_bar", "contacts: nothing can touch\n"),
    ],
)
def test_a_description_says_what_can_touch(name: str, said: str) -> None:
    assert said in called("describe", name).stdout


def unit(name: str, *parts: str) -> str:
    return world(model("m", *parts)).replace("<model", f"<!-- {name} --><model", 1)


ENTITIES = "".join(f'<!ENTITY {name} "{8 * f"&{inner};"}">' for inner, name in zip("abcdefg", "bcdefgh", strict=True))
LAUGHS = f'<!DOCTYPE lolz [<!ENTITY a "ha">{ENTITIES}]><sdf version="1.12"><world name="&h;"/></sdf>'
NO_INERTIA = (
    '<link name="l"><inertial><mass>0</mass><inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia></inertial></link>'
)
MESH = '<visual name="v"><geometry><mesh><uri>nowhere.stl</uri></mesh></geometry></visual>'
HINGE = joint("j", "revolute", parent="world", child="l")

BAD: dict[str, str | bytes] = {
    "not_xml": "this is a shopping list\n",
    "truncated": '<sdf version="1.12"><world name="w"><model name="m"><link name="l">',
    "empty": "",
    "billion_laughs": LAUGHS,
    "nan_in_a_pose": unit("nan", link("l", pose="nan 0 0 0 0 0")),
    "joint_to_nowhere": unit("nowhere", link("l"), joint("j", "revolute", parent="world", child="nobody")),
    "negative_mass": unit("mass", link("l", mass=-1.0)),
    "follower_of_itself": unit("self", link("l"), joint("j", "revolute", mimic("j"), parent="world", child="l")),
    "ring_of_mimics": unit(
        "ring", link("l"), link("k"),
        joint("j", "revolute", mimic("i"), parent="world", child="l"),
        joint("i", "revolute", mimic("j"), parent="world", child="k"),
    ),
    "binary": bytes(range(256)) * 8,
    "other_xml": "<html><body/></html>",
}  # fmt: skip


@pytest.fixture(scope="module")
def bad_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("bad")
    paths = {}
    for name, content in BAD.items():
        paths[name] = folder / f"{name}.sdf"
        paths[name].write_bytes(content if isinstance(content, bytes) else content.encode())
    return {**paths, "directory": folder, "missing": folder / "missing.sdf"}


@pytest.mark.parametrize("name", [*BAD, "directory", "missing"])
def test_bad_input_is_one_line_with_its_place(name: str, bad_files: dict[str, Path]) -> None:
    path = bad_files[name]
    done = called("run", path, "--duration", "0.01", "--json")
    no_traceback(done)
    assert done.returncode == 1, done.stderr
    assert done.stdout == ""
    found = list(ERROR.finditer(done.stderr))
    assert found, done.stderr
    assert all(match["file"] == str(path) for match in found)


def test_check_says_the_same_about_all_of_them_and_goes_on(bad_files: dict[str, Path]) -> None:
    done = simulator("check", *bad_files.values(), "four_bar")
    no_traceback(done)
    assert done.returncode == 1
    assert {Path(match["file"]).stem for match in ERROR.finditer(done.stderr)} == {
        path.stem for path in bad_files.values()
    }
    *_, last, summary = done.stderr.splitlines()
    assert last.endswith("four_bar.sdf: 0 errors, 0 warnings")
    assert summary == f"{len(bad_files) + 1} documents: {len(bad_files)} with errors, 0 with warnings only, 1 clean"


def test_check_prints_an_object_a_document(bad_files: dict[str, Path]) -> None:
    done = called("check", "--json", *bad_files.values(), "four_bar")
    no_traceback(done)
    assert done.returncode == 1
    told = [strictly(line) for line in done.stdout.splitlines()]
    assert [item["file"] for item in told[:-1]] == [str(path) for path in bad_files.values()]
    assert all(item["errors"] > 0 for item in told[:-1])
    assert (told[-1]["errors"], told[-1]["warnings"], told[-1]["diagnostics"]) == (0, 0, [])
    assert set(told[0]["diagnostics"][0]) == {
        "severity", "code", "file", "line", "message", "hint", "included_from", "count",
    }  # fmt: skip


def test_what_is_kindly_read_is_refused_on_request(tmp_path: Path) -> None:
    """A hinge that moves nothing with mass is held still; libsdformat's rules leave an error."""
    path = tmp_path / "no_inertia.sdf"
    path.write_text(unit("inertia", NO_INERTIA, HINGE), encoding="utf-8")
    kind, strict = (
        called("run", path, "--duration", "0.01"),
        called("run", path, "--duration", "0.01", "--strict"),
    )
    assert (kind.returncode, strict.returncode) == (0, 1)
    assert "warning[NO_INERTIA]" in kind.stderr
    assert "error[NO_INERTIA]" in strict.stderr


def test_describe_says_so_in_its_object(bad_files: dict[str, Path]) -> None:
    done = called("describe", "--json", *bad_files.values())
    no_traceback(done)
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == len(bad_files)
    for line in done.stdout.splitlines():
        told = strictly(line)
        assert isinstance(told, dict)
        findings = [*told["diagnostics"], *told["mechanism"]["diagnostics"]]
        assert any(item["severity"] == "error" for item in findings), line[:300]


def test_what_could_not_be_read_is_not_described(bad_files: dict[str, Path]) -> None:
    done = called("describe", bad_files["missing"])
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"{bad_files['missing']}:0: error[FILE_READ]: there is no file")


def test_a_missing_mesh_is_told_with_its_place(write_document: Callable[..., Path]) -> None:
    """A picture lacks a part; the mechanism is what it is."""
    path = write_document(unit("mesh", link("l", MESH)))
    done = called("run", path, "--duration", "0.01")
    no_traceback(done)
    assert re.search(
        rf"^{re.escape(str(path))}:\d+: (error|warning)\[[A-Z_]+\]: .*nowhere\.stl", done.stderr, re.MULTILINE
    ), done.stderr
    assert done.returncode == (1 if "error[" in done.stderr else 0)


def test_a_folder_that_is_named_is_searched(tmp_path: Path) -> None:
    source = next(path for path in WORLDS if path.stem == "four_bar")
    path = tmp_path / "four_bar.sdf"
    path.write_text(source.read_text(encoding="utf-8").replace("../assets/meshes/", ""), encoding="utf-8")
    alone = called("check", path)
    assert (alone.returncode, "URI_LOOKUP" in alone.stderr) == (0, True)
    assert called("check", path, "--strict").returncode == 1
    done = called("check", path, "--resource-path", source.parents[1] / "assets" / "meshes")
    assert (done.returncode, done.stderr) == (0, f"{path}: 0 errors, 0 warnings\n")


def test_an_old_urdf_runs_too(write_document: Callable[..., Path]) -> None:
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    text = f"""<robot name="r"><link name="base">{inertial}</link><link name="arm">{inertial}</link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"""
    done = called("run", write_document(text, "robot.urdf"), "--duration", "0.01", "--json")
    no_traceback(done)
    assert done.returncode == 0, done.stderr


def test_the_helper_documents_are_good_themselves(write_document: Callable[..., Path]) -> None:
    """So that the bad ones above are bad for their own reason."""
    done = called("check", write_document(documents.world(model("m", link("l"), HINGE))))
    assert done.returncode == 0, done.stderr
