"""A document as a tree that can be changed, every byte of it that is not changed kept.

Purpose: change, add and remove elements of an XML document; comments, layout and spelling of the rest stay.
Takes: bytes of a document in UTF-8.
Gives: `tree.EditableTree`, whose text is the document again, and edits of numbers and names by line.
May import: errors.
Start at: tree.py
"""
