"""Views of a simulation: poses, pictures, films, motion, freedoms.

Purpose: everything that a view or a film shows beside the state.
Takes: snapshots, opened documents.
Gives: scenes, pictures, films, curves.
May import: session/run, everything below session.
Start at: picture.py
"""
