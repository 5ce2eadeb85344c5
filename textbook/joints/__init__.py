"""Joint models: how a child moves against its parent.

Purpose: one small class per joint, with its transform, motion subspace and velocity-product term.
Takes: joint positions and velocities, or rows (rx ry rz tx ty tz) of a motion subspace.
Gives: `JointModel` objects, joints inferred from their rows, chains of single joints.
May import: spatial, errors, numpy.
Start at: protocol.py
"""
