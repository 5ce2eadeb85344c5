"""Steps of what touches, with contacts found before each.

Purpose: many steps in one call where bodies can touch.
Takes: a `BoundedMechanism` and its geometry.
Gives: the state, contacts and rows of each step.
May import: physics/detect, physics/compiled, kinematics, native, formats, mechanism, model, spatial, diagnostics,
    errors, numpy.
Start at: touching.py
"""
