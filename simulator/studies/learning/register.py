"""Environments by the names that Gymnasium knows them by: `gymnasium.make("simulator/Mechanism-v0", document=…)`.

Importing this registers them: `gymnasium.make("simulator.studies.learning.register:simulator/Mechanism-v0", …)` needs
no import before it, in whatever process it runs.
"""

from __future__ import annotations

import gymnasium

ID = "simulator/Mechanism-v0"
ENTRY = "simulator.studies.learning.environment:MechanismEnv"
VECTOR_ENTRY = "simulator.studies.learning.vector:MechanismVectorEnv"

if ID not in gymnasium.registry:
    gymnasium.register(id=ID, entry_point=ENTRY, vector_entry_point=VECTOR_ENTRY)
