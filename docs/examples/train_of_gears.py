"""A train of eight gears: its inertia at the first, and how fast it is simulated."""

import time

import simulator

sim = simulator.load("gear_train")
inertia = sim.mass_matrix()["gear_1_joint", "gear_1_joint"]
print(f"the first gear feels {inertia:.6f} kg m², all others included")
print(f"for one turn of it the last one makes {sim.reduction()['gear_8_joint', 'gear_1_joint']:+.4f}")

began = time.perf_counter()
run = sim.run(1.0, drives={"gear_1_joint": simulator.effort(inertia)}, every=0.1)
wall = time.perf_counter() - began
print(f"1 rad/s² for a second: {run['gear_1_joint/velocity'][-1]:.9f} rad/s; {run.summary.steps} steps in {wall:.2f} s")
