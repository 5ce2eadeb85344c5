"""Positions along a driver, and modes.

Purpose: plots over the position of a driver, animated modes, and the parts that need forces.
Takes: the document and the pose on show; analyses of the session.
Gives: `AnalysisPanel`, `Watching`.
May import: session, recording, engine, analysis, mechanism, model, spatial, diagnostics, errors, parts of gui;
    PyQt6, pyqtgraph.
Start at: analysis_panel.py
"""
