"""The colours of the window, light and dark; every widget, plot and overlay draws from this table."""

from __future__ import annotations

from simulator.records import dataclass


@dataclass(frozen=True)
class Tokens:
    """Named colours (`#rrggbb`) of one appearance.

    `window` behind panels, `surface` of lists and plots, `raised` of buttons and cards, `hover` under the mouse,
    `border` of hairlines; `series` are the trace colours, distinguishable with the common colour-vision deficiencies
    (after Okabe and Ito). `selected` marks what is selected in the view, as the renderer does. `label`, `label_text`
    and, for followers, `label_follower` are used over the 3-D view.
    """

    name: str
    window: str
    surface: str
    raised: str
    hover: str
    border: str
    text: str
    muted: str
    disabled: str
    accent: str
    accent_soft: str
    on_accent: str
    error: str
    error_soft: str
    warning: str
    warning_soft: str
    info: str
    ok: str
    label: str
    label_text: str
    label_follower: str
    follower: str
    selected: str
    series: tuple[str, ...]


LIGHT = Tokens(
    name="light",
    window="#f3f5f8",
    surface="#ffffff",
    raised="#ffffff",
    hover="#e8edf5",
    border="#d5dbe4",
    text="#1c2430",
    muted="#5f6b7c",
    disabled="#a3adba",
    accent="#1f6feb",
    accent_soft="#dfeafd",
    on_accent="#ffffff",
    error="#c62f3b",
    error_soft="#fce8e9",
    warning="#9a6100",
    warning_soft="#fdf1d8",
    info="#1f6feb",
    ok="#1a7f4b",
    label="#20252e",
    label_text="#b9d7ff",
    label_follower="#ffd0a0",
    follower="#b4560a",
    selected="#7a2ff0",
    series=("#0072b2", "#d55e00", "#008a5f", "#b3478a", "#946200", "#5b4fc4", "#3d8fc4", "#4d5766"),
)

DARK = Tokens(
    name="dark",
    window="#1a1e25",
    surface="#14171d",
    raised="#262c36",
    hover="#303846",
    border="#353d4a",
    text="#e6eaf0",
    muted="#98a3b3",
    disabled="#5d6777",
    accent="#5b9dff",
    accent_soft="#22375a",
    on_accent="#0c1420",
    error="#ff7b82",
    error_soft="#46262b",
    warning="#f0b955",
    warning_soft="#40351f",
    info="#5b9dff",
    ok="#4fc98b",
    label="#0e1116",
    label_text="#b9d7ff",
    label_follower="#ffd0a0",
    follower="#ffb16b",
    selected="#b58cff",
    series=("#56a8f5", "#ff8a3d", "#2ec99b", "#e58bc3", "#e5c04b", "#a79bff", "#8fd3ff", "#b8c2cf"),
)
