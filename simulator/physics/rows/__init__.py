"""Bounded rows of axes: motors, dry friction, stops, speed limits, what is faster than the step.

Purpose: what an axis asks of the solver.
Takes: views of a mechanism, orders of drives.
Gives: rows, efforts held over a step.
May import: physics/solver, physics/loops, kinematics, native, formats, mechanism, model, spatial, diagnostics, errors,
    numpy.
Start at: rows.py
"""
