"""Joint states from a zenoh router or peer and back, as the lines of JSON that the socket takes."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

from simulator.errors import MissingLibraryError, UsageError
from simulator.session.relay.text import answer_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.session.relay.hub import Hub
    from simulator.session.relay.relay import Relayed
    from simulator.session.relay.remarks import Remark

RETRY = 2.0
"""Seconds between attempts to connect for the first time; zenoh itself restores a connection that is lost."""


class ZenohLink:
    """A client of one router or peer. It listens nowhere and looks for no others in the network.

    Raises UsageError for an endpoint or a key that is none, MissingLibraryError without zenoh.
    """

    def __init__(self, hub: Hub, endpoint: str, key: str, prefix: str, say: Callable[[str], None]) -> None:
        """`key`: of the joint states of others; `prefix`: before the key `state`. `say`: what a person is to read;
        from another thread."""
        try:
            import zenoh
        except ImportError as error:
            raise MissingLibraryError("--zenoh needs eclipse-zenoh: pip install 'simulator[zenoh]'") from error
        self._zenoh: Any = zenoh
        self._hub = hub
        self._endpoint = endpoint
        self._say = say
        self._publisher: Any = None
        self._session: Any = None
        self._ended = threading.Event()
        try:
            self._key, self._output = (zenoh.KeyExpr(name) for name in (key, f"{prefix}/state"))
            self._config = self._client_of(endpoint)
        except zenoh.ZError as error:
            raise UsageError(f"'{endpoint}' with '{key}' and '{prefix}' is none of zenoh's: {_first(error)}") from None
        threading.Thread(target=self._connect, daemon=True).start()

    def _client_of(self, endpoint: str) -> Any:
        config = self._zenoh.Config()
        wanted = {
            "mode": "client",
            "connect/endpoints": [endpoint],
            "scouting/multicast/enabled": False,
            "scouting/gossip/enabled": False,
        }
        for name, value in wanted.items():
            config.insert_json5(name, json.dumps(value))
        return config

    def _connect(self) -> None:
        """Until it succeeds."""
        is_first = True
        while not self._ended.is_set():
            try:
                session = self._zenoh.open(self._config)
            except self._zenoh.ZError:
                if is_first:
                    self._say(f"connects to {self._endpoint}")
                is_first = False
                self._ended.wait(RETRY)
                continue
            self._session = session
            session.declare_subscriber(self._key, self._received)
            self._publisher = session.declare_publisher(self._output)
            self._say(f"connected to {self._endpoint}")
            return

    def _received(self, sample: Any) -> None:
        self._hub.receive_from_thread(sample.payload.to_bytes(), self)

    def send(self, _found: Relayed, line: bytes) -> None:
        """Publish a state."""
        if self._publisher is not None:
            self._publisher.put(line.rstrip(b"\n"))

    def answer(self, remark: Remark) -> None:
        """Publish a remark on a message that cannot be used."""
        if self._publisher is not None:
            self._publisher.put(answer_of([remark]).rstrip(b"\n"))

    def close(self) -> None:
        """End the connection."""
        self._ended.set()
        if self._session is not None:
            self._session.close()


def _first(error: Exception) -> str:
    """What zenoh says, without where in its source."""
    return str(error).partition(" at ")[0]
