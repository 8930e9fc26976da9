"""Base class of the parts of the interpreter."""


class Part:
    """One subject of the semantics. It asks the other parts through `interpreter`.

    The graph, the heap and the external state are the same for a whole capture, so a part holds them itself.
    """

    def __init__(self, interpreter):
        self.interpreter = interpreter
        self.graph = interpreter.graph
        self.heap = interpreter.heap
        self.external = interpreter.external
        self.strict = interpreter.strict

    def release(self):
        """Lets go of what the part has collected."""
        for held in vars(self).values():
            if type(held) in (dict, list, set):
                held.clear()
