"""Shapes as UsdGeom's, to look at and to collide with, and their materials."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.formats.mesh.loader import MeshError, mesh_of
from simulator.formats.usd_writing.places import CODE, place
from simulator.model.link import Collision, Visual
from simulator.model.material import Surface
from simulator.model.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Sphere
from simulator.spatial.pose import Pose
from simulator.spatial.rotation import perpendicular_to, quat_from_matrix

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.mesh.loader import TriangleMesh
    from simulator.model.material import Material, Rgba

UNIT = (1.0, 1.0, 1.0)
USUAL = Surface()


class StageLibrary:
    """Materials of a stage, one for each colour and one for each pair of friction and restitution, and its meshes,
    which are written once however many shapes show them."""

    def __init__(self, stage: Any, root: str) -> None:
        self._stage = stage
        self._folder = f"{root}/materials"
        self._meshes = f"{root}/meshes"
        self._made: dict[tuple[str, tuple[float, ...]], Any] = {}
        self._written: dict[Mesh, str] = {}

    def mesh(self, path: str, shape: Mesh, triangles: TriangleMesh) -> Any:
        """A mesh at `path`, which refers to the class that has its points."""
        from pxr import Sdf, UsdGeom, Vt

        stage = self._stage
        if shape not in self._written:
            if not self._written:
                stage.CreateClassPrim(self._meshes)
            self._written[shape] = f"{self._meshes}/mesh_{len(self._written)}"
            made = UsdGeom.Mesh.Define(stage, self._written[shape])
            made.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(triangles.vertices.astype(np.float32)))
            made.CreateFaceVertexCountsAttr(Vt.IntArray(len(triangles.triangles), 3))
            made.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(np.ascontiguousarray(triangles.triangles.ravel())))
            made.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
        shown = UsdGeom.Mesh.Define(stage, path)
        shown.GetPrim().GetReferences().AddInternalReference(Sdf.Path(self._written[shape]))
        return shown

    def colour(self, rgba: Rgba) -> Any:
        """A UsdPreviewSurface."""
        from pxr import Gf, Sdf, UsdShade

        material, fresh = self._material("colour", rgba)
        if fresh:
            shader = UsdShade.Shader.Define(self._stage, material.GetPath().AppendChild("surface"))
            shader.CreateIdAttr("UsdPreviewSurface")
            shader.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f).Set(Gf.Vec3f(*rgba[:3]))
            shader.CreateInput("opacity", Sdf.ValueTypeNames.Float).Set(rgba[3])
            shader.CreateInput("roughness", Sdf.ValueTypeNames.Float).Set(0.6)
            material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
        return material

    def surface(self, surface: Surface) -> Any:
        """Friction and restitution."""
        from pxr import UsdPhysics

        material, fresh = self._material("surface", (surface.friction, surface.restitution))
        if fresh:
            physics = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
            physics.CreateStaticFrictionAttr(surface.friction)
            physics.CreateDynamicFrictionAttr(surface.friction)
            physics.CreateRestitutionAttr(surface.restitution)
        return material

    def _material(self, kind: str, values: tuple[float, ...]) -> tuple[Any, bool]:
        from pxr import UsdShade

        known = self._made.get((kind, values))
        if known is not None:
            return known, False
        if not self._made:
            self._stage.DefinePrim(self._folder, "Scope")
        material = UsdShade.Material.Define(self._stage, f"{self._folder}/{kind}_{len(self._made)}")
        self._made[kind, values] = material
        return material, True


def visual(stage: Any, path: str, library: StageLibrary, part: Visual, log: DiagnosticLog) -> None:
    """What is seen, with its colour or those of its mesh."""
    from pxr import Gf, UsdGeom, UsdShade

    prim = _geometry(stage, path, library, part, part.X_LV, log)
    colour = _colour(part.material)
    if prim is None or colour is None:
        return
    opacity = colour[3] * (1.0 - part.transparency)
    gprim = UsdGeom.Gprim(prim)
    gprim.CreateDisplayColorAttr([Gf.Vec3f(*colour[:3])])
    gprim.CreateDisplayOpacityAttr([opacity])
    UsdShade.MaterialBindingAPI.Apply(prim).Bind(library.colour((*colour[:3], opacity)))
    if part.material is not None and part.material.texture is not None:
        log.info(CODE, part.source, f"the picture on '{part.name}' is left out", fold="pictures", about=part.name)


def collision(
    stage: Any, path: str, library: StageLibrary, part: Collision, log: DiagnosticLog, *, static: bool
) -> None:
    """What touches: a guide, which is not rendered. A mesh that moves is its convex hull, as it is here."""
    from pxr import UsdGeom, UsdPhysics, UsdShade

    prim = _geometry(stage, path, library, part, part.X_LC, log)
    if prim is None:
        return
    UsdGeom.Imageable(prim).CreatePurposeAttr(UsdGeom.Tokens.guide)
    UsdPhysics.CollisionAPI.Apply(prim)
    if isinstance(part.shape, Mesh):
        shape = UsdPhysics.MeshCollisionAPI.Apply(prim)
        shape.CreateApproximationAttr(UsdPhysics.Tokens.none if static else UsdPhysics.Tokens.convexHull)
    binding = UsdShade.MaterialBindingAPI.Apply(prim)
    binding.Bind(library.surface(part.surface), UsdShade.Tokens.weakerThanDescendants, "physics")
    for what, lost in (
        ("friction that depends on the direction", part.surface.has_grain),
        ("contact stiffness", part.surface.gives_way),
        ("collide_bitmask", part.surface.collide_bitmask != USUAL.collide_bitmask),
    ):
        if lost:
            message = f"{what} of '{part.name}' has no place in UsdPhysics and is left out"
            log.warning(CODE, part.source, message, fold=what, about=part.name)


def _colour(material: Material | None) -> Rgba | None:
    return None if material is None else material.diffuse or material.ambient


def _geometry(
    stage: Any, path: str, library: StageLibrary, part: Visual | Collision, X: Pose, log: DiagnosticLog
) -> Any | None:
    """A prim of the shape in its place; None, with a finding, for a mesh that cannot be read."""
    from pxr import Gf, UsdGeom

    scale = UNIT
    match part.shape:
        case Box(size):
            made = UsdGeom.Cube.Define(stage, path)
            scale = size
            made.CreateSizeAttr(1.0)
        case Sphere(radius):
            made = UsdGeom.Sphere.Define(stage, path)
            made.CreateRadiusAttr(radius)
        case Ellipsoid(radii):
            made = UsdGeom.Sphere.Define(stage, path)
            scale = radii
            made.CreateRadiusAttr(1.0)
        case Cylinder(radius, length) | Capsule(radius, length) | Cone(radius, length):
            made = getattr(UsdGeom, type(part.shape).__name__).Define(stage, path)
            made.CreateRadiusAttr(radius)
            made.CreateHeightAttr(length)
            made.CreateAxisAttr(UsdGeom.Tokens.z)
        case Plane(normal, size):
            made = UsdGeom.Plane.Define(stage, path)
            made.CreateWidthAttr(size[0])
            made.CreateLengthAttr(size[1])
            made.CreateAxisAttr(UsdGeom.Tokens.z)
            first, second = perpendicular_to(normal)
            X = X @ Pose(orientation=quat_from_matrix(np.column_stack([first, second, normal])))
        case Mesh() as shape:
            made = _mesh(path, library, shape, part, log)
            if made is None:
                return None
    _write_extent(made)
    moved = place(made.GetPrim(), X)
    if scale != UNIT:
        moved.AddScaleOp().Set(Gf.Vec3f(*scale))
    return made.GetPrim()


def _mesh(path: str, library: StageLibrary, shape: Mesh, part: Visual | Collision, log: DiagnosticLog) -> Any | None:
    from pxr import UsdGeom, Vt

    try:
        triangles = mesh_of(shape)
    except MeshError as error:
        log.warning(CODE, part.source, f"the mesh of '{part.name}' is left out: {error}", error.hint, about=part.name)
        return None
    made = library.mesh(path, shape, triangles)
    if triangles.colors is not None and isinstance(part, Visual) and _colour(part.material) is None:
        colours = Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(triangles.colors[:, :3]))
        made.CreateDisplayColorPrimvar(UsdGeom.Tokens.vertex).Set(colours)
    return made


def _write_extent(made: Any) -> None:
    """Viewers fit their camera to it without reading points."""
    from pxr import Usd, UsdGeom

    extent = UsdGeom.Boundable.ComputeExtentFromPlugins(made, Usd.TimeCode.Default())
    if extent is not None:
        made.CreateExtentAttr(extent)
