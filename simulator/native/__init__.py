"""Kernels as machine code: which functions they are, where their libraries are, and how Python calls them.

Purpose: functions of numbers and arrays at the speed of machine code, in a program that needs no compiler.
Takes: functions of Python, marked `compiled` and `entry`.
Gives: the marks; `Repeated`, a kernel with one owner; `ready`, which loads a library, or has `build` make it.
May import: numpy, platformdirs; `native.build` numba and llvmlite.
Start at: kernels.py
"""
