"""Numbers for a mechanism at a pose: kinematics, loop rows, assembly, limits, rank.

Purpose: poses of bodies and their possible motions, computed without any engine and without time.
Takes: a `Mechanism` and joint positions.
Gives: body poses, Jacobians, assembled positions, the rank of the constraints.
May import: mechanism, model, spatial, diagnostics, errors, numpy.
Start at: kinematics.py
"""
