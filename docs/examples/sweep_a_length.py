"""Sweep the length of a rocker, all other bars as they are: how far does it swing while the crank goes round once?"""

import numpy as np

import simulator

sim = simulator.load("four_bar")
print(sim.parameters("rocker"))

between_bars = 1.79577497339621 - 0.62871512764554  # of rocker and coupler at the document's start [rad]
print("rocker [m]   swing [rad]   least sine of the transmission angle")
for length in np.linspace(0.28, 0.36, 5):
    linkage = sim.varied({"rocker.length": length})
    motion = linkage.analyse({"crank_joint": (0.0, 2.0 * np.pi)}, points=1441, loads=False)
    swing = np.ptp(motion["rocker_joint/position"])
    transmission = np.sin(between_bars + motion["closing_joint/position"])
    print(f"{length:10.3f} {swing:13.4f} {transmission.min():14.4f}")
