"""Names of links and joints: MuJoCo lets a body and a joint share one, and both have none.

A joint keeps its name, which is what is commanded and recorded; a body of the same name gets `_link` behind it.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from simulator.formats.sdf.names import SCOPE, free_name, is_reserved
from simulator.records import dataclass

if TYPE_CHECKING:
    from simulator.diagnostics import DiagnosticLog
    from simulator.formats.mjcf.compiling import Compiled


@dataclass
class MjcfNames:
    """Names by the numbers of bodies and joints in the model; `loops` gives further ones."""

    links: dict[int, str] = field(default_factory=dict)
    joints: dict[int, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    @staticmethod
    def of(compiled: Compiled, log: DiagnosticLog) -> MjcfNames:
        """Names of all bodies but the world, and of all joints."""
        names = MjcfNames()
        model = compiled.model
        for joint in range(model.njnt):
            own = compiled.name("JOINT", joint)
            body = int(model.jnt_bodyid[joint])
            names.joints[joint] = names.free(own or f"{_body_name(compiled, body)}_joint", "joint")
        for body in range(1, model.nbody):
            own = _body_name(compiled, body)
            name = names.free(own, "link")
            names.links[body] = name
            if name != own:
                where = compiled.places.of_kind("bodies", body)
                message = f"a joint has the name of body '{own}', too; the link is called '{name}' here"
                log.info("DUPLICATE_NAME", where, message, fold="body and joint", about=own)
        return names

    def free(self, wanted: str, kind: str) -> str:
        """The name, or one like it that nothing has."""
        plain = wanted.replace(SCOPE, "_")
        name = free_name(plain, kind, self.taken) if plain in self.taken or is_reserved(plain) else plain
        self.taken.add(name)
        return name


def _body_name(compiled: Compiled, body: int) -> str:
    return compiled.name("BODY", body) or f"body{body}"
