"""Contacts of poses that lie in memory in another order, or that are read-only."""

from __future__ import annotations

import numpy as np

from simulator.physics.detect.own import OwnContacts
from simulator.session.commands.factory import make_engine
from simulator.session.open.examples import find_file
from simulator.session.open.opening import open_document
from simulator.session.text.settings import SessionSettings
from tests.helpers.contact_points import points_of


def test_contacts_do_not_depend_on_how_poses_lie_in_memory() -> None:
    engine = make_engine(open_document(find_file("gripper")), SessionSettings())
    engine.step()
    poses, finder = engine.snapshot().body_poses, OwnContacts(engine.mechanism)
    engine.close()
    by_columns, read_only = np.asfortranarray(poses), poses.copy()
    read_only.flags.writeable = False
    gaps = [points_of(finder, one, 0.01).gaps.tolist() for one in (poses, by_columns, read_only)]  # type: ignore[union-attr]
    assert len(gaps[0]) >= 4
    assert gaps[0] == gaps[1] == gaps[2]
