"""Kinds of shapes as kernels tell them apart."""

from __future__ import annotations

OTHER, BOX, ROUND = 0, 1, 2
"""What has closed forms with planes only; boxes; balls and capsules, segments that are rounded."""
