"""The tree of bodies: couplings, positions, velocities, bias efforts and loads.

Purpose: recursive Newton–Euler on the tree, in freedoms that couplings tie.
Takes: views of a mechanism.
Gives: poses, velocities, bias efforts of its nodes.
May import: physics/algebra, physics/layout, kinematics, native, mechanism, model, spatial, diagnostics, errors,
    numpy.
Start at: tree.py
"""
