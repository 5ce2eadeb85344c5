"""What an engineer asks of a mechanism beside its motion: forces in joints, positions without time, equilibrium, small
motion.

Purpose: reactions of joints and couplings, sweeps along axes with everything that follows, equilibria, linear models,
    derivatives by parameters.
Takes: a mechanism and states of it; loads.
Gives: arrays with names.
May import: condition, physics, kinematics, formats, mechanism, transmissions, model, spatial, diagnostics, errors.
Start at: reactions.py
"""
