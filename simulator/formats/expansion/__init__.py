"""Macros of xacro.

Purpose: expand a document that is written with xacro, in a process of its own, because its expressions are a program of
    a stranger.
Takes: the path of the document, its arguments, folders in which packages are looked up.
Gives: `expand`: a `Node` tree whose sources are lines of the xacro files; faults go to the log.
May import: formats (nodes, cursor, resources, xml), diagnostics, xacro.
Start at: expand.py
"""
