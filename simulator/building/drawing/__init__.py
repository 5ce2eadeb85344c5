"""Planar mechanisms drawn by hand: what a document has in a plane, and what a gesture changes in it.

Purpose: bars, plates, pins, ground, slides, wheels, racks, belts, screws, springs, weights, forces and motors, drawn by
    points of a plane, as changes of a draft; lengths by names, and what the mechanism does before time passes.
Takes: a draft, and points of a plane as a mouse gives them.
Gives: `plan_of`, what is in the plane; `verbs` and `lengths`, the changes; `Pen`, presses and releases made into
    changes; `answers_of`, freedoms, ranges, paths and assemblies; `judged`, goals of a lesson.
May import: everything below.
Start at: plan.py
"""
