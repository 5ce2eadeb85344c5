"""The curve of a point of a coupler, drawn with matplotlib."""

import matplotlib.pyplot as plt
import numpy as np

import simulator

point = [0.15, 0.0, 0.1, 1.0]  # in the coupler's frame [m]
sim = simulator.load("four_bar")
curve = []
for crank in np.linspace(0.0, 2.0 * np.pi, 181):
    sim.set(crank_joint=crank)
    curve.append((sim.pose("coupler") @ point)[[0, 2]])
x, z = np.array(curve).T
gap = np.hypot(x[-1] - x[0], z[-1] - z[0])
print(f"the curve is {np.ptp(x):.4f} m wide, {np.ptp(z):.4f} m high and closes within {gap:.0e} m")

plt.plot(x, z)
plt.axis("equal")
plt.xlabel("x [m]")
plt.ylabel("z [m]")
plt.savefig("coupler_curve.png")
