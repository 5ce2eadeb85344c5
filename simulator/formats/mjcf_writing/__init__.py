"""Worlds as MJCF, MuJoCo's format.

Purpose: trees become nested bodies, loops and couplings equalities, as stiff as MuJoCo has them.
Takes: a `World`, and what only its mechanism knows: where it starts, which joints are cut, which links never touch.
Gives: `write_mjcf`: the text, and what could not be written.
May import: formats (nodes, values, mesh, writing), model, spatial, diagnostics, errors.
Start at: document.py
"""
