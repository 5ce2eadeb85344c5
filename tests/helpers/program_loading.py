"""What MuJoCo, Drake, Pinocchio, Newton and urdf-usd-converter make of a document, as values that can be compared.

Each function raises where the program does not load the document, or cannot compute its motion.
"""

from __future__ import annotations

import importlib.util
import io
import tempfile
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

MODULES = {
    "mujoco": "mujoco",
    "drake": "pydrake",
    "pinocchio": "pinocchio",
    "newton": "newton",
    "isaac": "urdf_usd_converter",
}


def is_installed(program: str) -> bool:
    """Whether the wheel is here."""
    return importlib.util.find_spec(MODULES[program]) is not None


@dataclass(frozen=True)
class Made:
    """What a program made: `facts` for comparison, and the `model` itself."""

    facts: dict[str, Any]
    model: Any = field(compare=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Made) and repr(self.facts) == repr(other.facts)

    __hash__ = None  # type: ignore[assignment]


def _numbers(array: Any) -> list[Any]:
    """Rounded, so that what differs by round-off alone is equal."""
    return np.round(np.asarray(array, dtype=float), 9).tolist()  # type: ignore[no-any-return]


def in_mujoco(path: Path, feature: str) -> Made:
    """`mujoco.MjModel.from_xml_path`."""
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(path))
    fields = (
        "jnt_type jnt_range jnt_limited jnt_stiffness dof_damping dof_frictionloss jnt_actfrcrange body_mass body_pos "
        "geom_type geom_size geom_friction geom_solref geom_contype geom_group eq_type eq_data qpos0 body_gravcomp"
    )
    facts = {name: _numbers(getattr(model, name)) for name in fields.split()}
    return Made({**facts, "nu": model.nu, "gravity": _numbers(model.opt.gravity)}, model)


def in_drake(path: Path, feature: str) -> Made:
    """`pydrake.multibody.parsing.Parser`, and the acceleration at a state."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
    from pydrake.systems.framework import DiagramBuilder

    plant, scene = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.001)
    Parser(plant).AddModels(str(path))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    mass = plant.CalcMassMatrixViaInverseDynamics(context)
    if feature == "without_mass" and np.linalg.eigvalsh(mass)[0] <= 0.0:
        plant_step(path)
    inspector = scene.model_inspector()
    shapes = [str(inspector.GetShape(one)) for one in inspector.GetAllGeometryIds()]
    contacts = [
        str(inspector.GetProximityProperties(one)) for one in inspector.GetAllGeometryIds()
        if inspector.GetProximityProperties(one) is not None
    ]  # fmt: skip
    joints = [plant.get_joint(index) for index in plant.GetJointIndices()]
    actuators = [plant.get_joint_actuator(index) for index in plant.GetJointActuatorIndices()]
    facts = {
        "joints": [(joint.name(), joint.type_name()) for joint in joints],
        "damping": [_numbers(joint.default_damping_vector()) for joint in joints if joint.num_velocities()],
        "limits": [
            (_numbers(joint.position_lower_limits()), _numbers(joint.velocity_upper_limits())) for joint in joints
        ],
        "actuators": [(one.effort_limit(), one.default_gear_ratio()) for one in actuators],
        "constraints": plant.num_constraints(),
        "elements": plant.num_force_elements(),
        "gravity": _numbers(plant.gravity_field().gravity_vector()),
        "weights": _numbers(plant.CalcGravityGeneralizedForces(context)),
        "start": _numbers(plant.GetPositions(context)),
        "mass": _numbers(mass),
        "shapes": shapes,
        "contacts": contacts,
    }
    return Made(facts, (plant, scene))


def plant_step(path: Path) -> None:
    """Ten milliseconds of a plant without geometry."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.systems.analysis import Simulator

    plant = MultibodyPlant(0.001)
    Parser(plant).AddModels(str(path))
    plant.Finalize()
    Simulator(plant).AdvanceTo(0.01)


def in_pinocchio(path: Path, feature: str) -> Made:
    """`buildModelFromUrdf`, with mimics for what is said of them, `buildGeomFromUrdf`, `aba` and `rnea`."""
    import pinocchio as pin

    if feature.startswith("mimic_"):
        model = pin.buildModelFromUrdf(str(path), mimic=True)
        return Made({"nq": model.nq}, model)
    with redirect_stdout(io.StringIO()):
        model = pin.buildModelFromUrdf(str(path))
        shapes = pin.buildGeomFromUrdf(model, str(path), pin.GeometryType.COLLISION, package_dirs=[str(path.parent)])
    data, q, v = model.createData(), pin.neutral(model), np.full(model.nv, 0.5)
    acceleration = pin.aba(model, data, q, v, np.full(model.nv, 0.1))
    if not np.all(np.isfinite(acceleration)):
        raise ArithmeticError("forward dynamics gives NaN")
    facts = {
        "joints": [(name, joint.shortname()) for name, joint in [*zip(model.names, model.joints, strict=True)][1:]],
        "masses": [round(float(one.mass), 9) for one in model.inertias],
        "acceleration": _numbers(acceleration),
        "effort": _numbers(pin.rnea(model, data, q, v, np.full(model.nv, 0.1))),
        "gravity": _numbers(model.gravity.linear),
        "start": _numbers(q),
        "ratio": _numbers(model.rotorGearRatio),
        "shapes": [type(one.geometry).__name__ for one in shapes.geometryObjects],
    }
    return Made(facts, model)


def in_newton(path: Path, feature: str) -> Made:
    """`newton.ModelBuilder.add_urdf`."""
    import newton

    builder = newton.ModelBuilder()
    builder.add_urdf(str(path))
    names = (
        "joint_type joint_q joint_friction joint_target_kd joint_velocity_limit joint_effort_limit body_mass "
        "shape_type shape_scale shape_material_mu shape_material_restitution joint_armature"
    )
    return Made({name: repr(getattr(builder, name)) for name in names.split()}, builder)


def in_isaac(path: Path, feature: str) -> Made:
    """`urdf_usd_converter.Converter`, which Isaac Sim imports with: joints and colliders of the stage."""
    import urdf_usd_converter
    from pxr import Usd, UsdPhysics

    with tempfile.TemporaryDirectory() as folder:
        asset = urdf_usd_converter.Converter().convert(str(path), folder)
        stage = Usd.Stage.Open(str(asset.path))
        joints, colliders = [], []
        for prim in stage.Traverse(Usd.TraverseInstanceProxies()):
            if "Joint" in str(prim.GetTypeName()):
                tree = prim.GetAttribute("physics:excludeFromArticulation").Get()
                joints.append((str(prim.GetTypeName()), prim.GetName(), list(prim.GetAppliedSchemas()), tree))
            elif prim.HasAPI(UsdPhysics.CollisionAPI):
                colliders.append((str(prim.GetTypeName()), list(prim.GetAppliedSchemas())))
        return Made({"joints": joints, "colliders": colliders}, joints)


LOADERS = {"mujoco": in_mujoco, "drake": in_drake, "pinocchio": in_pinocchio, "newton": in_newton, "isaac": in_isaac}
