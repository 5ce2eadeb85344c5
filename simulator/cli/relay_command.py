"""`simulator relay`: joint states of actuated joints in, those of all joints out."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING

from simulator.api.simulation import Simulation
from simulator.cli.interruption import interruptible
from simulator.cli.opened import opened_or_reported
from simulator.cli.output import DOCUMENT_ERRORS, OK, note
from simulator.diagnostics import counted
from simulator.session.relay.hub import Hub
from simulator.session.relay.socket_server import listen

if TYPE_CHECKING:
    from simulator.cli.options import RelayOptions
    from simulator.formats.options import ReadingOptions
    from simulator.session.relay.relay import Relay
    from simulator.session.text.settings import SessionSettings


def relay_document(file: str, settings: SessionSettings, options: ReadingOptions, links: RelayOptions) -> int:
    """Relay until a signal ends it; returns the exit code.

    Raises UsageError for what the document does not have or an address that cannot be used, AssemblyError for a start
    that couplings and loops do not allow, MissingLibraryError without the library of a link.
    """
    opened = opened_or_reported(file, options, settings.numbers)
    if opened is None:
        return DOCUMENT_ERRORS
    simulation = Simulation(opened)
    if settings.initial:
        simulation.set(dict(settings.initial))
    relay = simulation.relay(efforts=links.efforts, only=links.only(), tolerance=links.tolerance, timeout=links.timeout)
    with interruptible(), suppress(KeyboardInterrupt):
        asyncio.run(_serve(relay, links))
    return OK


async def _serve(relay: Relay, links: RelayOptions) -> None:
    with ExitStack() as stack:
        hub = Hub(relay, links.timeout)
        stack.callback(hub.close)
        stack.callback(lambda: note(f"{counted(hub.states, 'state')} sent, {hub.held} of them held"))
        server, address = await listen(hub, links.listen)
        stack.callback(server.close)
        if links.rosbridge is not None:
            from simulator.session.relay.rosbridge import Rosbridge

            bridge = Rosbridge(hub, links.rosbridge, links.source, links.to, note)
            stack.callback(bridge.close)
            hub.outlets.append(bridge)
        if links.zenoh is not None:
            from simulator.session.relay.zenoh_link import ZenohLink

            link = ZenohLink(hub, links.zenoh, links.source.strip("/"), links.to.strip("/"), note)
            stack.callback(link.close)
            hub.outlets.append(link)
        note(f"listens on {address}{_warning(address)}")
        await asyncio.Event().wait()


def _warning(address: str) -> str:
    """Where others than this computer can connect."""
    host = ip_address(address.rpartition(":")[0].strip("[]"))
    return "" if host.is_loopback else ", where every computer that reaches this one can send joint states"
