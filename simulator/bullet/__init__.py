"""PyBullet behind the engine's port; the only room that imports pybullet.

Purpose: build a mechanism's bodies in Bullet without any of Bullet's silent defaults, step it, read it.
Takes: a `Mechanism`, joint positions, efforts, gear and loop requests.
Gives: `BulletDynamics`, which fulfils `engine.port.Dynamics`.
May import: engine, physics, kinematics, formats, mechanism, model, spatial, diagnostics, errors, pybullet.
Start at: dynamics.py
"""
