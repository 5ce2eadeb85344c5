"""Commands to a running simulation, and the engine that executes them.

Purpose: small frozen values that travel down; drives by name; a mechanism combined with its dynamics.
Takes: settings, commands.
Gives: `Command`, engines.
May import: session/text, session/open, everything below session.
Start at: commands.py
"""
