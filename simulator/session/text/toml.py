"""Tables as TOML, which reading gives back as they were."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_of(table: Mapping[str, Any]) -> str:
    """A table of numbers, truths, texts and lists, and of tables of them; nested tables take one line each."""
    plain = [f"{_key(name)} = {toml_value(value)}" for name, value in table.items() if not isinstance(value, dict)]
    parts = ["\n".join(plain)]
    for name, value in table.items():
        if isinstance(value, dict):
            parts.append("\n".join([f"[{_key(name)}]", *(f"{_key(k)} = {toml_value(v)}" for k, v in value.items())]))
    return "\n\n".join(parts) + "\n"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else toml_value(name)


def toml_value(value: object) -> str:
    """A value in one line. Texts are basic strings: JSON's escapes are TOML's, but for the one that JSON leaves out."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_key(name)} = {toml_value(one)}' for name, one in value.items())} }}"
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
