"""argv to session to text, files and an exit code.

Purpose: the command line.
Takes: arguments.
Gives: text for people on standard error, data on standard output, exit codes.
May import: gui (the window, for `simulator view`), session and everything below.
Start at: app.py
"""
