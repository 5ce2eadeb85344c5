"""A digest of bytes, without OpenSSL: `hashlib` loads that at its import, which takes longer than a library of ours."""

from __future__ import annotations

try:
    from _blake2 import blake2b  # CPython's own, which hashlib falls back to
except ImportError:
    from hashlib import blake2b

SIZE = 32
"""Bytes of a digest."""


def digest(*parts: bytes) -> bytes:
    """BLAKE2b (RFC 7693) of parts one behind the other, each with its length before it."""
    made = blake2b(digest_size=SIZE)
    for part in parts:
        made.update(len(part).to_bytes(8, "little"))
        made.update(part)
    result: bytes = made.digest()
    return result
