"""Simulator for coupled and closed-loop mechanisms, from a document to a window.

Purpose: the public names of the package, loaded when they are first used: `import simulator` itself starts nothing heavy.
Takes: nothing.
Gives: the names in `__all__`.
May import: every room, but only when one of its names is asked for.
Start at: __main__.py
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.dynamics.clusters.from_mechanism import cluster_tree_of
    from simulator.dynamics.compiled.model import CompiledMechanism
    from simulator.dynamics.condition import condition_of
    from simulator.dynamics.multibody import Multibody
    from simulator.errors import DocumentError, SimulationError, SimulatorError, UsageError
    from simulator.formats.document import read_document
    from simulator.mechanism.build import build_mechanism
    from simulator.session.opening import Opened, open_document
    from simulator.session.runner import Runner
    from simulator.transmissions.base import Transmission

__version__ = "0.1.0"

__all__ = [
    "CompiledMechanism",
    "DocumentError",
    "Multibody",
    "Opened",
    "Runner",
    "SimulationError",
    "SimulatorError",
    "Transmission",
    "UsageError",
    "build_mechanism",
    "cluster_tree_of",
    "condition_of",
    "open_document",
    "read_document",
]

_HOMES = {
    "CompiledMechanism": "simulator.dynamics.compiled.model",
    "DocumentError": "simulator.errors",
    "Multibody": "simulator.dynamics.multibody",
    "Opened": "simulator.session.opening",
    "Runner": "simulator.session.runner",
    "SimulationError": "simulator.errors",
    "SimulatorError": "simulator.errors",
    "Transmission": "simulator.transmissions.base",
    "UsageError": "simulator.errors",
    "build_mechanism": "simulator.mechanism.build",
    "cluster_tree_of": "simulator.dynamics.clusters.from_mechanism",
    "condition_of": "simulator.dynamics.condition",
    "open_document": "simulator.session.opening",
    "read_document": "simulator.formats.document",
}


def __getattr__(name: str) -> object:
    """Load a public name from the room it lives in (PEP 562) and keep it."""
    if name not in _HOMES:
        raise AttributeError(f"module 'simulator' has no attribute '{name}'. Available: {', '.join(__all__)}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Show the public names to completion although none of them is loaded yet."""
    return sorted({*globals(), *__all__})
