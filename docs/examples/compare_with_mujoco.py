"""A pendulum here and in MuJoCo: the same state, the same mass matrix, the same swing (pip install mujoco)."""

import numpy as np

import simulator

INERTIA = "<inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia>"
SDF = f"""<sdf version="1.12"><world name="w"><gravity>0 0 -9.81</gravity><model name="m"><link name="bob">
<inertial><pose>0 0 -0.5 0 0 0</pose><mass>1</mass>{INERTIA}</inertial></link><joint name="hinge" type="revolute">
<parent>world</parent><child>bob</child><axis><xyz>0 1 0</xyz></axis></joint></model></world></sdf>"""
MJCF = """<mujoco><option gravity="0 0 -9.81" timestep="0.001" integrator="RK4"/><worldbody><body>
<joint name="hinge" axis="0 1 0"/><inertial pos="0 0 -0.5" mass="1" diaginertia="0.01 0.01 0.01"/>
</body></worldbody></mujoco>"""

sim = simulator.load(SDF)
sim.set(hinge=1.0)
print(f"here: mass matrix {sim.mass_matrix()[0, 0]:.12f} kg m²")
qpos, qvel = simulator.peer_state(sim, "mujoco", ["hinge"])
run = sim.run(2.0)
print(f"here: {run['hinge/position'][-1]:.9f} rad after 2 s")
try:
    import mujoco
except ImportError:
    print("MuJoCo is not installed: nothing to compare with")
else:
    model = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(model, data)
    mass = np.zeros(model.nv)
    mujoco.mj_mulM(model, data, mass, np.ones(model.nv))
    mujoco.mj_step(model, data, 2000)
    print(f"MuJoCo: mass matrix {mass[0]:.12f} kg m², {data.qpos[0]:.9f} rad after 2 s")
