"""What is asked of a mechanism by name: equations, efforts, requests, transfer.

Purpose: one place for questions that need the compiled mechanism and its kinematics.
Takes: a `Mechanism`, positions, velocities.
Gives: matrices, efforts, states.
May import: physics/sweep, kinematics, native, formats, mechanism, model, spatial, diagnostics, errors, numpy.
Start at: equations.py
"""
