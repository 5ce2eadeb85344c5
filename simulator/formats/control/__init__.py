"""`<ros2_control>` blocks and `<transmission>` elements of URDF robots and SDFormat models.

Purpose: read what a document says about actuators, judge it as ros2_control does, and resolve the names of its joints.
Takes: the elements of one model and its resolved joints.
Gives: `HardwareInfo` and `TransmissionInfo`; joints whose mimic is switched off or whose start is given there.
May import: model, diagnostics.
Start at: resolve.py
"""
