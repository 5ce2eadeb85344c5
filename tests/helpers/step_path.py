"""Which functions and files one step passes: `python -m tests.helpers.step_path WORLD… [--all]`.

Kernels run as Python. A step is one of the dynamics, without the records of the engine around it. Openers of views are
left out: in machine code they are nothing.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from tests.helpers.repository import PACKAGE

Passed = Counter[tuple[str, str]]
"""Calls, by file and function."""
STEPS = {"rack_and_pinion": 3, "boxes": 60}
"""Steps before the one that is followed: the boxes have fallen onto each other then."""
BOX = """<model name="b{0}"><pose>{1} 0 {2} 0.2 0.3 0</pose><link name="l"><inertial><mass>1</mass><inertia>
<ixx>0.00167</ixx><iyy>0.00167</iyy><izz>0.00167</izz></inertia></inertial>
<collision name="c"><geometry><box><size>0.1 0.1 0.1</size></box></geometry></collision></link></model>"""
BOXES = f"""<sdf version="1.12"><world name="w"><model name="g"><static>true</static><link name="l"><collision name="c">
<geometry><plane/></geometry></collision></link></model>{
    "".join(BOX.format(i, 0.01 * i, 0.08 + 0.12 * i) for i in range(3))
}</world></sdf>"""


def passed_by(act: Callable[[], object]) -> Passed:
    """The functions of the package that are called, but for openers of views and what these call."""
    found: Passed = Counter()
    openers: list[FrameType] = []

    def follow(frame: FrameType, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        name = frame.f_code.co_name
        if event == "call" and not openers and PACKAGE in path.parents:
            file = path.relative_to(PACKAGE).as_posix()
            if name.startswith("open_"):
                openers.append(frame)
            elif not file.startswith("native/") and not name.startswith("<"):
                found[file, name] += 1
        elif event == "return" and openers and openers[-1] is frame:
            openers.pop()

    sys.setprofile(follow)
    try:
        act()
    finally:
        sys.setprofile(None)
    return found


def passed_by_step(world: str, folder: Path) -> Passed:
    """Of a step of an example, or of three boxes that fall onto each other."""
    from simulator.session.commands.factory import make_engine
    from simulator.session.open.examples import find_file
    from simulator.session.open.opening import open_document
    from simulator.session.text.settings import SessionSettings

    file = find_file(world) if world != "boxes" else folder / "boxes.sdf"
    if world == "boxes":
        file.write_text(BOXES, encoding="utf-8")
    engine = make_engine(open_document(file), SessionSettings())
    for _ in range(STEPS.get(world, 3)):
        engine.step()
    dynamics = engine.dynamics
    found = passed_by(dynamics.step)
    engine.close()
    return found


if __name__ == "__main__":
    os.environ["SIMULATOR_KERNELS"] = "python"
    import tempfile

    for one in [name for name in sys.argv[1:] if name != "--all"]:
        with tempfile.TemporaryDirectory() as place:
            path = passed_by_step(one, Path(place))
        print(json.dumps({"world": one, "functions": len(path), "files": len({file for file, _ in path})}))
        if "--all" in sys.argv:
            print("\n".join(f"  {file} {name} {count}" for (file, name), count in sorted(path.items())))
