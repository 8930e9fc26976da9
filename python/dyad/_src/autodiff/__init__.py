"""Transforms that differentiate functions, and user-defined gradients of functions.

`transform.py` runs one differentiated call on the tape in the core; the other files are what users call.
"""
