"""Facts about the selected item, and fields that change it.

Purpose: facts, numbers, law, reaction, findings and source of a link, joint, coupling, loop or model, in one column.
Takes: a `LiveSession`, a `Selection`, a `Theme`.
Gives: `Inspector`, and the editors of laws and numbers.
May import: everything below; gui.panels.panel; PyQt6.
Start at: inspector.py
"""
