"""Transmissions of a document bound to the axes of its mechanism: roles, names, faults, and the maps of all actuators
together."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from simulator.diagnostics import Diagnostic, DiagnosticLog
from simulator.errors import UnknownNameError, UsageError
from simulator.formats.document import read_document
from simulator.session.open.opening import open_document
from simulator.transmissions import binding
from simulator.transmissions.actuators import Actuators
from simulator.transmissions.base import Transmission
from simulator.transmissions.binding import _fault, bind_actuators

LINKS = "\n".join(f'<link name="{name}"/>' for name in "abcd")
JOINTS = "\n".join(
    f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child><axis/></joint>'
    for name, kind, parent, child in (
        ("roll", "revolute", "a", "b"),
        ("pitch", "revolute", "b", "c"),
        ("slide", "prismatic", "c", "d"),
    )
)
WRIST = """
<transmission name="wrist">
  <plugin>transmission_interface/DifferentialTransmission</plugin>
  <joint name="pitch" role="joint2"><mechanical_reduction>-2</mechanical_reduction><offset>-0.5</offset></joint>
  <actuator name="a_motor" role="actuator2"><mechanical_reduction>-50</mechanical_reduction></actuator>
  <joint name="roll" role="joint1"><mechanical_reduction>2</mechanical_reduction><offset>0.5</offset></joint>
  <actuator name="b_motor" role="actuator1"><mechanical_reduction>50</mechanical_reduction></actuator>
