"""One step, and many in one call.

Purpose: the order in which a step does what it does, and what is recorded of it.
Takes: a compiled mechanism and its orders.
Gives: the state a step later, the row that is recorded.
May import: physics/impact, kinematics, native, formats, mechanism, model, spatial, diagnostics, errors, numpy.
Start at: step.py
"""
