"""Close a gripper on a box and lift it: both fingers share the force, friction holds the box."""

import simulator

sim = simulator.load("gripper")
drives = {"left_finger_joint": simulator.effort(20.0), "lift_joint": simulator.position(simulator.ramp(0.0, 0.15, 1.0))}
before = sim.pose("box")[2, 3]
run = sim.run(2.0, drives=drives, every=0.1)
print(f"the box went up by {sim.pose('box')[2, 3] - before:.4f} m, the lift by {run['lift_joint/position'][-1]:.4f} m")
for contact in sim.contacts:
    first, second = contact.names
    print(f"{first} on {second}: {contact.force:.2f} N")
