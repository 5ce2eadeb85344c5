"""Impulses at the start of a step: blows, and motors that begin or jump.

Purpose: velocities that change at once.
Takes: rows of contacts, stops and motors.
Gives: velocities after the blow.
May import: physics/contacts, kinematics, native, formats, mechanism, model, spatial, diagnostics, errors, numpy.
Start at: impact.py
"""
