"""From a model to the structure of its mechanism; structure before numbers.

Purpose: bodies, a spanning forest rooted in the world, loop joints, couplings, clusters and mobility, and what is wrong
    with them.
Takes: a model `World`.
Gives: a frozen `Mechanism` with its diagnostics; residuals measured from positions and poses.
May import: model, spatial, diagnostics, errors.
Start at: build.py
"""
