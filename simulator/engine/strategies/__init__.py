"""How couplings and loops are held: one strategy a file, one signature.

Purpose: strategies that keep residuals at zero.
Takes: a `Mechanism`.
Gives: `Dynamics` that move by their own equations, `rows` and `reduced`; and for `gear` what a physics engine needs to
    be given.
May import: the engine's port, physics, kinematics, mechanism, model, spatial, errors.
Start at: rows.py
"""
