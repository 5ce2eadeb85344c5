"""A cart on a rail with a pole on a hinge: the plant of textbooks, whose equations are closed forms."""

from __future__ import annotations

CART, POLE, HALF, INERTIA, GRAVITY = 1.0, 0.1, 0.5, 1e-3, 9.81
"""Masses [kg], distance of the pole's centre of mass from the hinge [m], its inertia there [kg m²], g [m/s²]."""


def cart_pole(*, pole: float = POLE, effort: float = 10.0) -> str:
    """The document: `slide` [m] and `hinge` [rad], 0 upright and unstable, without friction."""

    def inertial(mass: float, inertia: float, pose: str = "0 0 0 0 0 0") -> str:
        moments = "".join(f"<{name}>{inertia}</{name}>" for name in ("ixx", "iyy", "izz"))
        return f"<inertial><pose>{pose}</pose><mass>{mass}</mass><inertia>{moments}</inertia></inertial>"

    box = "<visual name='v'><geometry><box><size>0.3 0.2 0.1</size></box></geometry></visual>"
    size = f"<geometry><box><size>0.02 0.02 {2.0 * HALF}</size></box></geometry>"
    rod = f"<visual name='v'><pose>0 0 {HALF} 0 0 0</pose>{size}</visual>"
    limits = f"<limit><lower>-2.4</lower><upper>2.4</upper><effort>{effort}</effort></limit>"
    return f"""<sdf version="1.12"><world name="cart_pole"><gravity>0 0 -{GRAVITY}</gravity>
      <model name="cart_pole">
        <link name="cart">{inertial(CART, 1e-2)}{box}</link>
        <link name="pole">{inertial(pole, INERTIA, f"0 0 {HALF} 0 0 0")}{rod}</link>
        <joint name="slide" type="prismatic"><parent>world</parent><child>cart</child>
          <axis><xyz>1 0 0</xyz>{limits}</axis></joint>
        <joint name="hinge" type="revolute"><parent>cart</parent><child>pole</child>
          <axis><xyz>0 1 0</xyz></axis></joint>
      </model></world></sdf>"""
