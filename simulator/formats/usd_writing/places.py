"""Where prims are: a path for each scoped name, in identifiers that USD takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.model.joint import WORLD

if TYPE_CHECKING:
    from simulator.spatial.pose import Pose
    from simulator.spatial.rotation import Quat

CODE = "CONVERT_DROPPED"
NEWTON = "Newton"
"""What the names of Newton's API schemas begin with. They are applied by name: no plug-in has to be installed."""


class Places:
    """Prims under one root. A scoped name `model::nested::link` is the path `/root/model/nested/link`."""

    def __init__(self, stage: Any, name: str) -> None:
        self._stage = stage
        self._paths: dict[tuple[str, str], str] = {}
        self._taken: set[str] = set()
        self.root = self.child("", name or "world")
        self._define(self.root)

    def child(self, parent: str, name: str) -> str:
        """A path that no other prim has; the same for the same name."""
        from pxr import Tf

        known = self._paths.get((parent, name))
        if known is not None:
            return known
        # MakeValidIdentifier replaces what is not ASCII, too: names of other scripts would collide otherwise.
        plain = f"{parent}/{Tf.MakeValidIdentifier(name)}"
        path = plain
        count = 2
        while path in self._taken:
            path = f"{plain}_{count}"
            count = count + 1
        self._taken.add(path)
        self._paths[parent, name] = path
        return path

    def model(self, scoped: str) -> str:
        """The prim of a model, made where it is not there."""
        path = self.root
        for part in scoped.split("::"):
            path = self.child(path, part)
            self._define(path)
        return path

    def of(self, scoped: str) -> str:
        """The path of a link or joint by its scoped name."""
        owner, _, name = scoped.rpartition("::")
        return self.child(self.model(owner) if owner else self.root, name)

    def body(self, scoped: str) -> list[str]:
        """What a joint names as its body: nothing for the world."""
        return [] if scoped == WORLD else [self.of(scoped)]

    def _define(self, path: str) -> None:
        if not self._stage.GetPrimAtPath(path):
            self._stage.DefinePrim(path, "Xform")


def place(prim: Any, X: Pose) -> Any:
    """Give a prim its pose in its parent; returns it as UsdGeomXformable, for a scale to follow."""
    from pxr import Gf, UsdGeom

    moved = UsdGeom.Xformable(prim)
    moved.AddTranslateOp().Set(Gf.Vec3d(*X.position))
    moved.AddOrientOp(UsdGeom.XformOp.PrecisionDouble).Set(quaternion(X.orientation, Gf.Quatd))
    return moved


def quaternion(orientation: Quat, kind: Any) -> Any:
    """(x, y, z, w) as one of Gf's quaternions, whose real part is first."""
    x, y, z, w = orientation
    return kind(w, x, y, z)
