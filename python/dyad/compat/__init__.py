"""Dyad as programs for other frameworks spell it."""
