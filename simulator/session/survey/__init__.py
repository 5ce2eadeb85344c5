"""Surveys of many documents: check, a short run and a picture of each, every one in its own process.

Purpose: find the documents of folders, examine them side by side, judge and tabulate the results.
Takes: folders, reading options, limits of time and memory.
Gives: `Record`s as they come, and the files of a survey: JSON lines, tables, a page and sheets of pictures.
May import: session, rendering and everything below.
Start at: survey.py
"""
