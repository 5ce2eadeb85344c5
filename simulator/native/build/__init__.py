"""Builds the native libraries.

Purpose: kernels of Python become one shared library for each part of the program; `python -m simulator.native.build`.
Takes: functions that are marked in `native.kernels`, by importing their modules by name.
Gives: libraries in the user's cache or in a wheel. numba types and lowers each kernel once, LLVM optimises all of a
    part at once, a linker makes the library; functions that have not changed are cached between builds.
May import: native, numba, llvmlite.
Start at: work.py
"""

import os

os.environ["NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING"] = "1"  # colours of messages, never shown: 7 % of the time
