"""Simulator for coupled and closed-loop mechanisms, from a document to a window.

Purpose: the public names of the package, loaded when they are first used: `import simulator` itself starts nothing
    heavy.
Takes: nothing.
Gives: the names in `__all__`.
May import: every room, but only when one of its names is asked for.
Start at: __main__.py
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from simulator.collector import collector_paused

if TYPE_CHECKING:
    from simulator.api.drives import chirp, effort, expression, pid, position, ramp, sine, spline, step, table, velocity
    from simulator.api.loading import load
    from simulator.api.loads import force, spring
    from simulator.api.parameters import Parameters
    from simulator.api.run import Run
    from simulator.api.simulation import Simulation
    from simulator.api.states import peer_state
    from simulator.building.draft import edit, new
    from simulator.building.parts import catalogue as parts  # noqa: F401
    from simulator.building.shapes import bar, box, capsule, cone, cylinder, ellipsoid, mesh, plate, sphere
    from simulator.building.synthesis import methods as synthesis  # noqa: F401
    from simulator.condition.condition import condition_of
    from simulator.errors import (
        AssemblyError,
        DocumentError,
        DocumentWarning,
        SimulationError,
        SimulatorError,
        UsageError,
    )
    from simulator.formats.document import read_document
    from simulator.kinematics.named import NamedMatrix, NamedVector
    from simulator.mechanism.build import build_mechanism
    from simulator.mechanism.parameters import Parameter
    from simulator.model.profiles import Profile
    from simulator.session.open.opening import Opened, open_document
    from simulator.studies.learning.making import gym
    from simulator.studies.optimise import optimise
    from simulator.studies.results import Results, read_results
    from simulator.studies.study import study
    from simulator.studies.tolerances import tolerances
    from simulator.transmissions.base import Transmission
    from textbook.clusters.from_mechanism import cluster_tree_of
    from textbook.multibody import Multibody

__version__ = "0.1.0"

__all__ = [
    "AssemblyError",
    "DocumentError",
    "DocumentWarning",
    "Multibody",
    "NamedMatrix",
    "NamedVector",
    "Opened",
    "Parameter",
    "Parameters",
    "Profile",
    "Results",
    "Run",
    "Simulation",
    "SimulationError",
    "SimulatorError",
    "Transmission",
    "UsageError",
    "bar",
    "box",
    "build_mechanism",
    "capsule",
    "chirp",
    "cluster_tree_of",
    "condition_of",
    "cone",
    "cylinder",
    "edit",
    "effort",
    "ellipsoid",
    "expression",
    "force",
    "gym",
    "load",
    "mesh",
    "new",
    "open_document",
    "optimise",
    "peer_state",
    "pid",
    "plate",
    "position",
    "ramp",
    "read_document",
    "read_results",
    "sine",
    "sphere",
    "spline",
    "spring",
    "step",
    "study",
    "table",
    "tolerances",
    "velocity",
]

_HOMES = {
    "AssemblyError": "simulator.errors",
    "DocumentError": "simulator.errors",
    "DocumentWarning": "simulator.errors",
    "Multibody": "textbook.multibody",
    "NamedMatrix": "simulator.kinematics.named",
    "NamedVector": "simulator.kinematics.named",
    "Opened": "simulator.session.open.opening",
    "Parameter": "simulator.mechanism.parameters",
    "Parameters": "simulator.api.parameters",
    "Profile": "simulator.model.profiles",
    "Results": "simulator.studies.results",
    "Run": "simulator.api.run",
    "Simulation": "simulator.api.simulation",
    "SimulationError": "simulator.errors",
    "SimulatorError": "simulator.errors",
    "Transmission": "simulator.transmissions.base",
    "UsageError": "simulator.errors",
    "bar": "simulator.building.shapes",
    "box": "simulator.building.shapes",
    "build_mechanism": "simulator.mechanism.build",
    "capsule": "simulator.building.shapes",
    "chirp": "simulator.api.drives",
    "cluster_tree_of": "textbook.clusters.from_mechanism",
    "condition_of": "simulator.condition.condition",
    "cone": "simulator.building.shapes",
    "cylinder": "simulator.building.shapes",
    "edit": "simulator.building.draft",
    "effort": "simulator.api.drives",
    "ellipsoid": "simulator.building.shapes",
    "expression": "simulator.api.drives",
    "force": "simulator.api.loads",
    "gym": "simulator.studies.learning.making",
    "load": "simulator.api.loading",
    "mesh": "simulator.building.shapes",
    "new": "simulator.building.draft",
    "open_document": "simulator.session.open.opening",
    "optimise": "simulator.studies.optimise",
    "peer_state": "simulator.api.states",
    "pid": "simulator.api.drives",
    "plate": "simulator.building.shapes",
    "position": "simulator.api.drives",
    "ramp": "simulator.api.drives",
    "read_document": "simulator.formats.document",
    "read_results": "simulator.studies.results",
    "sine": "simulator.api.drives",
    "sphere": "simulator.building.shapes",
    "spline": "simulator.api.drives",
    "spring": "simulator.api.loads",
    "step": "simulator.api.drives",
    "study": "simulator.studies.study",
    "table": "simulator.api.drives",
    "tolerances": "simulator.studies.tolerances",
    "velocity": "simulator.api.drives",
}


_MODULES = {"parts": "simulator.building.parts.catalogue", "synthesis": "simulator.building.synthesis.methods"}
"""Modules that are public as a whole."""


def __getattr__(name: str) -> object:
    """Load a public name from the room it lives in (PEP 562) and keep it."""
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name not in _HOMES:
        raise AttributeError(f"module 'simulator' has no attribute '{name}'. Available: {', '.join(__all__)}")
    with collector_paused():
        value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Show the public names to completion although none of them is loaded yet."""
    return sorted({*globals(), *__all__, *_MODULES})
