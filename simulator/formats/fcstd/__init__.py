"""Assemblies of FreeCAD, saved as `.FCStd`.

Purpose: parts, joints, grounds and limits of FreeCAD's assembly workbench become the tree of an `<sdf>`.
Takes: the bytes of a file, a ZIP with a Document.xml.
Gives: `parse_freecad`: the tree, with a finding for all that is not in it.
May import: formats (asmt, files, nodes, xml), spatial, diagnostics, errors.
Start at: convert.py
"""
