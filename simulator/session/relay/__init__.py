"""Measured joints of another program or a robot, completed live to the motion of the whole mechanism.

Purpose: joint states of actuated joints in; all joint states, poses, residuals and efforts out, with a code for each
fault.
Takes: a mechanism put at positions (`Posed`), messages of clients of a socket, of rosbridge or of zenoh.
Gives: `Relay` and its `Relayed` states; `Hub`, which passes them between programs.
May import: session, recording, physics, kinematics, mechanism, model, spatial, diagnostics, errors.
Start at: relay.py
"""
