"""Forces, and springs between points, as named arrays: views of F and N, as `tree.views`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from simulator.native.kernels import opener, view
from simulator.physics.layout import buffers as at
from simulator.physics.layout.views import int_start, size, start
from simulator.physics.tree.load_tables import FORCE_NUMBERS, PIECE_NUMBERS, PROFILE_NUMBERS, SPRING_NUMBERS

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Ints, Ints2


class LoadViews(NamedTuple):
    """`time`: of the profiles now, and when the step began [s].

    Of a force: `target`, its node and its kind; `force`, its point in the node and the rotation of its axes; `wrench`,
    what it is now, about the node's origin in world axes (moment, force). Component c of force k has the profile 6 k +
    c: `profile_kind`, the kind with the first row and the number of rows of its table, `profile` its numbers; `pieces`:
    rows of tables.

    Of a spring: `ends`, both nodes (-1 for the world) with the first row and the number of rows of its table;
    `springs`, both points in their nodes and what it is now (see `tree.loads`); `passive`, damping, stiffness and
    free length; `spring_rows`: lengths, forces and energies of tables.
    """

    time: Floats
    target: Ints2
    force: Floats2
    wrench: Floats2
    profile_kind: Ints2
    profile: Floats2
    pieces: Floats2
    ends: Ints2
    springs: Floats2
    passive: Floats2
    spring_rows: Floats2


@opener
def open_loads(F: Floats, N: Ints) -> LoadViews:
    """Views of the loads."""
    forces, springs = N[at.FORCES], N[at.SPRINGS]
    profiles = size(N, at.F_PROFILE) // PROFILE_NUMBERS
    pieces = size(N, at.F_PROFILE_TABLE) // PIECE_NUMBERS
    spring_rows = size(N, at.F_SPRING_TABLE) // 3
    return LoadViews(
        time=view(F, start(N, at.F_TIME), (2,)),
        target=view(N, int_start(N, at.I_LOAD), (forces, 2)),
        force=view(F, start(N, at.F_LOAD), (forces, FORCE_NUMBERS)),
        wrench=view(F, start(N, at.F_LOAD_NOW), (forces, 6)),
        profile_kind=view(N, int_start(N, at.I_PROFILE), (profiles, 3)),
        profile=view(F, start(N, at.F_PROFILE), (profiles, PROFILE_NUMBERS)),
        pieces=view(F, start(N, at.F_PROFILE_TABLE), (pieces, PIECE_NUMBERS)),
        ends=view(N, int_start(N, at.I_SPRING), (springs, 4)),
        springs=view(F, start(N, at.F_SPRING), (springs, SPRING_NUMBERS)),
        passive=view(F, start(N, at.F_LPASSIVE) + 3 * N[at.LOOP_AXES], (springs, 3)),
        spring_rows=view(F, start(N, at.F_SPRING_TABLE), (spring_rows, 3)),
    )
