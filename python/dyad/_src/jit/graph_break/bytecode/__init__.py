"""Functions split by their code objects: Python runs their own instructions, with graphs for stretches of them."""
