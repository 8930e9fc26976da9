"""Operators as objects."""
