"""Layers at every awkward size, static against dynamic: `python -m tests.sweep --count 5000 --seed 1`."""
