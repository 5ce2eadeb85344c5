"""`simulator new`: mechanisms by their parameters, and the list of them."""

from __future__ import annotations

import inspect
import math
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.building.parts.catalogue import GROUPS, kind_named, parameters_of, summary_of
from simulator.building.parts.parameters import ANGLES
from simulator.cli.output import OK, note
from simulator.errors import UnknownNameError, UsageError
from simulator.session.look.page import PICTURE, figure, shell_line, write_page

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simulator.building.draft import Draft

UNITS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "deg": math.pi / 180.0, "rad": 1.0}
"""What may follow a number, without a blank."""
FLAGS = {"true": True, "yes": True, "false": False, "no": False}


def new_mechanism(kind: str | None, words: Sequence[str], output: Path | None, *, force: bool = False) -> int:
    """Write a mechanism of a kind to a file, with `words` such as `--module 2mm --teeth 20,40`; without a kind, print
    the list of kinds, or write it as a page with their pictures. Returns the exit code.

    Raises UnknownNameError for a kind or a parameter that does not exist, UsageError for what cannot be made and for a
    file that exists already.
    """
    if kind is None:
        if output is None:
            print(listing())
        else:
            write_kinds(output, force=force)
            print(output)
        return OK
    make = kind_named(kind)
    values = parsed(words, parameters_of(make), make.__name__)
    draft = make(**values)
    for text in draft.notes:
        note(text)
    target = Path(f"{make.__name__}.sdf") if output is None else output
    _may_write(target, (".sdf", ".world"), "new writes SDFormat: name a file NAME.sdf", force=force)
    print(draft.save(target))
    return OK


def _may_write(target: Path, suffixes: Sequence[str], what: str, *, force: bool) -> None:
    if target.suffix.lower() not in suffixes:
        raise UsageError(f"{what}, not '{target}'")
    if target.exists() and not force:
        raise UsageError(f"'{target}' exists already; --force writes over it")


def write_kinds(path: Path, *, force: bool = False) -> None:
    """Write a page with all kinds: a picture of each, what it is, and the command that makes it. Raises UsageError."""
    _may_write(path, (".html",), "the list of kinds is a page: name a file NAME.html", force=force)
    body = []
    for group, kinds in GROUPS.items():
        figures = []
        for kind in kinds:
            name = kind.__name__
            line = shell_line(" ".join(("simulator new", name, *defaults(kind))))
            caption = f"<b>{escape(name)}</b> {escape(summary_of(kind).replace('`', ''))}<br>{line}"
            figures.append(figure(kind().simulate().picture(PICTURE), name, caption))
            note(name)
        body += [f"<h2>{escape(group)}</h2>", f'<div class="poses">{"".join(figures)}</div>']
    write_page(path, "Mechanisms by their parameters", body)


def listing() -> str:
    """All kinds, in groups, with their parameters."""
    lines = []
    for group, kinds in GROUPS.items():
        lines.append(f"{group}:")
        for kind in kinds:
            lines.append(f"  {kind.__name__:16} {summary_of(kind)}")
            lines.append(f"  {'':16} {' '.join(defaults(kind))}")
    return "\n".join(lines)


def parsed(words: Sequence[str], known: dict[str, object], kind: str) -> dict[str, object]:
    """`--name value` and `--name=value` as keyword arguments, by the type of their defaults."""
    found: dict[str, object] = {}
    pending = list(words)
    while pending:
        word = pending.pop(0)
        if not word.startswith("--"):
            raise UsageError(f"'{word}' is no parameter: write --name value; {kind} has {_names(known)}")
        name, equals, text = word[2:].partition("=")
        key = name.replace("-", "_")
        if key not in known:
            raise UnknownNameError(f"parameter of {kind}", name, [item.replace("_", "-") for item in known])
        default = known[key]
        if not equals:
            bare = isinstance(default, bool) and (not pending or pending[0].startswith("--"))
            if not bare and not pending:
                raise UsageError(f"--{name} needs a value, such as {_text(default)}")
            text = "true" if bare else pending.pop(0)
        found[key] = _value(text, default, name)
    return found


def _value(text: str, default: object, name: str) -> object:
    if isinstance(default, bool):
        if text.lower() not in FLAGS:
            raise UsageError(f"--{name} is true or false, not '{text}'")
        return FLAGS[text.lower()]
    if isinstance(default, str):
        return text
    if isinstance(default, tuple):
        parts = [part for part in text.replace(",", " ").split() if part]
        kinds = default if len(default) == len(parts) else (default[0],) * len(parts)
        return tuple(number_of(part, one, name) for part, one in zip(parts, kinds, strict=True))
    return number_of(text, default, name)


def number_of(text: str, default: object, name: str) -> int | float:
    """A number with a unit; a whole one where the default is. Raises UsageError."""
    body = text.strip()
    unit = next((unit for unit in ("mm", "cm", "deg", "rad", "m") if body.endswith(unit)), "")
    try:
        value = float(body.removesuffix(unit))
    except ValueError:
        hint = "a number, with mm, cm, m, deg or rad behind it if you like"
        raise UsageError(f"--{name} is {hint}, not '{text}'") from None
    if isinstance(default, int) and not unit:
        if value != int(value):
            raise UsageError(f"--{name} is a whole number, not '{text}'")
        return int(value)
    return value * UNITS.get(unit, 1.0)


def defaults(kind: Callable[..., Draft]) -> list[str]:
    """Its parameters with their defaults, as they are written on a command line; angles in degrees."""
    found = []
    for name, value in parameters_of(kind).items():
        text = _text(value)
        if name in ANGLES and isinstance(value, float):
            text = f"{math.degrees(value):.6g}deg"
        found.append(f"--{name.replace('_', '-')} {text}")
    return found


def _text(value: object) -> str:
    if value is inspect.Parameter.empty:
        return "VALUE"
    if isinstance(value, tuple):
        return ",".join(map(_text, value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _names(known: dict[str, object]) -> str:
    return ", ".join(f"--{name.replace('_', '-')}" for name in known)
