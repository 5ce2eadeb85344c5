"""Sweep the length of a rocker: how far does it swing while the crank goes round once?"""

import numpy as np

import simulator

sim = simulator.load("four_bar")
print("rocker [m]   swing [rad]   least sine of the transmission angle")
for length in np.linspace(0.28, 0.36, 5):
    linkage = sim.varied({"closing_joint.pose.x": length})
    rocker, transmission = [], []
    for crank in np.linspace(0.0, 2.0 * np.pi, 37):
        linkage.set(crank_joint=crank)
        pin = linkage.pose("rocker") @ [length, 0.0, 0.0, 1.0]
        coupler = pin[:3] - linkage.pose("coupler")[:3, 3]
        bar = pin[:3] - linkage.pose("rocker")[:3, 3]
        rocker.append(linkage.positions["rocker_joint"])
        transmission.append(np.linalg.norm(np.cross(coupler, bar)) / np.linalg.norm(coupler) / np.linalg.norm(bar))
    print(f"{length:10.3f} {np.ptp(rocker):13.4f} {min(transmission):14.4f}")
