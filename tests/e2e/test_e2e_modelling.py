"""The documents of the modelling guide open without findings, and move as the pages say."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import simulator
from tests.helpers.repository import ROOT

PAGES = [ROOT / "docs" / "how-to" / name for name in ("modelling.md", "from_cad.md")]
DOCUMENTS: list[str] = [
    block
    for page in PAGES
    for block in re.findall(r"^```xml\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
]
MOBILITY = {
    "slider_crank": 1,
    "gear_pair": 1,
    "planetary": 2,
    "rack": 1,
    "jack": 1,
    "spatial_four_bar": 1,
    "pendulum": 1,
    "four_bar": 1,
    "gripper": 1,
}


def name_of(document: str) -> str:
    found = re.search(r'<(?:world|robot) name="(\w+)"', document)
    assert found is not None
    return found[1]


def document(name: str) -> str:
    (found,) = [text for text in DOCUMENTS if name_of(text) == name]
    return found


@pytest.mark.parametrize("text", DOCUMENTS, ids=name_of)
def test_a_document_opens_and_runs(text: str, tmp_path: Path) -> None:
    path = tmp_path / ("it.sdf" if "<sdf" in text else "it.urdf")
    path.write_text(text, encoding="utf-8")
    opened = simulator.open_document(path)
    assert [item for item in opened.diagnostics if item.severity.value != "info"] == []
    sim = simulator.load(path)
    assert sim.mobility == MOBILITY[name_of(text)]
    assert sim.run(0.3, every=0.01).summary.max_loop_residual_m < 1e-12


def test_every_kind_is_there() -> None:
    assert {name_of(text) for text in DOCUMENTS} == set(MOBILITY)


def test_willis_equation_of_the_planetary_gear() -> None:
    """ring = 1.5 carrier − 0.5 sun with 32, 16 and 64 teeth."""
    sim = simulator.load(document("planetary"))
    sim.set(sun_joint=0.7, carrier_joint=-0.4)
    assert sim.positions["ring_joint"] == pytest.approx(1.5 * -0.4 - 0.5 * 0.7, abs=1e-14)


def test_the_rack_stops_the_pinion() -> None:
    """0.1 m of the rack are 5 rad of 20 mm."""
    sim = simulator.load(document("rack"))
    sim.run(2.0, drives={"pinion_joint": simulator.effort(0.01)}, every=0.1)
    assert sim.positions["pinion_joint"] == pytest.approx(5.0, abs=1e-9)
    assert sim.positions["rack_joint"] == pytest.approx(0.1, abs=1e-10)


def test_friction_holds_the_screw_and_without_it_the_weight_turns_it() -> None:
    """The weight of spindle and plate asks for (m g) pitch / 2π, 0.002 N m."""
    held, loose = (
        simulator.load(document("jack")),
        simulator.load(document("jack").replace("<friction>0.05", "<friction>0")),
    )
    held.step(1000)
    loose.step(1000)
    assert abs(held.positions["spindle_joint"]) < 1e-9
    assert loose.positions["spindle_joint"] < -0.1
    mass = np.pi * 0.01**2 * 0.2 * 1000.0 + 0.1 * 0.1 * 0.02 * 1000.0
    assert abs(loose.inverse_dynamics()["spindle_joint"]) == pytest.approx(mass * 9.8 * 0.005 / (2 * np.pi), rel=1e-9)
    assert round(mass * 9.8 * 0.005 / (2 * np.pi), 3) == 0.002


def test_a_second_ball_adds_the_turn_of_the_rod() -> None:
    text = re.sub(
        r'type="universal">(.*?)\s*<axis>.*?</axis2>', r'type="ball">\1', document("spatial_four_bar"), flags=re.DOTALL
    )
    assert simulator.load(text).mobility == 2


def test_the_coupler_of_the_urdf_is_as_long_as_it_says() -> None:
    """The loop is assembled: 0.26 m from the crank's end to the rocker's."""
    sim = simulator.load(document("four_bar"))
    ends = [sim.pose("coupler")[:3, 3], (sim.pose("rocker") @ [0.0, 0.0, 0.12, 1.0])[:3]]
    assert np.linalg.norm(ends[1] - ends[0]) == pytest.approx(0.26, abs=1e-12)


def test_the_guide_of_other_programs_names_methods_that_exist() -> None:
    page = (ROOT / "docs" / "explanation" / "other_programs.md").read_text(encoding="utf-8")
    names = set(re.findall(r"`sim\.(\w+)", page))
    assert names
    assert [name for name in names if not hasattr(simulator.Simulation, name)] == []
