"""The panels around the view.

Purpose: model tree, joints, traces, diagnostics, each a dock of the main window.
Takes: a `LiveSession`, a `Selection`, a `Theme`.
Gives: `ModelDock`, `JointsDock`, `TracesDock`, `DiagnosticsDock`.
May import: session, engine, mechanism, model, spatial, diagnostics, gui.traces and the plain modules of gui; PyQt6.
Start at: panel.py
"""
