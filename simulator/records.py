"""`dataclasses.dataclass`, quicker: the program defines some hundred classes of values each time it starts.

The standard decorator compiles up to six methods for each class, which takes longer than all else that a module does
when it is loaded. This one compiles `__init__` alone; the other methods are shared, and read a class's fields. Classes
have the fields of dataclasses: `fields`, `replace` and `asdict` work as ever. To type checkers it is the standard one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    import dataclasses
    import reprlib
    import sys
    from dataclasses import MISSING
    from operator import attrgetter

    class _Factory:
        def __repr__(self):
            return "<factory>"

    _FACTORY = _Factory()  # stands in signatures for what is made anew each time

    def dataclass(cls=None, /, *, frozen=False, eq=True, **options):
        """As the standard decorator, with the options `frozen`, `eq` and `repr`; that itself for what inherits."""

        def decorate(cls):
            if any(hasattr(base, "__dataclass_fields__") for base in cls.__mro__[1:]):
                return dataclasses.dataclass(frozen=frozen, eq=eq, **options)(cls)
            own = vars(cls)
            if not cls.__doc__:
                cls.__doc__ = cls.__name__  # else its signature, which takes long
            has_hash = own.get("__hash__") is not None
            has_equality = "__eq__" in own
            dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
            found = dataclasses.fields(cls)
            if options.get("repr", True) and "__repr__" not in own:
                cls.__repr__ = _repr
            if eq and not has_equality:
                cls.__eq__ = _equality(_values(one.name for one in found if one.compare))
            if eq and not has_hash:
                hashed = (one.name for one in found if (one.compare if one.hash is None else one.hash))
                cls.__hash__ = _hash(_values(hashed)) if frozen else None
            if "__init__" not in own:
                cls.__init__ = _init(cls, found, frozen)
            if frozen:
                cls.__setattr__ = _refuse_to_set
                cls.__delattr__ = _refuse_to_delete
                cls.__dataclass_params__.frozen = True  # what inherits from it has to be, too
            return cls

        return decorate if cls is None else decorate(cls)

    def _init(cls, found, frozen):
        """A function that takes the fields and sets them."""
        outside = {"_set": object.__setattr__, "_factory": _FACTORY}
        places, named, body = [], [], []
        for one in found:
            name = value = one.name
            default = ""
            if one.default is not MISSING:
                outside[f"_default_{name}"] = one.default
                default = f"=_default_{name}"
            elif one.default_factory is not MISSING:
                outside[f"_make_{name}"] = one.default_factory
                default = "=_factory"
                made = f"_make_{name}()"
                value = f"{made} if {name} is _factory else {name}" if one.init else made
            if one.init:
                (named if one.kw_only else places).append(name + default)
            elif not default or one.default is not MISSING:
                continue  # the class has the default
            body.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
        if hasattr(cls, "__post_init__"):
            body.append("self.__post_init__()")
        taken = ", ".join(["self", *places, *(["*", *named] if named else [])])
        lines = "\n  ".join(body or ["pass"])
        text = f"def make({', '.join(outside)}):\n def __init__({taken}):\n  {lines}\n return __init__"
        made = {}
        exec(text, vars(sys.modules[cls.__module__]), made)
        init = made["make"](**outside)
        init.__qualname__ = f"{cls.__qualname__}.__init__"
        init.__annotations__ = {**{one.name: one.type for one in found if one.init}, "return": None}
        return init

    def _values(names):
        """A function that gives the values of fields as a tuple."""
        names = tuple(names)
        if len(names) > 1:
            return attrgetter(*names)
        return (lambda one: (getattr(one, names[0]),)) if names else (lambda _: ())

    def _equality(values):
        def equals(self, other):
            return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

        return equals

    def _hash(values):
        def hashed(self):
            return hash(values(self))

        return hashed

    @reprlib.recursive_repr()
    def _repr(self):
        shown = (f"{one.name}={getattr(self, one.name)!r}" for one in dataclasses.fields(self) if one.repr)
        return f"{self.__class__.__qualname__}({', '.join(shown)})"

    def _refuse_to_set(self, name, value):
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def _refuse_to_delete(self, name):
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
