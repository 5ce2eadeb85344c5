"""Environments for reinforcement learning and control: an episode of a mechanism behind the interface of Gymnasium.

Purpose: `simulator.gym`: actions are drives, observations are channels, rewards and ends of episodes are formulas.
Takes: a simulation or a document; names of channels, axes and actuators; ranges of starts and parameters.
Gives: `MechanismEnv`, a gymnasium.Env, and `MechanismVectorEnv`, many of them stepped in threads.
May import: everything below api, api, and the files of studies.
Start at: environment.py
"""
