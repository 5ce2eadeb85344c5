"""The page of a mechanism in a cell of a notebook, and what it tells Python."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from simulator.errors import MissingLibraryError

if TYPE_CHECKING:
    from collections.abc import Sequence

SCRIPT = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.srcdoc = model.get("page");
  frame.title = "Mechanism";
  frame.style.cssText = `width:100%;height:${model.get("height")}px;border:1px solid #8884;border-radius:6px`;
  const take = (event) => {
    if (event.source !== frame.contentWindow || !event.data || !event.data.simulator) return;
    const { time, position, velocity, playing } = event.data.simulator;
    model.set({ time, position, velocity, playing });
    model.save_changes();
  };
  const send = (order) => frame.contentWindow.postMessage({ simulator_order: order }, "*");
  window.addEventListener("message", take);
  model.on("msg:custom", send);
  el.append(frame);
  return () => { window.removeEventListener("message", take); model.off("msg:custom", send); };
}
export default { render };
"""


def widget_of(page: str, axes: Sequence[str], height: int) -> Any:
    """A widget that shows a page, `height` [px] high, see `Simulation.show`. Raises MissingLibraryError without
    anywidget."""
    try:
        anywidget: Any = importlib.import_module("anywidget")
        traitlets: Any = importlib.import_module("traitlets")
    except ImportError:
        raise MissingLibraryError(
            "show() needs anywidget, which is not installed: pip install 'simulator[notebook]'"
        ) from None
    names = list(axes)

    def now(self: Any) -> dict[str, float]:
        """Positions of all axes by name, as the page shows them [rad or m]."""
        return dict(zip(names, self.position, strict=False))

    def order(name: str) -> Any:
        return lambda self: self.send({"order": name})

    parts = {
        "_esm": SCRIPT,
        "page": traitlets.Unicode().tag(sync=True),
        "height": traitlets.Int(480).tag(sync=True),
        "time": traitlets.Float(0.0).tag(sync=True),
        "position": traitlets.List().tag(sync=True),
        "velocity": traitlets.List().tag(sync=True),
        "playing": traitlets.Bool(False).tag(sync=True),
        "axes": tuple(names),
        "now": now,
        "run": order("run"),
        "pause": order("pause"),
        "reset": order("reset"),
    }
    made: Any = type("MechanismWidget", (anywidget.AnyWidget,), parts)
    return made(page=page, height=height)
