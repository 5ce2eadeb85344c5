"""Snapshots become rows, rows become recordings and files.

Purpose: which channels exist, the store of all rows of a session, and the files a run leaves behind.
Takes: a `Mechanism` and `Actuators` (channel names), `Snapshot`s.
Gives: `Channel`s, `RowStore`, `History`, `RecordFile`, CSV and MCAP files, motions of joints that other programs wrote.
May import: engine, physics, kinematics, formats, mechanism, transmissions, model, spatial, diagnostics, errors.
Start at: channels.py
"""
