"""Small assemblies in the notation of OndselSolver, put together from few words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.spatial.pose import IDENTITY, Pose


def rows(matrix: NDArray[np.float64], depth: int) -> str:
    return "\n".join("\t" * depth + " \t".join(repr(float(value)) for value in row) for row in matrix)


def place(X: Pose, depth: int) -> str:
    tabs = "\t" * depth
    return (
        f"{tabs}Position3D\n{rows(np.array([X.position]), depth + 1)}\n"
        f"{tabs}RotationMatrix\n{rows(X.rotation(), depth + 1)}\n"
    )


def markers(frames: dict[str, Pose], depth: int) -> str:
    tabs = "\t" * depth
    text = f"{tabs}RefPoints\n"
    for name, X in frames.items():
        text += f"{tabs}\tRefPoint\n{place(IDENTITY, depth + 2)}{tabs}\t\tMarkers\n{tabs}\t\t\tMarker\n"
        text += f"{tabs}\t\t\t\tName\n{tabs}\t\t\t\t\t{name}\n{place(X, depth + 4)}"
    return text


def part(
    name: str,
    frames: dict[str, Pose],
    X: Pose = IDENTITY,
    *,
    mass: float = 2.0,
    centre: Pose = IDENTITY,
    moments: tuple[float, float, float] = (0.1, 0.2, 0.25),
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0),
    omega: tuple[float, float, float] = (0.0, 0.0, 0.0),
    sketch: str = "",
) -> str:
    inertia = " \t".join(map(repr, moments))
    return (
        f"\t\tPart\n\t\t\tName\n\t\t\t\t{name}\n{place(X, 3)}"
        f"\t\t\tVelocity3D\n{rows(np.array([velocity]), 4)}\n\t\t\tOmega3D\n{rows(np.array([omega]), 4)}\n"
        f"\t\t\tFeatureOrder\n{sketch}"
        f"\t\t\tPrincipalMassMarker\n\t\t\t\tName\n\t\t\t\t\tMassMarker\n{place(centre, 4)}"
        f"\t\t\t\tMass\n\t\t\t\t\t{mass!r}\n\t\t\t\tMomentOfInertias\n\t\t\t\t\t{inertia}\n"
        f"{markers(frames, 3)}"
    )


def item(kind: str, name: str, **values: object) -> str:
    """A joint, motion or force; values that begin with `/` are paths of markers."""
    text = f"\t\t\t{kind}\n\t\t\t\tName\n\t\t\t\t\t{name}\n"
    return text + "".join(f"\t\t\t\t{key}\n\t\t\t\t\t{value}\n" for key, value in values.items())


def joint(kind: str, name: str, one: str, other: str, **values: object) -> str:
    return item(kind, name, MarkerI=f"/A/{one}", MarkerJ=f"/A/{other}", **values)


def force(name: str, one: str, other: str, tension: str) -> str:
    text = item("InLineForceTorque", name, MarkerI=f"/A/{one}", MarkerJ=f"/A/{other}", tension=tension, twist="0")
    return "\n".join(line[1:] for line in text.split("\n"))


def assembly(
    ground: dict[str, Pose],
    parts: str,
    joints: str = "",
    motions: str = "",
    limits: str = "",
    forces: str = "",
    gravity: str = "0.0\t0.0\t-9.81",
) -> str:
    return (
        f"freeCAD: 3D CAD with Motion Simulation  by  askoh.com\nAssembly\n\tNotes\n\t\t(Text string: '')\n"
        f"\tName\n\t\tA\n{place(IDENTITY, 1)}{markers(ground, 1)}\tParts\n{parts}\tKinematicIJs\n"
        f"\tConstraintSets\n\t\tJoints\n{joints}\t\tMotions\n{motions}\t\tLimits\n{limits}\t\tGeneralConstraintSets\n"
        f"\tForceTorques\n{forces}\tConstantGravity\n\t\t{gravity}\n"
    )
