"""Functions that a single graph cannot hold: Python runs them, with graphs for parts of them."""
