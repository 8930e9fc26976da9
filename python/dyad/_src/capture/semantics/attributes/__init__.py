"""Attributes of captured objects, as Python's protocols for them say."""
