"""Cluster joints and cluster trees: couplings and loops embedded in the joints, without residual by construction.

Purpose: S, vJ, cJ, X_intra and XU of bodies that move together, and kinematics, RNEA, CRBA, C-ABA and their checks on
    trees of them.
Takes: bodies with inertias and joints, loop constraints; or loops and couplings to be grouped; or a `Mechanism`.
Gives: `ClusterTree`, `TreeState`, forward and inverse dynamics, mass matrices, constraint forces, operational space,
    energies.
May import: constraints, joints, kinematics, mechanism, spatial, errors, numpy.
Start at: tree.py
"""