</transmission>"""


def simple(
    *, name: str = "t", plugin: str = "transmission_interface/SimpleTransmission", motor: str = "motor",
    joint: str = "slide", role: str = "joint1", rotor: str = "", more: str = "", reduction: str = "10",
) -> str:  # fmt: skip
    return (
        f'<transmission name="{name}"><plugin>{plugin}</plugin>'
        f'<actuator name="{motor}" role="actuator1">'
        f"<mechanical_reduction>{reduction}</mechanical_reduction>{rotor}</actuator>"
        f'<joint name="{joint}" role="{role}"/>{more}</transmission>'
    )


def document(tmp_path: Path, *transmissions: str, classic: str = "") -> Path:
    """A model with three joints, all of them in one block with these transmissions."""
    path = tmp_path / "m.sdf"
    block = "".join(f'<joint name="{name}"/>' for name in ("roll", "pitch", "slide"))
    hardware = "<hardware><plugin>mock_components/GenericSystem</plugin></hardware>"
    control = f'<ros2_control name="hw" type="system">{hardware}{block}\n{"".join(transmissions)}</ros2_control>'
    path.write_text(
        f'<sdf version="1.12"><model name="m">\n{LINKS}\n{JOINTS}\n{control}\n{classic}</model></sdf>', encoding="utf-8"
    )
    return path


def bound(tmp_path: Path, *transmissions: str, classic: str = "") -> Actuators:
    opened = open_document(document(tmp_path, *transmissions, classic=classic))
    assert [item for item in opened.diagnostics if item.severity.value != "info"] == []
    return opened.actuators


def refused(tmp_path: Path, *transmissions: str, classic: str = "") -> Diagnostic:
    """The only finding; the transmission that it is about is left out."""
    opened = open_document(document(tmp_path, *transmissions, classic=classic))
    assert opened.document.diagnostics == ()
    (finding,) = opened.actuator_diagnostics
    assert opened.has_errors is finding.is_error
    assert finding.line > 0
    return finding


def test_roles_bind_and_not_the_alphabet_or_the_order(tmp_path: Path) -> None:
    actuators = bound(tmp_path, WRIST)
    assert actuators.names == ("m::b_motor", "m::a_motor")
    # roll by 1: b_motor by 50·2, a_motor by −50·2; pitch by 1: b_motor by 50·(−2), a_motor by −(−50)·(−2).
    assert actuators.matrix == pytest.approx(np.array([[100.0, -100.0, 0.0], [-100.0, -100.0, 0.0]]))
    assert actuators.constant == pytest.approx([-(100 * 0.5 - 100 * -0.5), -(-100 * 0.5 - 100 * -0.5)])
    assert actuators.terms(1) == ((0, -100.0), (1, -100.0))


def test_all_maps_of_all_actuators(tmp_path: Path) -> None:
    actuators = bound(tmp_path, WRIST, simple())
    law = actuators.transmissions[0].law
    q, qd, effort = np.array([0.3, -0.2, 0.05]), np.array([1.0, -3.0, 0.4]), np.array([0.2, -0.7, 5.0])
    assert actuators.position(q)[:2] == pytest.approx(law.actuator_position(q[:2]))
    assert actuators.velocity(qd)[:2] == pytest.approx(law.actuator_velocity(qd[:2]))
    tau = actuators.axis_effort(effort)
    assert tau[:2] == pytest.approx(law.joint_effort(effort[:2]))
    assert actuators.position(q)[2] == pytest.approx(0.5)
    assert tau[2] == pytest.approx(50.0)
    assert tau @ qd == pytest.approx(effort @ actuators.velocity(qd), rel=1e-12)
    assert actuators.effort(tau) == pytest.approx(effort, rel=1e-12)


def test_axes_without_an_actuator_may_be_unknown(tmp_path: Path) -> None:
    actuators = bound(tmp_path, simple())
    q = np.array([np.nan, np.nan, 0.1])
    assert actuators.position(q) == pytest.approx([1.0])
    assert actuators.effort(np.array([np.nan, 1.0, 20.0])) == pytest.approx([2.0])


def test_two_actuators_on_one_joint_share_its_effort(tmp_path: Path) -> None:
    actuators = bound(tmp_path, simple(), simple(name="u", motor="second", reduction="5"))
    effort = actuators.effort(np.array([0.0, 0.0, 125.0]))
    assert effort == pytest.approx([10.0, 5.0])
    assert actuators.axis_effort(effort)[2] == pytest.approx(125.0)


def test_rotors_are_felt_by_the_square_of_the_reduction(tmp_path: Path) -> None:
    rotor = '<drake:rotor_inertia value="2e-4"/>'
    actuators = bound(tmp_path, simple(rotor=rotor))
    assert actuators.reflected_inertia() == pytest.approx(np.diag([0.0, 0.0, 2e-4 * 10.0**2]))
    assert actuators.kinetic_energy(np.array([0.0, 0.0, 3.0])) == pytest.approx(0.5 * 2e-4 * 30.0**2)


def test_rotors_of_a_belt_couple_its_joints(tmp_path: Path) -> None:
    linkage = (
        WRIST.replace("Differential", "FourBarLinkage")
        .replace("<mechanical_reduction>50</mechanical_reduction>", "<motorInertia>1e-4</motorInertia>")
        .replace("<mechanical_reduction>-50</mechanical_reduction>", "<motorInertia>3e-4</motorInertia>")
    )
    actuators = bound(tmp_path, linkage)
    # Rotors turn by 2·roll and by roll − 2·pitch.
    expected = 1e-4 * np.outer([2, 0], [2, 0]) + 3e-4 * np.outer([1, -2], [1, -2])
    assert actuators.reflected_inertia()[:2, :2] == pytest.approx(expected, rel=1e-12)
    qd = np.array([0.7, -0.4, 0.0])
    assert actuators.kinetic_energy(qd) == pytest.approx(0.5 * qd @ actuators.reflected_inertia() @ qd, rel=1e-12)


def test_actuators_are_found_by_name(tmp_path: Path) -> None:
    actuators = bound(tmp_path, WRIST)
    for name in ("a_motor", "m::a_motor", "actuator/a_motor", "actuator/m::a_motor"):
        assert actuators.index(name) == 1
    with pytest.raises(UnknownNameError, match=r"no actuator is named 'c_motor'\. Available: m::a_motor, m::b_motor"):
        actuators.index("c_motor")


def test_a_document_without_transmissions_has_no_actuators(tmp_path: Path) -> None:
    actuators = bound(tmp_path)
    assert len(actuators) == 0
    assert actuators.position(np.zeros(3)).shape == (0,)
    assert actuators.axis_effort(np.zeros(0)) == pytest.approx([0.0, 0.0, 0.0])
    assert actuators.reflected_inertia() == pytest.approx(np.zeros((3, 3)))


@pytest.mark.parametrize(
    ("transmissions", "code", "said"),
    [
        ((simple(plugin="my/Cable"),), "TRANSMISSION_PLUGIN_UNKNOWN", "Available: transmission_interface/Diff"),
        (
            (WRIST.replace('"joint2"', '"joint3"'),),
            "TRANSMISSION_ROLE_INVALID",
            "has the role 'joint3', which it has not",
        ),
        ((WRIST.replace('"joint2"', '"joint1"'),), "TRANSMISSION_ROLE_INVALID", "has the role 'joint1', twice"),
        ((simple(more='<joint name="roll" role="joint2"/>'),), "TRANSMISSION_PARTS_INVALID", "needs 1 joint "),
        ((WRIST.replace('"roll"', '"pitch"'),), "TRANSMISSION_PARTS_INVALID", "names the joint 'pitch' twice"),
        ((simple(), simple(name="u", joint="roll")), "TRANSMISSION_ACTUATOR_SHARED", "belongs to another"),
        ((WRIST.replace(">50<", ">9e29<"),), "TRANSMISSION_INVALID", "has ratios that no machine has"),
    ],
)
def test_what_cannot_be_bound_is_an_error_with_its_line(
    tmp_path: Path, transmissions: tuple[str, ...], code: str, said: str
) -> None:
    finding = refused(tmp_path, *transmissions)
    assert (finding.severity.value, finding.code) == ("error", code)
    assert said in finding.message


def test_an_older_transmission_that_cannot_be_bound_is_a_warning(tmp_path: Path) -> None:
    classic = (
        '<transmission name="old"><type>pr2_mechanism_model/WristTransmission</type><actuator name="x"/>'
        '<joint name="roll"/></transmission>'
    )
    finding = refused(tmp_path, classic=classic)
    assert (finding.severity.value, finding.code) == ("warning", "TRANSMISSION_PLUGIN_UNKNOWN")


def test_an_older_transmission_gives_way_to_one_of_a_block(tmp_path: Path) -> None:
    classic = (
        '<transmission name="old"><type>transmission_interface/SimpleTransmission</type><actuator name="x"/>'
        '<joint name="{}"/></transmission>'
    )
    path = document(tmp_path, simple(), classic=classic.format("slide") + classic.format("roll").replace("x", "y"))
    opened = open_document(path)
    assert [item.code for item in opened.actuator_diagnostics] == ["TRANSMISSION_TWICE"]
    assert opened.actuators.names == ("m::motor", "m::y")


class CableTransmission(Transmission):
    """Two cables pull the joints with radii that the document gives; the second runs over the first joint."""

    ACTUATORS: ClassVar[tuple[str, ...]] = ("upper", "lower")
    JOINTS: ClassVar[tuple[str, ...]] = ("base", "tip")

    def matrix(self) -> np.ndarray:
        radius = float(dict(self.parameters)["radius"])
        return radius * np.array([[1.0, 0.0], [1.0, 1.0]])


class SlackTransmission(CableTransmission):
    """One whose cables hang."""

    def matrix(self) -> np.ndarray:
        return np.ones((2, 2))


CABLES = """
<transmission name="cables">
  <plugin>my_robot/CableTransmission</plugin>
  <actuator name="u" role="upper"/><actuator name="l" role="lower"/>
  <joint name="pitch" role="tip"/><joint name="roll" role="base"><offset>0.1</offset></joint>
  <param name="radius">0.02</param>
