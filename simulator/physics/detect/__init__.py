"""Contacts between the bodies of a mechanism.

Purpose: broad phase, then the features of each pair, before they overlap.
Takes: the geometry of a mechanism, poses of its bodies.
Gives: `ExactCollisions`, which fulfils `engine.port.CollisionFinder`; `unfound`, the pairs that it does not decide.
May import: physics/narrow, kinematics, native, formats, mechanism, model, spatial, diagnostics, errors, numpy,
    diagnostics.
Start at: detect.py
"""
