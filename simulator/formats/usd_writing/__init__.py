"""Worlds as OpenUSD, for Isaac Sim, Newton and other programs that read UsdPhysics.

Purpose: bodies, joints and loops in the schemas of UsdPhysics; mimics, dynamics of joints and inertias in Newton's.
Takes: a `World` and the names of the joints that are cut.
Gives: `write_usd`: the text of a .usda, and what could not be written.
May import: formats (mesh), model, spatial, diagnostics, errors; pxr.
Start at: stage.py
"""
