"""Writes the parts of a `.mindir` file: functions, their steps, constants and Primitives."""

import dataclasses

from dyad import _core
from dyad._src.base.protobuf.message import encode
from dyad._src.interchange.mindir import records
from dyad._src.interchange.mindir.messages import (
    Attribute,
    AttributeType,
    GraphRecord,
    Model,
    NodeRecord,
    PrimitiveKind,
    PrimitiveRecord,
    ValueInfo,
)


@dataclasses.dataclass(frozen=True)
class Written:
    """A value of the file: the name under which steps read it, and what is known of it.

    `dtype` is None for what is neither a Tensor nor a number; `shape` is None for what is not a Tensor. `known`
    holds, in a tuple of one, the value of a constant.
    """

    name: str
    dtype: object = None
    shape: tuple | None = None
    known: tuple = ()

    @property
    def is_tensor(self):
        """True if it is a Tensor."""
        return self.shape is not None


class ModelWriter:
    """A file that is being written."""

    def __init__(self):
        self._primitives = {}
        self._functions = []
        self._names = set()
        self.foreign = set()  # operators that only this package has

    def function(self, name):
        """Starts a function; the first one is the entry."""
        unique, number = name, 0
        while unique in self._names:
            number += 1
            unique = f"{name}_{number}"
        self._names.add(unique)
        made = FunctionWriter(self, unique)
        self._functions.append(made)
        return made

    def primitive(self, op_type, kind, attributes):
        """The name of a Primitive with these attributes, for steps to refer to."""
        made = [records.attribute(name, value) for name, value in attributes.items()]
        key = (op_type, kind, tuple(encode(one) for one in made))
        if key not in self._primitives:
            name = f"{op_type}:{len(self._primitives)}"
            self._primitives[key] = PrimitiveRecord(
                name=name, op_type=op_type, attribute=made, instance_name="", prim_type=kind
            )
        return self._primitives[key].name

    @property
    def parameters(self):
        """The records of all Parameters."""
        return [record for function in self._functions for record in function.record.parameter]

    def to_bytes(self):
        """The file."""
        main, *others = (function.record for function in self._functions)
        model = Model(
            ir_version="1.1",
            producer_name="Dyad",
            model_version=_core.__version__,
            graph=main,
            functions=others,
            little_endian=True,
            primitives=[*self._primitives.values()],
            mind_ir_version=2,
        )
        return encode(model)


class FunctionWriter:
    """A function that is being written; its methods add steps and return their results."""

    def __init__(self, model, name):
        self.model = model
        self.record = GraphRecord(name=name, bprop_hash="")
        self._constants = {}
        self._count = 0

    @property
    def name(self):
        """The name of the function."""
        return self.record.name

    def _fresh(self, stem):
        self._count += 1
        return f"{self.name}:{stem}:{self._count}"

    def _unique(self, name):
        """The name of an input; a Parameter may have that of an argument."""
        taken = {held.name for held in (*self.record.input, *self.record.parameter)}
        unique, number = f"{self.name}:{name}", 0
        while unique in taken:
            number += 1
            unique = f"{self.name}:{name}_{number}"
        return unique

    def add_input(self, name, dtype, shape):
        """An input that is a Tensor."""
        made = Written(self._unique(name), dtype, tuple(shape))
        self.record.input.append(records.input_info(made.name, dtype, shape))
        return made

    def add_parameter(self, parameter):
        """A Parameter with its value."""
        made = Written(self._unique(parameter.name), parameter.dtype, tuple(parameter.shape))
        self.record.parameter.append(records.tensor_record(parameter, made.name, parameter.name))
        return made

    def constant(self, value):
        """A value that is written into the file; each once in a function."""
        attribute = records.attribute("value", value)
        key = encode(attribute)
        if key not in self._constants:
            made = self._fresh("Constant")
            self.record.node.append(
                NodeRecord(output=[made], name=made, op_type="Constant", attribute=[attribute])
            )
            dtype, shape = None, None
            if isinstance(value, _core.Tensor):
                dtype, shape = value.dtype, tuple(value.shape)
            elif isinstance(value, (bool, int, float)):
                dtype = number_dtype(value)
            self._constants[key] = Written(made, dtype, shape, (value,))
        return self._constants[key]

    def order(self):
        """The token that effects of the function are ordered by, at its beginning."""
        if "order" not in self._constants:
            made = self._fresh("Order")
            self.record.node.append(
                NodeRecord(output=[made], name=made, op_type="Constant", attribute=[records.ORDER])
            )
            self._constants["order"] = Written(made)
        return self._constants["order"]

    def step(self, op_type, inputs, kind, attributes=None, dtype=None, shape=None, order=False):
        """A step of a Primitive."""
        reference = self.model.primitive(op_type, kind, attributes or {})
        return self._add(op_type, f"REF::{reference}", inputs, dtype, shape, order)

    def function_step(self, op_type, *inputs, dtype=None, shape=None):
        """A step of a Primitive with everything as inputs."""
        return self.step(op_type, inputs, PrimitiveKind.FUNCTION, None, dtype, shape)

    def plain_step(self, op_type, *inputs, dtype=None, shape=None, order=False):
        """A step of a Primitive without attributes."""
        return self.step(op_type, inputs, PrimitiveKind.WITH_ATTRIBUTES, None, dtype, shape, order)

    def call(self, callee, inputs, dtype=None, shape=None):
        """A call of a function by its name, or of a value that is one."""
        name = callee.name if isinstance(callee, Written) else callee
        return self._add("call", f"REF::{name}", inputs, dtype, shape, False)

    def _add(self, stem, op_type, inputs, dtype, shape, order):
        made = self._fresh(stem)
        attributes = []
        if order:
            attributes.append(Attribute(name="shape", type=AttributeType.UMONAD))
        elif shape is not None:
            attributes.append(records.type_attribute("shape", dtype, shape))
        elif dtype is not None:
            kind = [records.tensor_type(dtype, (0,))]
            attributes.append(Attribute(name="shape", type=AttributeType.SCALAR, tensors=kind))
        names = [given.name if isinstance(given, Written) else given for given in inputs]
        self.record.node.append(
            NodeRecord(
                input=names, output=[made], name=made, op_type=op_type, attribute=attributes, domain=stem
            )
        )
        return Written(made, dtype, shape)

    def note(self, made, name, value):
        """Adds a note to the step of a value."""
        node = next(node for node in self.record.node if node.output == [made.name])
        node.node_attr.append(records.attribute(name, value))

    def give(self, result):
        """Ends the function with a result."""
        info = ValueInfo(name=result.name)
        if result.shape is not None:
            info.tensor.append(records.tensor_type(result.dtype, result.shape))
        self.record.output.append(info)


def number_dtype(value):
    """The dtype that stands for the type of a Python number."""
    if isinstance(value, bool):
        return _core.bool_
    return _core.int64 if isinstance(value, int) else _core.float32
