"""Lets Python run a function and records the operators that it calls."""
