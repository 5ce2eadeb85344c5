"""A fixed thousand of broken documents: none raises, warns or hangs; and what a fault does not touch is still read.

`scripts/fuzz` reads ten thousand and more.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simulator.formats.document import read_document
from simulator.formats.report import describe_document
from simulator.formats.sdf.vocabulary import ATTRIBUTES, CHILDREN
from tests.conftest import CORPUS
from tests.helpers import documents, fuzzing
from tests.helpers.mutants import Seed, grown, mutants, seeds
from tests.helpers.strangers import strangers

Write = Callable[..., Path]
HUNDREDS = range(3)


@pytest.mark.parametrize("hundred", HUNDREDS)
def test_mutants(hundred: int, tmp_path: Path) -> None:
    """Of the public corpus where it is, else of our own documents."""
    population = seeds(CORPUS if CORPUS.is_dir() else None)
    verdicts = [fuzzing.judged(item, tmp_path) for item in mutants(population, 100, 100 + hundred)]
    assert set(verdicts) <= {"accepted", "refused"}
    assert verdicts.count("accepted") >= 5


@pytest.mark.parametrize("seed", range(2))
def test_what_else_strangers_hand_over(seed: int, tmp_path: Path) -> None:
    """Meshes, motions, drives, `<ros2_control>` blocks and command lines."""
    verdicts = {fuzzing.judged(case, tmp_path) for case in strangers(60, seed)}
    assert verdicts == {"accepted", "refused"}


def test_documents_grown_from_the_vocabulary(tmp_path: Path) -> None:
    verdicts = {fuzzing.judged(Seed(tmp_path / "grown.sdf", data), tmp_path) for data in grown(150, 1)}
    assert verdicts == {"accepted", "refused"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("grammar")


TEXTS = st.one_of(
    st.sampled_from(["", "0 0 1", "1 2 3 0.1 0.2 0.3", "a", "b", "world", "__model__", "true", "1e400", "a::b", "nan"]),
    st.floats().map(str),
    st.lists(st.floats(-10, 10), min_size=3, max_size=7).map(lambda values: " ".join(map(str, values))),
    st.text(st.characters(exclude_characters="<>&", exclude_categories=["Cs", "Cc"]), max_size=8),
)
"""What stands between tags: sensible values of many elements, and nonsense."""


@st.composite
def elements(draw: st.DrawFn, tag: str, parent: str = "", depth: int = 0) -> str:
    """An element with known children and attributes, in any number and order."""
    known = sorted(CHILDREN.get(f"{parent}/{tag}", CHILDREN.get(tag, {})))
    names = draw(st.sets(st.sampled_from(sorted(ATTRIBUTES[tag].split())))) if ATTRIBUTES.get(tag) else set()
    values = st.sampled_from(["a", "b", "c", "revolute", "screw", "true", "axis", "__model__", "1.12", ""])
    attributes = "".join(f' {name}="{draw(values)}"' for name in sorted(names))
    if not known or depth > 6:
        return f"<{tag}{attributes}>{draw(TEXTS)}</{tag}>"
    below = draw(st.lists(st.sampled_from(known), max_size=4 if depth < 3 else 2))
    return f"<{tag}{attributes}>{''.join(draw(elements(child, tag, depth + 1)) for child in below)}</{tag}>"


@given(elements("model", "sdf"))
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_any_model_of_the_grammar_is_judged(folder: Path, model: str) -> None:
    document = f'<sdf version="1.12">{model}</sdf>'.encode()
    assert fuzzing.judged(Seed(folder / "x.sdf", document), folder) in ("accepted", "refused")


BREAKS = {
    "number": ("<mass>1</mass>", "<mass>heavy</mass>"),
    "pose": ("<pose>1 0 0 0 0 0</pose>", "<pose>1 0 0</pose>"),
    "axis": ("<xyz>0 0 1</xyz>", "<xyz>up</xyz>"),
    "shape": ("<radius>0.5</radius>", "<radius>-1</radius>"),
    "unknown element": ("<mass>", "<wheel/><mass>"),
    "joint type": ('type="revolute"', 'type="hinge"'),
    "leader": ('<mimic joint="j0">', '<mimic joint="nobody">'),
}


@pytest.mark.parametrize("kind", BREAKS)
@pytest.mark.parametrize("which", [0, 3])
def test_what_a_fault_does_not_touch_is_still_read(write_document: Write, kind: str, which: int) -> None:
    """One of five models is broken in one place: the others come out as before, and everything else of it that can be
    read."""
    good, (whole, broken) = [_model(number) for number in range(5)], BREAKS[kind]
    assert whole in good[which]
    bad = [model.replace(whole, broken, 1) if number == which else model for number, model in enumerate(good)]
    before = read_document(write_document(documents.world(*good), "good.sdf"))
    after = read_document(write_document(documents.world(*bad), "bad.sdf"))
    assert not before.has_errors
    assert after.diagnostics
    models = [json.loads(json.dumps(describe_document(item)))["worlds"][0]["models"] for item in (before, after)]
    for number in range(5):
        if number != which:
            assert models[0][number] == models[1][number]
    assert [link["name"] for link in models[1][which]["links"]] == [f"m{which}::l0", f"m{which}::l1", f"m{which}::l2"]


def _model(number: int) -> str:
    ball = '<collision name="c"><geometry><sphere><radius>0.5</radius></sphere></geometry></collision>'
    links = [
        f'<link name="l{i}"><pose>{i} 0 0 0 0 0</pose><inertial><mass>1</mass></inertial>{ball}</link>'
        for i in range(3)
    ]
    first = documents.joint("j0", "revolute", parent="l0", child="l1")
    return documents.model(
        f"m{number}", *links, first, documents.joint("j1", "revolute", documents.mimic("j0"), parent="l1", child="l2")
    )
