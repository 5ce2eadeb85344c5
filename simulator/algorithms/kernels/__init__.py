"""Tree algorithms over flat arrays, compiled.

Purpose: kinematics, inverse and forward dynamics of a tree of bodies without allocation, the same code with and without
    a compiler.
Takes: arrays as `layout.py` describes them.
Gives: kernels of trees of bodies: kinematics, jacobian, rnea, crba, aba.
May import: physics, kinematics (its types of arrays), native.
Start at: layout.py
"""
