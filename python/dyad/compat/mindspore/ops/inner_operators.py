"""Operators that programs import from `_inner_ops`, defined in Python and captured like programs."""

from typing import Any

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_choice, require_int
from dyad._src.base.host_only import host_only
from dyad._src.operators import tensor_of_ints
from dyad._src.primitive.primitive import Primitive, primitive_of, primitive_with_settings
from dyad._src.tensor import generator
from dyad._src.tensor.parameter import Parameter
from dyad._src.tensor.type_marks import (
    TensorType,
    TypeMark,
    float_,
    int_,
    number,
    number_kind,
    tensor_type,
    uint,
)
from dyad.dtype import Type, bool_, float16, float32, float64, int8, int64, int_type, number_type, uint_type


def _same_type_shape(x, y):
    """`x`, which must have the dtype and the shape of `y`."""
    for name, value in (("x", x), ("y", y)):
        if not isinstance(value, Tensor):
            raise TypeError(f"SameTypeShape: {name} is of type {type(value).__name__}; need a Tensor")
    if x.dtype != y.dtype:
        raise TypeError(f"SameTypeShape: x has dtype {x.dtype} and y has {y.dtype}; both must be the same")
    if x.shape != y.shape:
        raise ValueError(f"SameTypeShape: x has shape {x.shape} and y has {y.shape}; both must be the same")
    return x


class ConvertToDynamic(Primitive):
    """The Tensor itself. Where a compiler knows sizes before a graph runs, they are no promise about later calls."""

    _parameters = ("is_dynamic_rank",)

    def __init__(self, is_dynamic_rank=False):
        super().__init__()
        self._settings = {"is_dynamic_rank": is_dynamic_rank}

    def __call__(self, input):
        if not isinstance(input, Tensor):
            raise TypeError(f"ConvertToDynamic: input is of type {type(input).__name__}; need a Tensor")
        return input


class FlattenConcat(Primitive):
    """The elements of Tensors, one after another: a Tensor for each dtype, in the order of their first Tensors.

    A Tensor has at most `fusion_size` bytes, if that is not 0; what is more makes a further one of the dtype.
    """

    _parameters = ("fusion_size",)

    def __init__(self, fusion_size=0):
        super().__init__()
        if not isinstance(fusion_size, int) or fusion_size < 0:
            raise ValueError(f"FlattenConcat: fusion_size is {fusion_size!r}; need an int of at least 0")
        self._settings = {"fusion_size": fusion_size}

    def __call__(self, tensors):
        by_dtype: dict = {}
        for tensor in tensors:
            pieces = by_dtype.setdefault(tensor.dtype, [[]])
            used = sum([piece.nbytes for piece in pieces[-1]])
            most = self._settings["fusion_size"]
            if most and pieces[-1] and used + tensor.nbytes > most:
                pieces.append([])
            pieces[-1].append(tensor)
        return tuple(
            [ops.concat([t.reshape(-1) for t in piece]) for pieces in by_dtype.values() for piece in pieces]
        )


def _smallest_steps(x):
    """For each element the step from 1 to the next number of its dtype."""
    if not isinstance(x, Tensor):
        raise TypeError(f"Eps: x is of type {type(x).__name__}; need a Tensor")
    steps = {"Float16": 2.0**-10, "BFloat16": 2.0**-7, "Float32": 2.0**-23, "Float64": 2.0**-52}
    if str(x.dtype) not in steps:
        raise TypeError(f"Eps: x is of {x.dtype}; need a float dtype")
    return ops.full_like(x, steps[str(x.dtype)])


def _offsets(name, axis, shapes):
    """Where each of several tensors of these shapes begins when they are joined along an axis: a row for each."""
    rank = len(shapes[0])
    if not -rank <= axis < rank:
        raise ValueError(f"{name}: axis is {axis}; need one in [{-rank}, {rank})")
    rows, start = [], 0
    for shape in shapes:
        rows.append([start if place == axis % rank else 0 for place in range(rank)])
        start += shape[axis]
    return rows


