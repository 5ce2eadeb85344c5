"""Spatial tendons of MuJoCo's model → cables.

A tendon of MuJoCo runs straight between sites, and round a cylinder or sphere between two of them where that is in its
way, on the side of a site or the shorter way: a guide. Its upper limit is the length of a rigid cable; its spring pulls
beyond the longer of its rest lengths.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.formats.mjcf.poses import element, pose_of
from simulator.formats.sdf.extensions import CABLE, PARTS_OF_CABLE
from simulator.formats.values import number_text, numbers_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from simulator.diagnostics import DiagnosticLog, Source
    from simulator.formats.mjcf.bodies import BodyTree
    from simulator.formats.mjcf.compiling import Compiled
    from simulator.formats.nodes import Node
    from simulator.spatial.arrays import Array

PULLEY, SITE, SPHERE, CYLINDER = 2, 3, 4, 5
"""`mjtWrap`: parts of a spatial tendon."""
POINT, _, GUIDE, BALL, BRANCH = PARTS_OF_CABLE
CODE = "NOT_SIMULATED"


def is_spatial(compiled: Compiled, tendon: int) -> bool:
    """Whether a tendon runs through space, not along joints."""
    model = compiled.model
    first = int(model.tendon_adr[tendon])
    wraps = model.wrap_type[first : first + int(model.tendon_num[tendon])]
    return bool(np.isin(wraps, (PULLEY, SITE, SPHERE, CYLINDER)).any())


def cables_of(tree: BodyTree, log: DiagnosticLog) -> list[Node]:
    """`<simulator:cable>` of every spatial tendon that has a limit or a spring."""
    compiled = tree.compiled
    if not any(is_spatial(compiled, tendon) for tendon in range(compiled.model.ntendon)):
        return []
    data = compiled.mujoco.MjData(compiled.model)
    for find in (compiled.mujoco.mj_kinematics, compiled.mujoco.mj_comPos, compiled.mujoco.mj_tendon):
        find(compiled.model, data)
    found = []
    for tendon in range(compiled.model.ntendon):
        if is_spatial(compiled, tendon):
            found += _cables(tendon, tree, data, log)
    return found


def _cables(tendon: int, tree: BodyTree, data: object, log: DiagnosticLog) -> list[Node]:
    compiled = tree.compiled
    model = compiled.model
    where = compiled.places.of_kind("tendons", tendon)
    name = compiled.name("TENDON", tendon) or f"tendon_{tendon}"
    numbers = _numbers(tendon, compiled, name, where, log)
    if not numbers:
        log.warning(CODE, where, "spatial tendons without a limit or a spring do nothing here", fold="idle", about=name)
        return []
    first = int(model.tendon_adr[tendon])
    wraps = range(first, first + int(model.tendon_num[tendon]))
    parts = [_part(wrap, tree, data, where, log) for wrap in wraps]
    _report_sides(tendon, tree, data, where, log)
    names = [name] if len(numbers) == 1 else [f"{name}_limit", f"{name}_spring"]
    return [
        element(CABLE, where, *(part.copy() for part in parts if part is not None), name=own, **said)
        for own, said in zip(names, numbers, strict=True)
    ]


def _numbers(tendon: int, compiled: Compiled, name: str, where: Source, log: DiagnosticLog) -> list[dict[str, str]]:
    """Attributes of the cables that a tendon is; what of it is no cable is reported."""
    model = compiled.model
    stiffness, damping = float(model.tendon_stiffness[tendon]), float(model.tendon_damping[tendon])
    short, rest = (float(value) for value in model.tendon_lengthspring[tendon])
    found = []
    lacking = []
    if model.tendon_limited[tendon]:
        least, most = (float(value) for value in model.tendon_range[tendon])
        found.append({"length": number_text(most)})
        lacking += ["lower limits"] if least > 0.0 else []
    if stiffness:
        said = {"length": number_text(rest), "stiffness": number_text(stiffness)}
        found.append({**said, "damping": number_text(damping)} if damping else said)
        lacking += ["pushing springs"] if short > 0.0 else []
        lacking += ["damping while slack"] if damping else []
    elif damping:
        lacking.append("damping without a spring")
    lacking += ["frictionloss"] if model.tendon_frictionloss[tendon] else []
    lacking += ["armature"] if hasattr(model, "tendon_armature") and model.tendon_armature[tendon] else []
    for what in lacking:
        message = f"{what} of spatial tendons: a cable pulls, and no more"
        log.warning(CODE, where, message, fold=f"spatial {what}", about=name)
    return found


def _part(wrap: int, tree: BodyTree, data: object, where: Source, log: DiagnosticLog) -> Node | None:
    """The part of a cable that a site, a geom or a pulley is."""
    model = tree.compiled.model
    kind, number = int(model.wrap_type[wrap]), int(model.wrap_objid[wrap])
    if kind == PULLEY:
        return element(BRANCH, where, divisor=number_text(float(model.wrap_prm[wrap])))
    if kind == SITE:
        return _placed(POINT, where, tree.link(int(model.site_bodyid[number])), model.site_pos[number])
    radius = float(model.geom_size[number][0])
    side = int(model.wrap_prm[wrap])
    inside = side >= 0 and np.linalg.norm(_side(wrap, data, tree)) < radius
    if inside:
        message = "a spatial tendon that runs inside of a geom goes straight there"
        log.warning(CODE, where, message, fold="inside", about=tree.compiled.name("GEOM", number))
        return None
    link = tree.link(int(model.geom_bodyid[number]))
    numbers = {"radius": number_text(radius)}
    if kind == CYLINDER:
        X = pose_of(model.geom_pos[number], model.geom_quat[number])
        numbers["axis"] = numbers_text(X.rotation()[:, 2].tolist())
        numbers["wrap"] = "counterclockwise" if _turns(wrap, data, tree) else "clockwise"
    return _placed(GUIDE if kind == CYLINDER else BALL, where, link, model.geom_pos[number], numbers)


def _report_sides(tendon: int, tree: BodyTree, data: object, where: Source, log: DiagnosticLog) -> None:
    """Report geoms that a side site makes a tendon go round though nothing is in its way, and spheres that it is to
    pass on one side."""
    model = tree.compiled.model
    begin = int(data.ten_wrapadr[tendon])  # type: ignore[attr-defined]
    round_now = data.wrap_obj.ravel()[begin : begin + int(data.ten_wrapnum[tendon])]  # type: ignore[attr-defined]
    first = int(model.tendon_adr[tendon])
    for wrap in range(first, first + int(model.tendon_num[tendon])):
        kind, geom = int(model.wrap_type[wrap]), int(model.wrap_objid[wrap])
        if kind not in (SPHERE, CYLINDER) or int(model.wrap_prm[wrap]) < 0:
            continue
        about = tree.compiled.name("GEOM", geom)
        if kind == SPHERE:
            message = "the side of a sphere on which a spatial tendon runs: a cable passes the shorter way"
            log.warning(CODE, where, message, fold="sphere side", about=about)
        elif geom in round_now and _passes_by(wrap, data, tree):
            message = "a spatial tendon that goes round a cylinder which is not in its way: a cable goes straight there"
            log.warning(CODE, where, message, fold="not in the way", about=about)


def _passes_by(wrap: int, data: object, tree: BodyTree) -> bool:
    """Whether the straight way between the sites beside a cylinder does not cross it."""
    geom = int(tree.compiled.model.wrap_objid[wrap])
    a, b = _sites_beside(wrap, data, tree)
    way = b - a
    square = float(way @ way)
    share = min(max(-float(a @ way) / square, 0.0), 1.0) if square > 0.0 else 0.0
    return float(np.linalg.norm(a + share * way)) >= float(tree.compiled.model.geom_size[geom][0])


def _sites_beside(wrap: int, data: object, tree: BodyTree) -> tuple[Array, Array]:
    """From the axis of a cylinder to the sites before and behind it, across the axis, shape (3,) each."""
    model = tree.compiled.model
    geom = int(model.wrap_objid[wrap])
    axis = data.geom_xmat[geom].reshape(3, 3)[:, 2]  # type: ignore[attr-defined]
    places = [data.site_xpos[int(model.wrap_objid[beside])] for beside in (wrap - 1, wrap + 1)]  # type: ignore[attr-defined]
    before, behind = (place - data.geom_xpos[geom] for place in places)  # type: ignore[attr-defined]
    return before - (before @ axis) * axis, behind - (behind @ axis) * axis


def _placed(tag: str, where: Source, link: str, at: Iterable[float], numbers: Mapping[str, str] | None = None) -> Node:
    return element(tag, where, link=link, at=numbers_text(map(float, at)), **(numbers or {}))


def _side(wrap: int, data: object, tree: BodyTree) -> Array:
    """From the centre of a geom to its side site, shape (3,), across the axis of a cylinder."""
    model = tree.compiled.model
    geom = int(model.wrap_objid[wrap])
    side: Array = data.site_xpos[int(model.wrap_prm[wrap])] - data.geom_xpos[geom]  # type: ignore[attr-defined]
    if int(model.wrap_type[wrap]) == CYLINDER:
        axis = data.geom_xmat[geom].reshape(3, 3)[:, 2]  # type: ignore[attr-defined]
        side = side - (side @ axis) * axis
    return side


def _turns(wrap: int, data: object, tree: BodyTree) -> bool:
    """Whether a tendon turns about the axis of a cylinder as a right hand does: past its side site, else the shorter
    way, in the reference pose."""
    model = tree.compiled.model
    geom = int(model.wrap_objid[wrap])
    axis = data.geom_xmat[geom].reshape(3, 3)[:, 2]  # type: ignore[attr-defined]
    ends = [across / np.linalg.norm(across) for across in _sites_beside(wrap, data, tree)]
    shorter = float(np.cross(*ends) @ axis) >= 0.0
    if int(model.wrap_prm[wrap]) < 0:
        return shorter
    return shorter if float(_side(wrap, data, tree) @ (ends[0] + ends[1])) >= 0.0 else not shorter
