"""Addresses of other programs, as users write them."""

from __future__ import annotations

from simulator.errors import UsageError


def host_and_port(text: str, example: str, *, is_free: bool = False) -> tuple[str, int]:
    """Of HOST:PORT; `is_free`: 0 is a port, any that is free. Raises UsageError for what is none."""
    host, colon, port = text.rpartition(":")
    if not (host and colon and port.isdecimal()) or not (0 if is_free else 1) <= int(port) < 65536:
        raise UsageError(f"'{text}' is no address: write HOST:PORT, as {example}")
    return host.strip("[]"), int(port)
