"""SDFormat 1.2 to 1.12.

Purpose: from an element tree to a model with all frames resolved (libsdformat's semantics).
Takes: `Node` trees of one document and of the files that it includes.
Gives: `read_root`: worlds and models; findings go to the log.
May import: formats (nodes, cursor, values, resources), model, spatial, diagnostics, errors.
Start at: root.py
"""
