"""The panels around the view.

Purpose: model tree, joints, traces, mechanism, diagnostics, each a panel of the main window.
Takes: a `LiveSession`, a `Selection`, a `Theme`.
Gives: `ModelPanel`, `JointsPanel`, `TracesPanel`, `MechanismPanel`, `DiagnosticsPanel`.
May import: everything below; gui.traces; PyQt6.
Start at: panel.py
"""
