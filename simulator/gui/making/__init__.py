"""A mechanism made in the window: by its parameters, or from what it is to do.

Purpose: choose a kind or a task, set its numbers, see what comes of them, and get a document.
Takes: the kinds of `building.parts`, the searches of `building.synthesis`.
Gives: `NewMechanism` and `Synthesis`, dialogs.
May import: building, gui, rendering, session, model, diagnostics, errors.
Start at: new_mechanism.py, synthesis.py
"""
