"""Text that a user types, and text about a mechanism.

Purpose: drives, loads, numbers and settings as text; conditions and descriptions for people.
Takes: text, mechanisms.
Gives: settings, sentences, plain data, plots.
May import: session/open, everything below session.
Start at: settings.py
"""
