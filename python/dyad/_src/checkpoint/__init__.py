"""Checkpoints: named tensors and strings in one file."""
