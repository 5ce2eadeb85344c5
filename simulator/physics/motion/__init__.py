"""Free motion: accelerations, the Runge–Kutta step, projection onto loops, loose and sleeping bodies.

Purpose: how a mechanism moves where nothing bounds it.
Takes: views of a mechanism, efforts.
Gives: positions and velocities a step later.
May import: physics/build, kinematics, native, formats, mechanism, model, spatial, diagnostics, errors, numpy.
Start at: free.py
"""
