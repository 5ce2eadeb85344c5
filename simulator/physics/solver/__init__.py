"""Impulses of bounded rows, one island at a time.

Purpose: l ≤ x ≤ u, complementary to rates: Newton’s method, descents, sweeps.
Takes: tables of rows, their couplings through the inertia.
Gives: impulses.
May import: physics/layout, native, numpy, kinematics.
Start at: newton.py
"""
