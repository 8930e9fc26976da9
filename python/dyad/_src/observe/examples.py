"""The examples in the docstrings of operators, derived from the samples of the operator table.

A sample of an operator is a call with small arrays: `call(T(2, 3), axis=1)`. Its arrays are filled with simple
numbers. The call is written for the function, method or Primitive whose docstring is read, run, and shown with its
result. So there is no second list of examples, and none that is wrong. Nothing happens before a docstring is read.
"""

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import dyad
from dyad import Parameter, Tensor, _core, get_rng_state, ops, set_rng_state
from dyad._src.base import lazy_numpy as numpy

_MOST_WRITTEN = 12  # elements of an argument that are written one by one
_MOST_SHOWN = 24  # elements of a result
_LONGEST_LINE = 96
_MOST_SAMPLES = 8  # tried for one example
_FRACTIONS = (0.5, 0.25, 0.8, 0.4, 0.95, 0.1, 0.75, 0.2, 0.7, 0.55, 0.6, 0.35)
_NAMED: dict = {"ops": ops, "Tensor": Tensor, "Parameter": Parameter, "dyad": dyad}
_DTYPES = [name for name, value in vars(_core).items() if isinstance(value, _core.DType)]


@functools.cache
def operators() -> dict[str, dict]:
    """The operator table by name."""
    return {operator["name"]: operator for operator in _core.op_table()}


@functools.cache
def example(operator: str, name: str, method: bool) -> tuple[str, ...]:
    """The lines of the example; none if the operator is not public under this name."""
    op = operators()[operator]
    write = _writer(op, name, method)
    if write is None:
        return ()
    best: tuple[str, ...] = ()
    state = get_rng_state()
    try:
        for lines in _attempts(op, write):
            if not best or _cost(lines) < _cost(best):
                best = lines
            if _cost(lines) == 0:
                break
    finally:
        set_rng_state(state)
    return best


def _cost(lines: tuple[str, ...]) -> int:
    """A measure of how hard an example is to read: long lines, a result without its numbers."""
    long = sum(max(0, len(line) - _LONGEST_LINE) for line in lines)
    hidden = any(".shape" in line for line in lines)
    strange = any(word in line for line in lines for word in ("nan", "inf", "[]"))
    return long + 40 * hidden + 20 * strange + 2 * max(0, len(lines) - 6)


def _attempts(op: dict, write: Callable) -> Iterator[tuple[str, ...]]:
    for sample in op["samples"][:_MOST_SAMPLES]:
        for held in (False, True) if op["writes"] >= 0 or op["updates"] else (False,):
            arguments = _arguments(op, sample, held)
            written = write(arguments)
            lines = written and _carried_out(op, *written)
            if lines:
                yield lines
                break


# --- Arguments ------------------------------------------------------------------------------------------------------


@dataclass
class _Array:
    """An array of the sample, as it is written."""

    text: str


def _arguments(op: dict, sample: str, held: bool) -> dict:
    """The arguments of the sample by parameter; `held`: what the operator changes is a Parameter."""
    names = {**_NAMED, **_dtype_names(), "np": numpy, "inf": math.inf, "nan": math.nan}
    dtype = eval(sample, {**names, **_WALKS})
    made = _Numbers()

    def operands(count, size, lo, hi):
        return tuple(made.array(size, dtype, lo, hi) for _ in range(count)), {}

    args, keywords = eval(
        sample,
        {
            **names,
            "T": lambda *size, lo=-3, hi=3: made.array(size, dtype, lo, hi),
            "F": lambda *size, lo=-3, hi=3: made.array(size, "float32", lo, hi),
            "I": lambda *size, lo=0, hi=4: made.array(size, "int64", lo, hi - 1),
            "B": lambda *size: made.array(size, "bool_", 0, 1),
            "V": _given,
            "strided": lambda array: array,
            "transposed": lambda array: array,
            "call": lambda *args, dtypes=None, **keywords: (args, keywords),
            "unary": lambda lo=-3, hi=3, only=None, exclude=None: operands(1, (4,), lo, hi),
            "binary": lambda lo=-3, hi=3, only=None, exclude=None: operands(2, (3,), lo, hi),
            "ternary": lambda lo=-3, hi=3, only=None, exclude=None: operands(3, (3,), lo, hi),
        },
    )
    params = [param["name"] for param in op["params"]]
    arguments = {**dict(zip(params, args, strict=False)), **keywords}
    if held:
        for at in {op["writes"], *op["updates"]} - {-1}:
            if isinstance(arguments.get(params[at]), _Array):
                arguments[params[at]] = _Array(f"Parameter({arguments[params[at]].text})")
    return arguments


def _no_array(*args, **keywords) -> None:
    """A placeholder for an array while only the dtypes of a sample are read."""


def _walked_by_operands(lo=-3, hi=3, only="all", exclude=None) -> str:
    return _usual_dtype(only, exclude)


