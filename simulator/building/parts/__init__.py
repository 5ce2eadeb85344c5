"""Mechanisms and machine elements by their parameters.

Purpose: gears with true involutes, cams, Geneva wheels, linkages and machines of them, each by one function.
Takes: numbers by name: modules, teeth, lengths.
Gives: `catalogue`, whose functions each make a draft of a document, and the shapes and figures of its parts.
May import: everything below.
Start at: catalogue.py
"""
