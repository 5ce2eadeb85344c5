"""Contacts as rows: axes, levers of half a step later, friction, separation.

Purpose: what a contact asks of the solver.
Takes: tables of contact points.
Gives: rows of contacts, displacements that take bodies apart.
May import: physics/motion, kinematics, native, formats, mechanism, model, spatial, diagnostics, errors, numpy.
Start at: rows.py
"""
