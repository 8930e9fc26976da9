"""Disassembles code objects into instructions and assembles them; depends on CPython's formats, not on capture."""
