"""Which torque turns a slider-crank evenly? Inverse dynamics along one turn, and a run that gets just that torque."""

import matplotlib.pyplot as plt
import numpy as np

import simulator

SPEED = 10.0  # rad/s
sim = simulator.load("slider_crank")
angles = np.linspace(0.0, 2.0 * np.pi, 361)
torques = []
for angle in angles:
    sim.set(crank_joint=angle, velocity={"crank_joint": SPEED})
    torques.append(sim.inverse_dynamics()["crank_joint"])
print(f"torque from {min(torques):.4f} to {max(torques):.4f} N m, {np.mean(torques[:-1]):.1e} N m on average")

plt.plot(np.degrees(angles), torques)
plt.xlabel("crank [°]")
plt.ylabel("torque [N m]")
plt.savefig("torque.png")

sim.set(crank_joint=0.0, velocity={"crank_joint": SPEED})
torque = simulator.table(angles / SPEED, torques)
run = sim.run(angles[-1] / SPEED, drives={"crank_joint": simulator.effort(torque)})
speed = run["crank_joint/velocity"]
print(f"driven by it, the crank keeps {SPEED:g} rad/s within {abs(speed - SPEED).max():.1e} rad/s")
