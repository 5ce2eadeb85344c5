"""Loops and the mass matrix: rows, inertia, their factors.

Purpose: the equations of motion with what closes loops.
Takes: views of a mechanism.
Gives: rows of loops, mass matrix, factors and solutions of both.
May import: physics/tree, kinematics, native, formats, mechanism, model, spatial, diagnostics, errors, numpy.
Start at: loops.py
"""
