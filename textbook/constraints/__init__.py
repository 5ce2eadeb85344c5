"""Loop constraints: what ties the joint positions of a cluster beyond its tree joints.

Purpose: φ(q) = 0 or q = γ(y), with K, k, G and g, independent coordinates, redundant and contradictory rows, Newton
    assembly.
Takes: constant matrices, bar lengths, or the user's functions (derivatives come from hyper-dual numbers where none are
    given).
Gives: `LoopConstraint` values: Static, Free, Implicit, Explicit, FourBar, Collection; couplings as Static.
May import: kinematics, spatial, errors, numpy.
Start at: base.py
"""
