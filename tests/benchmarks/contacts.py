"""scripts/bench contacts: what a step of loose boxes, and of machines whose parts touch, costs here, in MuJoCo and in
raw PyBullet, in turns, and what it is worth.

python -m tests.benchmarks.contacts [--rounds 5] [--seconds 0.2] [--json] [scene…]

All contenders step the same boxes by 1 ms from the same start, unread; the processor's time counts, of piles over
the same two seconds of falling, tumbling and lying. Beside it, after half a second, of stacks and walls after ten: in
how many points boxes touch, how far they are from where they started, how fast the fastest of them is, and how deep the
deepest overlap is, all but the points measured on the poses alone by the same code.

Machines (`machines`) have joints, couplings and drives, which raw PyBullet has no rows for: there is MuJoCo only, whose
drives are its actuators; residual of couplings, and off by how much its axes are from where they are here: a peer whose
parts touch in no point, or whose driven axes stay behind, does not do the same work.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simulator.physics.detect.own import OwnContacts
from tests.benchmarks.machines import MACHINES
from tests.benchmarks.options import Options
from tests.benchmarks.piles import SCENES, document
from tests.benchmarks.rounds import cpu_clock, take_turns
from tests.benchmarks.touching import DT, OURS, Boxes, Bullet, Machine, MuJoCo, Ours

SETTLED, LONG = 0.5, 10.0
"""Seconds after which a motion is judged; those of what rests, but for floors."""
RESTING = ("stack", "wall", "1")
WORTH = ("drift", "speed", "overlap", "residual", "off")
STRETCH = 2.0
"""Seconds of a pile's motion that everybody is timed on: it falls, tumbles and comes to rest, and each of these costs
something else."""


def worth(boxes: Boxes, own: OwnContacts, seconds: float) -> dict[str, float]:
    """Drift [m] from the start, speed of the fastest box [m/s], contact points and deepest overlap [m] after so
    many seconds."""
    boxes.reset()
    start, calls = boxes.poses(), round(seconds / DT / boxes.steps_per_call)
    boxes.run(calls)
    before = boxes.poses()
    boxes.run(1)
    after = boxes.poses()
    placed = np.vstack(([0, 0, 0, 0, 0, 0, 1.0], after))
    count = own.detect_within(placed, 1e-4, None)
    gaps = own.work.floats[:count, 6]
    speed = np.abs(after[:, :3] - before[:, :3]).max() / (DT * boxes.steps_per_call)
    found = {"speed": float(speed), "drift": float(np.abs(after[:, :3] - start[:, :3]).max())}
    found["points"] = float(boxes.touching())
    return found | {"overlap": float(max(0.0, -gaps.min(initial=0.0)))}


def machine_worth(machine: Boxes, ours: Ours) -> dict[str, float]:
    """After `SETTLED` seconds: contact points, and how far any axis is from where it is here [rad or m]; of ours,
    residual of couplings [m or rad], and overlap [m]."""
    for one in {machine, ours}:
        one.reset()
        one.run(round(SETTLED / DT / one.steps_per_call))
    found = {"points": float(machine.touching()), "off": float(np.abs(machine.axes() - ours.axes()).max(initial=0.0))}
    if machine is not ours:
        return found
    snapshot = ours.engine.snapshot()
    own = OwnContacts(ours.opened.mechanism)
    count = own.detect_within(snapshot.body_poses, 1e-4, None)
    overlap = max(0.0, -float(own.work.floats[:count, 6].min(initial=0.0)))
    return found | {"residual": snapshot.worst_coupling_residual(), "overlap": overlap}


def measure(name: str, rounds: int, seconds: float) -> dict[str, Any]:
    """Times in turns, and what the motion is worth."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scene.sdf")
        if name in MACHINES:
            make, drives = MACHINES[name]
            path.write_text(make(Path(folder)), encoding="utf-8")
            ours = Ours(path, drives)
            everybody = [ours, *_installed(lambda: Machine(ours))]
            return compare(everybody, rounds, seconds, 0, lambda machine: machine_worth(machine, ours))
        scene = SCENES[name]()
        path.write_text(document(scene, Path(folder)), encoding="utf-8")
        ours = Ours(path)
        own, steps = OwnContacts(ours.opened.mechanism), round(STRETCH / DT) if name.startswith("pile") else 0
        everybody = [ours, *_installed(lambda: MuJoCo(scene)), Bullet(scene)]
        until = LONG if name.startswith(RESTING) else SETTLED
        return compare(everybody, rounds, seconds, steps, lambda boxes: worth(boxes, own, until))


def _installed(make: Callable[[], Boxes]) -> list[Boxes]:
    try:
        return [make()]
    except ImportError:
        print("MuJoCo is not installed", file=sys.stderr)
        return []


def compare(
    present: Sequence[Boxes], rounds: int, seconds: float, steps: int, judge: Callable[[Boxes], dict[str, float]]
) -> dict[str, Any]:
    """What `judge` finds of everybody, and times in turns; with `steps`, of so many from the start."""
    try:
        found = {boxes.name: judge(boxes) for boxes in present}
        times = take_turns(list(present), rounds=rounds, seconds=seconds, clock=cpu_clock, steps=steps)
    finally:
        for boxes in present:
            boxes.close()
    return {key: {"microseconds": times.median(key), **value} for key, value in found.items()}


def as_text(report: dict[str, dict[str, Any]]) -> str:
    """A Markdown table."""
    lines = [
        "| scene | who | µs a step | × ours | points | drift [m] | speed [m/s] | overlap [m] | residual | off |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for scene, found in report.items():
        for who, row in found.items():
            ratio = row["microseconds"] / found[OURS]["microseconds"]
            worth = [f"{row['points']:.0f}", *(f"{row[key]:.1e}" if key in row else "–" for key in WORTH)]
            lines.append(f"| {scene} | {who} | {row['microseconds']:.0f} | {ratio:.2f} | {' | '.join(worth)} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    scenes = (*SCENES, *MACHINES)
    asked = Options("scripts/bench contacts", __doc__, "scene", scenes, 5, 0.2, "how long each steps per round")
    options = asked.checked(asked.parser(), arguments)
    report = {}
    for name in options.names or scenes:
        print(f"{name} …", file=sys.stderr)
        report[name] = measure(name, options.rounds, options.seconds)
    print(json.dumps(report, indent=1) if options.json else as_text(report))


if __name__ == "__main__":
    main()
