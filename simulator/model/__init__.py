"""What a document says: frozen values, frames resolved, SI units.

Purpose: the meaning of a document, free of its syntax; nothing here is computed from dynamics.
Takes: nothing (plain data).
Gives: `Document`, `World`, `Model`, `Link`, `Joint`, `Axis`, `Mimic`, shapes, materials, `HardwareInfo`.
May import: spatial, diagnostics, errors.
Start at: world.py
"""
