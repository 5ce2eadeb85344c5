"""The physics at compiled speed: flat arrays in, accelerations, contacts and whole steps out.

Purpose: forward dynamics, contacts and integration of a mechanism with couplings and loops, without allocation in the
    hot path.
Takes: a `Mechanism`.
Gives: `CompiledMechanism`; `BoundedMechanism`, the same with motors, friction, stops and contacts.
May import: kinematics, native, formats, mechanism, model, spatial, diagnostics, errors, numpy.
Start at: compiled/model.py
"""
