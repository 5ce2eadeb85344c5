"""Planar mechanisms drawn by hand: what a document has in a plane, and what a gesture changes in it.

Purpose: bars, pins, ground, slides, wheels, racks and motors, drawn by points of a plane, as changes of a draft.
Takes: a draft, and points of a plane as a mouse gives them.
Gives: `plan_of`, what is in the plane; `verbs`, the changes; `Pen`, presses and releases made into changes.
May import: everything below.
Start at: plan.py
"""
