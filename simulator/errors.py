"""The exceptions of this package; `SimulatorError` is the base of all. `DocumentWarning` is for
Python's `warnings`.

SimulatorError
├── DocumentError        the document has errors; its diagnostics say where              exit code 1
├── UsageError           the request is invalid, or names what does not exist            exit code 2
│   └── UnknownNameError a joint, link, world or solver of that name does not exist
├── SimulationError      the simulation itself failed; knows the time and the reason     exit code 3
│   ├── DivergedError    a state became infinite or not a number
│   ├── JammedError      a drive or a loop asks for what the mechanism cannot do
│   ├── AssemblyError    no position or velocity satisfies all couplings and loops
│   │   └── LimitsError  … and is within the limits
│   └── EngineLimitError the physics engine cannot hold this mechanism
├── EngineDiedError      the process that computes physics ended by itself               exit code 3
├── MissingLibraryError  an optional library that the request needs is not installed     exit code 3
└── RenderingError       no OpenGL 3.3 context can be made, or a picture cannot be written
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class SimulatorError(Exception):
    """Root of every exception that this package raises on purpose."""


class DocumentError(SimulatorError):
    """A document has errors. `diagnostics` holds every finding, errors and warnings alike."""

    def __init__(self, message: str, diagnostics: Iterable[object] = ()) -> None:
        super().__init__(message)
        self.diagnostics = tuple(diagnostics)


class DocumentWarning(UserWarning):
    """A document that is simulated, but not as it may have been meant: `check` calls its findings warnings."""


class UsageError(SimulatorError):
    """The request is invalid, or names something that does not exist."""


class UnknownNameError(UsageError):
    """A name does not exist; the message lists the ones that do, at most `LISTED`, and says which of them may be
    meant."""

    LISTED = 24

    def __init__(self, kind: str, name: str, available: Iterable[str]) -> None:
        names = sorted(available)
        listed = ", ".join(names[: self.LISTED]) if names else "none"
        more = f", … ({len(names)} in all)" if len(names) > self.LISTED else ""
        close = closest(name, names)
        guess = f"; did you mean '{close}'?" if close else ""
        super().__init__(f"no {kind} is named '{name}'. Available: {listed}{more}{guess}")
        self.kind, self.name, self.available = kind, name, tuple(names)


class SimulationError(SimulatorError):
    """The simulation failed at `time` [s]. `run`: what `Simulation.run` had recorded by then, None elsewhere."""

    run: Any = None

    def __init__(self, message: str, time: float = 0.0) -> None:
        super().__init__(message)
        self.time = time


class DivergedError(SimulationError):
    """A position or velocity became infinite or not a number."""


class JammedError(SimulationError):
    """A drive works against what cannot move, or a loop cannot be closed any more; the message names the joint."""


class AssemblyError(SimulationError):
    """No position near the start, or no requested velocity, satisfies all couplings and loops."""


class LimitsError(AssemblyError):
    """No position near the start satisfies couplings and loops within the limits. `faults` are (index of an axis, what
    is wrong)."""

    def __init__(self, message: str, faults: Iterable[tuple[int, str]] = ()) -> None:
        super().__init__(message)
        self.faults = tuple(faults)


class EngineLimitError(SimulationError):
    """The physics engine cannot hold this mechanism; the message names the limit that was met and what to do."""


class EngineDiedError(SimulatorError):
    """The process that computes physics ended by itself."""


class MissingLibraryError(SimulatorError):
    """An optional library that the request needs is not installed; the message says how to install it."""


class RenderingError(SimulatorError):
    """No OpenGL context can be made, or a picture cannot be written."""


def closest(wanted: str, names: Iterable[str]) -> str:
    """The name that `wanted` may be a slip of, "" where none is near, or only that of the other side (left, right).
    Scoped names (`model::joint`) count without their model too."""
    from difflib import get_close_matches

    side = _side_of(wanted)
    known = {short: name for name in names for short in (name, name.rpartition("::")[2])}
    same = [name for name in known if not side or _side_of(name) in (side, "")]
    close = get_close_matches(wanted, same, n=1, cutoff=0.65)
    return known[close[0]] if close else ""


def _side_of(name: str) -> str:
    """`l` or `r` for a name that says left or right, as 'left_hip', 'hipRight', 'l_hip', 'FL_hip' do, else ""."""
    import re

    found = {(match[1] or match[2] or match[0])[0].lower() for match in re.finditer(SIDES, name)}
    return found.pop() if len(found) == 1 else ""


SIDES = (
    r"(?i:left|right)"
    r"|(?<![A-Za-z])(?i:[fbhr]([lr])|([lr])[fbh])(?![A-Za-z])"
    r"|(?<![A-Za-z])(?:[lr](?![A-Za-z])|[LR](?![a-z]))"
)
"""What says left or right in a name; of two letters one is front, back, hind or rear."""


def place_of(names: Sequence[str], name: str, kind: str) -> int:
    """Where `name` is among `names`; a last part (`joint` of `model::joint`) will do where it fits one of them only.

    Raises UnknownNameError, which lists what exists, or UsageError where several fit.
    """
    if name in names:
        return names.index(name)
    found = [i for i, candidate in enumerate(names) if candidate.endswith(f"::{name}")]
    if len(found) > 1:
        raise UsageError(f"'{name}' is ambiguous: {', '.join(sorted(names[i] for i in found))}")
    if not found:
        raise UnknownNameError(kind, name, names)
    return found[0]
