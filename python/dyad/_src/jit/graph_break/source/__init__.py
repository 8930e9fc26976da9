"""Functions that a graph cannot hold as a whole: Python runs them, with graphs for the statements that can be ones."""
