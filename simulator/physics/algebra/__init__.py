"""Vectors, spatial vectors and small linear systems, as kernels.

Purpose: what a book calls algebra, without allocation.
Takes: numbers and small arrays.
Gives: their products, frames and solutions.
May import: native, numpy, kinematics.
Start at: vectors.py
"""
