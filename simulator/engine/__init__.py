"""The step loop over dynamics: drives, passive efforts, state; strategies that hold couplings and loops.

Purpose: one step of time, the same for every strategy; what happened is measured here.
Takes: a `Mechanism`, `Dynamics` (port), `Actuators`, drives.
Gives: `Engine.step`, `Snapshot`.
May import: physics, kinematics, mechanism, transmissions, model, spatial, diagnostics, errors.
Start at: engine.py
"""
