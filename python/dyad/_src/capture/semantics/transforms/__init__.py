"""Transforms inside of the captured program: gradients, functions with gradients of their own, and vmap."""
