"""Where things stand in the kernels' arrays; n bodies, row 0 is the ROOT, parents before children.

- `table` (n, 5) integers, columns PARENT, CODE (of the joint), FIRST (its first freedom in qd, and its first place in
  q), COUNT (its
  freedoms), EXTRA (where its quaternion's scalar stands in q).
- `axis` (n, 6): the joint's row (rx ry rz tx ty tz) where it has one.
- `X_tree` (n, 6, 6): parent to joint frame. `inertia` (n, 6, 6): about the body's origin.
- `mats` (MATS, n, 6, 6) and `vecs` (VECS, n, 6): workspace, of which a caller fills XJ, S and CJ of CUSTOM joints.
- S is stored by rows: `mats[S, i, k]` is the k-th column of the motion subspace of body i.
- `gravity` (3,) [m/s²] along the ROOT's axes; `external` (n, 6): [couple; force] on each body, in its coordinates,
  about its origin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from simulator.kinematics.arrays import Array, Array2, Array3, Array4, IntArray2

PARENT, CODE, FIRST, COUNT, EXTRA = range(5)
TABLE_COLUMNS = 5

XJ, XUP, S, INERTIA, Y, CHOLESKY, XBASE, SCRATCH = range(8)
"""Joint transform; parent to body; motion subspace; composite or articulated inertia; L^-1 U; Cholesky factor L of D;
ROOT to body."""
MATS = 8

CJ, VJ, V, C, A, F, Z = range(7)
"""Joint bias; joint velocity; velocity; velocity product cJ + v x vJ; acceleration; force or bias force; L^-1 u."""
VECS = 7

CUSTOM, FIXED, REVOLUTE_X, REVOLUTE_Y, REVOLUTE_Z, REVOLUTE, PRISMATIC, HELICAL = range(8)
EULER_ZYX, EULER_XYZ, EULER_YXZ, EULER_ZXY, TRANSLATION_XYZ, PLANAR, SPHERICAL, FLOATING_BASE = range(8, 16)

Tree: TypeAlias = "tuple[IntArray2, Array2, Array3, Array3, Array, Array4, Array3]"
"""What kernels take as one: `table`, `axis`, `X_tree`, `inertia`, `gravity`, `mats`, `vecs`."""
