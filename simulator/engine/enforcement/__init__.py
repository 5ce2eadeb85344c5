"""How couplings and loops are held: one strategy a file, one signature.

Purpose: strategies that keep residuals at zero.
Takes: a `Mechanism` and the backend's port.
Gives: `Enforcement` strategies: `rows`, `reduced`, `gear`.
May import: the engine's port, dynamics, mechanism, model, spatial, errors.
Start at: rows.py
"""
