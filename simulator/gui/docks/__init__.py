"""The panels around the view.

Purpose: model tree, joints, traces, mechanism, diagnostics, each a dock of the main window.
Takes: a `LiveSession`, a `Selection`, a `Theme`.
Gives: `ModelDock`, `JointsDock`, `TracesDock`, `MechanismDock`, `DiagnosticsDock`.
May import: everything below; gui.traces; PyQt6.
Start at: panel.py
"""
