"""Counts comparisons, so that a test over the operator table that compares nothing can be told from one that agrees."""

_made = [0]


def note_comparison():
    _made[0] += 1


def comparisons():
    """Number of comparisons so far."""
    return _made[0]
