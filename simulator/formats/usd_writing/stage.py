"""A world → the text of a USD stage: the entrance of this room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.diagnostics import Diagnostic, DiagnosticLog
from simulator.errors import UsageError
from simulator.formats.usd_writing.bodies import Token, write_link
from simulator.formats.usd_writing.joints import write_joints
from simulator.formats.usd_writing.places import CODE, NEWTON, Places
from simulator.formats.usd_writing.shapes import StageLibrary
from simulator.formats.writing.left_out import report_bounds, report_left_out
from simulator.model.joint import JointType
from simulator.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection

    from simulator.model.world import World


@dataclass(frozen=True)
class WrittenStage:
    """The text of a .usda, and what is not in it."""

    text: str
    diagnostics: tuple[Diagnostic, ...]


def write_usd(world: World, cut: Collection[str], title: str = "") -> WrittenStage:
    """A stage in metres and kilograms, z up, whose default prim holds a prim for each model, and in it those of its
    links and joints; each link is at its pose in the world at the start. `cut`: scoped names of the joints that close
    loops, which become joints outside the articulation. Meshes are in the stage. UsdPhysics has single precision for
    masses and for the frames of joints: bodies are placed exactly, loops close to 1e-7 of their size.

    Raises UsageError where OpenUSD is not installed.

    Source: the UsdPhysics schema of OpenUSD; newton-usd-schemas 0.6.
    """
    try:
        from pxr import Usd, UsdGeom, UsdPhysics
    except ImportError as error:
        raise UsageError("USD is written by OpenUSD, which is not installed: pip install 'simulator[usd]'") from error
    log = DiagnosticLog()
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdPhysics.SetStageKilogramsPerUnit(stage, 1.0)
    if title:
        stage.GetRootLayer().documentation = title
    places = Places(stage, _root_name(world))
    token = Token.of(world)
    stage.SetDefaultPrim(stage.GetPrimAtPath(places.root))
    _write_scene(stage, places, world)
    library = StageLibrary(stage, places.root)
    for model in world.models:
        places.model(model.name)
        for link in model.links:
            write_link(stage, places, library, link, token, log, static=model.static)
    moving = (model for model in world.models if not model.static)
    write_joints(stage, places, [*world.joints, *(joint for model in moving for joint in model.joints)], cut, log)
    _write_articulations(stage, places, world)
    _report_rest(world, log)
    return WrittenStage(stage.GetRootLayer().ExportToString(), log.as_tuple())


def _root_name(world: World) -> str:
    """That of the world, or of its only model where the world has no name of its own."""
    outer = [model.name for model in world.models if "::" not in model.name]
    return outer[0] if world.name == "default" and len(outer) == 1 else world.name


def _write_scene(stage: Any, places: Places, world: World) -> None:
    from pxr import Gf, Sdf, UsdPhysics

    scene = UsdPhysics.Scene.Define(stage, places.child(places.root, "physics_scene"))
    pull = np.array(world.gravity)
    strength = float(np.linalg.norm(pull))
    scene.CreateGravityDirectionAttr(Gf.Vec3f(*(pull / strength if strength else (0.0, 0.0, -1.0))))
    scene.CreateGravityMagnitudeAttr(strength)
    prim = scene.GetPrim()
    prim.AddAppliedSchema(f"{NEWTON}SceneAPI")
    steps = max(1, round(1.0 / world.physics.max_step_size))
    prim.CreateAttribute("newton:timeStepsPerSecond", Sdf.ValueTypeNames.Int).Set(steps)


def _write_articulations(stage: Any, places: Places, world: World) -> None:
    """One for each outer model with joints, or one for all where joints of the world tie models together."""
    from pxr import Sdf, UsdPhysics

    outer: dict[str, bool] = {}
    for model in world.models:
        if not model.static and any(joint.type is not JointType.GEARBOX for joint in model.joints):
            name = model.name.partition("::")[0]
            outer[name] = outer.get(name, False) or model.self_collide
    roots = {places.model(name): touching for name, touching in outer.items()}
    if world.joints:
        roots = {places.root: any(roots.values())}
    for path, touching in roots.items():
        prim = stage.GetPrimAtPath(path)
        UsdPhysics.ArticulationRootAPI.Apply(prim)
        prim.AddAppliedSchema(f"{NEWTON}ArticulationRootAPI")
        prim.CreateAttribute("newton:selfCollisionEnabled", Sdf.ValueTypeNames.Bool).Set(touching)


def _report_rest(world: World, log: DiagnosticLog) -> None:
    report_left_out(world, CODE, "UsdPhysics", log)
    report_bounds(world, CODE, "UsdPhysics", log)
    for model in world.models:
        if model.gravity is not None:
            log.warning(CODE, model.source, f"the gravity of model '{model.name}' alone has no place in UsdPhysics")
        if model.hardware or model.transmissions:
            log.info(CODE, model.source, f"actuators of model '{model.name}' have no place in UsdPhysics")