def _walked_by_call(*args, dtypes="float32", **keywords) -> str:
    return _usual_dtype(dtypes)


# Results of a sample's expressions when only dtypes are read.
_WALKS: dict[str, Callable] = {name: _no_array for name in ("T", "F", "I", "B", "V", "strided", "transposed")}
_WALKS |= {name: _walked_by_operands for name in ("unary", "binary", "ternary")}
_WALKS["call"] = _walked_by_call


class _Numbers:
    """Writes arrays of plain numbers, each array starting elsewhere in the same few."""

    def __init__(self) -> None:
        self._start = 0

    def array(self, shape: tuple, dtype: str, lo: float, hi: float) -> _Array:
        count = math.prod(shape)
        numbers = [self._number(i, dtype, lo, hi) for i in range(max(count, 1))]
        self._start += 5
        if count > _MOST_WRITTEN:
            return _Array(_filled(shape, 1 if lo <= 1 <= hi else numbers[0], dtype))
        return _Array(_written(_nested(numbers, shape), dtype))

    def _number(self, i: int, dtype: str, lo: float, hi: float):
        fraction = _FRACTIONS[(self._start + i) % len(_FRACTIONS)]
        if dtype == "bool_":
            return fraction >= 0.5
        lo = max(lo, 0) if dtype.startswith("uint") else lo
        number = lo + fraction * (hi - lo)
        if "int" in dtype:
            return min(max(round(number), math.ceil(lo)), math.floor(hi))
        real = _plain(number, lo, hi)
        return complex(real, _plain(lo + (1 - fraction) * (hi - lo), lo, hi)) if "complex" in dtype else real


def _plain(number: float, lo: float, hi: float) -> float:
    """A number close by that is short in the decimal and in the binary system."""
    step = 0.5 if hi - lo >= 3 else 0.25 if hi - lo >= 1 else 0.125
    near = round(number / step) * step
    return near if lo <= near <= hi else round(number, 2)


def _given(values, name=None) -> _Array:
    array = numpy.asarray(values)
    kinds = {"b": "bool_", "i": "int64", "u": "int64", "f": "float32", "c": "complex64"}
    name = {"bool": "bool_", None: kinds[array.dtype.kind]}.get(name, name)
    if array.dtype.kind in "iu" and ("float" in name or "complex" in name):
        array = array.astype("float64")
    return _Array(_written(array.tolist(), name))


