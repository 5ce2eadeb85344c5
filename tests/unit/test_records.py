"""Dataclasses of the program against those of the standard library, from the same source."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import sys
from types import ModuleType
from typing import Any

import pytest

SOURCE = """
from __future__ import annotations
from dataclasses import field
from {library} import dataclass
from typing import ClassVar

@dataclass(frozen=True)
class Point:
    x: float
    y: float = 2.0

@dataclass(frozen=True)
class Named:
    x: float
    y: float = 2.0
    name: str = field(default="", kw_only=True)
    tags: list[str] = field(default_factory=list, compare=False)
    hidden: int = field(default=3, repr=False)
    KIND: ClassVar[str] = "point"

@dataclass(frozen=True)
class Place(Point):
    z: float = 0.5

@dataclass
class Counted:
    items: list[int] = field(default_factory=list)
    size: int = field(init=False)
    steps: int = field(init=False, default=7)
    made: dict[str, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.size = len(self.items)

@dataclass(frozen=True, eq=False)
class Own:
    value: object

@dataclass(frozen=True)
class Nothing:
    pass

@dataclass(frozen=True)
class One:
    value: object

    def __hash__(self):
        return 5
"""
CALLS = (
    "Point(1.0)", "Point(1.0, y=3.0)", "Place(1.0, z=3.0)", "Named(1.0)", "Named(1.0, 2.0, ['a'], 4, name='n')",
    "Counted([1, 2])", "Counted()", "Own('v')", "Nothing()", "One(float('nan'))", "One(Point(0.0))",
)  # fmt: skip


def made_with(library: str) -> dict[str, Any]:
    """The classes of `SOURCE`, as members of a module."""
    module = ModuleType(f"made_with_{library.replace('.', '_')}")
    sys.modules[module.__name__] = module
    exec(SOURCE.format(library=library), vars(module))
    return vars(module)


OURS = made_with("simulator.records")
STANDARD = made_with("dataclasses")


@pytest.mark.parametrize("call", CALLS)
def test_they_hold_show_and_compare_the_same(call: str) -> None:
    ours, theirs = eval(call, OURS), eval(call, STANDARD)
    assert repr(ours) == repr(theirs)
    assert repr(vars(ours)) == repr(vars(theirs))
    again, anew = eval(call, OURS), eval(call, STANDARD)
    assert (ours == again, ours != again) == (theirs == anew, theirs != anew)
    assert ours != theirs
    assert (type(ours).__hash__ is None) == (type(theirs).__hash__ is None)
    if type(ours).__hash__ is not None and type(ours).__name__ != "Own":
        assert hash(ours) == hash(theirs)
    assert repr(dataclasses.replace(ours)) == repr(dataclasses.replace(theirs))
    assert repr(dataclasses.asdict(ours)) == repr(dataclasses.asdict(theirs))
    assert repr(pickle.loads(pickle.dumps(ours))) == repr(copy.deepcopy(ours)) == repr(ours)


@pytest.mark.parametrize("name", ["Point", "Named", "Place", "Counted", "Own", "Nothing", "One"])
def test_they_are_made_of_the_same(name: str) -> None:
    assert str(inspect.signature(OURS[name])).replace("_with_simulator_records", "") == str(
        inspect.signature(STANDARD[name])
    ).replace("_with_dataclasses", "")
    assert [(one.name, one.type, one.kw_only) for one in dataclasses.fields(OURS[name])] == [
        (one.name, one.type, one.kw_only) for one in dataclasses.fields(STANDARD[name])
    ]
    assert OURS[name].__match_args__ == STANDARD[name].__match_args__


@pytest.mark.parametrize("call", ["Point()", "Point(1.0, 2.0, 3.0)", "Named(name='n')", "Point(1.0, z=2.0)"])
def test_wrong_arguments_are_the_same_errors(call: str) -> None:
    said = []
    for classes in (OURS, STANDARD):
        with pytest.raises(TypeError) as caught:
            eval(call, classes)
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_frozen_ones_stay_as_they_are() -> None:
    said = []
    for classes in (OURS, STANDARD):
        point = classes["Point"](1.0)
        with pytest.raises(dataclasses.FrozenInstanceError) as caught:
            point.x = 2.0
        with pytest.raises(dataclasses.FrozenInstanceError) as also:
            del point.y
        said.append((str(caught.value), str(also.value)))
    assert said[0] == said[1]


def test_what_users_derive_from_a_frozen_one_is_frozen() -> None:
    derived = dataclasses.dataclass(frozen=True)(
        type("Derived", (OURS["Point"],), {"__annotations__": {"z": float}, "z": 0.0})
    )
    one: Any = derived(1.0, 2.0, 3.0)
    assert (one.x, one.z, hash(one)) == (1.0, 3.0, hash(derived(1.0, 2.0, 3.0)))
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.z = 1.0
    with pytest.raises(TypeError, match="non-frozen"):
        dataclasses.dataclass(type("Changing", (OURS["Point"],), {"__annotations__": {"z": float}, "z": 0.0}))


def test_one_that_holds_itself_is_shown() -> None:
    items: list[Any] = []
    items.append(OURS["One"](items))
    assert repr(items[0]) == "One(value=[...])"
