"""The window: shows snapshots, sends commands, computes no physics.

Purpose: the desktop program.
Takes: an opened document, a `SimulationClient`.
Gives: `run_window`.
May import: studies, session, recording, rendering and everything below; PyQt6, pyqtgraph.
Start at: application.py
"""
