"""`simulator new` and `simulator synthesise`: what they print, write and refuse."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from simulator.building.parts.catalogue import KINDS, parameters_of
from simulator.cli import new_command
from simulator.cli.app import run_app
from simulator.cli.new_command import defaults, parsed
from simulator.errors import UsageError
from simulator.formats.document import read_document


def test_alone_it_lists_every_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["new"]) == 0
    printed = capsys.readouterr().out
    assert all(f"  {name} " in printed for name in KINDS)
    assert "--pressure-angle" in printed


@pytest.mark.parametrize("name", sorted(KINDS))
def test_what_the_list_prints_is_what_a_kind_has_without_it(name: str) -> None:
    """Angles are printed in degrees, numbers with six digits."""
    known = parameters_of(KINDS[name])
    found = parsed(" ".join(defaults(KINDS[name])).split(), known, name)
    for key, value in known.items():
        assert found[key] == (value if isinstance(value, str | bool) else pytest.approx(value, rel=1e-5)), key


def test_the_list_is_a_page_with_pictures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(new_command, "GROUPS", {"bars": (KINDS["four_bar"],)})
    path = tmp_path / "kinds.html"
    assert run_app(["new", "-o", str(path)]) == 0
    assert capsys.readouterr().out.strip() == str(path)
    page = path.read_text("utf-8")
    assert page.count('<img alt="four_bar" src="data:image/png') == 1
    assert "simulator new four_bar" in page
    assert run_app(["new", "-o", str(path)]) == 2
    assert "--force" in capsys.readouterr().err
    assert run_app(["new", "-o", str(tmp_path / "kinds.sdf")]) == 2
    assert "NAME.html" in capsys.readouterr().err


def test_a_kind_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pair.sdf"
    assert run_app(["new", "spur-gears", "--module", "4mm", "--teeth=18,36", "-o", str(path)]) == 0
    said = capsys.readouterr()
    assert said.out.strip() == str(path)
    assert "contact ratio 1.6" in said.err
    found = read_document(path)
    assert not found.diagnostics
    assert found.worlds[0].models[0].joints[-1].gearbox_ratio == 0.5
    assert run_app(["new", "spur_gears", "-o", str(path)]) == 2
    assert "--force" in capsys.readouterr().err
    assert run_app(["new", "spur_gears", "--by-teeth", "-o", str(path), "--force"]) == 0


def test_units() -> None:
    known = parameters_of(KINDS["spur_gears"])
    found = parsed(["--module", "2mm", "--pressure-angle", "25deg", "--by-teeth", "--shifts", "0.1,0"], known, "x")
    assert found == {
        "module": 0.002,
        "pressure_angle": pytest.approx(math.radians(25.0)),
        "by_teeth": True,
        "shifts": (0.1, 0.0),
    }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["new", "gear"], "no kind of mechanism is named 'gear'"),
        (["new", "geneva", "--slot", "5"], "did you mean 'slots'"),
        (["new", "geneva", "--slots", "many"], "is a number"),
        (["new", "geneva", "--slots", "4.5"], "a whole number"),
        (["new", "geneva", "--slots"], "needs a value"),
        (["new", "geneva", "5"], "is no parameter"),
        (["new", "spur_gears", "--by-teeth", "perhaps"], "true or false"),
        (["new", "geneva", "-o", "x.urdf"], "NAME.sdf"),
        (["synthesise", "dance", "0,0"], "no task of a synthesis"),
        (["synthesise", "motion", "0,0"], "is not x,z,angle"),
        (["synthesise", "six-bar-function", "0"], "is not crank,output"),
        (["synthesise", "path", "0,0", "1,0", "-o", "x.txt"], "three to nine"),
    ],
)
def test_what_is_refused(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_app(words) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_linkages_are_found_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "guide.sdf"
    words = ["synthesise", "motion", "0,0,0deg", "0.1,0.05,20deg", "0.2,0,50deg", "-n", "2", "-o", str(path)]
    assert run_app(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("1: ")
    assert lines[2:] == [str(path), str(tmp_path / "guide_2.sdf")]
    assert not read_document(tmp_path / "guide_2.sdf").diagnostics


def test_a_value_of_another_kind() -> None:
    with pytest.raises(UsageError, match="is a number"):
        parsed(["--module", "two"], parameters_of(KINDS["spur_gears"]), "spur_gears")
