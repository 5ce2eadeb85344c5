"""What other programs ignore, approximate or refuse of a document.

Purpose: find the features of a document that another program does not have, and give a remedy.
Takes: an opened document and names of programs; `programs.toml`, all statements with versions and sources.
Gives: findings with file and line.
May import: session, physics, kinematics, formats, mechanism, model, diagnostics, errors.
Start at: findings.py
"""
