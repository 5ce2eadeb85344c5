"""Let a four-bar linkage swing for ten seconds and watch its energy: without friction it must stay the same."""

import matplotlib.pyplot as plt

import simulator

sim = simulator.load("four_bar")
run = sim.run(10.0, every=0.01)
kinetic, error = run["energy/kinetic"], run["energy/error"]
gap = run["closing_joint/residual_m"].max()
print(f"kinetic energy goes up to {kinetic.max():.4f} J, the balance is off by {abs(error).max():.1e} J at most")
print(f"that is {abs(error).max() / kinetic.max():.1e} of it; the loop is open by {gap:.1e} m at most")

plt.plot(run.time, error)
plt.xlabel("time [s]")
plt.ylabel("error of the energy balance [J]")
plt.savefig("energy.png")
