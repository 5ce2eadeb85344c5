"""The example worlds as documents: titles, meshes, inertias, and geometry that fits the joints. Read with lxml
alone."""

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from gear_polygons import meshes, overlap, rotated
from lxml import etree

WORLDS = Path(__file__).resolve().parents[3] / "worlds"
FILES = sorted(WORLDS.glob("*.sdf"))


def root_of(name: str):
    return etree.parse(str(WORLDS / f"{name}.sdf")).getroot()


def numbers(element, path: str) -> list[float]:
    text = element.findtext(path) if path else element.text
    return [float(part) for part in text.split()]


def pose(element) -> list[float]:
    """Position and roll, pitch, yaw [rad] of an element with a <pose>, zero without."""
    child = element.find("pose")
    if child is None:
        return [0.0] * 6
    values = numbers(child, "")
    scale = math.pi / 180.0 if child.get("degrees") == "true" else 1.0
    return values[:3] + [angle * scale for angle in values[3:]]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_starts_with_a_title_of_one_sentence(path):
    first = etree.parse(str(path)).getroot().getprevious()
    while first.getprevious() is not None:
        first = first.getprevious()
    title = first.text.strip()
    assert title.endswith(".")
    assert "\n" not in title
    assert len(title) < 110


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_is_version_1_12_with_gravity_and_a_millisecond_step(path):
    root = etree.parse(str(path)).getroot()
    assert root.get("version") == "1.12"
    assert root.find("world").get("name") == path.stem
    assert numbers(root, "world/gravity") in ([0.0, 0.0, -9.8], [0.0, 0.0, -9.81])
    assert numbers(root, "world/physics/max_step_size") == [0.001]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_meshes_exist_beside_the_worlds(path):
    for uri in etree.parse(str(path)).getroot().iter("uri"):
        assert (path.parent / uri.text).is_file(), uri.text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_moving_links_state_an_inertia_that_a_body_can_have(path):
    for model in etree.parse(str(path)).getroot().iter("model"):
        if model.findtext("static") == "true":
            continue
        for link in model.findall("link"):
            mass = float(link.findtext("inertial/mass"))
            moments = sorted(float(link.findtext(f"inertial/inertia/{m}")) for m in ("ixx", "iyy", "izz"))
            assert mass > 0.0
            assert moments[0] > 0.0
            assert moments[0] + moments[1] >= moments[2] * (1.0 - 1e-15)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_name_that_a_joint_uses_exists(path):
    for model in etree.parse(str(path)).getroot().iter("model"):
        links = {link.get("name") for link in model.findall("link")}
        joints = {joint.get("name") for joint in model.findall("joint")}
        for joint in model.findall("joint"):
            assert joint.findtext("parent") in links | {"world"}
            assert joint.findtext("child") in links
            assert all(mimic.get("joint") in joints - {joint.get("name")} for mimic in joint.iter("mimic"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_has_a_line_in_the_readme(path):
    assert f"`{path.stem}`" in (WORLDS / "README.md").read_text(encoding="utf-8")


def test_gearbox_and_its_mimic_differ_in_the_coupling_alone():
    one, other = (root_of(name).find("world/model") for name in ("gearbox", "gearbox_as_mimic"))
    joint = one.find("joint[@type='gearbox']")
    ratio = float(joint.findtext("gearbox_ratio"))
    one.remove(joint)
    mimic = other.find(".//mimic")
    assert float(mimic.findtext("multiplier")) == -ratio
    mimic.getparent().remove(mimic)

    def plain(element):
        identity = "0 0 0 0 0 0"
        kept = [c for c in element if isinstance(c.tag, str) and not (c.tag == "pose" and c.text == identity)]
        return (element.tag, dict(element.attrib), (element.text or "").strip(), [plain(child) for child in kept])

    assert plain(one) == plain(other)


def test_gear_train_multipliers_are_the_ratios_of_the_teeth():
    model = root_of("gear_train").find("world/model[@name='gear_train']")
    teeth = [int(link.findtext("visual/geometry/mesh/uri").split("_z")[1][:2]) for link in model.findall("link")]
    multipliers = [float(m.text) for m in model.iter("multiplier")]
    assert multipliers == pytest.approx([-a / b for a, b in pairwise(teeth)], rel=1e-15)
    leaders = [m.get("joint") for m in model.iter("mimic")]
    assert leaders == [f"gear_{i}_joint" for i in range(1, len(teeth))]


@pytest.mark.parametrize("q", [0.0, -2.3])
def test_gear_train_teeth_interlock_at_every_angle(q):
    """The phases in the file, turned by the multipliers in the file: teeth touch, and never overlap (own polygon
    check)."""
    model = root_of("gear_train").find("world/model[@name='gear_train']")
    multiplier = [1.0, *(float(m.text) for m in model.iter("multiplier"))]
    outlines = []
    for link, factor in zip(model.findall("link"), multiplier, strict=True):
        x, _, z, roll, _, _ = pose(link)
        assert roll == pytest.approx(math.pi / 2)
        q = factor * q if outlines else q
        visual = link.find("visual")
        teeth = int(visual.findtext("geometry/mesh/uri").split("_z")[1][:2])
        outlines.append(rotated(meshes.toothed(4e-3, teeth).outline(), pose(visual)[5] + q, (x, z)))
    for i, one in enumerate(outlines):
        for k in range(i + 1, len(outlines)):
            depth = overlap(one, outlines[k])
            assert depth <= 1e-9
            assert (depth > -1.2e-4) == (k == i + 1)


def bar(link) -> tuple[np.ndarray, float]:
    """Origin (x, z) of a link in the x-z plane and the angle of its x axis, counter-clockwise seen from -y."""
    x, y, z, roll, pitch, yaw = pose(link)
    assert (y, roll, yaw) == (0.0, 0.0, 0.0)
    return np.array([x, z]), -pitch


def tip(link, length: float) -> np.ndarray:
    origin, angle = bar(link)
    return origin + length * np.array([math.cos(angle), math.sin(angle)])


def test_four_bar_closes_and_starts_where_its_figures_start():
    model = root_of("four_bar").find("world/model")
    crank, coupler, rocker = (model.find(f"link[@name='{name}']") for name in ("crank", "coupler", "rocker"))
    assert np.allclose(bar(rocker)[0], (0.4, 0.0), atol=0.0)
    assert np.abs(tip(crank, 0.1) - bar(coupler)[0]).max() < 1e-15
    assert np.abs(tip(coupler, 0.35) - tip(rocker, 0.3)).max() < 1e-12
    assert [bar(link)[1] for link in (crank, coupler, rocker)] == pytest.approx(
        [1.04719755, 0.62871513, 1.79577497], abs=5e-9
    )
    assert pose(model.find("joint[@name='closing_joint']"))[:3] == [0.3, 0.0, 0.0]
    for link, length in ((crank, 0.1), (coupler, 0.35), (rocker, 0.3)):
        assert float(link.findtext("inertial/mass")) == length
        assert float(link.findtext("inertial/inertia/iyy")) == pytest.approx(length**3 / 12.0, rel=1e-15)
        assert pose(link.find("inertial"))[0] == pytest.approx(length / 2.0, rel=1e-15)


def test_slider_crank_closes():
    model = root_of("slider_crank").find("world/model")
    crank, rod, piston = (model.find(f"link[@name='{name}']") for name in ("crank", "rod", "piston"))
    assert bar(crank)[1] == pytest.approx(math.radians(60.0), rel=1e-15)
    assert np.abs(tip(crank, 0.05) - bar(rod)[0]).max() < 1e-15
    assert np.abs(tip(rod, 0.16) - bar(piston)[0]).max() < 1e-12


@pytest.mark.parametrize(("name", "joint"), [("four_bar", "closing_joint"), ("slider_crank", "wrist_joint")])
def test_the_loop_is_cut_where_the_document_says(name, joint):
    cut = [e.getparent().getparent().getparent().get("name") for e in root_of(name).iter("must_be_loop_joint")]
    assert cut == [joint]


def test_rack_follows_the_pitch_radius_about_the_link_axis():
    """The pinion's z axis is the world's -y, and the rack moves with the teeth that it meets: v = w x r."""
    model = root_of("rack_and_pinion").find("world/model[@name='mimic_rack_and_pinion']")
    x, y, z, roll, pitch, yaw = pose(model.find("link[@name='pinion']"))
    assert (x, y, pitch, yaw) == (0.0, 0.0, 0.0, 0.0)
    axis = np.array([0.0, -math.sin(roll), math.cos(roll)])
    assert numbers(model, "joint[@name='pinion_joint']/axis/xyz") == [0.0, 0.0, 1.0]
    velocity = np.cross(axis, (0.0, 0.0, -z))
    multiplier = float(model.findtext(".//multiplier"))
    assert velocity == pytest.approx(multiplier * np.array(numbers(model, "joint[@name='rack_joint']/axis/xyz")))


def test_screw_press_plate_keeps_up_with_the_spindle():
    model = root_of("screw_press").find("world/model")
    pitch = float(model.findtext("joint[@name='spindle_joint']/screw_thread_pitch"))
    assert float(model.findtext(".//multiplier")) == pytest.approx(pitch / (2.0 * math.pi), rel=1e-15)
    axes = [joint.findtext("axis/xyz") for joint in model.findall("joint") if joint.find("axis") is not None]
    assert axes == ["0 0 -1", "0 0 -1"]


def test_gripper_pads_start_around_the_box_and_can_reach_it():
    world = root_of("gripper").find("world")
    half_box = numbers(world, "model[@name='box']/link/collision/geometry/box/size")[0] / 2.0
    gripper = world.find("model[@name='gripper']")
    for name, sign in (("left", -1.0), ("right", 1.0)):
        finger = gripper.find(f"link[@name='{name}_finger']")
        half_pad = numbers(finger, "collision/geometry/box/size")[0] / 2.0
        gap = sign * pose(finger)[0] - half_pad - half_box
        low, high = (
            float(gripper.findtext(f"joint[@name='{name}_finger_joint']/axis/limit/{e}")) for e in ("lower", "upper")
        )
        travel = max(abs(low), abs(high))
        assert 0.0 < gap < travel
        assert math.isfinite(float(gripper.findtext(f"joint[@name='{name}_finger_joint']/axis/limit/effort")))
