"""One word for one thing: words that names do not have, by the table in docs/design/architecture.md, and classes that
share a name."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache

from tests.helpers.repository import ROOT, files_below, named, nodes

WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
ROW = re.compile(r"^\| ([a-z, ]+) \| [^|]+ \|$", re.MULTILINE)

HOMONYMS = {
    "Closure": "how loops hold along the motion; a position that closes an implicit constraint (textbook algorithms)",
    "Cluster": "joints tied together in a mechanism; the same in the textbook algorithms, with its own coordinates",
    "Drive": "what a user commands; the joint that an analysis moves",
    "FourBar": "a constraint and the cluster joint made of it (textbook algorithms)",
    "Free": "a constraint and the cluster joint made of it (textbook algorithms)",
    "JointType": "SDFormat's types; those that Multibody infers from axes",
    "Limits": "of axes; of a process of a survey",
    "Motion": "a direction that a joint allows; one that meets others at a change point",
    "Part": "of a mesh; of a collection of constraints",
    "Places": "where things of a document are written; where its packages are looked up",
    "Plane": "a shape; the plane that a planar mechanism moves in; the one that is drawn in",
    "Reduction": "G with names; G as flat arrays",
    "Revolute": "a joint of a multibody; of a cluster",
    "Run": "what a run recorded; the command that starts one",
    "Start": "a state to begin with; the condition there",
    "Statistics": "of a column of an analysis; of a survey",
    "Surface": "friction of a material; a triangulated surface that is drawn",
    "Table": "a profile given by points; a table of text",
    "Theme": "of the window; of the scene",
    "TriangleMesh": "as read; as drawn",
}


@cache
def definitions() -> dict[str, list[tuple[str, bool]]]:
    """(name, whether it is a class) of every public class and function, by file."""
    found: dict[str, list[tuple[str, bool]]] = {}
    for path in files_below("simulator", "textbook"):
        if path.suffix == ".py":
            kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
            found[named(path)] = [
                (node.name, isinstance(node, ast.ClassDef))
                for node in nodes(path)
                if isinstance(node, kinds) and not node.name.startswith("_")
            ]
    return found


def banned() -> set[str]:
    """The first column of the table."""
    text = (ROOT / "docs" / "design" / "architecture.md").read_text(encoding="utf-8")
    table = text.partition("| not | but |")[2].partition("\n\n")[0]
    return {word.strip() for row in ROW.findall(table) for word in row.split(",")}


def words(name: str) -> set[str]:
    return {word.lower() for word in WORD.findall(name)}


def test_the_table_is_read() -> None:
    assert {"tell", "told", "gentle", "util", "relaw"} <= banned()
    assert words("_tell_of_HTTPServer") == {"tell", "of", "http", "server"}


def test_no_public_class_or_function_has_a_word_of_the_table() -> None:
    found = {
        file: names
        for file, made in definitions().items()
        if (names := {name for name, _ in made if words(name) & banned()})
    }
    assert found == {}, "docs/design/architecture.md has the words to use instead"


def test_classes_share_a_name_only_for_a_reason() -> None:
    homes: dict[str, set[str]] = defaultdict(set)
    for file, made in definitions().items():
        for name, is_class in made:
            if is_class:
                homes[name].add(file)
    assert {name for name, files in homes.items() if len(files) > 1} == set(HOMONYMS)
