"""Kinds of MuJoCo's equalities, and which of them become loops and couplings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.formats.mjcf.compiling import Compiled

CONNECT, WELD, JOINT, TENDON = range(4)
"""`mjtEq`."""
WRAPS_JOINT = 1
"""`mjtWrap`: a part of a fixed tendon."""


def is_read(compiled: Compiled, equality: int) -> bool:
    """Whether an equality becomes a loop, a coupling or a constraint."""
    model = compiled.model
    kind = int(compiled.model.eq_type[equality])
    if not model.eq_active0[equality] or kind not in (CONNECT, WELD, JOINT, TENDON):
        return False
    if kind in (CONNECT, WELD):
        return True
    if kind == JOINT:
        return True
    higher = bool(np.any(model.eq_data[equality][2:5])) and model.eq_obj2id[equality] >= 0
    tendons = [int(item[equality]) for item in (model.eq_obj1id, model.eq_obj2id) if item[equality] >= 0]
    wraps = [
        w for t in tendons for w in range(int(model.tendon_adr[t]), int(model.tendon_adr[t] + model.tendon_num[t]))
    ]
    return not higher and all(model.wrap_type[wrap] == WRAPS_JOINT for wrap in wraps)


def law_of(terms: Iterable[tuple[str, float]], constant: float) -> str:
    """The expression Σ factor · joint − constant, of joints by name."""
    parts = [f"{factor:+}*'{joint}'" for joint, factor in terms]
    return "".join([*parts, f"{-constant:+}" if constant else ""]).removeprefix("+")
