"""The Python interface to a mechanism: load, set, run, and its matrices by name.

Purpose: `simulator.load` and the objects it returns, so that a script needs no other name of the package.
Takes: a path, an example's name or the text of a document; names of joints and links; drives and profiles.
Gives: `Simulation`, `Run`, drives, named vectors and matrices, states in the order of other programs.
May import: everything below.
Start at: simulation.py
"""
