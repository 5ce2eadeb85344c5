"""What goes into wheel and sdist. That they work is seen by the stage `package` of scripts/test, which builds and
installs them."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from tests.helpers import packaging
from tests.helpers.packaging import PackagingError, require_all, require_picture, wanted_of_sdist, wanted_of_wheel
from tests.helpers.repository import ROOT
from tests.helpers.scripts import script


def test_a_wheel_needs_all_that_is_read_when_the_program_runs() -> None:
    wanted = wanted_of_wheel()
    assert {
        "simulator/_share/worlds/four_bar.sdf",
        "simulator/_share/lessons/5_grashof.lesson.toml",
        "simulator/_share/assets/meshes/ring.stl",
        "simulator/_share/assets/icons/simulator.svg",
        "simulator/rendering/shaders/mesh.frag",
        "simulator/formats/sdf/built_in/sun.sdf",
        "simulator/formats/DIAGNOSTICS.md",
        "simulator/session/survey/page.html",
        "simulator/py.typed",
    } <= wanted
    assert sum(name.endswith("/man1/simulator.1") for name in wanted) == 1


@pytest.mark.parametrize("wanted", [wanted_of_sdist, wanted_of_wheel])
def test_what_is_missing_is_named(wanted: object) -> None:
    assert callable(wanted)
    names = wanted()
    require_all("it.whl", names, names)
    gone = sorted(names)[-1]
    with pytest.raises(PackagingError, match=f"it.whl lacks {gone}$"):
        require_all("it.whl", names - {gone}, names)


@pytest.mark.parametrize(
    "strange",
    ["tests/conftest.py", "simulator/cli/__pycache__/app.cpython-311.pyc", "scripts/test", "numba/tests/a.py"],
)
def test_what_is_for_developers_is_named(strange: str) -> None:
    with pytest.raises(PackagingError, match=f"should not: {strange}$"):
        require_all("it.whl", {"simulator/tests.py", strange}, set())


def test_a_picture_of_nothing_is_none(tmp_path: Path) -> None:
    Image.new("RGB", (32, 24)).save(tmp_path / "black.png")
    with pytest.raises(PackagingError, match="shows nothing"):
        require_picture(tmp_path / "black.png", (32, 24))


def test_a_command_that_fails_says_what_it_said() -> None:
    with pytest.raises(PackagingError, match=r"failed \(7\):\nout\n"):
        packaging.run("bash", "-c", "echo out; exit 7")


def test_the_manual_page_is_what_the_commands_say(capsys: pytest.CaptureFixture[str]) -> None:
    maker = script("make_man_page")
    assert maker.main(["--check"]) == 0, "run scripts/make_man_page.py"
    page = (ROOT / "docs/man/simulator.1").read_text(encoding="utf-8")
    assert "as it should be" in capsys.readouterr().out
    for command in ("view [FILE]", "run FILE", "compare FILE...", "render FILE", "survey FOLDER...", "desktop install"):
        assert f'.SS "{command}"\n' in page
    assert page.isascii()


def test_a_manual_page_prints_text_as_it_is() -> None:
    """groff takes a hyphen for one of the text, a dot or quote at the start of a line for a request, a backslash for an
    escape."""
    roff = script("make_man_page").roff
    assert roff("--a-b") == r"\-\-a\-b"
    assert roff(".TH\n'x") == "\\&.TH\n\\(aqx"
    assert roff("a\\b~") == r"a\eb\(ti"
