"""A mechanism made in the window by its parameters.

Purpose: choose a kind, set its parameters, see what comes of them, and get a document.
Takes: the kinds of `building.parts`.
Gives: `NewMechanism`, a dialog.
May import: building, gui, rendering, session, model, diagnostics, errors.
Start at: new_mechanism.py
"""
