"""`<mujoco>` → `<sdf>`: one world with a model of all that moves, and a static one of what belongs to the world."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from simulator.formats.mjcf.actuators import driven_joints, read_actuators
from simulator.formats.mjcf.bodies import limit_efforts, read_tree
from simulator.formats.mjcf.compiling import compile_document
from simulator.formats.mjcf.contacts import touching_of
from simulator.formats.mjcf.equalities import add_equalities
from simulator.formats.mjcf.fixed_tendons import read_tendons
from simulator.formats.mjcf.geoms import read_geoms
from simulator.formats.mjcf.naming import MjcfNames
from simulator.formats.mjcf.poses import element, number
from simulator.formats.mjcf.spatial_tendons import cables_of
from simulator.formats.mjcf.starting import start_of
from simulator.formats.mjcf.unread import report_unread
from simulator.formats.nodes import Node
from simulator.formats.sdf.extensions import EXCLUDE
from simulator.formats.sdf.names import SCOPE, is_reserved
from simulator.formats.values import numbers_text
from simulator.formats.xml import parse_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.formats.cursor import Reading
    from simulator.formats.mjcf.bodies import BodyTree
    from simulator.formats.mjcf.compiling import Compiled


ROOT = "mujoco"
GROUND = "worldbody"
"""The model of what is fixed to the world, and its only link's."""
SURFACE = "surroundings"


def mjcf_to_sdf(path: Path, root: Node, reading: Reading) -> Node | None:
    """The SDFormat 1.12 tree of a document; None, with errors, where MuJoCo is missing or refuses it."""
    tree = with_includes(root, path, reading)
    if tree is None:
        return None
    compiled = compile_document(path, tree, reading)
    if compiled is None:
        return None
    log = reading.log
    name = _model_name(tree)
    start = start_of(compiled, log)
    names = MjcfNames.of(compiled, log)
    links = read_tree(compiled, names, start, log)
    loops = add_equalities(links, driven_joints(compiled), log) + read_tendons(links, start, log)
    actuators = read_actuators(compiled, links.laws, log)
    limit_efforts(links, actuators.efforts())
    touching = touching_of(compiled, links.neighbours, log)
    geoms = read_geoms(compiled, touching.masks, log)
    report_unread(tree, compiled, links, log)
    for body, link in links.links.items():
        link.children += geoms.parts.get(body, [])
    where = root.source
    hardware = actuators.hardware(names, where)
    self_collide = element("self_collide", where, text="true")
    cables = cables_of(links, log)
    model = element("model", where, self_collide, *links.nodes(), *loops, *cables, hardware, name=name)
    excluded = _exclusions(touching.excluded, links, name, has_ground=0 in geoms.parts)
    world = element(
        "world",
        where,
        *actuators.drives(start, names, name),
        element("gravity", where, text=numbers_text(map(float, compiled.model.opt.gravity))),
        _physics(compiled),
        _ground(geoms.parts.get(0, []), compiled),
        model if links.links else None,
        *excluded,
        name=name,
    )
    return Node("sdf", where, {"version": "1.12"}, children=[world])


def _model_name(tree: Node) -> str:
    name = tree.attributes.get("model", "").replace(SCOPE, "_").strip() or ROOT
    return f"{name}_model" if is_reserved(name) or name == GROUND else name


def _physics(compiled: Compiled) -> Node:
    where = compiled.places.root
    step = number("max_step_size", where, float(compiled.model.opt.timestep))
    return element("physics", where, step, name="mujoco", type="ode")


def _ground(parts: Sequence[Node], compiled: Compiled) -> Node | None:
    """A static model with the geoms of the world itself; None where there are none."""
    if not parts:
        return None
    where = compiled.places.of_kind("bodies", 0)
    static = element("static", where, text="true")
    link = element("link", where, *parts, name=SURFACE)
    return element("model", where, static, link, name=GROUND)


def _exclusions(pairs: Sequence[tuple[int, int]], links: BodyTree, model: str, *, has_ground: bool) -> list[Node]:
    """Pairs of bodies that never touch."""
    found = []
    for pair in pairs:
        if not all(body in links.links or (body == 0 and has_ground) for body in pair):
            continue
        one, other = (
            f"{GROUND}{SCOPE}{SURFACE}" if body == 0 else f"{model}{SCOPE}{links.link(body)}" for body in pair
        )
        found.append(element(EXCLUDE, links.compiled.places.of_kind("bodies", pair[1]), link=one, other=other))
    return found


MOST = 200
"""Files that a document includes."""


def with_includes(root: Node, path: Path, reading: Reading) -> Node | None:
    """A copy; None, with an error, where an included file cannot be read. MuJoCo includes a file once only."""
    folder = path.resolve().parent
    seen = {path.resolve()}
    return _expanded(root, folder, seen, reading)


def _expanded(node: Node, folder: Path, seen: set[Path], reading: Reading) -> Node | None:
    copy = Node(node.tag, node.source, dict(node.attributes), node.text, [], node.version)
    for child in node.children:
        if child.tag != "include":
            inner = _expanded(child, folder, seen, reading)
            if inner is None:
                return None
            copy.children.append(inner)
            continue
        parts = _included(child, folder, seen, reading)
        if parts is None:
            return None
        copy.children += parts
    return copy


def _included(include: Node, folder: Path, seen: set[Path], reading: Reading) -> list[Node] | None:
    name = include.attributes.get("file", "")
    file = folder / name
    key = file.resolve()
    if not name or key in seen or len(seen) > MOST:
        reason = "names no file" if not name else f"includes '{name}' again, which MuJoCo refuses"
        reading.log.error("MJCF_REFUSED", include.source, f"<include> {reason}", "include each file once")
        return None
    seen.add(key)
    reading.files[str(file)] = None
    parsed = parse_file(file, reading.log, include.source, strict=reading.options.strict, budget=reading.budget)
    if parsed is None:
        return None
    expanded = _expanded(parsed.root, folder, seen, reading)
    return None if expanded is None else expanded.children
