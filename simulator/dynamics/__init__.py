"""Numbers for a mechanism: kinematics, loop rows, assembly, energy.

Purpose: what a mechanism's positions and velocities are, computed without any engine.
Takes: a `Mechanism` and joint positions.
Gives: body poses, Jacobians, assembled positions, the rank of the constraints.
May import: mechanism, model, spatial, diagnostics, errors, numpy.
Start at: kinematics.py
"""
