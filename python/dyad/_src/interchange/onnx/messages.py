"""The messages of ONNX files, as far as they are written, and numbers of dtypes."""

from dyad import _core
from dyad._src.base.protobuf.message import Message

IR_VERSION = 8
OPSET = 18

ELEMENT_TYPES = {
    _core.float32: 1, _core.uint8: 2, _core.int8: 3, _core.uint16: 4, _core.int16: 5, _core.int32: 6,
    _core.int64: 7, _core.bool_: 9, _core.float16: 10, _core.float64: 11, _core.uint32: 12, _core.uint64: 13,
    _core.complex64: 14, _core.complex128: 15, _core.bfloat16: 16,
}  # fmt: skip


class AttributeKind:
    """Numbers of what an attribute holds."""

    FLOAT, INT, STRING, TENSOR, GRAPH, FLOATS, INTS = 1, 2, 3, 4, 5, 6, 7


class OnnxTensor(
    Message,
    fields={1: ("dims", "int*"), 2: ("data_type", "int"), 8: ("name", "string"), 9: ("raw_data", "bytes")},
):
    """A constant."""


class OnnxDim(Message, fields={1: ("dim_value", "int"), 2: ("dim_param", "string")}):
    """A size: a number or a name."""


class OnnxShape(Message, fields={1: ("dim", "OnnxDim*")}):
    """The sizes of a tensor."""


class OnnxTensorType(Message, fields={1: ("elem_type", "int"), 2: ("shape", "OnnxShape")}):
    """Element type and sizes."""


class OnnxType(Message, fields={1: ("tensor_type", "OnnxTensorType")}):
    """The type of a value; here always a tensor."""


class OnnxValueInfo(Message, fields={1: ("name", "string"), 2: ("type", "OnnxType")}):
    """An input or output."""


class OnnxAttribute(
    Message,
    fields={
        1: ("name", "string"), 2: ("f", "float"), 3: ("i", "int"), 4: ("s", "bytes"), 5: ("t", "OnnxTensor"),
        6: ("g", "OnnxGraph"), 7: ("floats", "float*"), 8: ("ints", "int*"), 20: ("type", "int"),
    },
):  # fmt: skip
    """A setting of a node."""


class OnnxNode(
    Message,
    fields={
        1: ("input", "string*"), 2: ("output", "string*"), 3: ("name", "string"), 4: ("op_type", "string"),
        5: ("attribute", "OnnxAttribute*"),
    },
):  # fmt: skip
    """A step."""


class OnnxGraph(
    Message,
    fields={
        1: ("node", "OnnxNode*"), 2: ("name", "string"), 5: ("initializer", "OnnxTensor*"),
        11: ("input", "OnnxValueInfo*"), 12: ("output", "OnnxValueInfo*"),
    },
):  # fmt: skip
    """Steps from inputs to outputs; graphs inside of it see its values."""


class OnnxOpset(Message, fields={1: ("domain", "string"), 2: ("version", "int")}):
    """The version of the operators."""


class OnnxModel(
    Message,
    fields={
        1: ("ir_version", "int"), 2: ("producer_name", "string"), 3: ("producer_version", "string"),
        7: ("graph", "OnnxGraph"), 8: ("opset_import", "OnnxOpset*"),
    },
):  # fmt: skip
    """A file."""
