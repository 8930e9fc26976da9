"""Readers decide what is evaluated next; what it means is said in `semantics`."""
