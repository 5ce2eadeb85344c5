"""The step loop over a backend port: drives, passive efforts, state, enforcement of couplings and loops.

Purpose: one step of time, the same for every backend and strategy; what happened is measured here.
Takes: a `Mechanism`, a `Backend` (port), `Actuators`, drives.
Gives: `Engine.step`, `Snapshot`.
May import: dynamics, mechanism, transmissions, model, spatial, diagnostics, errors.
Start at: engine.py
"""
