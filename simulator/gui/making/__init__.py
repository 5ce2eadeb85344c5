"""A mechanism made in the window: by its parameters, from what it is to do, or drawn.

Purpose: choose a kind or a task, set its numbers, see what comes of them, and get a document.
Takes: the kinds of `building.parts`, the searches of `building.synthesis`, the changes of `building.drawing`.
Gives: `NewMechanism` and `Synthesis`, dialogs; `BuildMode`, a page.
May import: building, formats, gui, rendering, session, model, spatial, diagnostics, errors.
Start at: new_mechanism.py, synthesis.py, build_mode.py
"""
