"""The numbers of a mechanism at compiled speed: flat arrays in, accelerations and whole steps out.

Purpose: forward dynamics and integration of a mechanism with couplings and loops, without allocation in the hot path.
Takes: a `Mechanism`.
Gives: `CompiledMechanism`; `BoundedMechanism`, the same with motors, friction, stops and contacts.
May import: native, mechanism, model, spatial, errors, numpy.
Start at: model.py
"""
