"""What a user can do, without Qt and without argv.

Purpose: open a document, drive, run, pause, step, reset, record, in a process of its own.
Takes: paths, commands, wall time.
Gives: `Opened`, `Runner`, `RemoteClient`.
May import: everything below.
Start at: open/opening.py
"""
