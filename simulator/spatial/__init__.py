"""Rotations and poses; pure mathematics.

Purpose: rigid transforms and rotations as small frozen values, and as matrices where numbers are crunched.
Takes: tuples of floats, numpy arrays.
Gives: `Pose`, quaternion functions, rotation matrices.
May import: errors, numpy.
Start at: pose.py
"""
