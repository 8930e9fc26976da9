"""The messages of a `.mindir` file: names and numbers of the fields that are read or written here."""

import enum

from dyad._src.base.protobuf.message import Message


class AttributeType(enum.IntEnum):
    """Type of the value of an attribute."""

    UNDEFINED = 0
    FLOAT = 1
    UINT8 = 2
    INT8 = 3
    UINT16 = 4
    INT16 = 5
    INT32 = 6
    INT64 = 7
    STRING = 8
    BOOL = 9
    FLOAT16 = 10
    DOUBLE = 11
    UINT32 = 12
    UINT64 = 13
    COMPLEX64 = 14
    COMPLEX128 = 15
    BFLOAT16 = 16
    TENSOR = 17
    GRAPH = 18
    TENSORS = 19
    TUPLE = 20
    LIST = 21
    DICT = 22
    UMONAD = 23
    IOMONAD = 24
    NONE = 25
    PRIMITIVE_CLOSURE = 26
    GRAPH_CLOSURE = 27
    PARTIAL_CLOSURE = 28
    UNION_CLOSURE = 29
    CSR_TENSOR = 30
    COO_TENSOR = 31
    ROW_TENSOR = 32
    CLASS_TYPE = 33
    NAME_SPACE = 34
    SYMBOL = 35
    TYPE_NULL = 36
    MAP_TENSOR = 37
    FUNCTOR = 38
    SCALAR = 39


class PrimitiveKind(enum.IntEnum):
    """Form of the settings of a Primitive: attributes, or inputs after the others."""

    WITH_ATTRIBUTES = 1
    FUNCTION = 2


class ExternalData(Message, fields={1: ("location", "string"), 2: ("offset", "int"), 3: ("length", "int")}):
    """Location of the bytes of a tensor in a separate file."""


class TensorRecord(
    Message,
    fields={
        1: ("dims", "int*"),
        2: ("data_type", "int"),
        7: ("name", "string"),
        9: ("raw_data", "bytes"),
        12: ("external_data", "ExternalData"),
        13: ("ref_key", "string"),
        16: ("compression_type", "int"),
    },
):
    """A tensor with its bytes, or the type of one without; an unknown size is -1."""


class SequenceInfo(Message, fields={1: ("is_dyn_len", "bool")}):
    """A tuple or list, with a flag for a dynamic length."""


class Attribute(
    Message,
    fields={
        1: ("name", "string"),
        2: ("f", "float"),
        3: ("i", "int"),
        4: ("d", "double"),
        5: ("s", "bytes"),
        6: ("t", "TensorRecord"),
        8: ("floats", "float*"),
        9: ("doubles", "double*"),
        10: ("ints", "int*"),
        11: ("strings", "bytes*"),
        12: ("tensors", "TensorRecord*"),
        16: ("type", "int"),
        17: ("values", "Attribute*"),
        18: ("seq_info", "SequenceInfo"),
    },
):
    """A named value, or the type of one."""


class ValueInfo(
    Message,
    fields={
        1: ("name", "string"),
        2: ("tensor", "TensorRecord*"),
        4: ("denotation", "string"),
        5: ("attr_info", "Attribute"),
    },
):
    """An input or result of a graph with its type."""


class NodeRecord(
    Message,
    fields={
        1: ("input", "string*"),
        2: ("output", "string*"),
        3: ("name", "string"),
        4: ("op_type", "string"),
        5: ("attribute", "Attribute*"),
        7: ("domain", "string"),
        8: ("node_attr", "Attribute*"),
    },
):
    """One step. `op_type` is "Constant", the name of a Primitive, or "REF::" and the callee."""


class GraphRecord(
    Message,
    fields={
        1: ("node", "NodeRecord*"),
        2: ("name", "string"),
        3: ("parameter", "TensorRecord*"),
        5: ("input", "ValueInfo*"),
        6: ("output", "ValueInfo*"),
        7: ("bprop_hash", "string"),
        8: ("attribute", "Attribute*"),
    },
):
    """One function: its inputs, then its Parameters, then steps in a valid order."""


class PrimitiveRecord(
    Message,
    fields={
        1: ("name", "string"),
        2: ("op_type", "string"),
        3: ("attribute", "Attribute*"),
        4: ("instance_name", "string"),
        5: ("prim_type", "int"),
    },
):
    """A Primitive that nodes refer to by name."""


class Model(
    Message,
    fields={
        1: ("ir_version", "string"),
        2: ("producer_name", "string"),
        3: ("producer_version", "string"),
        5: ("model_version", "string"),
        7: ("graph", "GraphRecord"),
        8: ("functions", "GraphRecord*"),
        10: ("little_endian", "bool"),
        12: ("primitives", "PrimitiveRecord*"),
        13: ("mind_ir_version", "int"),
    },
):
    """A whole file: the graph that is called, and the functions that it calls."""


class MalformedGraph(RuntimeError):
    """The file is not a graph that can be run."""
