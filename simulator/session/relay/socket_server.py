"""Clients of a TCP socket: joint states as lines of JSON in, states as lines of JSON out, to every client."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from simulator.errors import UsageError
from simulator.session.relay.defaults import ADDRESS
from simulator.session.relay.joint_state import LARGEST
from simulator.session.relay.remarks import Remark
from simulator.session.relay.text import answer_of
from simulator.session.text.addresses import host_and_port

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.session.relay.hub import Hub
    from simulator.session.relay.relay import Relayed

MOST_CLIENTS = 64
MOST_UNREAD = 1_000_000
"""Bytes that wait for a client; it misses states beyond."""
HTTP = b"HTTP/1."


async def listen(hub: Hub, address: str) -> tuple[asyncio.Server, str]:
    """The server, and where it listens; port 0 is any free one. Raises UsageError for an address that is none, or not
    free."""
    host, port = host_and_port(address, ADDRESS, is_free=True)
    clients: set[Client] = set()
    loop = asyncio.get_running_loop()
    try:
        server = await loop.create_server(lambda: Client(hub, clients), host, port)
    except OSError as error:
        raise UsageError(
            f"cannot listen on {address}: {error.strerror or error}; --listen takes another HOST:PORT, with port 0 any "
            "that is free"
        ) from None
    bound = server.sockets[0].getsockname()
    return server, f"[{bound[0]}]:{bound[1]}" if ":" in bound[0] else f"{bound[0]}:{bound[1]}"


class Client(asyncio.Protocol):
    """One connection."""

    def __init__(self, hub: Hub, clients: set[Client]) -> None:
        self._hub = hub
        self._clients = clients
        self._transport: asyncio.Transport | None = None
        self._begun = bytearray()
        self._is_skipping = False
        self._missed = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send every state from now on."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=MOST_UNREAD)
        if len(self._clients) >= MOST_CLIENTS:
            self.answer(Remark("TOO_MANY_CLIENTS", f"{MOST_CLIENTS} clients are connected"))
            self._transport.close()
            return
        self._clients.add(self)
        self._hub.outlets.append(self)

    def connection_lost(self, _error: Exception | None) -> None:
        """Forget the client."""
        self._transport = None
        if self in self._clients:
            self._clients.remove(self)
            self._hub.outlets.remove(self)

    def data_received(self, data: bytes) -> None:
        """Pass whole lines on; the beginning of another waits for its end."""
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._take(bytes(self._begun) + line)
            self._begun.clear()
        self._begun += rest
        if len(self._begun) > LARGEST:
            self._begun.clear()
            if not self._is_skipping:
                self._is_skipping = True
                self.answer(Remark("TOO_LONG", f"the line is longer than {LARGEST} bytes"))

    def eof_received(self) -> bool:
        """A client that sends no more may still read."""
        if self._begun.strip() and not self._is_skipping:
            self._take(bytes(self._begun))
            self._begun.clear()
        return True

    def _take(self, line: bytes) -> None:
        if self._is_skipping:  # the end of a line that was too long
            self._is_skipping = False
            return
        if not line.strip() or self._transport is None or self._transport.is_closing():
            return
        if HTTP in line and not line.lstrip().startswith(b"{"):
            # A page in a browser can send requests here, whose body must not be taken for a joint state.
            self.answer(Remark("BAD_JSON", "a relay takes lines of JSON, not HTTP"))
            self._transport.close()
            return
        self._hub.receive(line, self)

    def send(self, _found: Relayed, line: Callable[[], bytes]) -> None:
        """Send a state, unless so much waits that the client does not read."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        if transport.get_write_buffer_size() > MOST_UNREAD:
            self._missed += 1
            return
        if self._missed:
            transport.write(answer_of([Remark("DROPPED", f"{self._missed} states were not sent: too many wait")]))
            self._missed = 0
        transport.write(line())

    def answer(self, remark: Remark) -> None:
        """Send a remark to this client alone."""
        if self._transport is not None and self._transport.get_write_buffer_size() <= MOST_UNREAD:
            self._transport.write(answer_of([remark]))
