"""Transforms that differentiate functions, and what a function may say about its own gradient.

`transform.py` runs one differentiated call on the tape in the core; the other files are what users call.
"""
