"""The tree of a mechanism and its state as named arrays, which are views of the two buffers F and N.

The outermost kernel opens the views that it needs, and hands them to those that compute. `layout` says which units the
blocks have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from simulator.native.kernels import opener, view
from simulator.physics.layout import buffers as at
from simulator.physics.layout.buffers import int_start, size, start

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Floats3, Ints


class CouplingViews(NamedTuple):
    """q = G y + c: the freedoms of the tree over the independent coordinates.

    Row k of G has the entries `value[t]` in the columns `column[t]`, for t from `begin[k]` to before `begin[k + 1]`.
    `place`: where a coordinate is in Q, -1 for those of balls and free joints. `is_identity`: every freedom of a node
    is its own coordinate; behind them come those without a node, plays of real couplings.
    """

    is_identity: bool
    begin: Ints
    column: Ints
    value: Floats
    constant: Floats
    place: Ints


class TreeViews(NamedTuple):
    """What does not change while time passes. `G`: how freedoms follow from coordinates. `order`: nodes in the order of
    sweeps, parents first; the first `active` of them have to be placed in a step, the others move in closed form (see
    `simple`), with the numbers `closed_form`.

    Of node i: `kind` of its joint (see `flatten`), `parent` (-1 for the world), `first` freedom, `place` of a ball or
    free joint in Q, `frame` of the joint at zero in the parent (3 x 4), `axis` in that frame, and `inertia` about its
    origin in its own axes: m, m c, xx yy zz xy xz yz. `turns`: which freedoms turn. `weightless`: nodes that gravity
    leaves alone, the first `weightless_active` of which are active. `looped`: 1 of nodes whose motion loops may take
    part in. `is_planar`: all active nodes move in one plane, on hinges and slides (see `motion.planar`).
    """

    G: CouplingViews
    is_planar: bool
    active: int
    weightless_active: int
    order: Ints
    kind: Ints
    parent: Ints
    first: Ints
    place: Ints
    turns: Ints
    weightless: Ints
    looped: Ints
    frame: Floats3
    axis: Floats2
    inertia: Floats2
    closed_form: Floats2
    gravity: Floats


class StateViews(NamedTuple):
    """Positions `Q` and their rates `DQ`, velocities `V` and accelerations `DV` of the independent coordinates,
    velocities `QD` of the freedoms, and what follows from them, in world axes. `step`: a displacement of the
    coordinates.

    Of node i: rotation `R` and origin `p`, `velocity` and bias `acceleration` of the node about its origin (angular,
    linear; with the acceleration -g of the root), `inertia` about the origin, and the `force` that its joint transmits
    (moment, force). `S`: direction of each freedom, `bias`: its effort h(q, qd). `carried`: of nodes, and of loop
    joints behind them, room for `step.bearings`.
    """

    Q: Floats
    V: Floats
    DQ: Floats
    DV: Floats
    QD: Floats
    R: Floats3
    p: Floats2
    S: Floats2
    velocity: Floats2
    acceleration: Floats2
    force: Floats2
    inertia: Floats2
    bias: Floats
    step: Floats
    carried: Floats2


class MassViews(NamedTuple):
    """The mass matrix H = G^T M G over the independent coordinates, then its factors.

    Of each row of the lower triangle its envelope is stored: element (i, j) is at `row[i] + j` of `H`. Left of the
    diagonal row i has entries in the columns `column[t]`, for t from `begin[i]` to before `begin[i + 1]`. `constant`:
    what of H does not change with the state. Coordinate a is in the block of H from `block_begin[a]` to before
    `block_end[a]`; `tied[a]` is the first that H or loops couple it with, and these are from
    `tied_begin[a]` to before `tied_end[a]`, whole blocks.
    """

    H: Floats
    constant: Floats
    row: Ints
    begin: Ints
    column: Ints
    block_begin: Ints
    block_end: Ints
    tied: Ints
    tied_begin: Ints
    tied_end: Ints


class EffortViews(NamedTuple):
    """What acts on freedoms: `given` efforts, and `damping`, `stiffness` and `reference` of their springs; and on the
    coordinates, held over a step: `drive`, and `loss`, which only takes energy, at the present
    stage of a step in which they grow by `drive_slope` and `loss_slope`."""

    given: Floats
    damping: Floats
    stiffness: Floats
    reference: Floats
    drive: Floats
    loss: Floats
    drive_slope: Floats
    loss_slope: Floats


class StiffViews(NamedTuple):
    """Of dampers and springs that are faster than the step (see `rows.stiff`, `rows.stiff`). Of a coordinate:
    `added` inertia, and `shift`, how much later than half of the step its velocity counts. Of freedoms, loop axes and
    springs between points, in this order: the `mobility` that each is shown. Of freedoms and loop axes: dampers that
    are `exchanged` for added inertia. `faster`: how dampers and springs are judged."""

    added: Floats
    shift: Floats
    mobility: Floats
    exchanged: Floats
    faster: Floats


class StageViews(NamedTuple):
    """Of a step: positions `Q0` and velocities `V0` at its start, weighted sums of their rates over its stages, and the
    `flow` of energy (see `layout.buffers.F_FLOW`). `peak`: the largest kinetic energy so far; `left` (1,): steps that a
    call has not made."""

    Q0: Floats
    V0: Floats
    Q_sum: Floats
    V_sum: Floats
    flow: Floats
    peak: Floats
    left: Ints


@opener
def open_couplings(F: Floats, N: Ints) -> CouplingViews:
    """Views of the couplings."""
    freedoms = N[at.FREEDOMS]
    entries = N[int_start(N, at.I_GPTR) + freedoms]
    return CouplingViews(
        is_identity=N[at.IDENTITY] != 0,
        begin=view(N, int_start(N, at.I_GPTR), (freedoms + 1,)),
        column=view(N, int_start(N, at.I_GINDEX), (entries,)),
        value=view(F, start(N, at.F_GVALUE), (entries,)),
        constant=view(F, start(N, at.F_GCONST), (freedoms,)),
        place=view(N, int_start(N, at.I_YPOS), (N[at.INDEPENDENT],)),
    )


@opener
def open_tree(F: Floats, N: Ints) -> TreeViews:
    """Views of the tree."""
    nodes, active = N[at.NODES], N[at.ACTIVE]
    return TreeViews(
        G=open_couplings(F, N),
        is_planar=N[at.PLANAR] != 0,
        active=active,
        weightless_active=N[at.WEIGHTLESS_ACTIVE],
        order=view(N, int_start(N, at.I_ORDER), (nodes,)),
        kind=view(N, int_start(N, at.I_KIND), (nodes,)),
        parent=view(N, int_start(N, at.I_PARENT), (nodes,)),
        first=view(N, int_start(N, at.I_FIRST), (nodes,)),
        place=view(N, int_start(N, at.I_LPOS), (nodes,)),
        turns=view(N, int_start(N, at.I_TURNS), (N[at.FREEDOMS],)),
        weightless=view(N, int_start(N, at.I_WEIGHTLESS), (N[at.WEIGHTLESS],)),
        looped=view(N, int_start(N, at.I_LOOPED), (nodes,)),
        frame=view(F, start(N, at.F_X), (nodes, 3, 4)),
        axis=view(F, start(N, at.F_AXIS), (nodes, 3)),
        inertia=view(F, start(N, at.F_INERTIA), (nodes, 10)),
        closed_form=view(F, start(N, at.F_SIMPLE), (nodes - active, 4)),
        gravity=view(F, start(N, at.F_GRAVITY), (3,)),
    )


@opener
def open_state(F: Floats, N: Ints) -> StateViews:
    """Views of the state."""
    nodes = N[at.NODES]
    freedoms = N[at.FREEDOMS]
    independent = N[at.INDEPENDENT]
    return StateViews(
        Q=view(F, start(N, at.F_Q), (N[at.POSITIONS],)),
        V=view(F, start(N, at.F_V), (independent,)),
        DQ=view(F, start(N, at.F_DQ), (N[at.POSITIONS],)),
        DV=view(F, start(N, at.F_DV), (independent,)),
        QD=view(F, start(N, at.F_QD), (freedoms,)),
        R=view(F, start(N, at.F_R), (nodes, 3, 3)),
        p=view(F, start(N, at.F_P), (nodes, 3)),
        S=view(F, start(N, at.F_S), (freedoms, 3)),
        velocity=view(F, start(N, at.F_VEL), (nodes, 6)),
        acceleration=view(F, start(N, at.F_ACC), (nodes, 6)),
        force=view(F, start(N, at.F_FORCE), (nodes, 6)),
        inertia=view(F, start(N, at.F_CI), (nodes, 10)),
        bias=view(F, start(N, at.F_BIAS), (freedoms,)),
        step=view(F, start(N, at.F_STEP), (independent,)),
        carried=view(F, start(N, at.F_CARRIED), (nodes + N[at.LOOPS], 9)),
    )


@opener
def open_mass(F: Floats, N: Ints) -> MassViews:
    """Views of the mass matrix."""
    independent = N[at.INDEPENDENT]
    lower = N[int_start(N, at.I_LPTR) + independent]
    envelope = size(N, at.F_H)
    return MassViews(
        H=view(F, start(N, at.F_H), (envelope,)),
        constant=view(F, start(N, at.F_HBASE), (envelope,)),
        row=view(N, int_start(N, at.I_HROW), (independent,)),
        begin=view(N, int_start(N, at.I_LPTR), (independent + 1,)),
        column=view(N, int_start(N, at.I_LCOL), (lower,)),
        block_begin=view(N, int_start(N, at.I_BEGIN), (independent,)),
        block_end=view(N, int_start(N, at.I_END), (independent,)),
        tied=view(N, int_start(N, at.I_TIED), (independent,)),
        tied_begin=view(N, int_start(N, at.I_FROM), (independent,)),
        tied_end=view(N, int_start(N, at.I_TO), (independent,)),
    )


@opener
def open_efforts(F: Floats, N: Ints) -> EffortViews:
    """Views of the efforts."""
    freedoms, independent = N[at.FREEDOMS], N[at.INDEPENDENT]
    return EffortViews(
        given=view(F, start(N, at.F_TAU), (freedoms,)),
        damping=view(F, start(N, at.F_DAMPING), (freedoms,)),
        stiffness=view(F, start(N, at.F_STIFFNESS), (freedoms,)),
        reference=view(F, start(N, at.F_REFERENCE), (freedoms,)),
        drive=view(F, start(N, at.F_DRIVE), (independent,)),
        loss=view(F, start(N, at.F_LOSS), (independent,)),
        drive_slope=view(F, start(N, at.F_DRIVE_SLOPE), (independent,)),
        loss_slope=view(F, start(N, at.F_LOSS_SLOPE), (independent,)),
    )


@opener
def open_stages(F: Floats, N: Ints) -> StageViews:
    """Views of a step's stages."""
    positions, independent = N[at.POSITIONS], N[at.INDEPENDENT]
    return StageViews(
        Q0=view(F, start(N, at.F_Q0), (positions,)),
        V0=view(F, start(N, at.F_V0), (independent,)),
        Q_sum=view(F, start(N, at.F_QSUM), (positions,)),
        V_sum=view(F, start(N, at.F_VSUM), (independent,)),
        flow=view(F, start(N, at.F_FLOW), (6,)),
        peak=view(F, start(N, at.F_PEAK), (1,)),
        left=view(N, at.LEFT, (1,)),
    )


@opener
def open_stiff(F: Floats, N: Ints) -> StiffViews:
    """Views of what is too stiff for the step."""
    independent = N[at.INDEPENDENT]
    axes = N[at.FREEDOMS] + N[at.LOOP_AXES]
    return StiffViews(
        added=view(F, start(N, at.F_ADDED), (independent,)),
        shift=view(F, start(N, at.F_SHIFT), (independent,)),
        mobility=view(F, start(N, at.F_SHOWN), (axes + N[at.SPRINGS],)),
        exchanged=view(F, start(N, at.F_KEPT), (axes,)),
        faster=view(F, start(N, at.F_FASTER), (2,)),
    )
