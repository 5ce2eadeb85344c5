"""Every statement of `programs.toml` that says it was checked by running: a document with the feature and one without
it are loaded by the program itself, where its wheel is installed.

What is ignored makes no difference; what is refused is not loaded, or has no motion; what is approximated is looked at.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simulator.session.batch.conversion import convert_to_urdf
from simulator.session.batch.mjcf_conversion import convert_to_mjcf
from simulator.session.open.opening import open_document
from simulator.session.other_programs.features import FEATURES
from simulator.session.other_programs.findings import findings_for
from simulator.session.other_programs.statements import RUN, Statement, Verdict, known
from tests.helpers.program_documents import SDF, URDF
from tests.helpers.program_loading import LOADERS, is_installed
from tests.helpers.repository import ROOT

CASES = [
    (statement, form)
    for statement in known().statements
    if statement.checked == RUN
    for form in statement.formats
    if form in ("sdf", "urdf") or (form == "mjcf" and statement.documents)
]
WITHOUT = {
    "drake": "Drake takes half a gigabyte: scripts/bench installs it",
    "isaac": "the converter of Isaac Sim brings an OpenUSD of its own, and ours is here (the extra usd)",
    "newton": "Newton is no tool for development here: pip install newton",
}
"""Why a program that can be asked is not among the tools for development."""
CONVERSIONS = {"urdf": convert_to_urdf, "mjcf": convert_to_mjcf}
MESHES = ("stl", "obj", "dae", "ply", "glb")


def name_of(value: Any) -> str:
    return f"{value.program}-{value.feature}-{value.verdict.value}" if isinstance(value, Statement) else str(value)


def skip_without(program: str) -> None:
    if not is_installed(program):
        pytest.skip(WITHOUT.get(program, f"{program} has no wheel for this Python or system"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import trimesh

    folder = tmp_path_factory.mktemp("programs")
    for suffix in MESHES:
        trimesh.creation.box((1, 1, 1)).export(folder / f"cube.{suffix}")
    return folder


def written(statement: Statement, form: str, folder: Path) -> tuple[str, Path, Path | None]:
    """The format in which the feature is written, and both documents as the program gets them."""
    own = {"urdf": URDF, "sdf": SDF}.get(form, {})
    source = form if statement.feature in own and form in (statement.documents or (form,)) else "sdf"
    pair = {"urdf": URDF, "sdf": SDF}[source][statement.feature]
    paths = [folder / f"{statement.feature}_{source}_{place}.{source}" for place in ("with", "without")]
    for path, text in zip(paths, pair, strict=True):
        path.write_text(text)
    if source != form:
        for place, path in enumerate(paths):
            paths[place] = path.with_suffix(f".{form}")
            if pair[place]:
                paths[place].write_text(CONVERSIONS[form](path, folder).text)
    return source, paths[0], paths[1] if pair[1] else None


@pytest.mark.parametrize(("statement", "form"), CASES, ids=name_of)
def test_a_statement_is_what_the_program_does(statement: Statement, form: str, folder: Path) -> None:
    skip_without(statement.program)
    _, there, without = written(statement, form, folder)

    def load(path: Path) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a program warns of is in the statement
            return LOADERS[statement.program](path, statement.feature)

    special = LOOKED_AT.get((statement.program, statement.feature, form))
    if special is not None:
        assert special(load(there))
    elif statement.verdict is Verdict.REFUSED:
        with pytest.raises(Exception):  # noqa: B017  # each program has classes of its own
            load(there)
        assert without is None or load(without)
    else:
        assert without is not None
        assert load(there) == load(without)


@pytest.mark.parametrize(("statement", "form"), CASES, ids=name_of)
def test_a_statement_is_found_in_the_document(statement: Statement, form: str, folder: Path) -> None:
    source, there, without = written(statement, form, folder)
    for path, expected in ((there, 1), (without, 0)):
        if path is not None:
            opened = open_document(path.with_suffix(f".{source}"))
            found = [item.statement for item in findings_for(opened, [statement.program])]
            same = [one for one in found if one.feature == statement.feature and one.verdict is statement.verdict]
            assert len(same) == (expected or (statement.feature in STAYS)), [item.feature for item in found]


STAYS = {"soft_stops"}
"""Features of which the second document has another half."""


def _mujoco_contacts(made: Any) -> bool:
    import mujoco

    data = mujoco.MjData(made.model)
    mujoco.mj_forward(made.model, data)
    pairs = {frozenset((made.model.geom_bodyid[one.geom1], made.model.geom_bodyid[one.geom2])) for one in data.contact}
    return frozenset((1, 3)) in pairs


def _drake_collides(made: Any) -> bool:
    plant, scene = made.model
    first, last = (plant.GetCollisionGeometriesForBody(plant.GetBodyByName(name))[0] for name in "ac")
    return not scene.model_inspector().CollisionFiltered(first, last)


def _drake_has_a_hull(made: Any) -> bool:
    _, scene = made.model
    inspector = scene.model_inspector()
    return all(inspector.GetConvexHull(one) is not None for one in inspector.GetAllGeometryIds())


def _hinges(count: int) -> Callable[[Any], bool]:
    """Whether a ball or universal joint became so many hinges, in the listing of any program."""

    def check(made: Any) -> bool:
        if "joints" in made.facts:
            kinds = [kind for joint in made.facts["joints"] for kind in joint if isinstance(kind, str)]
            return sum("Revolute" in kind or kind.startswith(("JointModelR",)) for kind in kinds) == count
        return [int(one) for one in made.model.joint_type].count(1) == count

    return check


def _newton_pairs(made: Any) -> bool:
    """No filter between the first and the last shape."""
    return (0, 2) not in {tuple(sorted(pair)) for pair in made.model.shape_collision_filter_pairs}


def _equalities(made: Any) -> bool:
    return bool(made.model.neq > 0)


def _hull(made: Any) -> bool:
    return bool(made.model.mesh_graphadr[0] >= 0)


LOOKED_AT: dict[tuple[str, str, str], Callable[[Any], bool]] = {
    ("mujoco", "mimic", "urdf"): lambda made: made.model.neq == 1,
    ("drake", "mimic", "urdf"): lambda made: made.facts["constraints"] == 1,
    ("isaac", "mimic", "urdf"): lambda made: any("NewtonMimicAPI" in schemas for *_, schemas, _ in made.model),
    ("drake", "ball", "sdf"): lambda made: ("ja", "ball_rpy") in made.facts["joints"] and not made.facts["actuators"],
    ("isaac", "ball", "urdf"): _hinges(3),
    ("newton", "ball", "urdf"): _hinges(3),
    ("pinocchio", "ball", "urdf"): _hinges(3),
    **{(name, "universal", "urdf"): _hinges(2) for name in ("isaac", "newton", "pinocchio")},
    ("pinocchio", "screw", "urdf"): lambda made: made.model.nv == 2,
    ("drake", "loop_drake", "sdf"): lambda made: made.facts["constraints"] == 1,
    ("drake", "loop_drake", "urdf"): lambda made: made.facts["constraints"] == 1,
    ("isaac", "loop_second_parent", "urdf"): lambda made: not {one[1]: one[3] for one in made.model}["jc"],
    ("drake", "ground", "urdf"): lambda made: len(made.facts["start"]) == 8,
    ("mujoco", "floating_base", "urdf"): lambda made: made.model.nq == 1,
    ("pinocchio", "floating_base", "urdf"): lambda made: made.model.nq == 1,
    ("newton", "floating_base", "urdf"): lambda made: made.model.joint_dof_count == 1,
    ("isaac", "floating_base", "urdf"): lambda made: any(one[0] == "PhysicsFixedJoint" for one in made.model),
    ("mujoco", "no_self_collide", "urdf"): _mujoco_contacts,
    ("drake", "no_self_collide", "urdf"): _drake_collides,
    ("drake", "no_self_collide", "sdf"): _drake_collides,
    ("newton", "no_self_collide", "urdf"): _newton_pairs,
    ("newton", "capsule", "urdf"): lambda made: round(made.model.shape_scale[0][1], 6) == 0.5,
    **{("mujoco", name, "mjcf"): _equalities for name in ("mimic", "gearbox", "screw")},
    **{("mujoco", name, "mjcf"): _equalities for name in ("loop", "loop_drake", "loop_detachable")},
    **{("mujoco", f"mesh_{kind}", "mjcf"): _hull for kind in ("stl", "obj", "dae", "ply")},
    ("mujoco", "mesh_stl", "urdf"): _hull,
    ("mujoco", "mesh_obj", "urdf"): _hull,
    ("drake", "mesh_obj", "urdf"): _drake_has_a_hull,
    ("drake", "mesh_obj", "sdf"): _drake_has_a_hull,
    ("drake", "transmission", "urdf"): lambda made: made.facts["actuators"] == [(5.0, 1.0)],
}  # fmt: skip


def test_features_of_the_file_are_those_that_can_be_found() -> None:
    titles, used = known().features, {statement.feature for statement in known().statements}

    assert set(titles) == set(FEATURES) == used


def test_what_was_read_names_its_source() -> None:
    assert [name_of(one) for one in known().statements if one.checked != RUN and not one.source] == []


@pytest.mark.parametrize("program", ["mujoco", "pinocchio", "newton", "isaac"])
def test_sdformat_is_not_read(program: str, folder: Path) -> None:
    skip_without(program)
    path = folder / "arm.sdf"
    path.write_text(SDF["mimic"][1])

    with pytest.raises(Exception):  # noqa: B017
        LOADERS[program](path, "")
    assert "sdf" not in known().programs[program].reads


def test_the_page_is_made_from_the_file() -> None:
    done = subprocess.run([sys.executable, "scripts/make_program_page.py", "--check"], cwd=ROOT, check=False)

    assert done.returncode == 0
