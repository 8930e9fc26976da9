"""The text of a graph: parsed, and written for Graphviz."""