class ConcatOffset(Primitive):
    """Where each of N tensors begins when they are joined along an axis."""

    _parameters = ("N", "axis")

    def __init__(self, N=2, axis=0):
        super().__init__()
        self._settings = {"N": N, "axis": axis}

    def __call__(self, tensors):
        if len(tensors) != self._settings["N"]:
            raise ValueError(f"ConcatOffset: {len(tensors)} tensors are given; need {self._settings['N']}")
        rows = _offsets("ConcatOffset", self._settings["axis"], [t.shape for t in tensors])
        return ops.stack([tensor_of_ints(row) for row in rows])


def _offsets_of_shapes(axis, x):
    """Where each of several tensors, given by their shapes, begins when they are joined along an axis."""
    place = axis.item() if isinstance(axis, Tensor) else axis
    rows = _offsets("ConcatOffsetV1", place, [shape.tolist() for shape in x])
    return tuple([Tensor(row, x[0].dtype) for row in rows])


def _copied_slices(x, value, begin, end, strides):
    """`x` with `value` in the slice from `begin` to before `end`."""
    copy = x.copy()
    copy[tuple([slice(b, e, s) for b, e, s in zip(begin, end, strides, strict=True)])] = value
    return copy


def _split_by_sizes(input, split_size, dim=0):
    """`input` in parts of these sizes along a dimension."""
    return ops.split(input, split_size, dim)


def _require_type(owner, name, value):
    if not isinstance(value, (Type, TypeMark)):
        raise TypeError(
            f"{owner}: {name} is of type {type(value).__name__}; need a dtype such as int32 or number"
        )


def _is_instance(inst, type_):
    """True if a value is of a type: an int is an int64 and a float a float32."""
    _require_type("IsInstance", "type_", type_)
    if isinstance(type_, TypeMark):
        return type_.matches(inst)
    return (
        number_kind(inst) is not None
        and type_ == {bool: bool_, int: int64, float: float32}[number_kind(inst)]
    )


def _is_sub_class(sub_type, type_):
    """True if a type is a subtype of another: all numbers are `number`, int8 is `int_`."""
    _require_type("IsSubClass", "sub_type", sub_type)
    _require_type("IsSubClass", "type_", type_)
    if sub_type == type_:
        return True
    if isinstance(sub_type, TensorType) or isinstance(type_, TensorType):
        return type_ == tensor_type and isinstance(sub_type, TensorType)
    members: dict[Any, tuple] = {int_: int_type, uint: uint_type, float_: (float16, float32, float64)}
    members[number] = (bool_, *number_type, int_, uint, float_)
    return any(sub_type is member for member in members.get(type_, ()))


def _copy_to_view(x, y):
    """`x`, which may be a view of a larger Tensor, with the elements of `y` written to it."""
    return x.copy_(y)


def _stitched(indices, data):
    """Rows of several Tensors, each at the place that its indices name; of several at one place the last."""
    if len(indices) != len(data) or not indices:
        raise ValueError(
            f"DynamicStitch: there are {len(indices)} Tensors of indices and {len(data)} of data; need as many, "
            "and one or more"
        )
    for place, (index, rows) in enumerate(zip(indices, data, strict=True)):
        if rows.shape[: index.ndim] != index.shape:
            raise ValueError(
                f"DynamicStitch: data {place} has shape {rows.shape}; need one that begins with that of its "
                f"indices, {index.shape}"
            )
    flat = ops.concat([index.reshape(-1) for index in indices])
    shape = data[0].shape[indices[0].ndim :]
    rows = ops.concat([part.reshape((-1, *shape)) for part in data])
    merged = ops.zeros((int(flat.max()) + 1, *shape), rows.dtype)
    return ops.tensor_scatter_update(merged, flat.expand_dims(1), rows)


def _confusions(labels, predictions, weights=None, *, num_classes, dtype="int32"):
    """Confusion matrix: count or weight of each label (row) predicted as each class (column)."""
    amounts = ops.ones(labels.shape, dtype) if weights is None else weights.astype(dtype)
    places = ops.stack([labels, predictions], -1)
    return ops.tensor_scatter_add(ops.zeros((num_classes, num_classes), dtype), places, amounts)


