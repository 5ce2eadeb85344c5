"""URDF, read the way libsdformat does.

Purpose: from a `<robot>` tree to the tree of an `<sdf>` element with one model, which the SDFormat reader then
    understands.
Takes: `Node` trees.
Gives: `robot_to_sdf`; findings go to the log.
May import: formats (nodes, values, control, sdf), model, spatial, diagnostics, numpy.
Start at: convert.py
"""
