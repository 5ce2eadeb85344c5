"""Joints that close loops, and the rows that hold them, as named arrays: views of F and N, as `tree.views`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from simulator.native.kernels import opener, view
from simulator.physics.layout import buffers as at
from simulator.physics.layout.buffers import int_start, size, start
from simulator.physics.loops.tapes import TapeViews, open_tapes
from simulator.physics.tree.cables import open_cables
from simulator.physics.tree.loads import open_loads
from simulator.physics.tree.views import open_efforts, open_mass, open_stages, open_state, open_stiff, open_tree

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Floats, Floats2, Floats3, Ints
    from simulator.physics.tree.cables import CableViews
    from simulator.physics.tree.loads import LoadViews
    from simulator.physics.tree.views import EffortViews, MassViews, StageViews, StateViews, StiffViews, TreeViews

# Rows of `Loops.motion`, three numbers each: twist and bias acceleration of the child's side against the parent's about
# x, the origin of Jc (angular, linear); velocity of x; angular velocities of the parent's and of the child's side.
TWIST, BENT, POINT_RATE, SIDE_RATE = 0, 2, 4, 5
NODE_NUMBERS, WORK = 9, 21
"""Of a node in its plane: numbers of its constants (see `loops.planar`), and of its work (see `motion.planar`)."""


class LoopViews(NamedTuple):
    """Loop joints, between a frame Jp on the parent's side and Jc on the child's; their axes; and the rows of both.

    Of side s = 2 l + (0 or 1) of loop joint l: its `node` (-1 for the world), the frame in it, `fixed` (3 x 4), and in
    the world, `frame` (4 x 3): a rotation, and the origin in the last row. `motion`: see above. The way of loop joint l
    through the tree has the nodes `path_node[t]`, for t from `path_begin[l]` to before `path_begin[l + 1]`, with
    `path_sign` 1 towards the child's side, -1 towards the parent's.

    Of a loop axis: `axis_kind` (turns about an axis of the parent's side 0, slides 1, turns about one of the child's
    2), `axis_loop`, `axis_direction` (2 x 3), with a hand across it, `axis_position` now, `passive`: damping, stiffness
    and reference, and what acts on it: `given` efforts and, held over a step, `drive` and `loss`.

    Of a row: `row_kind` (see `loops.loops`), `row_loop`, u and w in the frames of both sides, and `row_target`;
    `active`: all rows, those that are solved first. The terms of a row, or behind all rows those of a rotor, are t from
    `term_begin[r]` to before `term_begin[r + 1]`: `coefficient` times a loop axis, `term_axis`, or where that is -1 a
    freedom of the tree, `term_freedom`; of a row with a `tape` they are the slopes of its formula, as it was evaluated
    last. `rotor`: inertia of rotors that turn with loop axes. `play`: freedoms of `curves` real couplings along curves,
    whose terms are behind those of rotors, then both of each cable (see `rows.cables`); `along_play` (n, 3): the effort
    that is held along each over a step, its q'^T phi'' q', and how much of the effort is in LOSS at present.
    """

    node: Ints
    fixed: Floats3
    frame: Floats3
    motion: Floats3
    path_begin: Ints
    path_node: Ints
    path_sign: Ints
    axis_kind: Ints
    axis_loop: Ints
    axis_direction: Floats3
    axis_position: Floats
    passive: Floats2
    given: Floats
    drive: Floats
    loss: Floats
    drive_slope: Floats
    loss_slope: Floats
    row_kind: Ints
    row_loop: Ints
    active: Ints
    row_u: Floats2
    row_w: Floats2
    row_target: Floats
    term_begin: Ints
    term_axis: Ints
    term_freedom: Ints
    coefficient: Floats
    rotor: Floats
    curves: int
    play: Ints
    along_play: Floats2
    tape: TapeViews


class RowViews(NamedTuple):
    """The rows that are solved, over the independent coordinates: K v = 0.

    `solved` of them, the last `guides` of which choose a motion (`guide` with right-hand sides `guide_rhs`). `rank`
    (1,): that of their factors, `least_rank` (1,): the least that a factorization of this call found; `is_parked`:
    guides choose a motion at a singular position. `spare`: a row of `K` and `XK`, behind all of them, that is free for
    any use, `scratch` is that of `XK`; where that of `K` is zero otherwise, its entries are in the `window`, from the
    first coordinate to before the second. `XK`: H^-1 K^T, by row; `A`: K H^-1 K^T, then its factor, with rows in the
    `order` of their pivots; `residual`, `rhs`: minus the velocity terms, `multiplier`. `pivot`: least of the rows now,
    greatest along the motion, usual least. `near`: rows made perpendicular, near singular positions, and `near_solved`:
    H^-1 times them.
    """

    solved: int
    rank: Ints
    least_rank: Ints
    is_parked: bool
    guides: int
    spare: int
    scratch: Floats
    window: Ints
    K: Floats2
    XK: Floats2
    A: Floats2
    order: Ints
    residual: Floats
    rhs: Floats
    multiplier: Floats
    pivot: Floats
    near: Floats2
    near_solved: Floats2
    guide: Floats2
    guide_rhs: Floats


class PlaneViews(NamedTuple):
    """The mechanism in its plane. Of a node: its constants `node` and `work`. Of a loop joint: the origins of both
    frames in their nodes, `origin` (x, y of the parent's, then of the child's). Of a row: its `direction`. Of a loop
    axis, `axis`: its sense, and its angle at zero. `gravity` in the plane."""

    node: Floats2
    work: Floats2
    origin: Floats2
    direction: Floats2
    axis: Floats2
    gravity: Floats


@opener
def open_loops(F: Floats, N: Ints) -> LoopViews:
    """Views of the loop joints."""
    loops = N[at.LOOPS]
    axes = N[at.LOOP_AXES]
    rows = N[at.ROWS]
    plays = N[at.CURVED_PLAYS]
    terms = size(N, at.F_LCOEF)
    path = N[int_start(N, at.I_PATH_PTR) + loops]
    return LoopViews(
        node=view(N, int_start(N, at.I_LOOP_NODE), (2 * loops,)),
        fixed=view(F, start(N, at.F_LOOP_X), (2 * loops, 3, 4)),
        frame=view(F, start(N, at.F_LFRAME), (2 * loops, 4, 3)),
        motion=view(F, start(N, at.F_LMOTION), (loops, 7, 3)),
        path_begin=view(N, int_start(N, at.I_PATH_PTR), (loops + 1,)),
        path_node=view(N, int_start(N, at.I_PATH_NODE), (path,)),
        path_sign=view(N, int_start(N, at.I_PATH_SIGN), (path,)),
        axis_kind=view(N, int_start(N, at.I_LAXIS_KIND), (axes,)),
        axis_loop=view(N, int_start(N, at.I_LAXIS_LOOP), (axes,)),
        axis_direction=view(F, start(N, at.F_LAXIS_DIR), (axes, 2, 3)),
        axis_position=view(F, start(N, at.F_LAXIS_Q), (axes,)),
        passive=view(F, start(N, at.F_LPASSIVE), (axes, 3)),
        given=view(F, start(N, at.F_TAU) + N[at.FREEDOMS], (axes,)),
        drive=view(F, start(N, at.F_LDRIVE), (axes,)),
        loss=view(F, start(N, at.F_LLOSS), (axes,)),
        drive_slope=view(F, start(N, at.F_LDRIVE_SLOPE), (axes,)),
        loss_slope=view(F, start(N, at.F_LLOSS_SLOPE), (axes,)),
        row_kind=view(N, int_start(N, at.I_ROW_KIND), (rows,)),
        row_loop=view(N, int_start(N, at.I_ROW_LOOP), (rows,)),
        active=view(N, int_start(N, at.I_ROW_ACTIVE), (rows,)),
        row_u=view(F, start(N, at.F_ROW_U), (rows, 3)),
        row_w=view(F, start(N, at.F_ROW_W), (rows, 3)),
        row_target=view(F, start(N, at.F_ROW_TARGET), (rows,)),
        term_begin=view(N, int_start(N, at.I_TERM_PTR), (rows + N[at.ROTORS] + plays + 1,)),
        term_axis=view(N, int_start(N, at.I_TERM_AXIS), (terms,)),
        term_freedom=view(N, int_start(N, at.I_TERM_DOF), (terms,)),
        coefficient=view(F, start(N, at.F_LCOEF), (terms,)),
        rotor=view(F, start(N, at.F_ROTOR), (N[at.ROTORS],)),
        curves=plays,
        play=view(N, int_start(N, at.I_CURVED_PLAY), (plays + 2 * N[at.CABLES],)),
        along_play=view(F, start(N, at.F_CURVED_PLAY), (plays + 2 * N[at.CABLES], 3)),
        tape=open_tapes(F, N),
    )


@opener
def open_rows(F: Floats, N: Ints) -> RowViews:
    """Views of the rows that are solved, as many as there are now."""
    solved = N[at.RANK]
    independent = N[at.INDEPENDENT]
    room = size(N, at.F_PHI)
    guides = size(N, at.F_GUIDE_RHS)
    return RowViews(
        solved=solved,
        rank=view(N, at.FACTORED, (1,)),
        least_rank=view(N, at.WORST, (1,)),
        is_parked=N[at.PARKED] != 0,
        guides=N[at.GUIDES],
        spare=N[at.SPARE],
        scratch=view(F, start(N, at.F_XK) + N[at.SPARE] * independent, (independent,)),
        window=view(N, at.LOW, (2,)),
        K=view(F, start(N, at.F_K), (room + 1, independent)),
        XK=view(F, start(N, at.F_XK), (room + 1, independent)),
        A=view(F, start(N, at.F_A), (solved, solved)),
        order=view(N, int_start(N, at.I_PIVOT), (room,)),
        residual=view(F, start(N, at.F_PHI), (room,)),
        rhs=view(F, start(N, at.F_RHS), (room + 1,)),
        multiplier=view(F, start(N, at.F_LAMBDA), (2 * room,)),
        pivot=view(F, start(N, at.F_PIVOT), (3,)),
        near=view(F, start(N, at.F_NEAR_K), (room, independent)),
        near_solved=view(F, start(N, at.F_NEAR_XK), (room, independent)),
        guide=view(F, start(N, at.F_GUIDE), (guides, independent)),
        guide_rhs=view(F, start(N, at.F_GUIDE_RHS), (guides,)),
    )


@opener
def open_plane(F: Floats, N: Ints) -> PlaneViews:
    """Views of the plane."""
    nodes = N[at.NODES]
    return PlaneViews(
        node=view(F, start(N, at.F_PLANE), (nodes, NODE_NUMBERS)),
        work=view(F, start(N, at.F_PLANE_WORK), (nodes, WORK)),
        origin=view(F, start(N, at.F_PLANE_LOOPS), (N[at.LOOPS], 4)),
        direction=view(F, start(N, at.F_PLANE_ROWS), (N[at.ROWS], 2)),
        axis=view(F, start(N, at.F_PLANE_AXES), (N[at.LOOP_AXES], 2)),
        gravity=view(F, start(N, at.F_PLANE_GRAVITY), (2,)),
    )


class MechanismViews(NamedTuple):
    """All of a mechanism, for kernels that need most of it; others take what they need. `F`, `N`: the buffers."""

    F: Floats
    N: Ints
    tree: TreeViews
    state: StateViews
    mass: MassViews
    efforts: EffortViews
    stages: StageViews
    stiff: StiffViews
    loops: LoopViews
    rows: RowViews
    plane: PlaneViews
    loads: LoadViews
    cables: CableViews


@opener
def open_mechanism(F: Floats, N: Ints) -> MechanismViews:
    """Views of a mechanism."""
    return MechanismViews(
        F=F,
        N=N,
        tree=open_tree(F, N),
        state=open_state(F, N),
        mass=open_mass(F, N),
        efforts=open_efforts(F, N),
        stages=open_stages(F, N),
        stiff=open_stiff(F, N),
        loops=open_loops(F, N),
        rows=open_rows(F, N),
        plane=open_plane(F, N),
        loads=open_loads(F, N),
        cables=open_cables(F, N),
    )