def _check_classes(name, settings):
    require_int(name, "num_classes", settings["num_classes"], 1)
    if not isinstance(settings["dtype"], str):
        raise TypeError(f"{name}: dtype is {settings['dtype']!r}; need a str such as 'int32'")


def _without_repeated(state_seq, log_probs, *, ngram_size=1):
    """`log_probs` with the lowest number for each token that would repeat an n-gram of the sequence."""
    owner = "NoRepeatNGram"
    for name, value in (("state_seq", state_seq), ("log_probs", log_probs)):
        if not isinstance(value, Tensor):
            raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a Tensor")
        if value.ndim != 3:
            raise ValueError(f"{owner}: {name} has shape {value.shape}; need (batch, beams, tokens)")
    length = state_seq.shape[2]
    if not 0 < ngram_size <= length:
        raise ValueError(f"{owner}: ngram_size is {ngram_size}; need one from 1 to the length {length}")
    newest = state_seq[:, :, length - ngram_size + 1 :]
    barred = ops.zeros(log_probs.shape, _core.bool_)
    tokens = ops.arange(log_probs.shape[2])
    for start in range(length - ngram_size + 1):
        begins = (state_seq[:, :, start : start + ngram_size - 1] == newest).all(-1, keep_dims=True)
        last = state_seq[:, :, start + ngram_size - 1].expand_dims(-1)
        barred = barred | (begins & (tokens == last))
    lowest = {"Float16": -65504.0, "Float64": -1.7976931348623157e308}
    return log_probs.masked_fill(barred, lowest.get(str(log_probs.dtype), -3.4028234663852886e38))


def _check_n_gram(name, settings):
    require_int(name, "ngram_size", settings["ngram_size"], 1)


def _within(input_x, max_num, offset):
    """The elements less `offset` that lie in [0, max_num), and where in the Tensor they stood."""
    moved = input_x - offset
    places = ops.nonzero((moved >= 0) & (moved < max_num)).reshape(-1)
    return moved[places], places.astype(input_x.dtype)


def _updated_rows(input_x, indices, updates, max_num):
    """Writes rows of `updates` to the rows that `indices` name; indices outside [0, max_num) are passed over."""
    indices = indices.reshape(-1)
    used = ops.nonzero((indices >= 0) & (indices < max_num)).reshape(-1)
    rows = updates.reshape((indices.shape[0], *input_x.shape[1:]))
    input_x[indices[used]] = rows[used]
    return ops.zeros((1,), input_x.dtype)


def _swapped_rows(cache_table, swap_cache_idx, miss_value):
    """Writes rows to a table and gives those that stood there; the index -1 is passed over."""
    used = ops.nonzero(swap_cache_idx >= 0).reshape(-1)
    places = swap_cache_idx[used]
    old = ops.zeros_like(miss_value)
    old[used] = cache_table[places]
    cache_table[places] = miss_value[used]
    return old


class PyFunc(Primitive):
    """A function of NumPy arrays as an operator of a tuple of Tensors, which gives a tuple of Tensors."""

    _parameters = ("fn", "in_types", "in_shapes", "out_types", "out_shapes", "stateful")

    def __init__(self, fn, in_types, in_shapes, out_types, out_shapes, stateful=True):
        super().__init__()
        if not callable(fn):
            raise TypeError(f"PyFunc: fn is of type {type(fn).__name__}; need a function")
        self._settings = {"fn": fn, "in_types": in_types, "in_shapes": in_shapes}
        self._settings |= {"out_types": out_types, "out_shapes": out_shapes, "stateful": stateful}

    @host_only
    def __call__(self, input_x):
        given = [x.asnumpy() if isinstance(x, Tensor) else x for x in input_x]
        results = self._settings["fn"](*given)
        if not isinstance(results, (tuple, list)):
            results = () if results is None else (results,)
        types, shapes = self._settings["out_types"], self._settings["out_shapes"]
        if len(results) != len(types):
            raise TypeError(f"PyFunc: the function gave {len(results)} results; out_types names {len(types)}")
        made = []
        for result, dtype, shape in zip(results, types, shapes, strict=True):
            made.append(result if isinstance(result, Tensor) else Tensor(result, dtype))
            if made[-1].shape != tuple(shape):
                raise TypeError(
                    f"PyFunc: a result has shape {made[-1].shape}; out_shapes names {tuple(shape)}"
                )
        return tuple(made)