def _nested(numbers: list, shape: tuple):
    if not shape:
        return numbers[0]
    if len(shape) == 1:
        return numbers[: shape[0]]
    step = math.prod(shape[1:])
    return [_nested(numbers[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]


def _written(values, dtype: str) -> str:
    """The Tensor in Python; its dtype is left out where Python's numbers say it."""
    text = repr(values).replace("nan", 'float("nan")').replace("inf", 'float("inf")').replace("'", "")
    usual = {"bool": "bool_", "int": "int64", "float": "float32"}.get(type(_first(values)).__name__)
    return f"Tensor({text})" if dtype == usual else f"Tensor({text}, dyad.{dtype})"


def _first(values):
    while isinstance(values, list):
        if not values:
            return None
        values = values[0]
    return values


def _filled(shape: tuple, number, dtype: str) -> str:
    size = "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
    kind = "" if dtype == "float32" else f", dtype=dyad.{dtype}"
    return f"ops.ones({size}{kind})" if number == 1 else f"ops.full({size}, {number!r}{kind})"


def _usual_dtype(groups: str | None, exclude: str | None = None) -> str:
    """The dtype to show of those that a sample walks."""
    names = (groups or "all").split("+")
    left_out = (exclude or "").split("+")
    if (
        any(name in ("float", "real", "numeric", "all", "float32") for name in names)
        and "float" not in left_out
    ):
        return "float32"
    if any(name in ("int", "real", "numeric", "all") for name in names):
        return "int64"
    return {"complex": "complex64", "bool": "bool_"}.get(names[0], names[0])


def _dtype_names() -> dict:
    return {name: getattr(_core, name) for name in _DTYPES}


# --- Calls ----------------------------------------------------------------------------------------------------------


def _writer(op: dict, name: str, method: bool) -> Callable | None:
    """A function that writes the call of one face from arguments by parameter: the text before the arguments, and
    these.
    """
    if method:
        face = _named_face(op["methods"], name)
        if face is None and name in op["inplace_methods"]:
            face = op["methods"][0] if op["methods"] else _plain_method(op)
        return None if face is None else functools.partial(_write_method, op, name, face)
    if face := _named_face(op["functions"], name):
        return functools.partial(_write_function, op, face)
    if primitive := _named_face(op["primitives"], name):
        return functools.partial(_write_primitive, op, primitive)
    return None


def _named_face(faces: list[dict], name: str) -> dict | None:
    return next((face for face in faces if face["name"] == name), None)


def _plain_method(op: dict) -> dict:
    plain = {"keyword_only": False, "gathers": False}
    return {"params": [{**param, **plain, "target": param["name"]} for param in op["params"][1:]]}


def _write_function(op: dict, face: dict, arguments: dict):
    given = _placed(op, face, arguments)
    return None if given is None else (f"ops.{face['name']}", given)


def _write_method(op: dict, name: str, face: dict, arguments: dict):
    owner = op["params"][0]["name"]
    value = arguments.get(owner)
    if not isinstance(value, _Array | int | float):
        return None
    self = value.text if isinstance(value, _Array) else f"Tensor({value!r})"
    rest = {param: value for param, value in arguments.items() if param != owner}
    given = _placed(op, face, rest)
    return None if given is None else (f"{self}.{name}", given)


def _write_primitive(op: dict, primitive: dict, arguments: dict):
    own = {param["target"] for param in primitive["init"]["params"]}
    init = _placed(op, primitive["init"], {name: value for name, value in arguments.items() if name in own})
    given = _placed(
        op, primitive["call"], {name: value for name, value in arguments.items() if name not in own}
    )
    if init is None or given is None:
        return None
    return f"ops.{primitive['name']}({_joined(init)})", given


def _placed(op: dict, face: dict, arguments: dict) -> list[tuple[str, str, bool]] | None:
    """(name, text, by keyword) of each argument; None if the face does not have it."""
    own_defaults = {param["name"]: param["default"] for param in op["params"]}
    placed: list[tuple[str, str, bool]] = []
    by_keyword = False
    left = dict(arguments)
    for param in face["params"]:
        by_keyword |= param["keyword_only"]
        if param["target"] not in left:
            by_keyword = True
            continue
        value = left.pop(param["target"])
        if param["default"] != own_defaults.get(param["target"]):
            by_keyword = True  # a default of the face alone is the purpose of the face
        elif param["gathers"]:
            if by_keyword or not isinstance(value, list | tuple):
                return None
            placed += [(f"{param['name']}{i}", _text(item), False) for i, item in enumerate(value)]
            by_keyword = True
        else:
            placed.append((param["name"], _text(value), by_keyword))
    return None if left else placed


def _text(value) -> str:
    if isinstance(value, _Array):
        return value.text
    if isinstance(value, list | tuple):
        inner = ", ".join(map(_text, value))
        if isinstance(value, list):
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return next((f"dyad.{name}" for name, dtype in _dtype_names().items() if value is dtype), repr(value))


def _joined(given: list[tuple[str, str, bool]]) -> str:
    return ", ".join(f"{name}={text}" if by_keyword else text for name, text, by_keyword in given)


def _holds_array(text: str) -> bool:
    return "Tensor(" in text or "ops." in text


def _carried_out(op: dict, prefix: str, given: list[tuple[str, str, bool]]) -> tuple[str, ...] | None:
    """The lines of the call and of its result; None if the call fails."""
    lines = []
    if len(prefix) + len(_joined(given)) > _LONGEST_LINE - 16:
        lines = [f"{name} = {text}" for name, text, _ in given if _holds_array(text)]
        given = [(name, name if _holds_array(text) else text, by_keyword) for name, text, by_keyword in given]
    call = f"{prefix}({_joined(given)})"
    written = [*lines, call]
    names = dict(_NAMED)
    try:
        for line in lines:
            exec(line, names)
        result = eval(call, names)
        shown, output = _shown(call, result, op["random"] or "any_values" in op["numpy"])
    except Exception:
        return None
    imports = [name for name in ("Parameter", "Tensor") if any(f"{name}(" in line for line in written)]
    head = ["import dyad"] if any("dyad." in line for line in written) else []
    head.append(
        f"from dyad import {', '.join([*imports, 'ops'])}" if any("ops." in x for x in written) else ""
    )
    if not head[-1]:
        head[-1] = f"from dyad import {', '.join(imports)}"
    return (*(f">>> {line}" for line in [*head, *lines, shown]), *output)


def _shown(call: str, result, any_values: bool) -> tuple[str, list[str]]:
    """The line that shows the result, and its output: the numbers if they are few, else the shape."""
    if result is None:
        return call, []
    if isinstance(result, Tensor):
        if any_values or not _small(result):
            return f"{call}.shape", [repr(result.shape)]
        return f"print({call})", str(result).splitlines()
    if isinstance(result, list | tuple) and all(isinstance(item, Tensor) for item in result):
        if any_values or not all(_small(item) for item in result):
            return f"[result.shape for result in {call}]", [repr([item.shape for item in result])]
        return f'print(*{call}, sep="\\n")', [line for item in result for line in str(item).splitlines()]
    return call, repr(result).splitlines()


def _small(tensor: Tensor) -> bool:
    return tensor.size <= _MOST_SHOWN and tensor.ndim <= 2
