"""The panel in which one or two numbers of the open mechanism are varied.

Purpose: the effect of a number on the answer, drawn while the samples are made, each of which can be opened.
Takes: a `LiveSession`; studies.
Gives: `StudyPanel`.
May import: gui, studies and everything below.
Start at: study_panel.py
"""
