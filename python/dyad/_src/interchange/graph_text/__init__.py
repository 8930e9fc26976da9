"""The text of a graph: read into parts, and written for Graphviz."""
