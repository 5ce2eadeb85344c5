"""Contacts between the bodies of a mechanism.

Purpose: broad phase, then the features of each pair, before they overlap.
Takes: the geometry of a mechanism, poses of its bodies.
Gives: `OwnContacts`, the points in which bodies may meet in the next step.
May import: physics/narrow, kinematics, native, formats, mechanism, model, spatial, diagnostics, errors, numpy,
    diagnostics.
Start at: detect.py
"""
