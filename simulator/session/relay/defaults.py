"""What a relay does unless it is asked for something else."""

from __future__ import annotations

ADDRESS = "127.0.0.1:9871"
"""Where it listens: on this computer only."""
TOLERANCE = 5e-3
"""How far joints that determine each other may be from agreeing [rad or m]."""
TIMEOUT = 0.5
"""Seconds without a message after which a joint is late."""
SOURCE, PREFIX = "/joint_states", "/relay"
"""The topic that joint states are taken from, and what is before the topics of what is sent."""
