"""Models of Gazebo Fuel: read from the caches of gz-fuel-tools, replaced by what is built in, or left out with what
hangs on them.

Addresses and the layout of the cache are those of gz-fuel-tools: src/FuelClient.cc (kModelUrlRegexStr) and
src/LocalCache.cc."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.formats.document import read_document
from simulator.formats.fuel import FuelModel, fuel_model
from simulator.formats.options import ReadingOptions
from simulator.model.shape import Plane
from simulator.model.world import Document
from tests.helpers import documents

Write = Callable[..., Path]
TREE = "https://fuel.gazebosim.org/1.0/OpenRobotics/models/Oak tree"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "world" / ".git").mkdir(parents=True)


def including(*uris: str) -> str:
    return documents.world(*(f"<include><uri>{uri}</uri></include>" for uri in uris))


def cached(write: Write, version: int, cache: str = "home/.gz/fuel", server: str = "fuel.gazebosim.org") -> None:
    """A model "oak tree" with a link named after its version."""
    folder = f"{cache}/{server}/openrobotics/models/oak tree/{version}"
    write("<model><sdf version='1.12'>model.sdf</sdf></model>", f"{folder}/model.config")
    write(documents.document(documents.model("tree", documents.link(f"v{version}"))), f"{folder}/model.sdf")


def links(document: Document) -> list[str]:
    return [link.name.rpartition("::")[2] for model in document.worlds[0].models for link in model.links]


def codes(document: Document) -> list[str]:
    return [f"{item.severity.value} {item.code}" for item in document.diagnostics]


@pytest.mark.parametrize(
    ("uri", "model"),
    [
        (TREE, FuelModel("OpenRobotics", "Oak tree")),
        (TREE.replace(" ", "%20"), FuelModel("OpenRobotics", "Oak tree")),
        (f"{TREE}/3", FuelModel("OpenRobotics", "Oak tree", 3)),
        (f"{TREE}/tip", FuelModel("OpenRobotics", "Oak tree")),
        (f"{TREE}/2/files/meshes/a%20b.dae", FuelModel("OpenRobotics", "Oak tree", 2, "meshes/a b.dae")),
        (f"{TREE}/tip/files/meshes/a.dae", FuelModel("OpenRobotics", "Oak tree", 0, "meshes/a.dae")),
        ("http://fuel.ignitionrobotics.org/1.0/chapulina/models/Sun", FuelModel("chapulina", "Sun")),
        ("https://app.gazebosim.org/OpenRobotics/fuel/models/Sun", FuelModel("OpenRobotics", "Sun")),
        ("https://fuel.gazebosim.org/1.0/OpenRobotics/worlds/Empty", None),
        ("https://example.org/1.0/OpenRobotics/models/Sun", None),
        ("model://sun", None),
    ],
)
def test_which_model_an_address_names(uri: str, model: FuelModel | None) -> None:
    assert fuel_model(uri) == model


@pytest.mark.parametrize(("uri", "name"), [(TREE, "v10"), (f"{TREE}/tip", "v10"), (f"{TREE}/2", "v2")])
def test_a_model_is_read_from_the_cache(uri: str, name: str, write_document: Write) -> None:
    for version in (2, 10, 9):
        cached(write_document, version)
    document = read_document(write_document(including(uri), "world/w.sdf"))
    assert (codes(document), links(document)) == ([], [name])


@pytest.mark.parametrize("variable", ["GZ_FUEL_CACHE_PATH", "IGN_FUEL_CACHE_PATH"])
def test_the_cache_may_be_elsewhere(
    variable: str, tmp_path: Path, write_document: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached(write_document, 1, "cache", "fuel.ignitionrobotics.org")
    monkeypatch.setenv(variable, str(tmp_path / "cache"))
    assert links(read_document(write_document(including(TREE), "world/w.sdf"))) == ["v1"]


def test_a_model_of_the_cache_is_found_by_its_name_too(write_document: Write) -> None:
    cached(write_document, 1)
    assert links(read_document(write_document(including("model://Oak_tree"), "world/w.sdf"))) == ["v1"]


def test_a_cached_model_names_its_files_by_address(write_document: Write) -> None:
    cached(write_document, 1)
    folder = "home/.gz/fuel/fuel.gazebosim.org/openrobotics/models/oak tree/1"
    write_document("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", f"{folder}/meshes/leaf.obj")
    for file, expected in (("meshes/leaf.obj", []), ("../../secret.obj", ["warning URI_LOOKUP"])):
        shape = f'<visual name="v"><geometry><mesh><uri>{TREE}/1/files/{file}</uri></mesh></geometry></visual>'
        world = documents.world(documents.model("m", documents.link("a", shape)))
        assert codes(read_document(write_document(world, "world/w.sdf"))) == expected


def test_missing_models_are_left_out_and_told_together_with_the_commands_that_bring_them(write_document: Write) -> None:
    pine = TREE.replace("Oak", "Pine")
    text = including(TREE, pine, TREE, f"{pine}/2").replace(
        "</world>", documents.model("m", documents.link("a")) + "</world>"
    )
    document = read_document(write_document(text, "world/w.sdf"))
    assert links(document) == ["a"]
    (told,) = document.diagnostics
    assert (told.severity.value, told.code, told.line) == ("warning", "URI_LOOKUP", 3)
    assert "OpenRobotics/Oak tree" in told.message
    assert told.hint.count("gz fuel download -u ") == 2
    assert "models/Oak%20tree && gz fuel download -u" in told.hint


def test_strict_reading_refuses_what_libsdformat_cannot_find(write_document: Write) -> None:
    cached(write_document, 1)
    path = write_document(including(TREE, "model://sun"), "world/w.sdf")
    assert codes(read_document(path, ReadingOptions(strict=True))) == ["error URI_LOOKUP", "error URI_LOOKUP"]


@pytest.mark.parametrize(
    "uri",
    [
        "model://ground_plane",
        "model://ground_plane/model.sdf",
        "https://fuel.gazebosim.org/1.0/OpenRobotics/models/Ground Plane",
        "https://fuel.ignitionrobotics.org/1.0/openrobotics/models/ground%20plane/2",
    ],
)
def test_the_ground_plane_is_built_in(uri: str, write_document: Write) -> None:
    """Size and friction are those of Fuel's OpenRobotics/Ground Plane: 100 m by 100 m, mu 100, mu2 50."""
    document = read_document(write_document(including(uri), "world/w.sdf"))
    assert codes(document) == ["info INCLUDE_BUILT_IN"]
    (model,) = document.worlds[0].models
    (collision,) = model.links[0].collisions
    assert (model.name, model.static) == ("ground_plane", True)
    assert collision.shape == Plane((0.0, 0.0, 1.0), (100.0, 100.0))
    assert (collision.surface.friction, collision.surface.friction2) == (100.0, 50.0)


