"""Lines of an `.asmt`, whose tabs say what holds what, as a tree."""

from __future__ import annotations

from dataclasses import field

import numpy as np

from simulator.records import dataclass
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import quat_from_matrix

SOLVED = "TimeSeries"
"""The line from which on the file holds what the solver found."""
SMALLTALK = str.maketrans("", "", "d")
"""Its numbers of double precision, 2.0d."""


ROUNDED = 1e-3
"""How far matrices may be from rotations, for they are written with few digits; the nearest rotation counts."""


class AsmtError(Exception):
    """Something in the file cannot be used; `line` is where."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass
class AsmtItem:
    """One line and those below it that are indented further."""

    text: str
    line: int
    items: list[AsmtItem] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Below `Name`; FreeCAD leaves it empty now and then, and what stands there is its kind and line then."""
        found = self.child("Name")
        return found.items[0].text if found is not None and found.items else f"{self.text}_{self.line}"

    def child(self, name: str) -> AsmtItem | None:
        """The first item of that name; OndselSolver writes some with a capital letter, some without."""
        return next((item for item in self.items if item.text.lower() == name.lower()), None)

    def all(self, name: str) -> list[AsmtItem]:
        """What an item of that name holds; nothing where there is none."""
        found = self.child(name)
        return [] if found is None else found.items

    def value(self, name: str) -> str:
        """The text below an item of that name. Raises AsmtError where there is none."""
        found = self.child(name)
        if found is None or not found.items:
            raise AsmtError(self.line, f"'{self.text}' has no {name}")
        return found.items[0].text

    def numbers(self, name: str, count: int) -> list[float]:
        """So many numbers below an item of that name. Raises AsmtError where there are others."""
        found = self.child(name)
        words = [] if found is None else [word for item in found.items for word in item.text.split()]
        line = self.line if found is None else found.line
        try:
            numbers = [float(word.translate(SMALLTALK)) for word in words]
        except ValueError as error:
            raise AsmtError(line, f"{name} of '{self.text}': {error}") from error
        if len(numbers) != count or not np.all(np.isfinite(numbers)):
            raise AsmtError(line, f"{name} of '{self.text}' needs {count} finite numbers, not {len(numbers)}")
        return numbers

    def number(self, name: str) -> float:
        """One number."""
        return self.numbers(name, 1)[0]

    def pose(self) -> Pose:
        """From `Position3D` and `RotationMatrix`, whose columns are the axes."""
        written = np.reshape(self.numbers("RotationMatrix", 9), (3, 3))
        left, sizes, right = np.linalg.svd(written)
        if np.max(np.abs(sizes - 1.0)) > ROUNDED or np.linalg.det(written) < 0.0:
            raise AsmtError(self.line, f"RotationMatrix of '{self.text}' is not a rotation")
        x, y, z = self.numbers("Position3D", 3)
        return Pose((x, y, z), quat_from_matrix(left @ right))


def tree_of(text: str) -> AsmtItem | None:
    """The item `Assembly`; None where the text has none."""
    root = AsmtItem("", 0)
    open_items = [root]
    for number, line in enumerate(text.split("\n"), start=1):
        words = line.strip()
        if words == SOLVED:
            break
        if not words:
            continue
        depth = len(line) - len(line.lstrip("\t"))
        del open_items[depth + 1 :]
        item = AsmtItem(words, number)
        open_items[-1].items.append(item)
        open_items.append(item)
    return root.child("Assembly")
