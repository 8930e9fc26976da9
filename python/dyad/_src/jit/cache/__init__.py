"""Compiled entries of a callable: compiled when no entry matches, kept, reported and dropped."""
