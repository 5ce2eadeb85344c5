"""Shapes of collision as arrays: hulls, faces, triangles, surfaces.

Purpose: geometry that is made once.
Takes: the collision shapes of a `Mechanism`.
Gives: `Geometry`, tables of pairs.
May import: physics/contacts, physics/algebra, formats, mechanism, model, spatial, numpy, kinematics, native.
Start at: geometry.py
"""
