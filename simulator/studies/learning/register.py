"""Registers the environments with Gymnasium: `gymnasium.make("simulator/Mechanism-v0", document=…)`.

`gymnasium.make("simulator.studies.learning.register:simulator/Mechanism-v0", …)` imports this module by itself,
in whatever process it runs.
"""

from __future__ import annotations

import gymnasium

ID = "simulator/Mechanism-v0"
ENTRY = "simulator.studies.learning.environment:MechanismEnv"
VECTOR_ENTRY = "simulator.studies.learning.vector:MechanismVectorEnv"

if ID not in gymnasium.registry:
    gymnasium.register(id=ID, entry_point=ENTRY, vector_entry_point=VECTOR_ENTRY)
