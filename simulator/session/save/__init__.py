"""Writes changes back into a document.

Purpose: numbers, laws and repairs, and nothing else of the file.
Takes: a document, changes.
Gives: the document with minimal edits.
May import: session/open, everything below session.
Start at: saving_changes.py
"""
