"""Many poses or variants in one call.

Purpose: positions, rates and efforts over arrays of poses; runs of variants.
Takes: a compiled mechanism, arrays of positions or parameters.
Gives: arrays of readings.
May import: physics/compiled, kinematics, native, formats, mechanism, model, spatial, diagnostics, errors, numpy.
Start at: sweep.py
"""
