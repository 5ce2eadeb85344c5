"""Worlds as URDF, loops in the dialect of another program.

Purpose: what is a tree becomes the tree of a `<robot>`, what closes loops one of the ways in which programs close them.
Takes: a `World` and the names of the joints that are cut.
Gives: `write_urdf`: the text, the file beside it that a dialect needs, and what could not be written.
May import: formats (nodes, values, writing, urdf), model, spatial, diagnostics, errors.
Start at: robot.py
"""
