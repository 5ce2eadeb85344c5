"""A document opened: read, its mechanism found, what is wrong with either reported.

Purpose: from a path to a document with findings.
Takes: paths, choices of reading.
Gives: `Opened`.
May import: everything below session.
Start at: opening.py
"""
