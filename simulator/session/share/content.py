"""What a page holds of a mechanism, as plain data for JSON: images of its memory, names, a recording."""

from __future__ import annotations

import base64
import gzip
import math
from dataclasses import asdict, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.engine.flattened import flatten
from simulator.errors import SimulationError, SimulatorError
from simulator.kinematics.dragging import Dragging
from simulator.kinematics.kinematics import Kinematics
from simulator.mechanism.law_text import law
from simulator.mechanism.loads import BodySpring
from simulator.mechanism.types import MotionKind
from simulator.model.names import tail_name
from simulator.native.ready import wasm
from simulator.physics.impact.lines import Motor
from simulator.physics.impact.motors import KICK
from simulator.physics.layout import buffers as at
from simulator.physics.layout import row_layout as row_at
from simulator.physics.tree.cables import NOW_NUMBERS, PART_NUMBERS, SENSE
from simulator.physics.tree.load_tables import SPRING_NUMBERS
from simulator.session.look.freedoms import free_axes_at_start

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.engine.engine import Engine
    from simulator.engine.flattened import Flattened
    from simulator.mechanism.types import Mechanism
    from simulator.physics.compiled.bounded import BoundedMechanism
    from simulator.spatial.arrays import Array

    Plain = dict[str, Any]

FRAMES_PER_SECOND = 30.0
LARGEST_RECORDING = 400_000
"""Numbers of a recording; a mechanism of many bodies is recorded with fewer pictures per second."""
STRONG = 40.0
"""A motor of an axis without an effort limit is as strong as this many times the weight of all bodies, at the arm of
the mechanism's size where it turns."""
MANY_BODIES = 100
"""In a mechanism of more bodies a hand pulls as if it felt all of them: to find what it feels takes a tenth of a second
for each body of a train of a thousand gears."""
HAND = BodySpring((0, 0), ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)), 0.0, 0.0, 0.0)
"""The spring of a hand that holds nothing."""
CARRIED = (
    "journal.ledger", "journal.orders.servo_stored", "journal.orders.trend", "journal.orders.tally",
    "touch.memory.names", "touch.memory.impulses", "touch.memory.known", "touch.work.order", "touch.work.cached_face",
    "touch.work.cached_direction",
)  # fmt: skip
"""Arrays of an image that the next step needs, beside the state in `F`."""
BLOCKS = (at.F_Q, at.F_V, at.F_LAXIS_Q, at.F_TIME, at.F_CABLE_NOW)


def live_content(engine: Engine, radius: float, steps: int) -> Plain:
    """Images of the mechanism of an engine at its start, and of the same one with a spring to pull with and motors;
    `radius` of the scene [m]; drives that change over time are written out for `steps` steps. Where a page cannot
    compute the motion, `reason` says why."""
    kernels = wasm()
    if kernels is None:
        return {"reason": "this installation has no kernels for browsers (pip install 'simulator[compile]' ziglang)"}
    try:
        own = flatten(engine, steps=steps)
    except SimulatorError as error:
        return {"reason": str(error)}
    blocks = _places_of_blocks(engine)
    images = [_image(own)]
    engine.change_loads(replace(engine.mechanism.loads, springs=(*engine.mechanism.loads.springs, HAND)))
    engine.core.jumps.begin_all(engine.actuation.with_motor)  # drives begin at the start here, too
    bounded = engine.core.bounded
    assert bounded is not None
    driven = set(bounded.motor_lines)
    over_time = {*engine.actuation.over_time}
    free = free_axes_at_start(engine.mechanism, sorted(driven | over_time), engine.joint_state())
    for axis in free:
        if axis not in driven | over_time:
            bounded.set_motor(axis, Motor(1.0))
    handled = flatten(engine, steps=steps)
    moved = _places_of_blocks(engine)
    return {
        "kernels": _packed_once(kernels),
        "images": [*images, _image(handled)],
        "hand": _hand(engine, bounded),
        "motors": _motors(engine.mechanism, bounded, sorted({*free, *driven} - over_time), driven, radius),
        "carried": {
            "arrays": CARRIED,
            "blocks": [[before, after, count] for (before, count), (after, _) in zip(blocks, moved, strict=True)],
        },
        "columns": {"kick": KICK, "stiffness": row_at.STIFFNESS, "damping": row_at.DAMPING},
        "bodies": _bodies(engine, bounded),
        "cables": _cables(bounded, [blocks[-1][0], moved[-1][0]]),
    }


def packed(content: bytes) -> str:
    """Bytes as text: compressed, the same for the same bytes."""
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()


@cache
def _packed_once(kernels: bytes) -> str:
    """Those of all steps of a lesson are the same."""
    return packed(kernels)


def _image(flat: Flattened) -> Plain:
    return {
        "energy": flat.places.energy,
        "data": packed(flat.image.data),
        "addresses": flat.image.addresses,
        "tables": {name: asdict(table) for name, table in flat.image.tables.items()},
        "last_step": flat.last_step if math.isfinite(flat.last_step) else 2**53,
    }


def _places_of_blocks(engine: Engine) -> list[tuple[int, int]]:
    """Where each of the blocks with the state begins in F, and its numbers."""
    model = engine.model
    assert model is not None
    return [(at.place(model.N, index), len(model.view(index))) for index in BLOCKS]


