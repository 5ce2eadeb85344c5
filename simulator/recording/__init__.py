"""Snapshots become rows, rows become rings and files.

Purpose: which channels exist, the ring buffers behind live traces, and the files a run leaves behind.
Takes: a `Mechanism` and `Actuators` (channel names), `Snapshot`s.
Gives: `Channel`s, `TraceRing`, `Recorder`, CSV files.
May import: engine, dynamics, formats, mechanism, transmissions, model, spatial, diagnostics, errors.
Start at: channels.py
"""
