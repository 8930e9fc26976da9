"""Tensors and Parameters: members written in Python, dtypes, random numbers, initial values."""