class Generator(Primitive):
    """A random stream whose seed and offset are Tensors of the caller, int64 scalars that a call may write.

    A call takes a command and (seed, offset, and what the command needs): 0 goes on by a step, 1 begins a stream that
    nobody foresees, 2 reads the state, 3 takes a state back, 4 begins the stream of a seed, 5 changes nothing. It
    gives the seed, the offset and the state; for a step, seed and offset are those from before it.
    """

    _STEP, _SEED, _GET_STATE, _SET_STATE, _MANUAL_SEED, _INITIAL_SEED = range(6)
    _WITH_A_THIRD = (_STEP, _SET_STATE, _MANUAL_SEED)

    def __init__(self, seed=None, offset=None):
        super().__init__()

    @host_only
    def __call__(self, cmd, inputs):
        if cmd not in range(6):
            raise ValueError(f"Generator: cmd is {cmd!r}; need one of 0 to 5")
        if len(inputs) != 2 + (cmd in self._WITH_A_THIRD):
            need = "seed, offset and one more" if cmd in self._WITH_A_THIRD else "seed and offset"
            raise ValueError(f"Generator: command {cmd} is given {len(inputs)} inputs; need {need}")
        seed, offset = inputs[:2]
        stream = generator.Generator()
        stream._write(seed.item() % 2**64, offset.item() % 2**64)
        if cmd == self._STEP:
            before = stream._step(inputs[2])
        elif cmd == self._SEED:
            stream.seed()
        elif cmd == self._SET_STATE:
            stream.set_state(inputs[2])
        elif cmd == self._MANUAL_SEED:
            stream.manual_seed(int(inputs[2]))
        after = stream._step(0)
        for held, value in zip((seed, offset), after, strict=True):
            held.copy_(value.astype(held.dtype))
        return (*(before if cmd == self._STEP else after), stream.get_state())


def _quantised(input_x, *, scale, offset, sqrt_mode=False, round_mode="Round"):
    """scale * x + offset, or with the square of the scale, rounded to int8."""
    factor = scale * scale if sqrt_mode else scale
    rounded = _ROUNDINGS[round_mode](input_x.astype(float32) * factor + offset)
    return ops.clamp(rounded, -128, 127).astype(int8)


_ROUNDINGS = {"Round": ops.rint, "Floor": ops.floor, "Ceil": ops.ceil, "Trunc": ops.trunc}


def _check_quantised(name, settings):
    for key in ("scale", "offset"):
        if type(settings[key]) is not float:
            raise TypeError(f"{name}: {key} is {settings[key]!r}; need a float")
    require_bool(name, "sqrt_mode", settings["sqrt_mode"])
    require_choice(name, "round_mode", settings["round_mode"], tuple(_ROUNDINGS))


def _restored_number(x, scale, offset, *, sqrt_mode=False, dtype=float16):
    """scale * (x + offset), or with the square of the scale, for integers that were rounded."""
    for name, value in (("x", x), ("scale", scale), ("offset", offset)):
        if not isinstance(value, Tensor):
            raise TypeError(f"AntiQuant: {name} is of type {type(value).__name__}; need a Tensor")
    wide = scale.astype(float32)
    return ((x.astype(float32) + offset) * (wide * wide if sqrt_mode else wide)).astype(dtype)


def _check_restored(name, settings):
    require_bool(name, "sqrt_mode", settings["sqrt_mode"])


