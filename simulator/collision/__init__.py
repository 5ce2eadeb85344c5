"""Where bodies touch, by geometry of our own, with no engine.

Purpose: contact points, normals and gaps of convex shapes, found before they touch.
Takes: the collision shapes of a `Mechanism`, poses of its bodies.
Gives: `ExactCollisions`, which fulfils `engine.port.CollisionFinder`; `unfound`, the pairs that it does not decide.
May import: dynamics, native, formats, mechanism, model, spatial, diagnostics, errors.
Start at: exact.py
"""
