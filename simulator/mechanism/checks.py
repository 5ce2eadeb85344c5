"""Whether every link has its shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.model.world import World


def check_shapes(world: World, log: DiagnosticLog) -> None:
    """Report meshes whose file cannot be used: libsdformat accepts such a document, but what is simulated would not be what it says."""
    for model in world.models:
        for link in model.links:
            for omitted in link.omitted:
                if omitted.mesh is not None:
                    log.error(
                        "MESH_MISSING",
                        omitted.source or link.source,
                        f"{omitted.element} '{omitted.name}' of link '{link.name}' has no usable mesh '{omitted.mesh.uri}'",
                        hint="put the file there, name its folder with --resource-path, or take the shape out of the document",
                    )
