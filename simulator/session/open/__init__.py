"""Opens a document: reads it, builds its mechanism, and reports errors in either.

Purpose: from a path to a document with findings.
Takes: paths, choices of reading.
Gives: `Opened`.
May import: everything below session.
Start at: opening.py
"""
