"""Other numbers in a document from the command line, and documents and variants side by side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import simulator
from tests.helpers.command import called
from tests.helpers.documents import joint, link, model, world

RUN = ("run", "four_bar", "--duration", "0.02", "--json")
DRIVE = ("--drive", "crank_joint=velocity:6")


def energy_of(*arguments: str) -> float:
    """What the drive of the crank did [J]."""
    done = called(*RUN, *DRIVE, *arguments)
    assert done.returncode == 0, done.stderr
    told: float = json.loads(done.stdout)["drives"]["four_bar::crank_joint"]["energy"]
    return told


def test_a_run_with_other_numbers_is_that_of_a_varied_simulation() -> None:
    sim = simulator.load("four_bar").varied({"coupler.mass": 0.2, "rocker.length": 0.32})
    sim.reset()  # to the start of such a document, where `varied` holds the crank
    run = sim.run(0.02, drives={"crank_joint": simulator.velocity(6.0)})
    found = energy_of("--set", "coupler.mass=0.2", "--set", "rocker.length=0.32")
    assert found == pytest.approx(run.drives["four_bar::crank_joint"]["energy"], rel=1e-9)
    assert found == energy_of("--set", "coupler.mass=0.2,rocker.length=0.32") != energy_of()


@pytest.mark.parametrize(
    "command",
    [
        ("compare", "four_bar", "--duration", "0.002"),
        ("analyse", "four_bar", "--move", "crank_joint=0:1", "--points", "3"),
        ("render", "four_bar", "--size", "64x48"),
        ("equilibrium", "four_bar"),
        ("linearise", "four_bar"),
    ],
    ids=lambda command: command[0],
)
def test_every_command_takes_them(command: tuple[str, ...], tmp_path: Path) -> None:
    """A bar of another length, and a refusal of what is no parameter."""
    picture = ("-o", str(tmp_path / "out.png")) if command[0] == "render" else ()
    done = called(*command, *picture, "--set", "rocker.length=0.32")
    assert done.returncode == 0, done.stderr
    done = called(*command, *picture, "--set", "rocker.lenght=0.32")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no parameter is named 'rocker.lenght'; did you mean 'rocker.length'?" in done.stderr
    assert "`simulator describe FILE --parameters` lists them" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("coupler.mass", "'coupler.mass' sets no parameter: write PARAMETER=VALUE"),
        ("=2", "'=2' sets no parameter"),
        ("coupler.mass=heavy", "'heavy' in 'coupler.mass=heavy' is not a number"),
        ("coupler.mass=-1", "'coupler.mass' must be 0 kg or more, not -1 kg"),
        ("copler.mass=1", "no parameter is named 'copler.mass'; did you mean 'coupler.mass'?"),
        ("four_bar::copler.mass=1", "did you mean 'four_bar::coupler.mass'?"),
        ("foo.bar=1", "no parameter is named 'foo.bar' (`simulator describe FILE --parameters` lists them)"),
    ],
)
def test_what_cannot_be_set_is_refused(text: str, said: str) -> None:
    done = called(*RUN, "--set", text)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_what_a_link_has_not_is_said() -> None:
    done = called("run", "rack_and_pinion", "--duration", "0.01", "--set", "rack.length=1")
    assert done.returncode == 2
    assert done.stderr.startswith("simulator: 'rack.length': ")


def test_a_name_of_two_models_is_ambiguous(tmp_path: Path) -> None:
    models = [model(name, link("a"), joint("x", "revolute", parent="world", child="a")) for name in "mn"]
    (tmp_path / "two.sdf").write_text(world(*models))
    done = called("run", tmp_path / "two.sdf", "--duration", "0.01", "--set", "a.mass=2")
    assert done.returncode == 2
    assert "'a' is ambiguous: m::a, n::a" in done.stderr


def test_parameters_are_listed() -> None:
    done = called("describe", "four_bar", "--parameters")
    assert done.returncode == 0
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()}
    assert rows["four_bar::rocker.length"][:2] == ["0.3", "m"]
    told = json.loads(called("describe", "four_bar", "--parameters", "--json").stdout)["parameters"]
    assert set(told) == set(rows) - {"parameter"} == set(simulator.load("four_bar").parameters())
    assert told["four_bar::coupler.mass"] == {"unit": "kg", "value": 0.35, "lower": 0.0, "upper": None}
    assert told["four_bar::crank_joint.upper"]["value"] is None


# -- side by side ------------------------------------------------------------------------------------------------------


def test_variants_are_beside_the_document() -> None:
    """What the drive has to give, and how far axes come from where those of the document are."""
    done = called(
        "compare", "four_bar", "--duration", "0.5", *DRIVE, "--variant", "coupler.mass=0.2", "--variant",
        "coupler.mass=1,rocker.length=0.32",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    heading, *rows = done.stdout.splitlines()
    assert heading.split()[0] == "variant"
    assert "peak of crank_joint" in heading
    assert [row.split()[0] for row in rows] == ["four_bar", "coupler.mass=0.2", "coupler.mass=1,rocker.length=0.32"]


def test_variants_as_an_object() -> None:
    done = called(
        "compare", "four_bar", "--duration", "0.02", *DRIVE, "--set", "coupler.mass=0.2", "--dt", "0.0005", "--variant",
        "rocker.length=0.32", "--json",
    )  # fmt: skip
    first, second = json.loads(done.stdout)["contenders"]
    assert (first["label"], second["label"]) == ("four_bar", "rocker.length=0.32")
    energies = [row["drives"]["four_bar::crank_joint"]["energy"] for row in (first, second)]
    common = ("--set", "coupler.mass=0.2", "--dt", "0.0005")
    assert energies[0] == pytest.approx(energy_of(*common), rel=1e-12)
    assert energies[1] == pytest.approx(energy_of(*common, "--set", "rocker.length=0.32"), rel=1e-12)
    assert (first["steps"], first["finished"], first["difference_rad"]) == (40, True, None)
    assert second["difference_rad"] > 0.0


def test_documents_are_beside_each_other(tmp_path: Path) -> None:
    """A drive that one of them has not is left out there, which is said; joints are matched by their last name."""
    done = called("compare", "four_bar", "slider_crank", "--duration", "0.1", *DRIVE, "--drive", "wrist_joint=effort:0",
                  "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    labels = [row["label"] for row in json.loads(done.stdout)["contenders"]]
    assert labels == ["four_bar", "slider_crank"]
    assert "'four_bar' has no 'wrist_joint': its drive is left out there" in done.stderr
    done = called("compare", "four_bar", "slider_crank", "--duration", "0.01", "--solvers", "rows,reduced")
    assert [row.split("  ")[0] for row in done.stdout.splitlines()[1:]] == [
        "four_bar (rows)", "four_bar (reduced)", "slider_crank (rows)", "slider_crank (reduced)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("four_bar", "no_such_world"), 2, "no file or example world is named 'no_such_world'"),
        (("four_bar", "slider_crank", "--solvers", "rowz"), 2, "no solver is named 'rowz'"),
        (("four_bar", "--variant", "coupler.mas=1"), 2, "did you mean 'coupler.mass'?"),
        (("four_bar", "slider_crank", "--drive", "crnk=effort:1"), 2, "no axis is named 'crnk'"),
        (("four_bar", "--variant", "rocker.length=3"), 3, "not all ran to the end"),
    ],
)
def test_what_cannot_be_compared(arguments: tuple[str, ...], code: int, said: str) -> None:
    done = called("compare", *arguments, "--duration", "0.01")
    assert done.returncode == code, done.stdout
    assert said in done.stderr


def test_a_document_with_errors_ends_the_comparison(tmp_path: Path) -> None:
    (tmp_path / "broken.sdf").write_text("<sdf version='1.12'><world name='w'><model/></world></sdf>")
    assert called("compare", "four_bar", tmp_path / "broken.sdf", "--duration", "0.01").returncode == 1


# -- reports -----------------------------------------------------------------------------------------------------------


def test_a_run_is_reported_on_a_page(tmp_path: Path) -> None:
    """Four pictures, plots of what moves and of what drives it, and tables that say what was simulated."""
    page, csv = tmp_path / "out.html", tmp_path / "out.csv"
    done = called("run", "four_bar", "--duration", "0.3", *DRIVE, "--set", "coupler.mass=0.2", "--report", page,
                  "--csv", csv, "--every", "0.1")  # fmt: skip
    assert done.returncode == 0, done.stderr
    text = page.read_text(encoding="utf-8")
    assert text.count("<img ") == 4
    assert [text.count(f'class="title">{title}<') for title in ("Position", "Velocity", "Effort", "Energy")] == [1] * 4
    for said in ("Run of four_bar", "velocity:6", "coupler.mass", "steps of 0.001 s", "largest gap of loops", "0.3 s"):
        assert said in text
    assert "http" not in text.replace("http://www.w3.org", "")
    assert len(csv.read_text().splitlines()) == 5


@pytest.mark.parametrize("name", ["gripper"])
def test_other_worlds_are_reported(name: str, tmp_path: Path) -> None:
    page = tmp_path / "out.html"
    assert called("run", name, "--duration", "0.02", "--report", page).returncode == 0
    assert page.read_text().count("<img ") == 4


def test_a_page_is_not_written_over_the_document(tmp_path: Path) -> None:
    file = tmp_path / "one.sdf"
    file.write_text(world(model("m", link("a"), joint("x", "revolute", parent="world", child="a"))))
    done = called("run", file, "--duration", "0.01", "--report", file)
    assert done.returncode == 2
    assert "belongs to the simulated document" in done.stderr
    done = called("run", file, "--duration", "0.01", "--report", tmp_path / "no" / "out.html")
    assert done.returncode == 2
    assert "cannot write" in done.stderr


def test_a_run_that_fails_is_reported_as_far_as_it_came(tmp_path: Path) -> None:
    page = tmp_path / "out.html"
    drives = (
        "--drive",
        "rocker_joint=velocity:3",
        "--drive",
        "crank_joint=velocity:-3",
        "--initial",
        "crank_joint=0.3",
    )
    assert called("run", "four_bar", "--duration", "2", *drives, "--report", page).returncode == 3
    assert "The run ended early" in page.read_text(encoding="utf-8")
