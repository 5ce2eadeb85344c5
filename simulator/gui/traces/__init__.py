"""Curves over time.

Purpose: choose channels, thin them to what a screen can show, draw them.
Takes: channels, history and snapshots of a `SimulationClient`, a `Mechanism`, theme tokens.
Gives: `plan`, `min_max`, `PlotStack`, `Legend`.
May import: session, engine, analysis, recording, mechanism, model, transmissions, spatial, diagnostics;
plain modules of gui; PyQt6, pyqtgraph.
Start at: plan.py
"""
