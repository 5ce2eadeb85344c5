"""The vocabulary is the truth about the readers: every word of the table is treated as the table says, and a reader
uses every word that it calls read."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from simulator.formats.document import read_document
from simulator.formats.options import ReadingOptions
from simulator.formats.sdf.extensions import CHILD_ATTRIBUTES
from simulator.formats.sdf.vocabulary import ATTRIBUTES, CHILDREN, DEFAULTS, REPEATABLE, SDFORMAT
from simulator.formats.urdf.vocabulary import URDF
from simulator.formats.vocabulary import Vocabulary, Word, plugin_name
from tests.helpers.repository import ROOT

Write = Callable[..., Path]
Path_ = tuple[str, ...]
FORMATS = ROOT / "simulator" / "formats"
STRICT = ReadingOptions(strict=True)


def chains() -> dict[Path_, Mapping[str, Word]]:
    """Every kind of parent with the way to it from the root, and what it may hold."""
    found: dict[Path_, Mapping[str, Word]] = {}
    pending: list[Path_] = [("sdf",)]
    seen: set[str] = set()
    while pending:
        way = pending.pop(0)
        key = "/".join(way[-2:]) if "/".join(way[-2:]) in CHILDREN else way[-1]
        if key in seen or key not in CHILDREN:
            continue
        seen.add(key)
        found[way] = CHILDREN[key]
        pending += [(*way, child) for child, word in CHILDREN[key].items() if word.read]
    return found


WORDS = [(way, child, word) for way, words in chains().items() for child, word in words.items()]


def constants(folder: Path) -> set[str]:
    """Every string that the readers hold, the tables left out, taken apart at blanks."""
    found: set[str] = set()
    for path in folder.rglob("*.py"):
        if path.name == "vocabulary.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= set(node.value.split())
    return found


def test_every_parent_of_the_table_can_be_reached() -> None:
    reached = {key for way in chains() for key in ("/".join(way[-2:]), way[-1])}
    assert set(CHILDREN) <= reached


def test_unknown_words_of_one_place_are_one_finding(write_document: Write) -> None:
    text = (
        "<sdf version='1.12'><model name='m'><link name='a'><pose K='1' D='2'/><qqq/><zzz/><inertail/></link>"
        "</model></sdf>"
    )
    found = read_document(write_document(text)).diagnostics
    assert [(item.code, item.count, item.others) for item in found] == [
        ("ELEMENT_INCORRECT_TYPE", 2, ("<zzz>",)),
        ("ELEMENT_INCORRECT_TYPE", 1, ()),
        ("ATTRIBUTE_INCORRECT_TYPE", 2, ("'D'",)),
    ]


def test_what_has_one_reason_is_one_finding(write_document: Write) -> None:
    text = "<sdf version='1.12'><world name='w'><wind/><atmosphere type='adiabatic'/></world></sdf>"
    (found,) = read_document(write_document(text), STRICT).diagnostics
    assert (found.code, found.count, found.others) == ("NOT_SIMULATED", 2, ("<atmosphere>",))


def test_air_at_rest_as_every_saved_world_has_it_is_no_finding(write_document: Write) -> None:
    """The values are those of the specification; wind that blows is one."""
    air = "<temperature>288.15</temperature><pressure>101325</pressure>"
    still = "<wind><linear_velocity>0 0 0</linear_velocity></wind>"
    for wind, count in ((still, 0), ("<wind/>", 0), (still.replace("0 0 0", "1 0 0"), 1)):
        text = (
            f"<sdf version='1.12'><world name='w'>{wind}<atmosphere type='adiabatic'>{air}</atmosphere></world></sdf>"
        )
        assert len(read_document(write_document(text)).diagnostics) == count


def test_what_may_stand_several_times_and_what_has_attributes_is_in_the_table() -> None:
    known = {child for words in CHILDREN.values() for child in words} | {"sdf"}
    assert known >= {item.rpartition("/")[2] for item in REPEATABLE}
    assert known | set(CHILD_ATTRIBUTES) >= set(ATTRIBUTES)
    assert all(child in CHILDREN[parent] for parent, child in SDFORMAT.deprecated)


@pytest.mark.parametrize(("way", "child", "word"), WORDS, ids=["/".join((*way, child)) for way, child, _ in WORDS])
def test_every_word_is_treated_as_the_table_says(write_document: Write, way: Path_, child: str, word: Word) -> None:
    """Known words are never called unknown; what is not simulated is reported, with the reason, and what cannot matter
    is not. With `strict`, a statement of the default is reported, too."""
    inner = f"\n<{child} name='x'/>\n" if "name" in ATTRIBUTES.get(child, "").split() else f"\n<{child}/>\n"
    line = len(way) + 1
    for tag in reversed(way):
        attributes = {"sdf": " version='1.12'", "joint": " name='j' type='revolute'"}.get(
            tag, f" name='{tag}'" if "name" in ATTRIBUTES.get(tag, "").split() else ""
        )
        inner = f"<{tag}{attributes}>{inner}</{tag}>" if tag == way[-1] else f"<{tag}{attributes}>\n{inner}</{tag}>"
    document = read_document(write_document(inner), STRICT)
    here = {item.code: item for item in document.diagnostics if item.line == line}
    assert "ELEMENT_INCORRECT_TYPE" not in here or child in ("actor", "light")
    if word.told:
        assert word.reason in here["NOT_SIMULATED"].message
    elif not word.read:
        assert "NOT_SIMULATED" not in here
        assert word.reason


SURFACE = (
    "<collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry><surface>{}</surface></collision>"
)


@pytest.mark.parametrize(
    ("harmless", "telling"),
    [
        (
            "<contact><ode><max_vel>0.01</max_vel></ode></contact>",
            "<contact><ode><max_vel>0.1</max_vel></ode></contact>",
        ),
        (
            "<contact><collide_without_contact>false</collide_without_contact></contact>",
            "<contact><collide_without_contact>true</collide_without_contact></contact>",
        ),
        (
            "<contact><ode><soft_cfm>0.0</soft_cfm></ode></contact>",
            "<contact><ode><soft_cfm>1</soft_cfm></ode></contact>",
        ),
        (
            "<contact><ode><soft_erp>0.2</soft_erp></ode></contact>",
            "<contact><ode><soft_erp>0.5</soft_erp></ode></contact>",
        ),
        (
            "<contact><elastic_modulus>-1</elastic_modulus></contact>",
            "<contact><elastic_modulus>1e6</elastic_modulus></contact>",
        ),
        (
            "<contact><bullet><soft_cfm>0</soft_cfm><kp>1e12</kp></bullet></contact>",
            "<contact><bullet><soft_cfm>0</soft_cfm><kp>1e5</kp></bullet></contact>",
        ),
        (
            "<friction><bullet><rolling_friction>0</rolling_friction></bullet></friction>",
            "<friction><bullet><rolling_friction>0.1</rolling_friction></bullet></friction>",
        ),
    ],
)
def test_what_says_no_more_than_its_default_is_passed_over(write_document: Write, harmless: str, telling: str) -> None:
    """Many programs write out every default; only values that would change something are reported, unless a document is
    read strictly."""
    for surface, options, expected in (
        (harmless, ReadingOptions(), []),
        (harmless, STRICT, ["NOT_SIMULATED"]),
        (telling, ReadingOptions(), ["NOT_SIMULATED"]),
    ):
        link = f"<link name='l'>{SURFACE.format(surface)}</link>"
        text = f"<sdf version='1.12'><model name='m'>{link}</model></sdf>"
        assert [item.code for item in read_document(write_document(text), options).diagnostics] == expected


@pytest.mark.parametrize(
    ("harmless", "telling"),
    [
        (
            "<axis><limit><stiffness>1e8</stiffness></limit></axis>",
            "<axis><limit><stiffness>1e4</stiffness></limit></axis>",
        ),
        (
            "<axis><limit><dissipation>1.0</dissipation></limit></axis>",
            "<axis><limit><dissipation>5</dissipation></limit></axis>",
        ),
        (
            "<physics><ode><limit><cfm>0</cfm><erp>0.2</erp></limit></ode></physics>",
            "<physics><ode><limit><cfm>0.1</cfm><erp>0.2</erp></limit></ode></physics>",
        ),
    ],
)
def test_soft_stops_are_named_as_rigid(write_document: Write, harmless: str, telling: str) -> None:
    """Once, however many joints have them."""
    for inner, expected in ((harmless, []), (telling, [("NOT_SIMULATED", 2)])):
        joints = "".join(
            f"<link name='l{i}'/><joint name='j{i}' type='revolute'><parent>world</parent><child>l{i}</child>"
            f"{inner if 'axis' in inner else inner + '<axis/>'}</joint>"
            for i in range(2)
        )
        document = read_document(write_document(f"<sdf version='1.12'><model name='m'>{joints}</model></sdf>"))
        assert [(item.code, item.count) for item in document.diagnostics] == expected
        assert all("stops are rigid" in item.message for item in document.diagnostics)


def test_plugins_that_only_watch_are_passed_over(write_document: Write) -> None:
    plugins = (
        "<plugin name='p' filename='gz-sim-physics-system'/><plugin name='s' filename='libgz-sim8-sensors-system.so'/>"
    )
    moving = "<plugin name='d' filename='gz-sim-diff-drive-system'/>"
    for text, count in ((plugins, 0), (plugins + moving, 1)):
        document = read_document(write_document(f"<sdf version='1.12'><world name='w'>{text}</world></sdf>"))
        assert [item.count for item in document.diagnostics if item.code == "NOT_SIMULATED"] == [1] * count


def test_names_of_plugins() -> None:
    assert plugin_name("libignition-gazebo6-imu-system.so") == plugin_name("gz-sim-imu-system") == "gz-sim-imu-system"
    assert plugin_name("libgazebo_ros_camera.so") == "gazebo_ros_camera"


def test_elements_with_defaults_are_those_that_are_told() -> None:
    told = {child for words in CHILDREN.values() for child, word in words.items() if word.told}
    assert set(DEFAULTS) <= told


@pytest.mark.parametrize(
    ("vocabulary", "folders"), [(SDFORMAT, ("sdf",)), (URDF, ("urdf", "sdf"))], ids=["sdf", "urdf"]
)
def test_the_readers_use_what_the_table_calls_read(vocabulary: Vocabulary, folders: tuple[str, ...]) -> None:
    """The shapes of a URDF are handed on to the reader of SDFormat as they are."""
    read = {child for words in vocabulary.children.values() for child, word in words.items() if word.read}
    used = set().union(*(constants(FORMATS / folder) for folder in folders))
    assert read - used == set()


def test_an_unknown_word_is_named_everywhere(write_document: Write) -> None:
    text = (
        "<sdf version='1.12'><model name='m'><lnik name='a'/><link name='a'><inertail/><pose hight='1'/></link>"
        "</model></sdf>"
    )
    found = read_document(write_document(text)).diagnostics
    assert [(item.code, item.hint) for item in found] == [
        ("ELEMENT_INCORRECT_TYPE", "did you mean 'link'?"),
        ("ELEMENT_INCORRECT_TYPE", "did you mean 'inertial'?"),
        ("ATTRIBUTE_INCORRECT_TYPE", "known here: degrees, relative_to, rotation_format"),
    ]
