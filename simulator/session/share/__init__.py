"""Mechanisms for people who have nothing installed: one HTML file with the mechanism, its physics and its recording.

Purpose: `simulator share`, *File ▸ Share as a page* and *Hand in*, `sim.page()` and `sim.show()`.
Takes: an opened document, an engine at its start, and the WebAssembly of the kernels.
Gives: a page that needs no network; what it holds as plain data; a folder that opens as a lesson.
May import: other folders of session, recording, rendering, engine, physics, kinematics, formats, mechanism, model,
    spatial, native, errors.
Start at: page.py
"""
