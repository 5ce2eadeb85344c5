"""Everything that a document can say can be built: the vocabulary of the reader is walked, each word is written by the
calls of a script, and the reader finds nothing wrong with it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import simulator
from simulator.building.draft import Draft
from simulator.building.part import PartDraft
from simulator.diagnostics import DiagnosticLog
from simulator.errors import UnknownNameError
from simulator.formats.sdf.extensions import CHILDREN as OWN
from simulator.formats.sdf.vocabulary import ATTRIBUTES, SDFORMAT
from simulator.formats.vocabulary import check_vocabulary
from simulator.formats.xml import parse_bytes

HOMES = {"world": "", "model": "model", "link": "model/link", "joint": "model/joint", "frame": "model/frame"}
"""Where the walk begins, by the element."""
RECURSIVE = {("model", "model"), ("world", "model"), ("model", "include"), ("world", "include")}
UNJUDGED = {"ros2_control", "transmission", "physics", "state"}
"""Elements with readers of their own, or that stand in several places."""


def words_below(tag: str, parent: str, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every path of elements that are read, from `tag` on."""
    for child, word in SDFORMAT.words_in(tag, parent).items():
        if not word.read or (tag, child) in RECURSIVE or child in HOMES or (child in UNJUDGED and path):
            continue
        yield (*path, child)
        if len(path) < 6:
            yield from words_below(child, tag, (*path, child))
    for child in sorted(OWN.get(tag, ())):
        yield (*path, child)
        yield from ((*path, child, part) for part in sorted(OWN.get(child, ())))


def draft_with_everything() -> tuple[Draft, dict[str, PartDraft]]:
    draft = simulator.new("all")
    link = draft.link("link", simulator.sphere(0.1))
    joint = draft.revolute("joint", draft.world, link)
    frame = draft.frame("frame")
    return draft, {"world": draft.world, "model": draft, "link": link, "joint": joint, "frame": frame}


CASES = [(home, path) for home in HOMES for path in words_below(home, "sdf" if home == "world" else "model")]


def findings_of(draft: Draft) -> list[str]:
    """What the reader says about words that it does not know, or that are written twice."""
    log = DiagnosticLog()
    parsed = parse_bytes(draft.tree.data, "draft.sdf", log)
    assert parsed is not None
    check_vocabulary(parsed.root, SDFORMAT, log)
    return [f"{item.code}: {item.message}" for item in log.as_tuple() if item.code != "ELEMENT_DEPRECATED"]


@pytest.mark.parametrize("home", HOMES)
def test_every_element_that_is_read_can_be_written(home: str) -> None:
    paths = [path for where, path in CASES if where == home]
    owners = {path[:-1] for path in paths}
    assert paths, home
    for path in (path for path in paths if path not in owners):
        draft, parts = draft_with_everything()
        part = parts[home]
        part.set("/".join(path), "1")
        assert part.get("/".join(path)) == "1", path
        assert findings_of(draft) == [], path
        part.remove("/".join(path))
        assert findings_of(draft) == [], path


def test_every_attribute_that_is_known_can_be_written() -> None:
    places = {path[-1]: (home, path) for home, path in reversed(CASES)}
    written = 0
    for tag, names in ATTRIBUTES.items():
        if tag in HOMES:
            home, path = tag, ()
        elif tag in places:
            home, path = places[tag]
        else:
            continue
        for name in names.split():
            draft, parts = draft_with_everything()
            where = f"{'/'.join(path)}@{name}" if path else f"@{name}"
            parts[home].set(where, "1")
            assert parts[home].get(where) == "1", where
            assert findings_of(draft) == [], where
            written += 1
    assert written > 45


def test_the_walk_reaches_what_it_should() -> None:
    reached = {path[-1] for _, path in CASES}
    wanted = {child for known in SDFORMAT.children.values() for child, word in known.items() if word.read}
    own = {child for known in OWN.values() for child in known}
    elsewhere = {"world", "model", "link", "joint", "frame", "include", "physics"}
    of_physics = {"max_step_size", "real_time_factor", "bullet", "solver", "iters", "simbody", "must_be_loop_joint"}
    of_include = {"uri", "name", "static", "placement_frame"}
    assert (wanted | own) - reached - elsewhere - of_physics - of_include == set()


@pytest.mark.parametrize("path", ["physics/ode/solver/iters", "physics/max_step_size", "physics/real_time_factor"])
def test_physics_can_be_written(path: str) -> None:
    draft = simulator.new("x")
    draft.world.set(path, 7)
    assert draft.world.get(path) == "7"
    assert findings_of(draft) == []


def test_an_element_that_no_document_has_is_refused_with_those_that_there_are() -> None:
    draft, parts = draft_with_everything()
    before = draft.to_sdf()
    for part in parts.values():
        for path in ("wheel", "axis/limit/lowr", "pose@relativ_to", "simulator:spring_of_mine"):
            with pytest.raises(UnknownNameError, match="Available"):
                part.set(path, 1)
    assert draft.to_sdf() == before


def test_elements_of_other_programs_have_a_place_everywhere() -> None:
    draft, parts = draft_with_everything()
    plugin = draft.plugin("libown.so", "own::Plugin", topic="/a", rate=50)
    plugin.element.add("nested").add("deep", "x")
    sensor = parts["joint"].add("sensor", name="ft", type="force_torque")
    sensor.set("force_torque/frame", "parent")
    control = draft.add("ros2_control", name="c", type="system")
    control.set("hardware/plugin", "own/System")
    found = draft.check()
    assert not [item for item in found.diagnostics if item.is_error]
    (joint,) = found.document.worlds[0].models[0].joints
    assert joint.sensors[0].frame == "parent"
    assert found.document.worlds[0].models[0].hardware[0].plugin == "own/System"
