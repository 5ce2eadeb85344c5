"""Where named frames are, for poses that are written relative to one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.formats.sdf.names import MODEL_FRAME, SCOPE
from simulator.model.joint import WORLD
from simulator.spatial.pose import IDENTITY, Pose

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.model.joint import Joint
    from simulator.model.world import Frame, Model


class Places:
    """Poses in the world by scoped name. Where several things have one name, SDFormat's order decides: link, model,
    joint, frame."""

    def __init__(self, models: Iterable[Model], joints: Iterable[Joint] = (), frames: Iterable[Frame] = ()) -> None:
        self._poses: dict[str, Pose] = {}
        models = tuple(models)
        add = self._poses.setdefault
        for model in models:
            for link in model.links:
                add(link.name, link.X_WL)
        for model in models:
            add(model.name, model.X_WM)
            add(f"{model.name}{SCOPE}{MODEL_FRAME}", model.X_WM)
        for joint in (*(joint for model in models for joint in model.joints), *joints):
            add(joint.name, joint.X_WJ)
        for frame in (*(frame for model in models for frame in model.frames), *frames):
            add(frame.name, frame.X_WF)

    def pose_of(self, scope: str, reference: str) -> Pose:
        """Pose in the world of a frame that is named inside the model `scope` ("": the world itself), or of one around
        it where it has none of that name; "" names the scope's own origin."""
        if not scope:
            return self._poses.get(reference, IDENTITY) if reference != WORLD else IDENTITY
        name = f"{scope}{SCOPE}{reference}" if reference else scope
        return self._poses[name] if name in self._poses else self.pose_of(scope.rpartition(SCOPE)[0], reference)

    def relative(self, scope: str, reference: str, X_W: Pose) -> Pose:
        """A pose in the world, given in a named frame."""
        return relative(self.pose_of(scope, reference), X_W)


def relative(X_WR: Pose, X_W: Pose) -> Pose:
    """X_RA of X_WR and X_WA; without any rounding where R is the world's origin or A is at R."""
    if X_WR == IDENTITY:
        return X_W
    if X_WR == X_W:
        return IDENTITY
    return X_WR.inverse() @ X_W


def local_name(scoped: str, scope: str) -> str:
    """A scoped name as it is written inside the model `scope`."""
    return scoped.removeprefix(f"{scope}{SCOPE}") if scope else scoped
