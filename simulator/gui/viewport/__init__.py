"""The 3-D view.

Purpose: hand the window's OpenGL context to the renderer, move the camera, pick, label.
Takes: a `LiveSession`, a `Selection`, a `Theme`.
Gives: `Viewport`.
May import: building, session, recording, rendering, engine, mechanism, model, spatial, diagnostics, errors, parts of
    gui; PyQt6.
Start at: viewport.py
"""
