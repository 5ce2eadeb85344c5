"""What Python holds of a compiled mechanism.

Purpose: objects over buffers and kernels; how to continue where rows depend on each other.
Takes: a `Mechanism`.
Gives: `CompiledMechanism`, `BoundedMechanism`.
May import: physics/step, kinematics, native, formats, mechanism, model, spatial, diagnostics, errors, numpy.
Start at: model.py
"""
