"""A graph of an ONNX file that is being written."""

from dyad import _core
from dyad._src.interchange.graph_text.sizes import Size
from dyad._src.interchange.mindir.writer import Written
from dyad._src.interchange.onnx.messages import (
    ELEMENT_TYPES,
    AttributeKind,
    OnnxAttribute,
    OnnxDim,
    OnnxGraph,
    OnnxNode,
    OnnxShape,
    OnnxTensor,
    OnnxTensorType,
    OnnxType,
    OnnxValueInfo,
)


class GraphWriter:
    """Adds nodes to a graph. Inner graphs share the names and the constants of the outermost one, `outer`."""

    def __init__(self, name, outer=None):
        self.graph = OnnxGraph(name=name)
        self._outermost = self if outer is None else outer._outermost
        if outer is None:
            self._count = 0
            self._taken = set()
            self._constants = {}

    def inner(self, name):
        """A graph that is an attribute of a node of this one."""
        return GraphWriter(name, self)

    def fresh(self, stem):
        """A name that no other value of the file has."""
        top = self._outermost
        name, number = stem, 0
        while name in top._taken:
            number = top._count = top._count + 1
            name = f"{stem}_{number}"
        top._taken.add(name)
        return name

    def add_input(self, name, dtype, shape):
        """An input."""
        made = Written(self.fresh(name), dtype, tuple(shape))
        self.graph.input.append(value_info(made))
        return made

    def give(self, value, name):
        """An output under a name of its own."""
        given = self.node("Identity", [value], value.dtype, value.shape, name=name)
        self.graph.output.append(value_info(given))

    def weight(self, name, tensor):
        """A tensor under its name."""
        top, made = self._outermost, self.fresh(name)
        top.graph.initializer.append(_tensor_message(made, tensor))
        return Written(made, tensor.dtype, tuple(tensor.shape))

    def constant(self, tensor):
        """A tensor; each value is written once."""
        top = self._outermost
        message = _tensor_message("", tensor)
        key = (message.data_type, tuple(message.dims), message.raw_data)
        if key not in top._constants:
            message.name = self.fresh("constant")
            top.graph.initializer.append(message)
            top._constants[key] = message.name
        return Written(top._constants[key], tensor.dtype, tuple(tensor.shape), (tensor,))

    def node(self, op_type, inputs, dtype, shape, name=None, **attributes):
        """A step with one result."""
        return self.nodes(op_type, inputs, [(dtype, shape)], name, **attributes)[0]

    def nodes(self, op_type, inputs, results, name=None, **attributes):
        """A step; inputs that are None are left out. `results` are (dtype, shape), None for one that is not needed."""
        made = [
            None if one is None else Written(self.fresh(name or op_type.lower()), *one) for one in results
        ]
        given = ["" if value is None else value.name for value in inputs]
        while given and not given[-1]:
            given.pop()
        self.graph.node.append(
            OnnxNode(
                input=given,
                output=["" if one is None else one.name for one in made],
                name=next(one.name for one in made if one is not None),
                op_type=op_type,
                attribute=[_attribute(key, value) for key, value in attributes.items() if value is not None],
            )
        )
        return made


def value_info(value):
    """The description of an input or output."""
    dims = [_dim(size) for size in value.shape]
    kind = OnnxTensorType(elem_type=ELEMENT_TYPES[value.dtype], shape=OnnxShape(dim=dims))
    return OnnxValueInfo(name=value.name, type=OnnxType(tensor_type=kind))


def _dim(size):
    if isinstance(size, int):
        return OnnxDim(dim_value=size)
    if isinstance(size, Size) and isinstance(size.expression, str):
        return OnnxDim(dim_param=size.expression)
    return OnnxDim()


def _tensor_message(name, tensor):
    return OnnxTensor(
        dims=list(tensor.shape),
        data_type=ELEMENT_TYPES[tensor.dtype],
        name=name,
        raw_data=_core.to_bytes(tensor),
    )


def _attribute(name, value):
    if isinstance(value, bool):
        value = int(value)
    if isinstance(value, int):
        return OnnxAttribute(name=name, i=value, type=AttributeKind.INT)
    if isinstance(value, float):
        return OnnxAttribute(name=name, f=value, type=AttributeKind.FLOAT)
    if isinstance(value, str):
        return OnnxAttribute(name=name, s=value.encode(), type=AttributeKind.STRING)
    if isinstance(value, OnnxGraph):
        return OnnxAttribute(name=name, g=value, type=AttributeKind.GRAPH)
    return OnnxAttribute(name=name, ints=[int(member) for member in value], type=AttributeKind.INTS)
