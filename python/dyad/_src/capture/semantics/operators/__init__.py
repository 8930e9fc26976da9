"""Arithmetic, comparisons, truth, subscripts, copies and texts of captured values."""
