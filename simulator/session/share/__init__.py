"""Mechanisms for people who have nothing installed: one HTML file with the mechanism, its physics and its recording.

Purpose: `simulator share`, *File ▸ Share as a page*, `sim.page()` and `sim.show()`.
Takes: an opened document, an engine at its start, and the WebAssembly of the kernels.
Gives: a page that needs no network; what it holds as plain data.
May import: other folders of session, rendering, engine, physics, kinematics, mechanism, model,
    native, spatial, errors.
Start at: page.py
"""
