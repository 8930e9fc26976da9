"""The messages of strategy files as classes, for programs that read or write one themselves."""

from dyad._src.base.protobuf.message import Message, decode, encode

__all__ = [
    "DevMatrix", "IndicesOffset", "ParallelLayoutItem", "ParallelLayouts", "ParallelStrategy", "ParallelStrategyItem",
    "ParallelStrategyMap", "ParallelStrategys", "ParamSplitShape", "TensorMap",
]  # fmt: skip


class _Members(list):
    """A repeated field of messages."""

    def __init__(self, kind, members=()):
        super().__init__(members)
        self._kind = kind

    def add(self, **fields):
        """Appends a message and returns it."""
        self.append(self._kind(**fields))
        return self[-1]


class _StrategyMessage(Message, fields={}):
    """A message whose fields have defaults: numbers are 0, strings and lists empty."""

    def __init__(self, **fields):
        super().__init__(**fields)
        for name, kind in self._names.items():
            if name not in fields or fields[name] is None:
                self.__dict__[name] = _blank(kind)
            elif kind[-1] == "*" and kind[:-1] in _KINDS:
                self.__dict__[name] = _Members(_KINDS[kind[:-1]], fields[name])

    def ParseFromString(self, data):
        """Adopts the fields of a file and returns its size; MalformedMessage if the bytes are not such a message."""
        type(self).__init__(self, **vars(decode(type(self), data)))
        return len(data)

    def SerializeToString(self):
        """The bytes of the file."""
        return encode(self)


def _blank(kind):
    if kind[-1] == "*":
        return _Members(_KINDS[kind[:-1]]) if kind[:-1] in _KINDS else []
    return {"int": 0, "string": ""}[kind] if kind in ("int", "string") else _KINDS[kind]()


class DevMatrix(_StrategyMessage, fields={1: ("dim", "int*")}):
    """Sizes of the matrix of devices."""


class TensorMap(_StrategyMessage, fields={1: ("dim", "int*")}):
    """For each dimension of the tensor, the axis of the matrix along which it is split, or -1."""


class ParamSplitShape(_StrategyMessage, fields={1: ("dim", "int*")}):
    """The shape of a slice."""


class IndicesOffset(_StrategyMessage, fields={1: ("dim", "int*")}):
    """The start of a slice."""


class ParallelStrategy(_StrategyMessage, fields={1: ("dim", "int*")}):
    """Into how many parts each dimension of an operand is split."""


class ParallelStrategys(
    _StrategyMessage, fields={1: ("stage", "int"), 2: ("parallel_strategy", "ParallelStrategy*")}
):
    """The split of the operands of one operator, and its pipeline stage."""


class ParallelStrategyItem(
    _StrategyMessage, fields={1: ("node_name", "string"), 2: ("parallel_strategys", "ParallelStrategys")}
):
    """An operator and its strategy."""


class ParallelLayouts(
    _StrategyMessage,
    fields={
        1: ("dev_matrix", "DevMatrix*"),
        2: ("tensor_map", "TensorMap*"),
        3: ("param_split_shape", "ParamSplitShape*"),
        4: ("indices_offset", "IndicesOffset*"),
        5: ("field", "int"),
        6: ("opt_weight_shard_step", "int"),
        7: ("opt_weight_shard_size", "int"),
    },
):
    """The split of one Parameter."""


class ParallelLayoutItem(
    _StrategyMessage, fields={1: ("param_name", "string"), 2: ("parallel_layouts", "ParallelLayouts")}
):
    """A Parameter and its layout."""


class ParallelStrategyMap(
    _StrategyMessage,
    fields={
        1: ("current_stage", "int"),
        2: ("parallel_strategy_item", "ParallelStrategyItem*"),
        3: ("parallel_layout_item", "ParallelLayoutItem*"),
    },
):
    """A whole file."""


_KINDS = {kind.__name__: kind for kind in _StrategyMessage.__subclasses__()}
