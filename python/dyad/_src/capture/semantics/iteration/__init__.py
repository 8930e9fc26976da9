"""Iterators and elements of captured values, and comprehensions."""
