"""Forces of joints and contacts, computed beside a running engine.

Purpose: reactions and contact forces at a moment.
Takes: an engine and its state.
Gives: forces by joint, link and pair.
May import: session/commands, everything below session.
Start at: forces_now.py
"""
