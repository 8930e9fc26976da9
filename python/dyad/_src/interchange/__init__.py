"""Graphs in files: MindIR, ONNX, and the text of graphs."""
