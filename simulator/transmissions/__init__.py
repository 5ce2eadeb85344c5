"""Actuator space ↔ joint space.

Purpose: the transmissions between actuators and joints as linear maps, and the actuators of a whole world bound to its
    joint axes.
Takes: what a document says about transmissions (`model`), the names of a mechanism's axes.
Gives: `Transmission` and its kinds; `Actuators` with maps between actuators and axes; what cannot be bound as
    diagnostics.
May import: model, spatial, diagnostics, errors.
Start at: base.py
"""
