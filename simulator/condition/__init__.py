"""How a mechanism stands at a pose: mobility by rank, redundant rows, singular poses, the quality of its maps.

Purpose: K and G with names, their singular values, what each loop leaves free, what the start pose is.
Takes: a `Mechanism` and positions.
Gives: `Condition`, with `Spectrum`, `LoopCondition`, `Singularity`, `RedundantRow`.
May import: physics, kinematics, mechanism, model, spatial, diagnostics, errors, numpy.
Start at: condition.py
"""
