"""Mechanisms for other simulators: an FMU of the Functional Mock-up Interface, 2.0 or 3.0, for co-simulation.

Purpose: `simulator convert FILE -o x.fmu` and `sim.save_fmu()`.
Takes: an engine at its start, and the binary of FMUs, which native builds once for all mechanisms.
Gives: a zip archive with modelDescription.xml, the binary, and the mechanism as a resource.
May import: recording, engine, physics, kinematics, mechanism, model, spatial, diagnostics, native, errors; of session:
    commands, look, text and open.
Start at: archive.py
"""
