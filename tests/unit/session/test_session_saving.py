"""Laws are written back as numbers; every other byte of the files stays as it was."""

from __future__ import annotations

import difflib
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from simulator.errors import UsageError
from simulator.mechanism.coupling_law import with_law
from simulator.session.open.opening import Opened, open_document
from simulator.session.save.saving import save_laws
from tests.helpers.repository import ROOT

URDF = """<robot name="r"><!-- a remark -->
  <link name="base"/>
  <link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="ja" type="revolute"><parent link="base"/><child link="a"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="jb" type="revolute"><parent link="base"/><child link="b"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
    <mimic  joint='ja'   multiplier = "2.0" /></joint>
</robot>
"""


def changed(before: bytes, after: bytes) -> list[tuple[str, str]]:
    """(old, new) of every stretch that differs, in words."""
    import re

    a, b = (re.split(r"(\s+|[<>\"'=])", text.decode()) for text in (before, after))
    codes = difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    return [("".join(a[i:j]), "".join(b[k:m])) for code, i, j, k, m in codes if code != "equal"]


def copied(name: str, folder: Path) -> Opened:
    path = folder / name
    shutil.copy(ROOT / "worlds" / name, path)
    return open_document(path)


def test_a_mimic_keeps_comments_and_layout(tmp_path: Path) -> None:
    opened = copied("rack_and_pinion.sdf", tmp_path)
    before = opened.path.read_bytes()
    law = with_law(opened.mechanism, 0, (0.025, 0.0, 0.125))
    assert save_laws(opened, law).files == (opened.path,)
    after = opened.path.read_bytes()
    assert changed(before, after) == [("0.02", "0.025"), ("0", "0.125")]
    again = open_document(opened.path).mechanism.couplings[0]
    assert (again.multiplier, again.offset, again.reference) == (0.025, 0.0, 0.125)
    save_laws(open_document(opened.path), opened.mechanism)
    assert opened.path.read_bytes() == before.replace(b"<reference>0.0<", b"<reference>0<").replace(
        b"<multiplier>0.020<", b"<multiplier>0.02<"
    ), "and back again"


def test_an_attribute_of_a_urdf_and_one_that_was_not_there(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(URDF)
    opened = open_document(path)
    assert not opened.has_errors
    save_laws(opened, with_law(opened.mechanism, 0, (-3.0, 0.5, 0.0)))
    assert path.read_text() == URDF.replace('multiplier = "2.0" />', 'multiplier = "-3" offset="0.5" />')


@pytest.mark.parametrize(
    ("name", "multiplier", "edit"),
    [("gearbox.sdf", -4.0, ("5", "4")), ("screw_press.sdf", None, ("0.01", "0.02"))],
)
def test_a_gearbox_and_a_screw(tmp_path: Path, name: str, multiplier: float | None, edit: tuple[str, str]) -> None:
    opened = copied(name, tmp_path)
    before = opened.path.read_bytes()
    index = next(i for i, c in enumerate(opened.mechanism.couplings) if c.kind.value in {"gearbox", "screw"})
    old = opened.mechanism.couplings[index]
    law = with_law(opened.mechanism, index, (multiplier or 2.0 * old.multiplier, 0.0, 0.0))
    save_laws(opened, law)
    assert changed(before, opened.path.read_bytes()) == [edit]
    assert open_document(opened.path).mechanism.couplings == law.couplings


def test_a_law_that_a_document_cannot_say_leaves_the_file_alone(tmp_path: Path) -> None:
    opened = copied("gearbox.sdf", tmp_path)
    before = opened.path.read_bytes()
    with pytest.raises(UsageError, match="no offset"):
        save_laws(opened, with_law(opened.mechanism, 0, (-4.0, 0.3, 0.0)))
    assert opened.path.read_bytes() == before


def test_a_file_that_has_changed_since_is_left_alone(tmp_path: Path) -> None:
    opened = copied("rack_and_pinion.sdf", tmp_path)
    law = with_law(opened.mechanism, 0, (0.025, 0.0, 0.0))
    opened.path.write_bytes(b"\n" + opened.path.read_bytes().replace(b'<?xml version="1.0"?>', b""))
    before = opened.path.read_bytes()
    with pytest.raises(UsageError, match=r"read the document again|would not give"):
        save_laws(opened, law)
    assert opened.path.read_bytes() == before


def test_an_unchanged_law_writes_nothing(tmp_path: Path) -> None:
    opened = copied("rack_and_pinion.sdf", tmp_path)
    assert save_laws(opened, replace(opened.mechanism)).files == ()
