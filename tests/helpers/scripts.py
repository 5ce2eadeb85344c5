"""The Python scripts of the checkout as modules."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

from tests.helpers.repository import ROOT


def script(name: str, below: str = "scripts") -> ModuleType:
    """`scripts/<name>.py`, or that of a folder below, imported under its own name, as scripts import each other."""
    folder = str(ROOT / below)
    if folder not in sys.path:
        sys.path.append(folder)
    return import_module(name)
