"""The step loop over dynamics: drives, passive efforts, state; strategies that enforce couplings and loops.

Purpose: one step of time, the same for every strategy; its effects are measured here.
Takes: a `Mechanism`, `Dynamics` (port), `Actuators`, drives.
Gives: `Engine.step`, `Snapshot`.
May import: physics, kinematics, mechanism, transmissions, model, spatial, diagnostics, native, errors.
Start at: engine.py
"""
