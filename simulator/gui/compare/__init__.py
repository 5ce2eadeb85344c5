"""Two or three runs side by side.

Purpose: strategies, documents, or before and after a change, with the same drives: views, traces and a table of drift.
Takes: lanes of `session.batch.side_by_side`.
Gives: `SideBySide`, a window of its own.
May import: session, rendering, mechanism, model, spatial, errors, the plain modules of gui and its viewport;
    PyQt6, pyqtgraph.
Start at: side_by_side.py
"""
