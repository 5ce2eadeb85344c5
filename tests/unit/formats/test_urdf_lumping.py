"""What is said about a lumped link stays with what came from it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from simulator.formats.document import read_document
from tests.conformance.test_documents import document_of

Write = Callable[..., Path]


def test_friction_stays_with_the_collisions_of_the_lumped_link() -> None:
    (link,) = read_document(document_of("urdf_lumped_extensions")).root_models[0].links
    assert [item.surface.friction for item in link.collisions] == [0.3, 0.7]


def test_a_chain_of_lumped_links_hands_its_extensions_on(write_document: Write) -> None:
    """tip is lumped into arm, arm into base; base has said itself what tip says too."""
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    ball = '<collision><geometry><sphere radius="1"/></geometry></collision>'
    links = "".join(f'<link name="{name}">{inertial}{ball}</link>' for name in ("base", "arm", "tip"))
    ends = '<joint name="{}" type="fixed"><parent link="{}"/><child link="{}"/></joint>'
    said = '<gazebo reference="tip"><mu1>0.5</mu1><gravity>false</gravity><kinematic>true</kinematic></gazebo>'
    own = '<gazebo reference="base"><gravity>true</gravity></gazebo>'
    text = (
        f'<robot name="r">{links}{ends.format("j", "base", "arm")}{ends.format("k", "arm", "tip")}{said}{own}</robot>'
    )
    (link,) = read_document(write_document(text, "chain.urdf")).root_models[0].links
    assert [item.surface.friction for item in link.collisions] == [1.0, 1.0, 0.5]
    assert (link.gravity, link.kinematic) == (True, True)
