"""Assemblies of OndselSolver, the solver of FreeCAD's assembly workbench, which exports them as `.asmt`.

Purpose: parts with mass, markers, joints, motions, springs and gravity of an `.asmt` become the tree of an `<sdf>`.
Takes: the bytes of a file.
Gives: `parse_assembly`: the tree, with a finding for all that is not in it.
May import: formats (files, nodes, values, sdf names), spatial, model, diagnostics, errors.
Start at: convert.py
"""
