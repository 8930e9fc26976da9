"""`FuncGraph`: a graph that was loaded from a file."""


class FuncGraph:
    """A graph that was loaded from a file; `nn.GraphCell` runs it.

    `inputs` are (name, dtype, shape) of its arguments, with None for dynamic sizes; non-Tensors have no dtype or
    shape. `parameters` are the values of its Parameters by name, in the order in which `function` accepts them after
    the arguments.
    """

    def __init__(self, name, inputs, parameters, function):
        self.name = name
        self.inputs = tuple(inputs)
        self.parameters = dict(parameters)
        self.function = function

    def __repr__(self):
        arguments = ", ".join(name for name, _, _ in self.inputs)
        return f"<graph {self.name}({arguments}) with {len(self.parameters)} Parameters>"
