"""What the project says about itself: dependencies with their reasons, versions, no trace of a developer's machine."""

from __future__ import annotations

import re
from functools import cache

from hypothesis import settings
from packaging.markers import Marker

from tests.helpers.repository import ROOT, files_below, named, project_file

_TEXT = {
    ".py",
    ".sh",
    ".md",
    ".toml",
    ".txt",
    ".sdf",
    ".urdf",
    ".world",
    ".yml",
    ".yaml",
    ".json",
    ".cfg",
    ".ini",
    ".glsl",
    ".vert",
    ".frag",
    "",
}
_MACHINES = re.compile(r"/(?<![\w.:/)}\"'`*\]-]/)(?:work|root|opt|home/\w+|Users/\w+)/\w")
_INDEXES = re.compile(
    r"pypi\.org|pythonhosted\.org|(?:extra-)?index-url|find-links|trusted-host|ca-certificates", re.IGNORECASE
)
_THIS_FILE = ROOT / "tests" / "architecture" / "test_project_files.py"


@cache
def texts() -> dict[str, str]:
    """Every text file of the checkout but this one."""
    return {
        named(path): path.read_text(encoding="utf-8", errors="replace")
        for path in files_below(".")
        if path.suffix in _TEXT and path != _THIS_FILE
    }


@cache
def lowered() -> dict[str, str]:
    """The same in small letters: a word is found at a hundredth of what a pattern costs."""
    return {name: text.lower() for name, text in texts().items()}


def lines_with(pattern: re.Pattern[str], *words: str) -> list[str]:
    """`words`: one of them is in each line that is meant, in whatever case; without them, it may be any line."""
    return [
        f"{name}:{number}: {line.strip()}"
        for name, text in texts().items()
        if not words or any(word in lowered()[name] for word in words)
        if pattern.search(text)
        for number, line in enumerate(text.splitlines(), start=1)
        if pattern.search(line)
    ]


def test_every_dependency_has_its_reason_beside_it() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = re.search(r"^dependencies = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    assert block is not None
    assert [line.strip() for line in block[1].splitlines() if not re.search(r"#\s*\w+", line)] == []


def test_every_dependency_is_pinned_for_development() -> None:
    project = project_file()["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    pinned = {
        canonical(line) for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if "==" in line
    }
    assert [requirement for requirement in wanted if canonical(requirement) not in pinned] == []


def canonical(requirement: str) -> str:
    """The name in a requirement, spelled the one way."""
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    return re.sub(r"[-_.]+", "-", name[0]).lower() if name else ""


def test_the_scripts_look_for_the_pythons_that_the_project_takes() -> None:
    project = project_file()["project"]
    assert project["requires-python"] == ">=3.10"
    prefix = "Programming Language :: Python :: "
    told = {text.removeprefix(prefix) for text in project["classifiers"] if text.startswith(prefix)}
    script = (ROOT / "scripts" / "lib" / "python.sh").read_text(encoding="utf-8")
    found = re.search(r"^supported_pythons=\(([\d. ]+)\)", script, re.MULTILINE)
    assert found is not None
    assert set(found[1].split()) == told == {f"3.{minor}" for minor in range(10, 15)}


def test_bullet_is_asked_for_only_where_it_has_wheels_and_in_one_version() -> None:
    project = project_file()["project"]
    (asked,) = [line for line in project["dependencies"] if canonical(line) == "pybullet"]
    version, _, marker = asked.partition(";")
    assert project["optional-dependencies"]["bullet"] == [version]
    found = {(o, m, v) for o in ("linux", "darwin", "win32") for m in ("x86_64", "aarch64", "arm64", "AMD64")
             for v in ("3.10", "3.11", "3.12", "3.13", "3.14")
             if Marker(marker).evaluate({"sys_platform": o, "platform_machine": m, "python_version": v})}  # fmt: skip
    assert found == {("linux", "x86_64", "3.10"), ("linux", "x86_64", "3.11")}


def test_the_page_of_dependencies_names_all_of_them_in_the_versions_that_are_installed() -> None:
    page = (ROOT / "docs" / "reference" / "dependencies.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| ")
    ]
    listed = {canonical(name): (version, licence, reason) for name, version, licence, reason in rows[1:]}
    project = project_file()["project"]
    wanted = [
        *project["dependencies"],
        *(line for one in ("xacro", "bullet", "video") for line in project["optional-dependencies"][one]),
    ]
    stand_ins = {"tomli"}  # for what newer Pythons have themselves
    assert {canonical(line) for line in wanted} - stand_ins <= set(listed)
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line.partition(" ")[0].split("==") for line in constraints if re.match(r"[\w.-]+==", line)]
    pinned = {(canonical(name), version) for name, version in pins}
    assert {(name, version) for name, (version, *_) in listed.items()} <= pinned
    assert all(licence and reason for _, licence, reason in listed.values())
    assert listed["pyqt6"][1] == "GPL-3.0-only"


def test_the_licence_of_the_window_is_told_where_people_look() -> None:
    project = project_file()["project"]
    assert (project["license"], project["license-files"]) == ("Apache-2.0", ["LICENSE", "NOTICE"])
    for name in ("README.md", "NOTICE"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert re.search(r"PyQt6.*?(GPL-3.0-only|GNU General Public License)", text, re.DOTALL), name


def test_every_folder_that_a_wheel_takes_is_there() -> None:
    included = project_file()["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert [folder for folder in included if not files_below(folder)] == []


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    assert lines_with(_MACHINES, "/work/", "/root/", "/opt/", "/home/", "/users/") == []


def test_no_file_names_a_package_index_or_a_certificate() -> None:
    assert (
        lines_with(_INDEXES, "pypi", "pythonhosted", "index-url", "find-links", "trusted-host", "ca-certificates") == []
    )


def test_the_corpus_beside_the_checkout_is_named_in_tests_only() -> None:
    assert [line for line in lines_with(re.compile(r"shared/|\bshared\"")) if not line.startswith("tests/")] == []


def test_the_machine_pattern_knows_a_path_from_a_name() -> None:
    assert _MACHINES.search("see " + "/work/main")
    assert _MACHINES.search("=" + "/opt/x")
    assert not _MACHINES.search("`energy/work/by`, /usr/lib, https://example.org/home/x")


def test_no_example_of_a_test_has_a_deadline() -> None:
    """On a busy machine it would fail for what it has not to do with."""
    assert settings.default is not None
    assert settings.default.deadline is None
    limited = re.compile(r"deadline=(?!None)")
    assert [line for line in lines_with(limited) if line.startswith("tests/")] == []
