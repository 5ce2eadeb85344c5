"""A simulation shown live by other programs, at the pace of a clock.

Purpose: send joint states, poses, residuals and the shapes of links to Foxglove and rerun while a run is made.
Takes: an opened document, rows of a run.
Gives: `Stream`s that take rows, and `shown_live` for runs, which it makes as slow as the clock.
May import: session, recording, rendering, mechanism, spatial, errors.
Start at: viewers.py
"""
