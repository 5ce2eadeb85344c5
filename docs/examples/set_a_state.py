"""Set a state on a closed loop: the given values are met, the rest is assembled around them."""

import simulator

sim = simulator.load("four_bar")
print(sim, f"mobility by rank {sim.mobility}")

sim.set(crank_joint=0.5, velocity={"crank_joint": 3.0})
print("positions [rad]", sim.positions, sep="\n")
print("velocities [rad/s]", sim.velocities, sep="\n")

sim.set(rocker_joint=0.2)  # any axis can be asked for, also one that follows
print(f"the crank goes to {sim.positions['crank_joint']:.6f} rad to bring the rocker to 0.2 rad")

try:
    sim.set(crank_joint=0.5, rocker_joint=2.0)
except simulator.AssemblyError as error:
    print(f"refused: {error}")
