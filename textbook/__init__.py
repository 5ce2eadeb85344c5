"""Textbook algorithms for trees of bodies and of clusters, and the oracle that the compiled dynamics is tested against.

Purpose: what a book derives, in numpy as the book writes it: RNEA, CRBA, ABA, cluster joints, loop constraints, joint
    models.
Takes: bodies with inertias and joints, added one by one, or a `Mechanism`.
Gives: `Multibody`, `ClusterTree` and the algorithms on them. Nothing that runs a simulation imports this package.
May import: kinematics, mechanism, spatial and errors of the simulator, numpy.
Start at: multibody.py
"""
