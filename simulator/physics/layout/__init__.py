"""Where everything is in the two buffers of a mechanism, and in the tables of rows.

Purpose: names for offsets and columns, and the opening of views on them.
Takes: a mechanism that is flattened into arrays.
Gives: offsets, columns, views.
May import: kinematics, native, mechanism, model, spatial, errors, numpy.
Start at: buffers.py
"""
