"""Reads functions from their code objects."""
