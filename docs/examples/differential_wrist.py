"""A differential wrist: two motors pitch a hand together and roll it against each other."""

import simulator

sim = simulator.load("wrist")
for motors in ({"right_motor": 0.02, "left_motor": 0.02}, {"right_motor": 0.02, "left_motor": -0.02}):
    found = sim.forward_dynamics({f"actuator/{name}": effort for name, effort in motors.items()})
    print(f"{motors}: pitch {found['pitch_joint']:.2f} rad/s², roll {found['roll_joint']:.2f} rad/s²")

holding = sim.inverse_dynamics()["pitch_joint"] / 48
print(f"each motor holds the hand level with {holding:.5f} N m")

turns = {"actuator/right_motor": 12.0, "actuator/left_motor": 4.8}
drives = {name: simulator.position(simulator.ramp(0.0, turn, 1.0)) for name, turn in turns.items()}
sim.run(1.5, drives=drives, every=0.01)
pitch, roll = (sim.positions[f"{axis}_joint"] for axis in ("pitch", "roll"))
print(f"12 and 4.8 rad of the motors: pitch {pitch:.4f}, roll {roll:.4f} rad")
