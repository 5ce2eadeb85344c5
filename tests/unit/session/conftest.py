"""Clients of both kinds over one small document: in this process, and in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from simulator.session.open.opening import Opened, open_document
from simulator.session.run.client import SimulationClient
from simulator.session.run.remote import RemoteClient
from simulator.session.text.settings import SessionSettings
from tests.helpers import documents
from tests.helpers.clients import PAUSED, Make
from tests.helpers.local_client import LocalClient


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    """Two coupled flywheels of 1 kg m² and a third one."""
    parts = [documents.link(name) for name in "abc"]
    parts += [
        documents.joint("j", "revolute", parent="world", child="a"),
        documents.joint("k", "revolute", documents.mimic("j", multiplier=2.0), parent="world", child="b"),
        documents.joint("p", "revolute", parent="world", child="c"),
    ]
    path = tmp_path_factory.mktemp("wheels") / "wheels.sdf"
    path.write_text(documents.world(documents.model("m", *parts)), encoding="utf-8")
    return open_document(path)


@pytest.fixture(params=[LocalClient, RemoteClient], ids=["local", "remote"])
def make(request: pytest.FixtureRequest, wheels: Opened) -> Iterator[Make]:
    """Makes clients of the wheels."""
    made: list[SimulationClient] = []

    def start(settings: SessionSettings = PAUSED) -> SimulationClient:
        made.append(request.param(wheels, settings))
        return made[-1]

    yield start
    for client in made:
        client.close()


@pytest.fixture
def remote(wheels: Opened) -> Iterator[RemoteClient]:
    """The wheels in a process of their own, paused."""
    client = RemoteClient(wheels, PAUSED)
    yield client
    client.close()
