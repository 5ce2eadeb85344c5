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
PATIENCE = 2.0
"""Seconds that an attempt to connect has to end when the link is closed."""


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
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

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

    def _work(self) -> None:
        """Connect, then receive until `close` ends the session.

        Samples come through a channel to this thread, for which `close` waits. Callbacks run on threads of zenoh:
        before Python 3.14 a thread that asks for the interpreter's lock while the interpreter ends is unwound, through
        frames of Rust, too, which aborts the process.
        """
        self._connect()
        if self._ended.is_set():  # `close` may have come before the session
            self._close_session()
            return
        try:
            samples = self._session.declare_subscriber(self._key)
            self._publisher = self._session.declare_publisher(self._output)
        except self._zenoh.ZError:
            if self._ended.is_set():
                return
            raise
        self._say(f"connected to {self._endpoint}")
        for sample in samples:
            self._hub.receive_from_thread(sample.payload.to_bytes(), self)

    def _connect(self) -> None:
        """Until it succeeds or the link is closed."""
        is_first = True
        while self._session is None and not self._ended.is_set():
            try:
                self._session = self._zenoh.open(self._config)
            except self._zenoh.ZError:
                if is_first:
                    self._say(f"connects to {self._endpoint}")
                is_first = False
                self._ended.wait(RETRY)

    def send(self, _found: Relayed, line: Callable[[], bytes]) -> None:
        """Publish a state."""
        if self._publisher is not None:
            self._publisher.put(line().rstrip(b"\n"))

    def answer(self, remark: Remark) -> None:
        """Publish a remark on a message that cannot be used."""
        if self._publisher is not None:
            self._publisher.put(answer_of([remark]).rstrip(b"\n"))

    def close(self) -> None:
        """End the connection."""
        self._ended.set()
        self._close_session()
        self._thread.join(PATIENCE)
        self._publisher = self._session = None  # dropped here, while the runtime of zenoh is still there

    def _close_session(self) -> None:
        if self._session is not None:
            self._session.close()


def _first(error: Exception) -> str:
    """What zenoh says, without where in its source."""
    return str(error).partition(" at ")[0]
