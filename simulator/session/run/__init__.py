"""Simulated time that passes: in this process or in a separate one.

Purpose: run, pause, step, reset, record.
Takes: settings, commands, wall time.
Gives: `Runner`, `RemoteClient`.
May import: session/forces, everything below session.
Start at: runner.py
"""
