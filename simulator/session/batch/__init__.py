"""Work without a clock: runs, comparisons, analyses, reports, conversions.

Purpose: what a command does from its start to its end.
Takes: settings, documents.
Gives: tables, pages, files.
May import: session/look, everything below session.
Start at: batch.py
"""
