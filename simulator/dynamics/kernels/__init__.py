"""Tree algorithms over flat arrays, compiled.

Purpose: kinematics, inverse and forward dynamics of a tree of bodies without allocation, the same code with and without a compiler.
Takes: arrays as `layout.py` describes them, those of clusters as `clusters/flat.py` does.
Gives: kernels of trees of bodies (kinematics, jacobian, rnea, crba, aba) and of clusters (forward_sweep).
May import: numba.
Start at: layout.py
"""
