"""Where everything is in the two flat buffers that a kernel gets: F (float64) and N (int64).

A kernel call with two arrays costs a third of a microsecond from Python; one with forty would cost more than the
mechanics. N begins with sizes, then for every block its start and end; blocks are addressed as slices, and within a
block by flat index.

The tables below say what each block holds; the numbers by which kernels know sizes and blocks are the places of their
lines. A shape is written over sizes, in small letters: those at the head of N, and

    rows_room: rows and room for guides         simple: nodes in closed form, nodes - active
    entries: of G, the couplings' matrix        envelope: of H, see `loops.solve`; lower: of L off its diagonal
    terms: of AXIS rows, rotors, curved plays    path: nodes on the ways of all loops
    profiles, knots, spring_knots, cable_parts: of loads
    independent+1: one more than that

A unit in brackets is that of the axis or row, rad or m and what follows from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.native.kernels import compiled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.kinematics.arrays import IntArray, Ints
    from simulator.spatial.arrays import Array


class Block(NamedTuple):
    """A line of the tables: name, shape over sizes, unit, and what it holds."""

    name: str
    shape: str
    unit: str
    meaning: str


class _Table:
    """Numbers its lines as they come."""

    def __init__(self) -> None:
        self.lines: list[Block] = []

    def __call__(self, name: str, shape: str = "", unit: str = "", meaning: str = "") -> int:
        self.lines.append(Block(name, shape, unit, meaning))
        return len(self.lines) - 1


# Sizes at the head of N.
_sizes = _Table()
NODES = _sizes("nodes", meaning="of the tree: bodies that are not welded to others")
FREEDOMS = _sizes("freedoms", meaning="scalar freedoms of all nodes")
INDEPENDENT = _sizes("independent", meaning="coordinates that couplings leave independent")
POSITIONS = _sizes("positions", meaning="numbers in Q")
LOOPS = _sizes("loops", meaning="joints that close loops")
ROWS = _sizes("rows", meaning="rows of loop joints and of couplings with their axes")
LOOP_AXES = _sizes("loop_axes", meaning="axes of loop joints")
RANK = _sizes("rank", meaning="rows that are solved, guides included")
WORST = _sizes("worst", meaning="least rank that a factorization of this call found")
FACTORED = _sizes("factored", meaning="rank of the factors that there are")
WEIGHTLESS = _sizes("weightless", meaning="nodes that gravity leaves alone")
ACTIVE = _sizes("active", meaning="nodes that a step has to place")
PLANAR = _sizes("planar", meaning="whether all of them move in one plane, with chosen rows that it can express")
IDENTITY = _sizes("identity", meaning="whether every freedom of a node is its own coordinate")
LOW = _sizes("low", meaning="first coordinate of the window of the spare row")
HIGH = _sizes("high", meaning="the one behind its last")
GUIDES = _sizes("guides", meaning="rows for what the motion leaves still, and at a singular position to choose one")
PARKED = _sizes("parked", meaning="whether guides choose a motion at a singular position")
SPARE = _sizes("spare", meaning="row of K and XK that is free for any use")
LEFT = _sizes("left", meaning="steps that a call has left to make")
WEIGHTLESS_ACTIVE = _sizes("weightless_active", meaning="weightless nodes that a step has to place")
FORCES = _sizes("forces", meaning="forces, moments and weights of loads")
SPRINGS = _sizes("springs", meaning="springs between points")
ROTORS = _sizes("rotors", meaning="rotors that turn with axes of loop joints")
CURVED_PLAYS = _sizes("curved_plays", meaning="plays of real couplings along curves: see `layout.meshes`")
CABLES = _sizes("cables", meaning="cables over points and pulleys: see `tree.cables`")
SIZES = tuple(_sizes.lines)
HEAD = len(SIZES)

# Blocks of F: what does not change while time passes, the state and what acts on it, and room to work in.
_floats = _Table()
F_X = _floats("X", "nodes 3 4", "1, m", "frame of a joint at zero in the node inboard: rotation and origin")
F_AXIS = _floats("AXIS", "nodes 3", "1", "axis of a hinge or slide, in that frame")
F_INERTIA = _floats(
    "INERTIA", "nodes 10", "kg, kg m, kg m²", "m, m c, and xx yy zz xy xz yz about the node's origin, in its axes"
)
F_GVALUE = _floats("GVALUE", "entries", "(1)", "entries of G, by freedom: q = G y + c")
F_GCONST = _floats("GCONST", "freedoms", "(rad or m)", "c")
F_GRAVITY = _floats("GRAVITY", "3", "m/s²", "in the world")
F_LOOP_X = _floats("LOOP_X", "loops 2 3 4", "1, m", "frames of a loop joint in its parent's and its child's node")
F_ROW_U = _floats("ROW_U", "rows 3", "1", "u of a row, in the parent's frame")
F_ROW_W = _floats("ROW_W", "rows 3", "1", "w of a row that turns, in the child's frame")
F_ROW_TARGET = _floats("ROW_TARGET", "rows", "(1 or m)", "what the left-hand side is to be")
F_LAXIS_DIR = _floats("LAXIS_DIR", "loop_axes 6", "1", "direction of a loop axis, and a hand across it")
F_LCOEF = _floats("LCOEF", "terms", "(1)", "coefficients of rows of couplings, rotors and curved plays")
F_ROTOR = _floats("ROTOR", "rotors", "(kg m² or kg)", "inertia of rotors that turn with loop axes")
F_DAMPING = _floats("DAMPING", "freedoms", "(N m s or N s/m)", "of dampers")
F_STIFFNESS = _floats("STIFFNESS", "freedoms", "(N m or N/m)", "of springs")
F_REFERENCE = _floats("REFERENCE", "freedoms", "(rad or m)", "where springs are at rest")
F_LPASSIVE = _floats(
    "LPASSIVE",
    "loop_axes+springs 3",
    "(SI)",
    "damping, stiffness and reference of loop axes, then of springs between points",
)
F_Q = _floats("Q", "positions", "(rad or m)", "positions: coordinates, then place and quaternion of loose nodes")
F_V = _floats("V", "independent", "(rad/s or m/s)", "velocities of the independent coordinates")
F_TAU = _floats("TAU", "freedoms+loop_axes", "(N m or N)", "efforts on freedoms, then on loop axes")
F_R = _floats("R", "nodes 9", "1", "rotation of each node, in the world")
F_P = _floats("P", "nodes 3", "m", "origin of each node")
F_S = _floats("S", "freedoms 3", "1", "direction of each freedom")
F_VEL = _floats("VEL", "nodes 6", "rad/s, m/s", "twist about the node's origin: angular, linear")
F_ACC = _floats("ACC", "nodes 6", "rad/s², m/s²", "bias acceleration, minus gravity")
F_FORCE = _floats("FORCE", "nodes 6", "N m, N", "force that a node needs, then all outboard of it")
F_CI = _floats("CI", "nodes 10", "kg, kg m, kg m²", "inertia about the node's origin in world axes, composite later")
F_BIAS = _floats("BIAS", "freedoms", "(N m or N)", "h(q, qd)")
F_H = _floats("H", "envelope", "(kg m² or kg)", "mass matrix, then its factors")
F_DV = _floats("DV", "independent", "(rad/s² or m/s²)", "accelerations")
F_DQ = _floats("DQ", "positions", "(rad/s or m/s)", "rates of Q")
F_K = _floats("K", "rows_room+1 independent", "(1 or m)", "rows over the independent rates; the last one is spare")
F_XK = _floats("XK", "rows_room+1 independent", "(SI)", "H⁻¹ Kᵀ, by row")
F_A = _floats("A", "rows_room rows_room", "(SI)", "K H⁻¹ Kᵀ, then its factor")
F_PHI = _floats("PHI", "rows_room", "(1 or m)", "residuals")
F_RHS = _floats("RHS", "rows_room+1", "(1/s² or m/s²)", "minus the velocity terms")
F_LAMBDA = _floats("LAMBDA", "2 rows_room", "(SI)", "right-hand side, then multipliers; room for as many")
F_LFRAME = _floats("LFRAME", "loops 2 12", "1, m", "rotation and origin of both frames of a loop joint, in the world")
F_LMOTION = _floats(
    "LMOTION", "loops 21", "rad/s, m/s, …", "motion of the child's side against the parent's: see `loops.views`"
)
F_LAXIS_Q = _floats("LAXIS_Q", "loop_axes", "(rad or m)", "positions of loop axes")
F_Q0 = _floats("Q0", "positions", "(rad or m)", "Q at the start of the step")
F_V0 = _floats("V0", "independent", "(rad/s or m/s)", "V at the start of the step")
F_QSUM = _floats("QSUM", "positions", "(rad/s or m/s)", "weighted sum of DQ over stages")
F_VSUM = _floats("VSUM", "independent", "(rad/s² or m/s²)", "weighted sum of DV over stages")
F_STEP = _floats("STEP", "independent", "(rad or m)", "a displacement, or velocities at the end of the step")
F_QD = _floats("QD", "freedoms", "(rad/s or m/s)", "G V")
F_DRIVE = _floats("DRIVE", "independent", "(N m or N)", "efforts of drives that are held over a step")
F_LOSS = _floats("LOSS", "independent", "(N m or N)", "efforts that only take energy, held over a step")
F_LDRIVE = _floats("LDRIVE", "loop_axes", "(N m or N)", "the same of drives on loop axes, whose directions change")
F_LLOSS = _floats("LLOSS", "loop_axes", "(N m or N)", "and of what only takes energy there")
F_DRIVE_SLOPE = _floats("DRIVE_SLOPE", "independent", "(N m/s or N/s)", "by how much DRIVE grows within a step")
F_LOSS_SLOPE = _floats("LOSS_SLOPE", "independent", "(N m/s or N/s)", "and LOSS")
F_LDRIVE_SLOPE = _floats("LDRIVE_SLOPE", "loop_axes", "(N m/s or N/s)", "and LDRIVE")
F_LLOSS_SLOPE = _floats("LLOSS_SLOPE", "loop_axes", "(N m/s or N/s)", "and LLOSS")
F_FLOW = _floats(
    "FLOW",
    "6",
    "J",
    "in the step: work of drives, energy taken, work of loads, of contacts, of parting, and from nothing",
)
F_PEAK = _floats("PEAK", "1", "J", "the largest kinetic energy so far, where steps are judged by it")
F_ADDED = _floats("ADDED", "independent", "(kg m² or kg)", "what `rows.stiff` adds to the inertia")
F_SHIFT = _floats("SHIFT", "independent", "1", "how much later than half of the step the velocity counts")
F_CARRIED = _floats("CARRIED", "nodes+loops 9", "rad/s², m/s², N", "room for what joints carry: see `step.bearings`")
F_CURVED_PLAY = _floats(
    "CURVED_PLAY",
    "curved_plays+2cables 3",
    "(N m or N, 1/s²)",
    "effort that is held along a play, q'^T phi'' q' of it, and what of the effort LOSS has at present",
)
F_KEPT = _floats("KEPT", "freedoms+loop_axes", "(N m s or N s/m)", "dampers that are exchanged for that")
F_SHOWN = _floats("SHOWN", "freedoms+loop_axes+springs", "(1/kg m² or 1/kg)", "mobility that a damper or spring feels")
F_FASTER = _floats("FASTER", "2", "1", "how dampers and springs are judged: see `rows.stiff`")
F_SIMPLE = _floats(
    "SIMPLE", "simple 4", "J, J, J, (kg m² or kg)", "A, B, C and I of nodes in closed form: see `simple`"
)
F_HBASE = _floats("HBASE", "envelope", "(kg m² or kg)", "what does not change of H")
F_PLANE = _floats("PLANE", "nodes 9", "1, m, kg, kg m²", "nodes in the plane: see `planar`")
F_PLANE_LOOPS = _floats("PLANE_LOOPS", "loops 4", "m", "origins of both frames in their nodes")
F_PLANE_ROWS = _floats("PLANE_ROWS", "rows 2", "1", "direction of each row")
F_PLANE_AXES = _floats("PLANE_AXES", "loop_axes 2", "1, rad", "sense of each loop axis, and its angle at zero")
F_PLANE_GRAVITY = _floats("PLANE_GRAVITY", "2", "m/s²", "in the plane")
F_PLANE_WORK = _floats("PLANE_WORK", "nodes 21", "—", "room for nodes in the plane")
F_GUIDE = _floats("GUIDE", "guides_room independent", "(1)", "rows that choose a motion (see `change_point`)")
F_GUIDE_RHS = _floats("GUIDE_RHS", "guides_room", "(1/s²)", "and their right-hand sides")
F_NEAR_K = _floats("NEAR_K", "rows_room independent", "(1 or m)", "rows made perpendicular, near singular positions")
F_NEAR_XK = _floats("NEAR_XK", "rows_room independent", "(SI)", "H⁻¹ times them")
F_PIVOT = _floats("PIVOT", "3", "(SI)", "least pivot of the rows now, greatest along the motion, usual least")
F_TIME = _floats("TIME", "2", "s", "time of the profiles now, and when the step began")
F_LOAD = _floats("LOAD", "forces 12", "m, 1", "point of a force in its node, and rotation of its axes")
F_PROFILE = _floats("PROFILE", "profiles 5", "SI", "numbers of a profile: see `load_tables`")
F_PROFILE_TABLE = _floats("PROFILE_TABLE", "knots 7", "s, SI", "pieces of tables: see `load_tables`")
F_LOAD_NOW = _floats("LOAD_NOW", "forces 6", "N m, N", "moment and force now")
F_SPRING = _floats(
    "SPRING", "springs 17", "m, m/s, 1", "both points in their nodes, and what it is now: see `tree.loads`"
)
F_SPRING_TABLE = _floats("SPRING_TABLE", "spring_knots 3", "m, N, J", "lengths, forces and energies of tables")
F_TAPE_NUMBER = _floats("TAPE_NUMBER", "numbers", "(SI)", "numbers in formulas of couplings")
F_TAPE_TURN = _floats("TAPE_TURN", "curves 2", "(SI)", "period of a table, 0 without, and its advance")
F_TAPE_PIECE = _floats("TAPE_PIECE", "pieces 5", "(SI)", "pieces of tables: see `tape_views`")
F_TAPE_WORK = _floats("TAPE_WORK", "instructions 6", "—", "room for a tape: see `tape_views`")
F_TAPE_VARIABLE = _floats("TAPE_VARIABLE", "variables 6", "—", "room for its variables")
F_CABLE_PART = _floats("CABLE_PART", "cable_parts 14", "m, 1", "what cables pass: see `tree.cables`")
F_CABLE_NOW = _floats("CABLE_NOW", "cable_parts 30", "m, rad, m/s", "where they pass it now")
F_CABLE = _floats("CABLE", "cables 2", "1, 1/s", "friction times wrap of a cable, and its rate")
FLOATS = tuple(_floats.lines)
FLOAT_BLOCKS = len(FLOATS)

GREATEST, USUAL = 1, 2
"""Places in F_PIVOT."""

# Blocks of N, behind the table of starts and ends.
_ints = _Table()
I_KIND = _ints("KIND", "nodes", meaning="kind of a node's joint: see `flatten`")
I_PARENT = _ints("PARENT", "nodes", meaning="node inboard, -1 the world")
I_FIRST = _ints("FIRST", "nodes", meaning="first freedom")
I_TURNS = _ints("TURNS", "freedoms", meaning="1 where it turns, 0 where it slides")
I_GPTR = _ints("GPTR", "freedoms+1", meaning="where the entries of a freedom begin")
I_GINDEX = _ints("GINDEX", "entries", meaning="their coordinates")
I_YPOS = _ints("YPOS", "independent", meaning="place of a coordinate in Q, -1 of a loose node")
I_LPOS = _ints("LPOS", "nodes", meaning="place of a loose node in Q, -1 of others")
I_LPTR = _ints("LPTR", "independent+1", meaning="where the columns left of the diagonal of H begin")
I_LCOL = _ints("LCOL", "lower", meaning="these columns")
I_ROW_KIND = _ints("ROW_KIND", "rows", meaning="LINE, TURN, AXIS or CURVED")
I_ROW_LOOP = _ints("ROW_LOOP", "rows", meaning="loop joint of a row")
I_ROW_ACTIVE = _ints("ROW_ACTIVE", "rows", meaning="all rows, those that are solved first")
I_LOOP_NODE = _ints("LOOP_NODE", "loops 2", meaning="node of the parent's and of the child's side, -1 the world")
I_PATH_PTR = _ints("PATH_PTR", "loops+1", meaning="where the way of a loop begins")
I_PATH_NODE = _ints("PATH_NODE", "path", meaning="nodes on it")
I_PATH_SIGN = _ints("PATH_SIGN", "path", meaning="1 towards the child's side, -1 towards the parent's")
I_LAXIS_KIND = _ints(
    "LAXIS_KIND",
    "loop_axes",
    "",
    "turns about an axis of the parent's side (0), slides (1), turns about one of the child's (2)",
)
I_LAXIS_LOOP = _ints("LAXIS_LOOP", "loop_axes", meaning="its loop joint")
I_TERM_PTR = _ints(
    "TERM_PTR", "rows+rotors+curved_plays+1", meaning="where terms of rows begin, then of rotors and curved plays"
)
I_TERM_AXIS = _ints("TERM_AXIS", "terms", meaning="loop axis, or -1")
I_TERM_DOF = _ints("TERM_DOF", "terms", meaning="freedom, or -1")
I_PIVOT = _ints("PIVOT", "rows_room", meaning="rows in the order of their pivots")
I_WEIGHTLESS = _ints("WEIGHTLESS", "weightless", meaning="nodes that gravity leaves alone, those that are placed first")
I_ORDER = _ints("ORDER", "nodes", meaning="nodes in the order of sweeps, those in closed form last")
I_HROW = _ints("HROW", "independent", meaning="element (i, j) of H is at HROW[i] + j")
I_BEGIN = _ints("BEGIN", "independent", meaning="first coordinate of a coordinate's block of H")
I_END = _ints("END", "independent", meaning="the one behind its last")
I_TIED = _ints("TIED", "independent", meaning="first coordinate that H or loops couple it with: see `looped`")
I_FROM = _ints("FROM", "independent", meaning="where coordinates begin that H or loops couple it with")
I_TO = _ints("TO", "independent", meaning="the one behind the last")
I_LOOPED = _ints("LOOPED", "nodes", meaning="1 where loops may have a part in how it moves: see `looped`")
I_LOAD = _ints("LOAD", "forces 2", meaning="node of a load, and its kind")
I_PROFILE = _ints("PROFILE", "profiles 3", meaning="kind, and first row and number of rows of its table")
I_SPRING = _ints("SPRING", "springs 4", meaning="both nodes, and first row and number of rows of its table")
I_TAPE_BEGIN = _ints(
    "TAPE_BEGIN", "rows+rotors+curved_plays+1", meaning="where instructions begin, of rows and others as TERM_PTR"
)
I_TAPE_CODE = _ints("TAPE_CODE", "instructions 4", meaning="operation, and what it is of: see `model.tape`")
I_CURVED_PLAY = _ints(
    "CURVED_PLAY", "curved_plays+2cables", meaning="freedom of a play along a curve, then of both rates of each cable"
)
I_CABLE_PTR = _ints("CABLE_PTR", "cables+1", meaning="where the parts of a cable begin")
I_CABLE_PART = _ints("CABLE_PART", "cable_parts 2", meaning="node of a part, -1 the world, and its kind")
I_TAPE_CURVE = _ints("TAPE_CURVE", "curves 2", meaning="first piece of a table, and number of pieces")
INTS = tuple(_ints.lines)
INT_BLOCKS = len(INTS)


def allocate(
    sizes: Mapping[int, int], floats: Mapping[int, Array | int], ints: Mapping[int, IntArray | int]
) -> tuple[Array, IntArray]:
    """Both buffers. A block is given by its contents, or by its length where it is room to work in (zeros)."""
    float_start, float_size = _starts(floats, FLOAT_BLOCKS, 0)
    tables = HEAD + 2 * (FLOAT_BLOCKS + INT_BLOCKS)
    int_start, int_size = _starts(ints, INT_BLOCKS, tables)
    F = np.zeros(float_size)
    N = np.zeros(int_size, dtype=np.int64)
    for index, size in sizes.items():
        N[index] = size
    for block, (start, length) in enumerate(float_start):
        N[HEAD + 2 * block : HEAD + 2 * block + 2] = start, start + length
        contents = floats[block]
        if not isinstance(contents, int):
            F[start : start + length] = contents.ravel()
    for block, (start, length) in enumerate(int_start):
        at = HEAD + 2 * (FLOAT_BLOCKS + block)
        N[at : at + 2] = start, start + length
        values = ints[block]
        if not isinstance(values, int):
            N[start : start + length] = values.ravel()
    return F, N


def _starts(blocks: Mapping[int, Array | IntArray | int], count: int, at: int) -> tuple[list[tuple[int, int]], int]:
    starts = []
    for block in range(count):
        contents = blocks[block]
        length = contents if isinstance(contents, int) else contents.size
        starts.append((at, length))
        at += length
    return starts, at


def place(N: IntArray, index: int) -> int:
    """Where a float block begins."""
    return int(N[HEAD + 2 * index])


def block(F: Array, N: IntArray, index: int) -> Array:
    """A float block as a view, for Python's side."""
    start = N[HEAD + 2 * index]
    end = N[HEAD + 2 * index + 1]
    return F[start:end]


def int_block(N: IntArray, index: int) -> IntArray:
    """An integer block as a view, for Python's side."""
    at = HEAD + 2 * (FLOAT_BLOCKS + index)
    return N[N[at] : N[at + 1]]


@compiled
def leaves_some_out(N: Ints) -> bool:
    """Whether rows of loops are not solved that another pose could need; in the plane none could."""
    return N[PLANAR] == 0 and N[RANK] - N[GUIDES] < N[ROWS]


@compiled
def start(N: Ints, index: int) -> int:
    """First index of a float block in F."""
    return N[HEAD + 2 * index]


@compiled
def size(N: Ints, index: int) -> int:
    """How many numbers a float block has."""
    return N[HEAD + 2 * index + 1] - N[HEAD + 2 * index]


@compiled
def int_start(N: Ints, index: int) -> int:
    """First index of an integer block in N."""
    return N[HEAD + 2 * (FLOAT_BLOCKS + index)]