def _hand(engine: Engine, bounded: BoundedMechanism) -> Plain:
    """Places of the last spring's numbers: in N its ends, in F its points, damping, stiffness and length, and its line
    of `lines`."""
    model = bounded.model
    N = model.N
    spring = int(N[at.SPRINGS]) - 1
    first = next(
        line for line, kind in enumerate(bounded.lines[0][:, row_at.KIND].tolist()) if kind == row_at.HELD
        and int(bounded.lines[0][line, row_at.CODE]) == -1 - int(N[at.LOOP_AXES]) - spring
    )  # fmt: skip
    return {
        "ends": int(N[at.HEAD + 2 * (at.FLOAT_BLOCKS + at.I_SPRING)]) + 4 * spring,
        "points": at.place(N, at.F_SPRING) + SPRING_NUMBERS * spring,
        "passive": at.place(N, at.F_LPASSIVE) + 3 * (int(N[at.LOOP_AXES]) + spring),
        "line": first,
    }


def _motors(
    mechanism: Mechanism, bounded: BoundedMechanism, axes: Sequence[int], driven: set[int], radius: float
) -> list[Plain]:
    """What a reader can drive, which drives over time cannot be replaced by: the line of each motor, how strong it is,
    and the range of its slider."""
    weight = 9.81 * (sum(body.mass for body in mechanism.bodies[1:]) or 1.0)
    made = []
    for axis in axes:
        info = mechanism.axes[axis]
        turns = info.kind is MotionKind.ROTATION
        most = info.axis.effort
        low, high = info.axis.lower, info.axis.upper
        reach = math.pi if turns else radius
        made.append({
            "axis": axis,
            "line": bounded.motor_lines[axis],
            "driven": axis in driven,
            "effort": most if 0.0 < most < 1e9 else STRONG * weight * (radius if turns else 1.0),
            "top": min(info.axis.velocity, 2.0 * reach),
            "lower": low if math.isfinite(low) else -reach,
            "upper": high if math.isfinite(high) else reach,
            "fastest": min(info.axis.velocity, 3.0 * reach),
        })  # fmt: skip
    return made


def _bodies(engine: Engine, bounded: BoundedMechanism) -> list[Plain]:
    """For each body but the world: its node, its pose in it, and the mass that a hand feels at its centre of mass."""
    mechanism = engine.mechanism
    parts = bounded.model.parts
    kinematics = Kinematics(mechanism)
    state = engine.at_rest()
    total = sum(body.mass for body in mechanism.bodies[1:]) or 1.0
    found = []
    for number, body in enumerate(mechanism.bodies[1:], start=1):
        node = int(parts.tree.node_of_body[number])
        mass = total if len(mechanism.bodies) > MANY_BODIES else 0.0
        if node >= 0 and not mass:
            mass = Dragging(kinematics, number, np.array(body.com)).reflected_mass(state)
        found.append({"node": node, "X": parts.places_in_nodes[number - 1].ravel().tolist(), "mass": mass})
    return found


def _cables(bounded: BoundedMechanism, places: Sequence[int]) -> Plain:
    """Where the parts of cables are in F of both images, and the kind and sense of each."""
    model = bounded.model
    kinds = at.int_block(model.N, at.I_CABLE_PART)[1::2].tolist()
    senses = model.view(at.F_CABLE_PART).reshape(-1, PART_NUMBERS)[:, SENSE].tolist()
    parts = [list(part) for part in zip(kinds, senses, strict=True)]
    return {"places": [*places], "width": NOW_NUMBERS, "parts": parts}


def names_content(mechanism: Mechanism) -> Plain:
    """Names, units and laws."""
    axes = [{"name": tail_name(info.name), "unit": info.unit, "effort": info.effort_unit} for info in mechanism.axes]
    couplings = [
        {
            "text": _short_law(law(coupling, mechanism), mechanism),
            "leader": coupling.leader,
            "follower": coupling.follower,
            "unit": mechanism.axes[coupling.follower].unit,
        }
        for coupling in mechanism.couplings
    ]
    return {
        "axes": axes,
        "couplings": couplings,
        "loops": [tail_name(loop.name) for loop in mechanism.loop_joints],
        "links": [tail_name(body.links[0].name) if body.links else body.name for body in mechanism.bodies],
    }


def _short_law(text: str, mechanism: Mechanism) -> str:
    for name in sorted((info.name for info in mechanism.axes), key=len, reverse=True):
        text = text.replace(name, tail_name(name))
    return text


def recorded_content(engine: Engine, duration: float) -> tuple[Plain, Array]:
    """A run of `duration` seconds from the present state: `times`, `poses` (n, n_bodies - 1, 7) and `rows` (n, width)
    as packed 32-bit numbers, and why it ended where it ended early; and the poses themselves, of all bodies, shape
    (n, n_bodies, 7)."""
    snapshot = engine.snapshot()
    size = 7 * (len(snapshot.body_poses) - 1) + len(engine.row()) + 1
    rate = min(FRAMES_PER_SECOND, max(4.0, LARGEST_RECORDING / (size * max(duration, 0.1))))
    stride = max(1, round(1.0 / (rate * engine.dt)))
    poses, rows, times = [snapshot.body_poses], [engine.row()], [engine.time]
    failure = ""
    for _ in range(int(duration / (stride * engine.dt))):
        try:
            engine.make_steps(stride)
        except SimulationError as error:
            failure = str(error)
            break
        poses.append(engine.snapshot().body_poses)
        rows.append(engine.row())
        times.append(engine.time)
    seen = np.array(poses)
    content = {
        "count": len(times),
        "times": _floats(np.array(times)),
        "poses": _floats(seen[:, 1:]),
        "rows": _floats(np.array(rows)),
        "width": len(rows[0]),
        "failure": failure,
    }
    return content, seen


def _floats(numbers: Array) -> str:
    return packed(np.ascontiguousarray(numbers, dtype="<f4").tobytes())