</transmission>"""


def test_a_package_may_bring_its_own_transmission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("my_robot/CableTransmission", f"{__name__}:CableTransmission", binding.GROUP)
    monkeypatch.setattr(binding, "entry_points", lambda *, group: EntryPoints([entry]).select(group=group))
    actuators = bound(tmp_path, CABLES)
    assert actuators.matrix[:, :2] == pytest.approx(0.02 * np.array([[1.0, 0.0], [1.0, 1.0]]))
    assert actuators.constant == pytest.approx([-0.002, -0.002])
    law = actuators.transmissions[0].law
    assert law.joint_position(law.actuator_position([0.3, 0.4])) == pytest.approx([0.3, 0.4])


@pytest.mark.parametrize(
    ("target", "said"), [("no_such_module:X", "cannot be loaded"), (f"{__name__}:document", "not a subclass")]
)
def test_a_package_that_is_broken_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, said: str
) -> None:
    entry = EntryPoint("my_robot/CableTransmission", target, binding.GROUP)
    monkeypatch.setattr(binding, "entry_points", lambda *, group: EntryPoints([entry]).select(group=group))
    finding = refused(tmp_path, CABLES)
    assert finding.code == "TRANSMISSION_PLUGIN_UNKNOWN"
    assert said in finding.message


def test_kinds_may_be_handed_in_and_must_be_invertible(tmp_path: Path) -> None:
    world = read_document(document(tmp_path, CABLES)).world()
    axes = ["m::roll", "m::pitch", "m::slide"]
    log = DiagnosticLog()
    good = bind_actuators(world, axes, log, kinds={"my_robot/CableTransmission": CableTransmission})
    assert good.names == ("m::u", "m::l")
    bad = bind_actuators(world, axes, log, kinds={"my_robot/CableTransmission": SlackTransmission})
    assert len(bad) == 0
    bad_parameter = read_document(document(tmp_path, CABLES.replace("0.02", "wide"))).world()
    assert len(bind_actuators(bad_parameter, axes, log, kinds={"my_robot/CableTransmission": CableTransmission})) == 0
    assert [item.code for item in log] == ["TRANSMISSION_INVALID"] * 2
    assert "could not convert string to float: 'wide'" in log.as_tuple()[1].message


def test_the_same_short_name_in_two_models_is_ambiguous() -> None:
    from simulator.transmissions.actuators import Actuator, BoundTransmission
    from simulator.transmissions.simple import SimpleTransmission

    law = SimpleTransmission((2.0,), (1.0,), (0.0,))
    pair = [Actuator("m::motor", 0), Actuator("n::motor", 1)]
    actuators = Actuators(pair, [BoundTransmission("t", "p", law, (i,), (i,)) for i in range(2)], n_axes=2)
    with pytest.raises(UsageError, match="'motor' is ambiguous: m::motor, n::motor"):
        actuators.index("motor")
    assert actuators.index("n::motor") == 1


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ([[1e8, 0.0], [0.0, 1e-9]], ""),
        ([[1e-9, 1e-9], [1e8, 2e8]], ""),
        ([[1.0, 2.0], [2.0, 4.0]], "no inverse"),
        ([[0.0, 0.0], [0.0, 1.0]], "no inverse"),
        ([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]], "not square"),
        ([[np.inf, 0.0], [0.0, 1.0]], "ratios that no machine has"),
    ],
)
def test_a_map_may_have_reductions_of_any_size_but_must_have_an_inverse(rows: list[list[float]], fault: str) -> None:
    """A worm of 1e8 beside a step-up of 1e-9: their ratio is not a fault. A row of zeros, or two alike, is."""
    found = _fault(np.array(rows))
    assert fault in found
    assert bool(found) == bool(fault)
