"""Model values become SDFormat 1.12.

Purpose: write what a document means, so that it is read back as equal values; the rest is taken over from the tree.
Takes: a `Document`, the element tree that it was read from (if there is one), the folder that the result will be saved
    in.
Gives: `write_document`: text and what had to be left out; `read_source`: a document with its tree.
May import: formats (nodes, cursor, loading, values, sdf, control), model, spatial, diagnostics.
Start at: document.py
"""
