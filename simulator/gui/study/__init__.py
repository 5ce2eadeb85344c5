"""The panel in which one or two numbers of the open mechanism are varied.

Purpose: what the answer does when a number changes, drawn while the samples are made, each to be opened.
Takes: a `LiveSession`; studies.
Gives: `StudyPanel`.
May import: gui, studies and everything below.
Start at: study_panel.py
"""
