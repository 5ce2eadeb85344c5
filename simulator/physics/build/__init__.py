"""A mechanism flattened into buffers, built and built again.

Purpose: structure and numbers of a document as offsets and floats.
Takes: a `Mechanism`.
Gives: `CompiledState` and its readings.
May import: physics/rows, kinematics, native, formats, mechanism, model, spatial, diagnostics, errors, numpy.
Start at: build.py
"""
