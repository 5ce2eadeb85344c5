"""Contacts or nearest points of two convex shapes, as kernels.

Purpose: narrow phase: closed forms for balls, boxes, rims and faces, GJK and polytopes for the rest.
Takes: two shapes and their poses.
Gives: points, normals, gaps, features.
May import: physics/shapes, physics/layout, physics/algebra, native, spatial, kinematics, numpy.
Start at: convex.py
"""
