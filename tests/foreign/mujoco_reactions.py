"""What MuJoCo's own tests expect of its force and torque sensors on bodies that connects and welds hold
(`test/engine/engine_core_smooth_test.cc`, `RnePost…` and `WeldRatio…`): the user values of the sensors, by statics."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import simulator
from tests.foreign.rows import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

TESTS = Path("test/engine/engine_core_smooth_test.cc")
CASE = re.compile(r'kModelFilePath\[\] =\s*((?:"[^"]*"\s*)+);\s*(TestConnect|TestWeld)\(')
LIMIT = re.compile(r"void (TestConnect|TestWeld)\(.*?Mj(?:Near\(0, |Tol\()([\d.e-]+)", re.DOTALL)
KINDS = {"mjSENS_FORCE": ("force", "N"), "mjSENS_TORQUE": ("moment", "N·m")}


def is_here(folder: Path) -> bool:
    """Whether a folder is a checkout of MuJoCo."""
    return (folder / TESTS).is_file()


def rows(folder: Path) -> Iterator[Row]:
    """A row for each sensor of each model that a test opens."""
    text = (folder / TESTS).read_text(encoding="utf-8")
    limits = dict(LIMIT.findall(text))
    for quoted, test in CASE.findall(text):
        path = folder / "test" / "".join(re.findall(r'"([^"]*)"', quoted))
        for kind, unit, error in errors(path):
            yield Row(
                "MuJoCo (closed form)", f"rne_post {path.parent.name} {path.stem}", kind, unit, error, limits[test]
            )


def errors(path: Path) -> Iterator[tuple[str, str, float]]:
    """Kind and unit of each sensor, and by how much the reaction that holds its body differs from its user values.

    The body does not move, so the reaction is that of the joint that fixes it to the world; the sensor is at the body's
    origin, which is the origin of that joint, and measures along the axes of its site.
    """
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    wrenches = simulator.load(path).reactions(fixed_joints=True)
    for sensor in range(model.nsensor):
        site = model.sensor_objid[sensor]
        body = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, model.site_bodyid[site])
        kind, unit = KINDS[mujoco.mjtSensor(model.sensor_type[sensor]).name]
        wrench = wrenches[f"mujoco::{body}_fixed"]
        measured = data.site_xmat[site].reshape(3, 3).T @ [float(wrench[f"{kind}_{axis}"]) for axis in "xyz"]
        yield kind, unit, float(np.abs(measured - model.sensor_user[sensor, :3]).max())
