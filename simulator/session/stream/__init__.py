"""A simulation shown live by other programs, at the pace of a clock.

Purpose: send joint states, poses, residuals and the shapes of links to Foxglove and rerun while a run is made.
Takes: an opened document, rows of a run.
Gives: `Stream`s that take rows, and `RealTime`, which makes a run as slow as the clock.
May import: session, recording, rendering, mechanism, spatial, errors.
Start at: viewers.py
"""
