"""What is asked of a running simulation, and the engine that obeys.

Purpose: small frozen values that travel down; drives by name; a mechanism put together with its dynamics.
Takes: settings, commands.
Gives: `Command`, engines.
May import: session/text, session/open, everything below session.
Start at: commands.py
"""
