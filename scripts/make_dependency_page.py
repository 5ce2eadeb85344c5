"""Makes docs/reference/dependencies.md: what the program needs at run time, with versions and licences as the packages
declare them.

    python scripts/make_dependency_page.py            writes docs/reference/dependencies.md
    python scripts/make_dependency_page.py --check    makes it again in memory and compares

It reads pyproject.toml and the metadata of what is installed, so run it in an environment with all optional parts
(`scripts/test` makes one). Versions are those of constraints.txt for the Python that runs it.
"""

from __future__ import annotations

import argparse
import platform
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "dependencies.md"
AT_RUN_TIME = ("xacro", "bullet", "video")
"""Optional parts of which the program makes use at run time."""
READ_BY_HAND = {"xacro": "BSD-3-Clause"}
"""Packages whose metadata hold the text of a licence instead of its name."""
CLASSIFIER = "License :: OSI Approved :: "
LONGEST = 60

HEAD = """# Dependencies and licences

Made by `scripts/make_dependency_page.py` from the metadata of the packages as they are installed with constraints.txt
({system}); on other Pythons and systems versions differ, licences do not. Tests and development need more
packages, which are not installed with the program.

The program itself is Apache-2.0. `NOTICE` says what the licences of others mean for redistribution.
"""


@dataclass(frozen=True)
class Row:
    name: str
    version: str
    licence: str
    reason: str


def direct() -> dict[str, tuple[Requirement, str]]:
    """Return what pyproject.toml names, by canonical name, with the reason that stands beside it."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(line for extra in AT_RUN_TIME for line in extras[extra])]
    found: dict[str, tuple[Requirement, str]] = {}
    for line in wanted:
        requirement = Requirement(line)
        if requirement.marker is not None and not requirement.marker.evaluate():
            continue  # a stand-in for what newer Pythons have themselves
        reason = re.search(re.escape(f'"{line}"') + r"[],]*\s*#\s*(.+)", text)
        found.setdefault(canonicalize_name(requirement.name), (requirement, reason[1].strip() if reason else ""))
    return found


def rows() -> list[Row]:
    """Return all packages, those that pyproject.toml names first, then what these bring along."""
    named = direct()
    brought = sorted(set(closure(named)) - set(named))
    needed_by = {name: [] for name in brought}
    for name in (*named, *brought):
        for other in needs(name):
            if other in needed_by:
                needed_by[other].append(metadata.metadata(name)["Name"])
    return [row(name, reason) for name, (_, reason) in named.items()] + [
        row(name, f"of {', '.join(sorted(set(needed_by[name])))}") for name in brought
    ]


def closure(names: dict[str, tuple[Requirement, str]]) -> Iterator[str]:
    """Yield everything that is installed along with these, themselves included."""
    seen, waiting = set(), list(names)
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            yield name
            waiting += needs(name)


def needs(name: str) -> list[str]:
    """Return what a package needs here, without its optional parts."""
    wanted = map(Requirement, metadata.requires(name) or ())
    return [canonicalize_name(one.name) for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})]


def row(name: str, reason: str) -> Row:
    about = metadata.metadata(name)
    return Row(about["Name"], about["Version"], licence_of(name), reason)


def licence_of(name: str) -> str:
    """Return what a package says: an SPDX expression, a short field or a classifier, in this order."""
    about = metadata.metadata(name)
    field = (about.get("License") or "").strip()
    classifiers = [text[len(CLASSIFIER) :] for text in about.get_all("Classifier") or () if text.startswith(CLASSIFIER)]
    short = field if 0 < len(field) <= LONGEST and "\n" not in field else ""
    told = READ_BY_HAND.get(name) or about.get("License-Expression") or short or " or ".join(classifiers)
    if not told:
        raise SystemExit(
            f"{name} does not say its licence: read it and add it to READ_BY_HAND in {Path(__file__).name}"
        )
    return str(told)


def page() -> str:
    system = f"Python {sys.version_info.major}.{sys.version_info.minor}, {platform.system()} {platform.machine()}"
    lines = [HEAD.format(system=system), "| package | version | licence | what for |", "|---|---|---|---|"]
    lines += [f"| {one.name} | {one.version} | {one.licence} | {one.reason} |" for one in rows()]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Makes docs/reference/dependencies.md.")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    made = page()
    if parser.parse_args().check:
        same = PAGE.read_text(encoding="utf-8") == made
        print(
            "docs/reference/dependencies.md is", "up to date" if same else "not what it would be made: run this script"
        )
        return 0 if same else 1
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