@pytest.mark.parametrize(
    "uri", ["https://fuel.gazebosim.org/1.0/somebody/models/Sun", "model://sunny", "model://sun/../x"]
)
def test_other_models_are_not_replaced(uri: str, write_document: Write) -> None:
    found = codes(read_document(write_document(including(uri), "world/w.sdf")))
    assert found in (["warning URI_LOOKUP"], ["warning URI_INVALID"])


def test_a_sun_of_ones_own_comes_first(write_document: Write) -> None:
    write_document(documents.document(documents.model("mine", documents.link("a"))), "world/sun/model.sdf")
    write_document("<model><sdf version='1.12'>model.sdf</sdf></model>", "world/sun/model.config")
    document = read_document(write_document(including("model://sun"), "world/w.sdf"))
    assert (codes(document), links(document)) == ([], ["a"])


def test_a_folder_without_a_manifest_is_read_if_it_is_clear_what_to_read(write_document: Write) -> None:
    part = documents.document(documents.model("p", documents.link("a")))
    write_document(part, "world/p/p.sdf")
    path = write_document(including("p"), "world/w.sdf")
    assert codes(read_document(path)) == ["warning URI_SEARCHED"]
    write_document(part, "world/p/q.sdf")
    assert codes(read_document(path)) == ["warning URI_SEARCHED"]
    (path.parent / "p" / "p.sdf").rename(path.parent / "p" / "r.sdf")
    assert codes(read_document(path)) == ["warning URI_LOOKUP"]


def test_a_plain_name_is_that_of_a_model_around(write_document: Write) -> None:
    write_document(documents.document(documents.model("p", documents.link("a"))), "world/models/p/model.sdf")
    write_document("<model><sdf version='1.12'>model.sdf</sdf></model>", "world/models/p/model.config")
    document = read_document(write_document(including("p"), "world/w.sdf"))
    assert (codes(document), links(document)) == (["info URI_SEARCHED"], ["a"])


def test_a_reference_to_something_else_stays_an_error(write_document: Write) -> None:
    """Only what the include with its name would have brought is excused."""
    include = "<include><uri>nowhere.sdf</uri><name>gone</name></include>"
    joint = "<joint name='j' type='fixed'><parent>world</parent><child>typo</child></joint>"
    document = read_document(write_document(documents.world(include, joint), "world/w.sdf"))
    assert "error JOINT_CHILD_LINK_INVALID" in codes(document)


def test_what_hangs_on_an_include_of_an_included_model(write_document: Write) -> None:
    inner = "<include><uri>nowhere.sdf</uri><name>hand</name></include>"
    write_document(documents.document(documents.model("arm", inner, documents.link("base"))), "world/arm.sdf")
    joint = "<joint name='j' type='fixed'><parent>world</parent><child>arm::{}</child></joint>"
    for name, expected in (("hand::palm", ["URI_LOOKUP", "INCLUDE_LEFT_OUT"]), ("base", ["URI_LOOKUP"])):
        text = documents.world("<include><uri>arm.sdf</uri></include>", joint.format(name))
        found = read_document(write_document(text, "world/w.sdf")).diagnostics
        assert [item.code for item in found] == expected


def test_a_merged_include_that_is_missing_may_have_brought_any_name(write_document: Write) -> None:
    model = documents.model(
        "m",
        documents.link("a"),
        "<include merge='true'><uri>nowhere.sdf</uri><name>gone</name></include>",
        documents.joint("j", "revolute", parent="a", child="of_the_include"),
    )
    document = read_document(write_document(documents.world(model), "world/w.sdf"))
    assert [item.code for item in document.diagnostics] == ["URI_LOOKUP", "INCLUDE_LEFT_OUT"]


def test_a_model_whose_document_has_yet_to_be_made_is_left_out(write_document: Callable[..., Path]) -> None:
    """A manifest may name a file that a build makes from a template."""
    write_document("<model><name>iris</name><sdf version='1.6'>iris.sdf</sdf></model>", "iris/model.config")
    path = write_document(
        '<sdf version="1.6"><model name="m"><link name="l"/><include><uri>model://iris</uri></include></model></sdf>'
    )
    (finding,) = (item for item in read_document(path).diagnostics if "iris" in item.message)
    assert (finding.severity.value, finding.code) == ("warning", "URI_LOOKUP")