def _scaled_number(input_x, deq_scale, *, sqrt_mode=False, relu_flag=False, dtype=float16):
    """x * scale, or with the square of the scale, in a float dtype; negative numbers as 0 if a flag says so."""
    if not isinstance(input_x, Tensor) or not isinstance(deq_scale, Tensor):
        raise TypeError(f"Dequant: input_x is {input_x!r} and deq_scale {deq_scale!r}; need Tensors")
    if not deq_scale.is_floating_point():
        raise TypeError(f"Dequant: deq_scale is of {deq_scale.dtype}; need a float dtype")
    wide = deq_scale.astype(float32)
    found = input_x.astype(float32) * (wide * wide if sqrt_mode else wide)
    return (ops.relu(found) if relu_flag else found).astype(dtype)


def _centralised(input_x, axis=()):
    """The tensor less its mean along axes, all of them if none is given."""
    axes = tuple(range(input_x.ndim)) if axis in ((), []) else axis
    return input_x - input_x.mean(axes, keep_dims=True)


def _broadcast(x, shape):
    """The tensor in a larger shape, repeated along what it is 1 in."""
    return ops.broadcast_to(x, tuple(shape.tolist()) if isinstance(shape, Tensor) else tuple(shape))


def _tile_sizes(shape, out_shape, ndim):
    """Number of copies along each dimension that broadcast a tensor to another shape; 1 where sizes are equal."""
    sizes = [other if one != other else 1 for one, other in zip(shape, out_shape, strict=False)]
    return (*sizes, *[1] * (ndim - len(sizes)))


def _is_parameter(x):
    """True if an object is a Parameter."""
    return isinstance(x, Parameter)


_same_type_shape.__dict__["_is_program"] = True
_is_parameter.__dict__["_is_program"] = True
classes = {
    "AntiQuant": primitive_with_settings("AntiQuant", _restored_number, _check_restored),
    "Centralization": primitive_of("Centralization", _centralised),
    "ConcatOffset": ConcatOffset,
    "ConcatOffsetV1": primitive_of("ConcatOffsetV1", _offsets_of_shapes),
    "CacheSwapTable": primitive_of("CacheSwapTable", _swapped_rows),
    "ConfusionMatrix": primitive_with_settings("ConfusionMatrix", _confusions, _check_classes),
    "ConvertToDynamic": ConvertToDynamic,
    "CopyWithSlice": primitive_of("CopyWithSlice", _copy_to_view),
    "Dequant": primitive_with_settings("Dequant", _scaled_number, _check_restored),
    "DynamicBroadcastTo": primitive_of("DynamicBroadcastTo", _broadcast),
    "DynamicAssign": primitive_of("DynamicAssign", _copy_to_view),
    "DynamicStitch": primitive_of("DynamicStitch", _stitched),
    "Eps": primitive_of("Eps", _smallest_steps),
    "FlattenConcat": FlattenConcat,
    "Generator": Generator,
    "GpuConvertToDynamicShape": ConvertToDynamic,
    "IsParameter": primitive_of("IsParameter", _is_parameter),
    "IsInstance": primitive_of("IsInstance", _is_instance),
    "IsSubClass": primitive_of("IsSubClass", _is_sub_class),
    "TensorCopySlices": primitive_of("TensorCopySlices", _copied_slices),
    "Muls": primitive_of("Muls", lambda input, other: input * other),
    "NoRepeatNGram": primitive_with_settings("NoRepeatNGram", _without_repeated, _check_n_gram),
    "PyFunc": PyFunc,
    "Quant": primitive_with_settings("Quant", _quantised, _check_quantised),
    "SplitWithSize": primitive_of("SplitWithSize", _split_by_sizes),
    "SameTypeShape": primitive_of("SameTypeShape", _same_type_shape),
    "SubAndFilter": primitive_of("SubAndFilter", _within),
    "TileSize": primitive_of("TileSize", _tile_sizes),
    "UpdateCache": primitive_of("UpdateCache", _updated_rows),
}
