"""Strategies that enforce couplings and loops, one in each file, with one signature.

Purpose: strategies that keep residuals at zero.
Takes: a `Mechanism`.
Gives: `Dynamics` that move by their own equations, `rows` and `reduced`; and for `gear` what a physics engine needs to
    be given.
May import: the engine's port, physics, kinematics, mechanism, model, spatial, errors.
Start at: rows.py
"""
