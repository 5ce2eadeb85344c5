"""MJCF, MuJoCo's format, as MuJoCo itself reads it.

Purpose: `<mujoco>` → the tree in SDFormat 1.12 that says the same, every element with its file and line.
Takes: the tree of a document, the file it came from, and MuJoCo (extra `mjcf`), which resolves what the document means.
Gives: `mjcf_to_sdf`, and findings about all that is not simulated, or not as MuJoCo does it.
May import: formats (nodes, xml, values, writing.elements, sdf.extensions, sdf.names), model, spatial, diagnostics.
Start at: convert.py
"""
