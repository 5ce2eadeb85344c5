"""Dimensional synthesis: linkages found from what they are to do.

Purpose: four-bars and slider-cranks that take given positions, follow a path or generate a function; their cognates.
Takes: positions, points or pairs of angles.
Gives: `methods`, whose functions give designs, several and ranked, each with its defects and its draft.
May import: everything below.
Start at: methods.py
"""
